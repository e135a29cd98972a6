"""Substitutes: the reserves of an event called one after another by mail, and what each of them answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from app.base.outbox import Planned
from app.base.refusals import Conflict, NotAccepted
from app.games.work import Work
from app.leagues import audit, clubs, events, handover, members
from app.leagues.tables import Entry, Member, ReserveCall
from app.people.tables import Player
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.base.database import Database
    from app.leagues.entries import EntryNow
    from app.leagues.events import EventNow

AT_ONCE = 50
_CALL, _ENTRY = ReserveCall.__table__, Entry.__table__  # type: ignore[attr-defined]
_PLAYER, _MEMBER = Player.__table__, Member.__table__  # type: ignore[attr-defined]


class CallEnded(Exception):
    """The call does not wait for an answer any more; `status` says what became of it."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


@dataclass(frozen=True, slots=True)
class Reserve:
    """Somebody who stands ready."""

    entry_id: int
    player_id: int
    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Call:
    """A reserve who was asked to take over a seat."""

    id: int
    event_id: int
    leaver_id: int
    entry_id: int
    player_id: int
    name: str
    status: str
    called_at: datetime
    answer_by: datetime
    answered_at: datetime | None


@dataclass(frozen=True, slots=True)
class Reserves:
    """The list of an event in the order in which it is called, and all calls so far, the oldest first."""

    waiting: tuple[Reserve, ...]
    calls: tuple[Call, ...]

    def left(self, leaver_id: int) -> list[Reserve]:
        """Those who can still be called for this seat: not asked for it before, and not asked for another now."""
        asked = {call.entry_id for call in self.calls if call.leaver_id == leaver_id and call.status != "withdrawn"}
        asked |= {call.entry_id for call in self.calls if call.status == "called"}
        return [one for one in self.waiting if one.entry_id not in asked]

    def open_call(self, leaver_id: int) -> Call | None:
        """The call for this seat that waits for an answer."""
        return next((call for call in self.calls if call.leaver_id == leaver_id and call.status == "called"), None)


# -- looking ------------------------------------------------------------------------------------------


def of_event(connection: Connection, event_id: int) -> Reserves:
    """The reserves of an event and its calls."""
    waiting = connection.execute(
        sa.select(_ENTRY.c.id, _PLAYER.c.id, _PLAYER.c.name, _PLAYER.c.address)
        .join(_PLAYER, _PLAYER.c.id == _ENTRY.c.player_id)
        .where(_ENTRY.c.event_id == event_id, _ENTRY.c.status == "reserve", _PLAYER.c.erased_at.is_(None))
        .order_by(_ENTRY.c.entered_at, _ENTRY.c.id)
    )
    calls = connection.execute(_calls().where(_CALL.c.event_id == event_id).order_by(_CALL.c.id))
    return Reserves(tuple(Reserve(*row) for row in waiting), tuple(Call(*row) for row in calls))


def _calls() -> Any:
    return (
        sa.select(
            _CALL.c.id, _CALL.c.event_id, _CALL.c.leaver_id, _CALL.c.entry_id, _ENTRY.c.player_id, _PLAYER.c.name,
            _CALL.c.status, _CALL.c.called_at, _CALL.c.answer_by, _CALL.c.answered_at,
        )
        .join(_ENTRY, _ENTRY.c.id == _CALL.c.entry_id)
        .join(_PLAYER, _PLAYER.c.id == _ENTRY.c.player_id)
    )  # fmt: skip


def find(connection: Connection, call_id: int, player_id: int | None) -> Call:
    """The call that a link is about, while it waits for this player's answer. CallEnded."""
    row = connection.execute(_calls().where(_CALL.c.id == call_id)).first()
    if row is None or row.player_id != player_id:
        raise CallEnded("unknown")
    if row.status != "called":
        raise CallEnded(row.status)
    return Call(*row)


# -- calling ------------------------------------------------------------------------------------------


def call(
    database: Database, event_id: int, leaver_id: int, by_id: int, *, reason: str, token: str, now: datetime
) -> Call | None:
    """Call the first reserve for the seat of an entry; None when this very button was pressed before.

    NoSuchEvent, NotAllowed; NotAccepted when somebody is being asked, there is nothing to take over, or nobody is
    left.
    """
    reason = audit.read_reason(reason)
    with Work(database) as work:
        connection = work.connection
        event = events.need(connection, event_id, by_id, "deputy", lock=True)
        if audit.was_done(connection, token):
            return None
        if event.status != "running":
            raise NotAccepted("event.not_running", Text("The event is not running."))
        there = of_event(connection, event_id)
        if there.open_call(leaver_id) is not None:
            raise Conflict("reserve.asked", Text("A reserve is being asked for this seat already."))
        if not handover.running_games(connection, event_id, leaver_id):
            raise NotAccepted("reserve.games", Text("This player has no running game in this event to take over."))
        made = _call_next(work, event, leaver_id, by_id, reason, token, now)
        if made is None:
            raise NotAccepted("reserve.none", Text("No reserve is left who could be asked; open a ruling instead."))
        work.commit()
        return made


