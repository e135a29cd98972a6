"""The clocks of running games: what the rows say about an owed decision, and the deadline that follows from it.

The columns `deadline_at`, `remind_at` and `check_at` of a game are stored so that sweeps and lists find what is due.
They follow from other rows, and whatever changes one of those calls `refresh` in the same transaction. Code that acts
on a passed moment recomputes it first (`owed` and `times`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple, TypedDict, Unpack

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.database import insert_into
from app.base.stored.prepared import PreparedRead, PreparedWrite
from app.base.stored.upkeep_tables import ServerFact
from app.clocks.clock import NEVER, Span, Standstill, counted, deadline
from app.clocks.leave import Away, honoured
from app.clocks.outages import is_of
from app.clocks.pace import DEFAULT, read_pace
from app.clocks.reminders import rungs
from app.games import competitions
from app.games.store import GameNow
from app.games.tables import Game, GameSeat
from app.people.tables import Player
from app.time import open_cases
from app.time.decisions import ClockTimes, PendingDecision
from app.time.tables import Case, ClockNote, HolidayCalendar, Leave, NoteCause, NoteKind, Outage
from app.titles.registry import TITLES

BROKEN = "broken:"
"""Begins the facts that say at which decisions a title has failed."""


def broken_at(game_id: Any, number: Any) -> sa.ColumnElement[str]:  # noqa: ANN401  columns
    """Return the name of the fact that a title has failed at a decision."""
    return sa.literal(BROKEN) + sa.cast(game_id, sa.String) + sa.literal(".") + sa.cast(number, sa.String)


_STANDS = sa.or_(
    sa.exists().where(col(Leave.player_id) == col(GameSeat.player_id), col(Leave.to_at) > col(Game.asked_at)),
    sa.exists().where(col(Outage.to_at) > col(Game.asked_at)),
)
_OWED: sa.Select[*tuple[Any, ...]] = (
    sa.select(
        col(Game.id).label("game_id"),
        col(Game.number),
        col(Game.entries),
        col(Game.title),
        col(Game.decides).label("seat"),
        col(Game.on_turn),
        col(GameSeat.player_id),
        col(Game.pace).label("pace_terms"),
        col(Game.calendar_id),
        col(Game.asked_at),
        col(Game.mailed_at),
        col(Game.extra_seconds),
        col(GameSeat.bank_seconds).label("bank"),
        col(Player.quiet_from),
        col(Player.quiet_to),
        col(Player.zone),
        col(Game.remind_at),
        col(Game.deadline_at),
        _STANDS.label("stands"),
        sa.exists().where(col(ServerFact.name) == broken_at(Game.id, Game.number)).label("is_broken"),
    )
    .join(GameSeat, sa.and_(col(GameSeat.game_id) == col(Game.id), col(GameSeat.seat) == col(Game.decides)))
    .outerjoin(Player, col(Player.id) == col(GameSeat.player_id))
)
_ONE = PreparedRead(_OWED.where(col(Game.id) == sa.bindparam("game_id")), PendingDecision)
_OF_PLAYER = _OWED.where(col(GameSeat.player_id) == sa.bindparam("player_id"), col(Game.decides).is_not(None)).order_by(
    col(Game.id)
)
_OF_PLAYER_LOCKED = _OF_PLAYER.with_for_update(of=Game)
# Games that another process has locked are left to it.
_OF_PLAYER_TAKEN = _OF_PLAYER.with_for_update(of=Game, skip_locked=True)
_CHANGES_WHAT_IS_SAID = sa.or_(
    col(Game.mailed_at).is_distinct_from(sa.bindparam("new_mailed_at")),
    col(Game.deadline_at).is_distinct_from(sa.bindparam("new_deadline_at")),
)
_SET = PreparedWrite(
    sa.update(Game)
    .where(col(Game.id) == sa.bindparam("game_id"), col(Game.number) == sa.bindparam("was"))
    .values({name: sa.bindparam(f"new_{name}") for name in ("mailed_at", "deadline_at", "remind_at", "check_at")})
    .values(changed_at=sa.case((_CHANGES_WHAT_IS_SAID, sa.bindparam("now")), else_=col(Game.changed_at)))
)


def leave_holds_in(game_id: int | sa.ColumnElement[int]) -> sa.ColumnElement[bool]:
    """Return the condition that leave stops the clock of a game: the player's own leave does in all games, a day taken
    automatically in that of its game, granted leave in those of its event."""
    of_game = competitions.runner().events_of_game(game_id)
    return sa.and_(
        sa.or_(col(Leave.game_id).is_(None), col(Leave.game_id) == game_id),
        sa.or_(col(Leave.event_id).is_(None), col(Leave.event_id).in_(of_game)),
    )


@cache
def _spans_of_leave(competitions: competitions.Competitions) -> PreparedRead[Leave]:
    """Return the statement for a player's leave in a game, using what the competitions here say about games."""
    return PreparedRead(
        select(Leave).where(
            col(Leave.player_id) == sa.bindparam("player_id"),
            col(Leave.to_at) > sa.bindparam("since"),
            leave_holds_in(sa.bindparam("game_id")),
        )
    )


