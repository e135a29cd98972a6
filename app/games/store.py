"""The only place that reads and writes a game: the log, the state stored beside it, and the decision that is owed.

What happened is written once and never changed. The stored state is a cache: `rebuilt` makes it from the log without
judging or chance, so a correction of the rules leaves games in progress alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from sqlalchemy import insert, update
from sqlmodel import Session, col

from app.base.stored import reserved_ids
from app.base.stored.columns import read_json, write_json
from app.base.words.numbers import LARGEST
from app.base.words.refusals import NoSuch
from app.clocks.pace import Pace, read_pace
from app.games import followers, rows
from app.games.statements import (
    GAME_COLUMNS,
    LOCK_GAME,
    MOVE_STATE,
    READ_EVENTS,
    READ_FIRST_OF_OWN,
    READ_GAME,
    READ_LAST_BEFORE,
    READ_LAST_OF_SEAT,
    READ_LOG,
    READ_MADE,
    READ_OWN,
    READ_SEATS,
    SELECT_NEWS,
    WRITE_ENTRY,
    WRITE_MADE,
    EventsRow,
    GameColumns,
    GameRow,
    OwnAnswer,
    move_game,
)
from app.games.steps import NOTHING_SENT, PlayedSteps, SentOrders, Step, events_of, replayed, step_of, told_as
from app.games.tables import DecisionMade, Game, GameSeat, GameState, GameStatus
from app.people.tables import IS_PROGRAM, Player
from app.titles.registry import TITLES
from engine.kernel.codec import StoredOtherwise
from engine.kernel.takeback import TakenBack
from engine.kernel.title import Title

GUEST = "guest"
"""The first word of `GameSeat.held_by` for a guest: a person without an account."""


class NoSuchGame(NoSuch):
    """There is no game with this number, or it has not begun."""


class StaleTurn(Exception):
    """The decision has been made meanwhile."""


class LogBroken(Exception):
    """The log and the stored state disagree; the message says where."""


@contextmanager
def _readable(title: Title, game_id: int) -> Iterator[None]:
    """Have LogBroken name the game whose title cannot read what it has stored."""
    try:
        yield
    except StoredOtherwise as why:
        raise LogBroken(f"game {game_id} of {title.id} cannot be read: {why}") from why


@dataclass(frozen=True, slots=True)
class SeatHolder:
    """A seat and who sits there. `name` is empty if nobody has taken the seat."""

    seat: str
    place: int
    player_id: int | None = None
    name: str = ""
    address: str = ""
    language: str = "en"
    zone: str = "UTC"
    standing: tuple[str, ...] = ()
    salt: str = ""
    """The seat's contribution to the game's chance."""
    bank: int | None = None
    """Seconds left in the bank of its clock before the decision that is owed."""
    wants_turns: bool = True
    """Whether its player wants mails about turns."""
    ends_turn: int | None = None
    """The turn of its own whose end it has announced in advance."""
    hold_minutes: int | None = None
    """How many minutes a sealed turn can be taken back before it is played; None if its player has never said."""
    sign: str = ""
    """The sign beside the name."""
    held_by: str = ""
    """Who plays here without being a player; see `GameSeat.held_by`."""
    zone_chosen: bool | None = None
    """Whether its player has chosen the zone; None if it is not even a browser's."""

    @property
    def computer(self) -> str:
        """The level at which the computer plays here, and its number if it is not the only one; empty if it does
        not."""
        return "" if self.is_guest else self.held_by

    @property
    def is_guest(self) -> bool:
        """Whether a person without an account plays here: their link is all they have."""
        return self.held_by.startswith(GUEST)

    @property
    def is_asked(self) -> bool:
        """Whether a player, a guest or the computer is here to agree to something."""
        return self.player_id is not None or bool(self.held_by)