def _call_next(
    work: Work, event: EventNow, leaver_id: int, by_id: int | None, reason: str, token: str | None, now: datetime
) -> Call | None:
    """Ask the next reserve of the list, in the caller's transaction; None when none is left."""
    connection = work.connection
    blocked = _blocked(connection, event.id, leaver_id)
    one = next((one for one in of_event(connection, event.id).left(leaver_id) if one.player_id not in blocked), None)
    if one is None:
        return None
    row = {
        "event_id": event.id, "leaver_id": leaver_id, "entry_id": one.entry_id, "status": "called", "called_at": now,
        "answer_by": now + timedelta(days=event.terms.answer_days),
    }  # fmt: skip
    call_id = int(connection.execute(sa.insert(_CALL).values(**row).returning(_CALL.c.id)).scalar_one())
    mail = Planned(f"reserve_call:{call_id}", "reserve_call", one.address, one.player_id, details={"call": call_id})
    work.outbox.add([mail], now)
    audit.write(
        connection, event.club_id, "reserve.called", at=now, by_id=by_id, event_id=event.id, reason=reason,
        subject=f"entry:{leaver_id}", after={"call": call_id, "reserve": one.entry_id}, once=token,
    )  # fmt: skip
    return find(connection, call_id, one.player_id)


def _blocked(connection: Connection, event_id: int, leaver_id: int) -> set[int]:
    """The reserves who would meet somebody with a block between them."""
    others = handover.opponents(connection, event_id, leaver_id)
    waiting = [one.player_id for one in of_event(connection, event_id).waiting]
    pairs = members.blocks_among(connection, [*others, *waiting])
    return {player for player in waiting if any(frozenset((player, other)) in pairs for other in others)}


def withdraw_call(
    database: Database, call_id: int, by_id: int, *, reason: str, token: str, undoes: int | None = None, now: datetime
) -> bool:
    """Take a call back that has not been answered; False when the button was pressed before. The reserve is told.

    `undoes` is the act of the audit trail that it undoes. NotAllowed; NotAccepted when it has been answered.
    """
    reason = audit.read_reason(reason)
    with Work(database) as work:
        row = get(work.connection, call_id)
        event = events.need(work.connection, row.event_id, by_id, "deputy", lock=True)
        act = audit.write(
            work.connection, event.club_id, "reserve.withdrawn", at=now, by_id=by_id, event_id=event.id, reason=reason,
            subject=f"entry:{row.leaver_id}", before={"call": call_id}, once=token,
        )  # fmt: skip
        if act is None:
            return False
        if not _settle(work.connection, call_id, "withdrawn", now):
            raise Conflict("reserve.answered", Text("The reserve has answered meanwhile."))
        if undoes is not None:
            audit.mark_undone(work.connection, undoes, act)
        _tell(work, row.id, "withdrawn", [(row.player_id, _address(work.connection, row.player_id))], now)
        work.commit()
        return True


def get(connection: Connection, call_id: int) -> Call:
    """A call, whatever became of it; NotAccepted when there is none."""
    row = connection.execute(_calls().where(_CALL.c.id == call_id)).first()
    if row is None:
        raise NotAccepted("reserve.unknown", Text("There is no such call."))
    return Call(*row)


def _settle(connection: Connection, call_id: int, status: str, now: datetime) -> bool:
    """Bring a call that waits to its end; False when somebody was faster."""
    waits = sa.and_(_CALL.c.id == call_id, _CALL.c.status == "called")
    done = sa.update(_CALL).where(waits).values(status=status, answered_at=now)
    return connection.execute(done).rowcount == 1


# -- answering ----------------------------------------------------------------------------------------


def answer(database: Database, call_id: int, player_id: int | None, *, accepts: bool, now: datetime) -> list[int]:
    """The reserve accepts and takes all running games of the seat over (their numbers), or declines and the next one
    is asked. CallEnded when the call waits no more, or its time is over."""
    with Work(database) as work:
        connection = work.connection
        made = find(connection, call_id, player_id)
        event = events.get(connection, made.event_id, lock=True)
        made = find(connection, call_id, player_id)
        if now > made.answer_by:
            raise CallEnded("expired")
        _settle(connection, call_id, "accepted" if accepts else "declined", now)
        taken: list[int] = []
        if accepts:
            taken = handover.hand_over(work, event, made.leaver_id, made.entry_id, made.called_at, now)
            audit.write(
                connection, event.club_id, "reserve.accepted", at=now, by_id=player_id, event_id=event.id,
                subject=f"entry:{made.leaver_id}", after={"reserve": made.entry_id, "games": taken},
            )  # fmt: skip
            _tell(work, call_id, "taken", _concerned(connection, event, made), now)
        else:
            _note_and_go_on(work, event, made, "reserve.declined", player_id, now)
        work.commit()
        return taken