_OUTAGES = PreparedRead(select(Outage).where(col(Outage.to_at) > sa.bindparam("since")))
_OF_DECISION = PreparedRead(
    select(ClockNote)
    .where(
        col(ClockNote.game_id) == sa.bindparam("game_id"),
        col(ClockNote.number) == sa.bindparam("number"),
        col(ClockNote.kind) == sa.bindparam("kind"),
    )
    .order_by(col(ClockNote.id))
)


def owed(session: Session, game_id: int) -> PendingDecision | None:
    """Return the decision that a game waits for; None when it waits for none."""
    return _ONE.first(session, game_id=game_id)


def owed_by_game(session: Session, game_ids: Sequence[int]) -> dict[int, PendingDecision]:
    """Return the decisions that these games wait for, by game; all in one statement."""
    rows = session.execute(_OWED.where(col(Game.id).in_(game_ids), col(Game.decides).is_not(None)))
    return {row.game_id: PendingDecision(*row) for row in rows.all()}


def owed_by(
    session: Session, player_id: int, sparing: Callable[[int], AbstractContextManager[None]] | None = None
) -> list[PendingDecision]:
    """Return the decisions that a player owes, in the order of the games. With `sparing` these games are locked,
    skipping those that another transaction has locked, and one that cannot be read stops at that
    (`app.base.stored.failing`)."""
    rows = session.execute(_OF_PLAYER if sparing is None else _OF_PLAYER_TAKEN, {"player_id": player_id}).all()
    found = []
    for row in rows:
        with sparing(row.game_id) if sparing is not None else nullcontext():
            decision = PendingDecision(*row)
            read_pace(decision.pace_terms)
            found.append(decision)
    return found


def lock_games_of(session: Session, player_id: int) -> None:
    """Lock the games in which a player owes a decision, before locking the player: games come first."""
    session.execute(_OF_PLAYER_LOCKED, {"player_id": player_id}).all()


class Stops(NamedTuple):
    """What can stop the clock of a decision."""

    outages: Sequence[Span]
    taken: Sequence[Away]
    """Leave that holds in its game; the pace honours only some days of it."""
    granted: Sequence[Span]
    holidays: frozenset[date]

    def of(self, decision: PendingDecision, more: Sequence[Away] = ()) -> Standstill:
        """Return what stops it from its start on; `more` is leave that has not been taken yet."""
        since, taken = decision.started_at, (*self.taken, *more)
        leave = [*honoured(taken, decision.pace.leave_days), *self.granted] if taken else self.granted
        spans = (*self.outages, *(span for span in leave if span.end > since))
        return Standstill(spans, self.holidays) if spans or self.holidays else NEVER


def stops(
    session: Session, decision: PendingDecision, up_to: int | None = None, *, counts_leave: bool = False
) -> Stops:
    """Return what can stop the clock of a decision; all outages, or those up to a number. With `counts_leave` also
    earlier leave, for counting the days of the year."""
    since = decision.started_at
    noted = _OUTAGES.all(session, since=since) if decision.stands else ()
    outages = [
        Span(one.from_at, one.to_at)
        for one in noted
        if (up_to is None or one.id <= up_to) and is_of(one.job, decision.title, decision.game_id)
    ]
    rows: Sequence[Leave] = ()
    if decision.player_id is not None and (decision.stands or counts_leave):
        # The days of a year are counted from its beginning.
        years = datetime(since.year - 1, 1, 1, tzinfo=UTC)
        rows = _spans_of_leave(competitions.runner()).all(
            session, player_id=decision.player_id, since=years, game_id=decision.game_id
        )
    return Stops(
        outages,
        [Away(row.from_at, row.to_at, row.zone) for row in rows if row.event_id is None],
        [Span(row.from_at, row.to_at) for row in rows if row.event_id is not None],
        holidays(session, decision.calendar_id),
    )


def standstill(session: Session, decision: PendingDecision, *, outages_up_to: int | None = None) -> Standstill:
    """Return what stops the clock of a decision from its start on; all outages, or those up to a number."""
    return stops(session, decision, outages_up_to).of(decision)


