"""Starting a game against the computer: at once, unrated, with or without an account."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from app.base.links import TurnLink
from app.base.stored import limits
from app.base.stored.database import Database
from app.base.stored.limits import Limit
from app.base.words.refusals import NotAccepted
from app.clocks.pace import ReminderLadder, simple, write_pace
from app.games import seeds
from app.games.store import GUEST
from app.games.tables import Game
from app.games.work import Work
from app.people import sanctions
from app.play.turn import starting
from app.play.turn.moves import after_move
from engine.kernel.search import levels_of
from engine.kernel.text import Text

GUESTS = Limit("computer", 20, timedelta(days=1))
"""Games from one place without an account."""
KEPT, KEPT_OF_PLAYER = timedelta(days=30), timedelta(days=90)
"""A game is over when nobody has moved in it for so long: without an account, or with one."""
PACE = replace(simple(KEPT_OF_PLAYER + timedelta(days=1)), auto_leave=False, reminders=ReminderLadder((), (8 * 24,)))
"""That of a player: the computer waits, so that no leave is spent on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Who wants to play what: a title at a level, in which seat, with how many in all."""

    title_id: str
    level: str
    others: tuple[str, ...] = ()
    """The levels of the second, third … computer; an empty or missing one is as strong as the first."""
    seat: str = ""
    """Empty: the first one."""
    seats: int = 0
    """0: as few as the title takes."""
    options: Mapping[str, Any] = field(default_factory=dict)
    player_id: int | None = None
    """None: a guest, who has no account."""
    language: str = "en"
    place: str = ""
    """Where a guest comes from."""


def start(database: Database, wish: Wish, *, now: datetime) -> TurnLink:
    """Start the game and return the link of the seat that is not the computer's, for the decision owed first, by
    whichever seat. Raises NotAccepted, `Unreadable`, TooOften, NotAllowed."""
    title = starting.find_title(wish.title_id)
    known = [level.name for level in levels_of(title)]
    if wish.level not in known or not {*wish.others} <= {*known, ""}:
        raise NotAccepted("computer.level", Text("Choose one of what is offered."))
    read = title.read_options(wish.options)
    names = title.check_seats(title.seats[: wish.seats or title.least_seats])
    mine = wish.seat or names[0]
    if mine not in names:
        raise NotAccepted("seat.unknown", Text("There is no “{name}” in this game.", name=mine[:30]))
    who = (limits.TABLES, str(wish.player_id)) if wish.player_id is not None else (GUESTS, wish.place)
    limits.count(database, [who], now)
    with Work(database) as work:
        if wish.player_id is not None:
            sanctions.need_free(work.session, wish.player_id, now)
        game = Game(
            title=title.id,
            options=title.keep_options(read),
            pace=write_pace(PACE if wish.player_id is not None else simple(KEPT)),
            has_computer=True,
            made_by=wish.player_id,
            created_at=now,
        )
        seats = [(name, wish.player_id if name == mine else None) for name in names]
        game_id = work.store.make(game, seats, _holders(names, mine, wish))
        seeds.bind(work.session, game_id, now)
        begun = starting.begin(work, game_id, now=now)
        work.outbox.add(after_move(begun, None), now)
    return TurnLink(game_id, mine, begun.number, wish.player_id)


def _holders(names: tuple[str, ...], mine: str, wish: Wish) -> dict[str, str]:
    """Return who holds the seats without a player (`GameSeat.held_by`)."""
    computers = [name for name in names if name != mine]
    levels = [wish.level, *(other or wish.level for other in (*wish.others, *("",) * len(names)))]
    held = {name: levels[at] if not at else f"{levels[at]} {at + 1}" for at, name in enumerate(computers)}
    return held if wish.player_id is not None else {**held, mine: f"{GUEST} {wish.language}"}