@dataclass(frozen=True, kw_only=True)
class GameNow(GameColumns):
    """A game as it stands: the decision owed, who sits where, and the state (decoded when first needed)."""

    title: Title
    pace: Pace
    seats: tuple[SeatHolder, ...]
    state_text: str = field(repr=False)

    @cached_property
    def state(self) -> object:
        with _readable(self.title, self.id):
            return self.title.state_from_json(read_json(self.state_text))

    def view(self, seat: str | None) -> dict[str, Any]:
        """Return what a seat may see, or a spectator (None)."""
        return self.as_ended(self.title.view(self.state, seat))

    def as_ended(self, view: Mapping[str, Any]) -> dict[str, Any]:
        """Return a view of the last state: of a game that is over with the points with which it ended, however its
        title counts them today."""
        kept = (self.result or {}).get("score") or {}
        counted = [key for key in ("scores", "score") if kept and key in view]
        return {**view, **{key: {one: kept.get(one, n) for one, n in view[key].items()} for key in counted}}

    def know(self, state: object) -> None:
        """Set the state that `state_text` stands for, so that it need not be decoded."""
        self.__dict__["state"] = state

    def with_seats(self, seats: tuple[SeatHolder, ...]) -> GameNow:
        """Return the same game with its current seats."""
        game = replace(self, seats=seats)
        if "state" in self.__dict__:
            game.know(self.state)
        return game

    @property
    def is_over(self) -> bool:
        return self.status != GameStatus.RUNNING

    @property
    def banks(self) -> dict[str, int] | None:
        """What the bank of each seat holds before the decision that is owed; None if the pace has none."""
        return {s.seat: s.bank or 0 for s in self.seats} if self.pace.has_bank else None

    def goes_on_as(self, before: GameNow) -> bool:
        """Return whether the decision owed is the rest of the one owed before, so that its clock keeps running."""
        return self.decides is not None and (self.decides, self.turn, self.kind) == (
            before.decides,
            before.turn,
            before.kind,
        )

    def ends_ahead(self, seat: str) -> bool:
        """Return whether this seat, on turn, has announced the end of its turn in advance. Nobody else may see that."""
        return not self.is_over and self.on_turn == seat and self.seated(seat).ends_turn == self.turn

    def seated(self, seat: str) -> SeatHolder:
        """Return who sits there; KeyError for a seat that this game does not have."""
        for seated in self.seats:
            if seated.seat == seat:
                return seated
        raise KeyError(seat)

    def seat_of(self, player_id: int | None) -> str | None:
        """Return the seat of a player; None for one who does not play, and for nobody."""
        return next((one.seat for one in self.seats if player_id is not None and one.player_id == player_id), None)

    def others(self, seat: str) -> tuple[SeatHolder, ...]:
        """Return all seats but one, in the order of play after it."""
        at = self.seated(seat).place
        return tuple(sorted((s for s in self.seats if s.seat != seat), key=lambda s: (s.place - at) % len(self.seats)))