def _note_and_go_on(work: Work, event: EventNow, made: Call, act: str, by_id: int | None, now: datetime) -> None:
    audit.write(
        work.connection, event.club_id, act, at=now, by_id=by_id, event_id=event.id,
        subject=f"entry:{made.leaver_id}", after={"call": made.id, "reserve": made.entry_id},
    )  # fmt: skip
    if event.status != "running" or not handover.running_games(work.connection, event.id, made.leaver_id):
        return
    if _call_next(work, event, made.leaver_id, None, "", None, now) is None:
        _tell(work, made.id, "none", organisers(work.connection, event.club_id), now)


def sweep_calls(database: Database, now: datetime) -> int:
    """End the calls whose time to answer is over, and ask the next reserve for each; how many ended here."""
    ended = 0
    due = (
        sa.select(_CALL.c.id)
        .where(_CALL.c.status == sa.literal_column("'called'"), _CALL.c.answer_by < now)
        .order_by(_CALL.c.answer_by)
        .limit(AT_ONCE)
    )
    while True:
        with database.read() as connection:
            found = connection.scalars(due).all()
        for call_id in found:
            with Work(database) as work:
                made = get(work.connection, call_id)
                event = events.get(work.connection, made.event_id, lock=True)
                if not _settle(work.connection, call_id, "expired", now):
                    continue  # another process was faster
                _note_and_go_on(work, event, made, "reserve.expired", None, now)
                _tell(work, call_id, "expired", [(made.player_id, _address(work.connection, made.player_id))], now)
                work.commit()
                ended += 1
        if len(found) < AT_ONCE:
            return ended


def end_calls_of(work: Work, event: EventNow, entry: EntryNow, now: datetime) -> None:
    """For somebody whose account is erased: a call that waits for their answer counts as declined, and the next reserve
    is asked; a call for their own seats, whose games have ended, is taken back."""
    connection = work.connection
    for made in of_event(connection, event.id).calls:
        if made.status != "called" or entry.id not in (made.entry_id, made.leaver_id):
            continue
        if made.entry_id == entry.id:
            _settle(connection, made.id, "declined", now)
            _note_and_go_on(work, event, made, "reserve.declined", entry.player_id, now)
            continue
        _settle(connection, made.id, "withdrawn", now)
        audit.write(
            connection, event.club_id, "reserve.withdrawn", at=now, event_id=event.id, subject=f"entry:{entry.id}",
            before={"call": made.id},
        )  # fmt: skip
        _tell(work, made.id, "withdrawn", [(made.player_id, _address(connection, made.player_id))], now)


# -- mails --------------------------------------------------------------------------------------------


def organisers(connection: Connection, club_id: int) -> list[tuple[int, str]]:
    """Who runs the events of a club, with their addresses."""
    rows = connection.execute(
        sa.select(_PLAYER.c.id, _PLAYER.c.address)
        .join(_MEMBER, _MEMBER.c.player_id == _PLAYER.c.id)
        .where(
            _MEMBER.c.club_id == club_id, _MEMBER.c.status == "member", _PLAYER.c.erased_at.is_(None),
            _MEMBER.c.role.in_([role for role in clubs.ROLES if clubs.may(role, "deputy")]),
        )
        .order_by(_PLAYER.c.id)
    )  # fmt: skip
    return [(row.id, row.address) for row in rows]


def _concerned(connection: Connection, event: EventNow, made: Call) -> list[tuple[int, str]]:
    """Who left, who plays against the seat, and the organisers; each once, without the substitute."""
    leaver = connection.scalar(sa.select(_ENTRY.c.player_id).where(_ENTRY.c.id == made.leaver_id))
    others = handover.opponents(connection, event.id, made.entry_id)
    rows = connection.execute(
        sa.select(_PLAYER.c.id, _PLAYER.c.address).where(
            _PLAYER.c.id.in_([leaver, *others]), _PLAYER.c.erased_at.is_(None)
        )
    )
    found = {row.id: row.address for row in rows} | dict(organisers(connection, event.club_id))
    found.pop(made.player_id, None)
    return sorted(found.items())


def _tell(work: Work, call_id: int, what: str, people: Sequence[tuple[int, str]], now: datetime) -> None:
    mails = [
        Planned(f"reserve:{call_id}:{what}:{who}", "reserve", address, who, details={"call": call_id, "what": what})
        for who, address in people
        if address
    ]
    work.outbox.add(mails, now)


def _address(connection: Connection, player_id: int) -> str:
    return (
        connection.scalar(sa.select(_PLAYER.c.address).where(_PLAYER.c.id == player_id, _PLAYER.c.erased_at.is_(None)))
        or ""
    )