def holidays(session: Session, calendar_id: int | None) -> frozenset[date]:
    """Return the days of a calendar; none for no calendar."""
    if calendar_id is None:
        return frozenset()
    days = session.exec(select(HolidayCalendar.days).where(HolidayCalendar.id == calendar_id)).first() or []
    return frozenset(date.fromisoformat(day) for day in days)


def name_of_calendar(session: Session, calendar_id: int | None) -> str:
    """Return the name of the holidays that a game or event of version 1.0 may have; empty for none."""
    return session.exec(select(HolidayCalendar.name).where(HolidayCalendar.id == calendar_id)).first() or ""


def calendar_of_game(session: Session, game_id: int) -> str:
    """Return the same for a game."""
    return name_of_calendar(session, session.exec(select(Game.calendar_id).where(Game.id == game_id)).first())


def times(session: Session, decision: PendingDecision, now: datetime, also: Sequence[Span] = ()) -> ClockTimes:
    """Return the moments that follow from the rows as they are; `also` are outages that have not been noted yet."""
    still = standstill(session, decision)
    return _times(decision, replace(still, spans=(*still.spans, *also)) if also else still, now)


def _times(decision: PendingDecision, still: Standstill, now: datetime) -> ClockTimes:
    due = deadline(decision.pace, decision.started_at, decision.budget, still)
    if decision.player_id is None:
        return ClockTimes(due, None, None)  # nobody sits there, so nobody is reminded or late
    if decision.mailed_at is None:
        # The time for a mail to arrive stands still only if nothing could arrive.
        limit = deadline(DEFAULT, decision.asked_at, decision.pace.mail_limit, Standstill(still.spans))
        return ClockTimes(due, None, limit)
    start, ladder = decision.started_at, decision.pace.reminders
    moments = tuple(rungs(ladder, decision.pace, start, decision.budget, due, still, decision.quiet))
    return ClockTimes(due, next((at for at in moments if at > now), None), due, moments)


def refresh(session: Session, decision: PendingDecision, now: datetime) -> datetime:
    """Compute the moments of a decision and write them down; end its case if it has more time. Return its deadline."""
    return refresh_late(session, decision, open_cases.running(session, decision.game_id), now)[0]


def refresh_late(
    session: Session, decision: PendingDecision, case: Case | None, now: datetime
) -> tuple[datetime, Case | None]:
    """Write the moments of a decision again; its deadline, and the case about it if that still runs."""
    moments = times(session, decision, now)
    write(session, decision, moments, now)
    return moments.deadline, case and open_cases.after_clock(session, case, decision, moments.deadline, now)


def write(session: Session, decision: PendingDecision, moments: ClockTimes, now: datetime) -> None:
    """Store the moments of a decision with its game, if it is still owed, none while its title is not installed or
    fails; and `now`, if they have changed."""
    stands = decision.is_broken or decision.title not in TITLES
    _SET.run(
        session,
        game_id=decision.game_id,
        was=decision.number,
        new_mailed_at=decision.mailed_at,
        new_deadline_at=None if stands else moments.deadline,
        new_remind_at=None if stands else moments.remind,
        new_check_at=None if stands else moments.check,
        now=now,
    )


def refresh_game(session: Session, game_id: int, now: datetime) -> datetime | None:
    """Recompute after a change that affects this game's clock; return its deadline, None when no decision is owed."""
    decision = owed(session, game_id)
    return None if decision is None else refresh(session, decision, now)


def refresh_player(session: Session, player_id: int, now: datetime) -> None:
    """Recompute after the player's leave, zone, quiet hours or reminders have changed."""
    for decision in owed_by(session, player_id):
        refresh(session, decision, now)


# -- what starts a clock ----------------------------------------------------------------------------


def start_clock(session: Session, game_id: int, number: int, at: datetime) -> None:
    """Start the clock of a decision whose mail was accepted by its host, or is in the mailbox, or is not wanted.

    Nothing happens if it had started or the decision is no longer owed.
    """
    decision = owed(session, game_id)
    if decision is not None and decision.number == number and decision.mailed_at is None:
        refresh(session, _started(decision, at), at)


def leave_out(session: Session, game_id: int, held: timedelta, now: datetime) -> datetime | None:
    """Leave out the time for which sealed orders were held before the decision goes on: its clock, which ran meanwhile,
    starts that much later. Return its deadline; None when no decision is owed."""
    decision = owed(session, game_id)
    if decision is None:
        return None
    if decision.mailed_at is not None:
        decision = decision._replace(mailed_at=decision.mailed_at + held)
    return refresh(session, decision, now)