class GameStore:
    """Games on one connection; nothing here commits."""

    def __init__(self, session: Session) -> None:
        self.session = session

    # -- reading ----------------------------------------------------------------------------------

    def load(self, game_id: int, *, for_writing: bool = False) -> GameNow:
        """Load a game that has begun. For writing it is locked first, so that what is read here stays true."""
        row = (LOCK_GAME if for_writing else READ_GAME).first(self.session, game_id=game_id)
        if row is None:
            raise NoSuchGame(game_id)
        return self._game(row, self.seats(game_id))

    def seats(self, game_id: int) -> tuple[SeatHolder, ...]:
        """Return the seats in the order of play."""
        return tuple([_holder(row._asdict()) for row in READ_SEATS.all(self.session, game_id=game_id)])

    @staticmethod
    def _game(row: Sequence[Any], seats: tuple[SeatHolder, ...]) -> GameNow:
        *columns, title, pace, state = row
        known = dict(zip(GAME_COLUMNS, columns, strict=True))
        plays = TITLES[title]
        plays = plays.by_rules(known["rules"]) or plays
        return GameNow(**known, title=plays, pace=read_pace(pace), seats=seats, state_text=state)

    def log(self, title: Title, game_id: int, after: int = 0) -> list[tuple[int, datetime, Step]]:
        """Return the entries from number `after` + 1 on, each with its number and moment."""
        rows = READ_LOG.all(self.session, game_id=game_id, after=after)
        with _readable(title, game_id):
            return [(row.number, row.at, step_of(title, row)) for row in rows]

    def made(self, game_id: int, number: int) -> DecisionMade | None:
        """Return the answered decision with this number."""
        return READ_MADE.first(self.session, game_id=game_id, number=number)

    def last_decision(self, game: GameNow, seat: str) -> int:
        """Return the last decision of a seat that was answered, by anyone; 0 if it has had none."""
        row = READ_LAST_OF_SEAT.first(self.session, game_id=game.id, seat=seat)
        return (row and row.number) or 0

    def entry_before_decision(self, game_id: int, number: int) -> int:
        """Return the last entry at the time a decision became owed."""
        row = READ_LAST_BEFORE.first(self.session, game_id=game_id, number=number)
        return (row and row.number) or 0

    def last_own_entry(self, game_id: int, seat: str) -> int:
        """Return the last entry at the time the seat last answered itself; 0 if it never has."""
        own = self.own_answers(game_id, seat, 1)
        return own[0].last_entry if own else 0

    def own_answers(self, game_id: int, seat: str, most: int) -> Sequence[OwnAnswer]:
        """Return the decisions that the seat answered itself, the newest first."""
        return READ_OWN.all(self.session, game_id=game_id, seat=seat, most=most)

    def entry_before_own(self, game_id: int, seat: str) -> int:
        """Return the last entry before what the seat sent last, or before the first entry if it has sent nothing."""
        row = READ_FIRST_OF_OWN.first(self.session, game_id=game_id, seat=seat)
        return row.number - 1 if row is not None and row.number else 0

    def events(
        self, title: Title, game_id: int, after: int = 0, until: int = LARGEST
    ) -> list[tuple[int, tuple[Any, ...]]]:
        """Return the events from entry `after` + 1 to entry `until`, with the number of each entry: the part of the log
        that is told.

        A takeback is `TakenBack`, which titles do not know; `turns.said_of` does.
        """
        rows = READ_EVENTS.all(self.session, game_id=game_id, after=after, until=until)
        with _readable(title, game_id):
            return [_told(title, row) for row in rows]

    def news(self, titles: Mapping[int, Title]) -> dict[int, list[Any]]:
        """Return the events of these games since the seat that decides last answered itself, in one statement."""
        found: dict[int, list[Any]] = {}
        if not titles:
            return found
        for game_id, *row in self.session.execute(SELECT_NEWS.where(col(Game.id).in_(titles))):
            found.setdefault(game_id, []).extend(_told(titles[game_id], EventsRow(*row))[1])
        return found

    def rebuilt(self, game: GameNow, up_to: int | None = None) -> object:
        """Return the state rebuilt from the log, after entry `up_to` or the last one."""
        return replayed(
            game.title, (step for number, _, step in self.log(game.title, game.id) if number <= (up_to or number))
        )

    def as_of(self, game: GameNow, entry: int, number: int) -> GameNow:
        """Return the game as it stood after an entry, when decision `number` was owed; for answering a repeated
        POST."""
        if entry == game.entries:
            return game
        state = self.rebuilt(game, entry)
        due = game.title.decision(state)
        owed = self.made(game.id, number) if due else None
        return replace(
            game,
            state_text=write_json(game.title.state_to_json(state)),
            number=number,
            entries=entry,
            status=GameStatus.RUNNING if due else game.status,
            mailed_at=owed.mailed_at if owed else game.mailed_at,
            deadline_at=owed.deadline_at if owed else game.deadline_at,
            result=None if due else game.result,
            **rows.owed(due),
        )

    # -- writing ----------------------------------------------------------------------------------

    def make(self, game: Game, seats: Iterable[tuple[str, int | None]], held: Mapping[str, str] | None = None) -> int:
        """Write a new game; return its number. `seats` are in the order of play, each with its player, or None; `held`
        says by seat who plays without being a player (`GameSeat.held_by`)."""
        game.id = reserved_ids.number_of_next(self.session, Game)
        self.session.add(game)
        self.session.flush()
        in_order = [
            {
                "game_id": game.id,
                "seat": seat,
                "place": place,
                "player_id": player_id,
                "held_by": (held or {}).get(seat),
                "standing": "",
            }
            for place, (seat, player_id) in enumerate(seats)
        ]
        self.session.exec(insert(GameSeat).values(in_order))  # one statement for all of them
        return game.id

    def begin(
        self,
        game_id: int,
        title: Title,
        opening: PlayedSteps,
        *,
        seed: str | None,
        now: datetime,
        seats: tuple[SeatHolder, ...] | None = None,
    ) -> GameNow:
        """Write the opening of a game whose row and seats exist; return the game as it then stands. The decision owed
        is number 1 or later.

        `seed` is None for a game that was played elsewhere. `seats` are its seats, if they have already been read.
        """
        steps, state, used = opening
        row = self.session.get_one(Game, game_id)
        pace = read_pace(row.pace)
        number = max((step.decision for step in steps), default=0) + 1
        values = rows.pending(title, state, pace, now, None, None)
        values |= {"seed": seed, "chance_used": used, "number": number, "entries": len(steps), "started_at": now}
        values["rules"] = title.rules
        programs = IS_PROGRAM.join(GameSeat, col(GameSeat.player_id) == col(Player.id))
        if self.session.exec(programs.where(col(GameSeat.game_id) == game_id)).first() is not None:
            values["is_rated"] = False
        here = col(Game.id) == game_id, col(Game.status) == GameStatus.OPEN
        if self.session.exec(update(Game).where(*here).values(**values)).rowcount != 1:
            raise StaleTurn(game_id)
        WRITE_ENTRY.run_all(self.session, rows.entries(title, game_id, 0, steps, now))
        text = write_json(title.state_to_json(state))
        self.session.exec(insert(GameState).values(game_id=game_id, entry=len(steps), state=text))
        if pace.has_bank:
            banks = update(GameSeat).where(col(GameSeat.game_id) == game_id).values(bank_seconds=pace.bank)
            self.session.execute(banks)
            seats = None
        known = {name: values.get(name, getattr(row, name)) for name in GameRow._fields if name != "state"}
        game = self._game(GameRow(**known, state=text), self.seats(game_id) if seats is None else seats)
        followers.tell(self.session, game, now)
        return game

    def append(
        self,
        before: GameNow,
        played: PlayedSteps,
        *,
        now: datetime,
        actor: str | None = None,
        sent: SentOrders = NOTHING_SENT,
        used_seconds: int | None = None,
        made_at: datetime | None = None,
    ) -> GameNow:
        """Write what was played; return the game as it then stands.

        `sent` is from the seat of the first step. `actor` has just acted, so that what it owes next needs no mail.
        `used_seconds` is what the decision took of its clock, and `made_at` when it was made if that was before now.
        Raises StaleTurn if another request was faster.
        """
        steps, state, used = played
        title = before.title
        last = before.entries + len(steps)
        number = max(before.number, *(step.decision for step in steps)) + 1
        values = rows.pending(title, state, before.pace, now, before, actor)
        values |= {"number": number, "entries": last, "chance_used": used}
        if move_game(tuple(values)).run(self.session, game_id=before.id, was=before.number, **values) != 1:
            raise StaleTurn(before.id)
        WRITE_ENTRY.run_all(self.session, rows.entries(title, before.id, before.entries, steps, now))
        answered = rows.made(
            before, steps, at=made_at or now, last_entry=last, next_number=number, sent=sent, used_seconds=used_seconds
        )
        if answered:
            WRITE_MADE.run_all(self.session, answered)
        text = write_json(title.state_to_json(state))
        MOVE_STATE.run(self.session, game=before.id, entry=last, state=text)
        loaded = {key: value for key, value in values.items() if key not in _NOT_LOADED}
        after = replace(before, state_text=text, **loaded)
        after.know(state)  # what has just been played need not be read back
        followers.tell(self.session, after, now)
        return after

    def write_seat(self, game_id: int, seat: str, **values: object) -> None:
        """Write columns of a seat, such as `standing` or `ends_turn`."""
        here = col(GameSeat.game_id) == game_id, col(GameSeat.seat) == seat
        self.session.exec(update(GameSeat).where(*here).values(**values))

    def keep_state(self, game: GameNow, state: object) -> None:
        """Replace the cache."""
        self.session.exec(
            update(GameState)
            .where(col(GameState.game_id) == game.id)
            .values(entry=game.entries, state=write_json(game.title.state_to_json(state)))
        )


_NOT_LOADED = {"remind_at", "check_at", "extra_seconds"}
"""Columns of a game that only the clocks read."""


def _holder(row: Mapping[str, Any]) -> SeatHolder:
    """Return who sits there; what the row does not say is as for a seat that nobody has taken."""
    known = {name: value for name, value in row.items() if value is not None}
    who, _, language = known.get("held_by", "").partition(" ")
    if who == GUEST and language:
        known.setdefault("language", language)
    return SeatHolder(**known | {"standing": tuple(known["standing"].splitlines())})


def _told(title: Title, row: EventsRow) -> tuple[int, tuple[Any, ...]]:
    if row.back_to is not None:
        return row.number, (TakenBack(row.seat or ""),)
    return row.number, told_as(title, events_of(title, row.events), row.kind, row.cause)