def deadline_if_accepted(
    session: Session, game_id: int, number: int, at: datetime, also: Sequence[Span] = ()
) -> datetime | None:
    """Return the deadline of a decision for a mail handed over at this moment: what `start_clock` would write if the
    mail were accepted now, or what follows from the rows if the clock is running; `also` are outages that have not been
    noted yet, so that such a clock has not been credited for them. None when it is no longer owed."""
    decision = owed(session, game_id)
    if decision is None or decision.number != number:
        return None
    return times(session, _started(decision, at), at, also).deadline


def _started(decision: PendingDecision, at: datetime) -> PendingDecision:
    """Return the decision with its clock running, from this moment if it had not started."""
    return decision if decision.mailed_at is not None else decision._replace(mailed_at=at)


def mail_failed(session: Session, game_id: int, number: int, at: datetime) -> None:
    """Handle a mail of a decision that was refused for good: its clock stays where it is, and the sweep of cases
    examines it."""
    decision = owed(session, game_id)
    if decision is None or decision.number != number or decision.mailed_at is not None:
        return
    session.exec(sa.update(Game).where(col(Game.id) == game_id, col(Game.number) == number).values(check_at=at))
    note(session, decision, NoteKind.MAIL_FAILED, NoteCause.MAIL, at, once=f"mail_failed:{game_id}:{number}")


def prepare(session: Session) -> None:
    """Prepare the statements if the first clock to start must not take longer than the others."""
    for statement in (_ONE, _SET):
        statement.prepare(session)


def time_used(session: Session, decision: PendingDecision, until: datetime, also: Sequence[Span] = ()) -> int:
    """Return the seconds that the clock of a decision has run; `also` are outages that have not been noted yet."""
    still = standstill(session, decision)
    return counted(decision.pace, decision.started_at, until, replace(still, spans=(*still.spans, *also)))


def charge(session: Session, game: GameNow, used: int, *, turn_ended: bool) -> GameNow:
    """Deduct what a decision has used from the bank of the seat that owed it, and add the increment to the bank of the
    seat whose turn has ended, which may be another: its turn can end with an answer to it. Return the game with these
    banks."""
    banks = dict(game.banks or {})
    if game.decides is not None:
        banks[game.decides] = game.pace.bank_after(banks[game.decides], used, turn_ended=False)
    if turn_ended and game.on_turn is not None:
        banks[game.on_turn] = game.pace.bank_after(banks[game.on_turn], 0, turn_ended=True)
    return set_banks(session, game, banks)


def set_banks(session: Session, game: GameNow, banks: Mapping[str, int]) -> GameNow:
    """Write what the banks of time hold; return the game with them."""
    for seated in game.seats:
        if seated.bank != banks[seated.seat]:
            here = sa.and_(col(GameSeat.game_id) == game.id, col(GameSeat.seat) == seated.seat)
            session.exec(sa.update(GameSeat).where(here).values(bank_seconds=banks[seated.seat]))
    return replace(game, seats=tuple(replace(seated, bank=banks[seated.seat]) for seated in game.seats))


# -- the log of time --------------------------------------------------------------------------------


class Noted(TypedDict, total=False):
    """What the log of time keeps beside the decision, and what has happened to it."""

    by_id: int | None
    seconds: int | None
    details: Mapping[str, Any] | None
    once: str | None
    """Of two notes with the same text here only the first is written."""


def note(
    session: Session,
    decision: PendingDecision,
    kind: NoteKind,
    cause: NoteCause,
    at: datetime,
    **noted: Unpack[Noted],
) -> bool:
    """Write into the game's time log. Return False, writing nothing, if `once` was noted before."""
    statement = (
        insert_into(session, ClockNote)
        .values(
            game_id=decision.game_id,
            entry=decision.entries,
            number=decision.number,
            seat=decision.seat,
            player_id=decision.player_id,
            by_id=noted.get("by_id"),
            kind=kind,
            cause=cause,
            seconds=noted.get("seconds"),
            details=dict(noted.get("details") or {}),
            once=noted.get("once"),
            at=at,
        )
        .on_conflict_do_nothing(index_elements=["once"])
        .returning(col(ClockNote.id))
    )
    return session.execute(statement).first() is not None


def events(session: Session, game_id: int, after: int = 0) -> Sequence[ClockNote]:
    """Return the game's time log after entry `after` of the log of actions, oldest first."""
    return session.exec(
        select(ClockNote)
        .where(col(ClockNote.game_id) == game_id, col(ClockNote.entry) >= after)
        .order_by(col(ClockNote.id))
    ).all()


def events_of_decision(session: Session, game_id: int, number: int, kind: str) -> Sequence[ClockNote]:
    """Return what happened of one kind while a decision was owed, oldest first."""
    return _OF_DECISION.all(session, game_id=game_id, number=number, kind=kind)
