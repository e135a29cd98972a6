"""Substitutes: the reserves of an event, called one after another by mail, and their answers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.process.jobs import job
from app.base.stored import failing
from app.base.stored.database import Database
from app.base.words.refusals import Conflict, LinkExpired, NotAccepted
from app.games.work import Work
from app.leagues.changes import handover
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import Acting, ActRequest
from app.leagues.events import lifecycle, seat_changes
from app.leagues.pure.terms import ANSWER_DAYS
from app.leagues.rounds import schedule
from app.leagues.rulings import opening
from app.leagues.tables import (
    STILL_IN,
    CallStatus,
    Competition,
    CompetitionStatus,
    Entrant,
    EntrantStatus,
    ReserveCall,
    Role,
)
from app.people import accounts, blocks
from app.people.tables import Player
from engine.kernel.text import N_, Text

HELD = timedelta(days=1)
"""How long the place of a player who leaves is held."""


class CallEnded(LinkExpired):
    """The call no longer waits for an answer; `became` is its outcome."""

    sentences: ClassVar = {
        "accepted": N_("You have accepted already, and the seat is yours."),
        "declined": N_("You have declined already."),
        "expired": N_("The time to answer is over, and somebody else is asked."),
        "withdrawn": N_("The organisers do not need a reserve for this seat any more."),
    }

    def __init__(self, became: str) -> None:
        said = self.sentences.get(became, N_("This does not wait for your answer any more."))
        super().__init__("reserve.over", Text(said))
        self.became = became


@dataclass(frozen=True, slots=True)
class Reserves:
    """The reserve list of an event in calling order, and all calls so far, oldest first."""

    waiting: tuple[tuple[Entrant, Player], ...]
    calls: tuple[ReserveCall, ...]
    gone: frozenset[int]
    """The entrants whose players have left the event or the server."""

    def left(self, leaver_id: int) -> list[tuple[Entrant, Player]]:
        """Return the reserves who can still be called for this seat: not asked for it before, and not being asked for
        another.
        """
        asked = {
            call.entry_id for call in self.calls if call.leaver_id == leaver_id and call.status != CallStatus.WITHDRAWN
        }
        asked |= {call.entry_id for call in self.calls if call.status == CallStatus.CALLED}
        return [one for one in self.waiting if one[0].id not in asked]

    def open_call(self, leaver_id: int) -> ReserveCall | None:
        """Return the call for this seat that waits for an answer."""
        return next(
            (call for call in self.calls if call.leaver_id == leaver_id and call.status == CallStatus.CALLED), None
        )


# -- looking ------------------------------------------------------------------------------------------


def of_event(session: Session, event_id: int) -> Reserves:
    """Read the reserves of an event and its calls in one query: each entrant with its calls, if any."""
    asked = (
        select(Entrant, Player, ReserveCall)
        .join(Player, col(Player.id) == col(Entrant.player_id))
        .outerjoin(ReserveCall, col(ReserveCall.entry_id) == col(Entrant.id))
        .where(col(Entrant.event_id) == event_id)
        .order_by(col(Entrant.entered_at), col(Entrant.id))
    )
    rows = session.exec(asked).all()
    people = {entrant.id: (entrant, player) for entrant, player, _ in rows}
    here = [
        (entrant, player)
        for entrant, player in people.values()
        if (player.erased_at is None or entrant.computer) and entrant.status in STILL_IN
    ]
    calls = [call for _, _, call in rows if call is not None]
    return Reserves(
        tuple((entrant, player) for entrant, player in here if entrant.status == EntrantStatus.RESERVE),
        tuple(sorted(calls, key=lambda call: call.id)),
        frozenset(people) - {entrant.id for entrant, _ in here},
    )


def find(session: Session, call_id: int, player_id: int | None) -> ReserveCall:
    """Return the call a link is about while it waits for this player's answer. Raises CallEnded."""
    row = session.get(ReserveCall, call_id, populate_existing=True)
    if row is None or row.player_id != player_id:
        raise CallEnded("unknown")
    if row.status != CallStatus.CALLED:
        raise CallEnded(row.status)
    return row


# -- calling ------------------------------------------------------------------------------------------


def call(database: Database, event_id: int, leaver_id: int, asked: ActRequest, *, now: datetime) -> ReserveCall | None:
    """Ask the first reserve to take over the seat of an entrant: its running games, or between rounds its place.

    Returns None if this button was pressed before. Raises NoSuchCompetition, NotAllowed, and NotAccepted if a reserve
    is already being asked, there is nothing to take over, or no reserve is left.
    """
    reason, token = audit.read_reason(asked.reason), asked.token
    with Work(database) as work:
        session = work.session
        acting = lifecycle.allowed(work, event_id, asked.by_id, Role.DEPUTY, now)
        event = acting.event
        if audit.was_done(session, token):
            return None
        if event.status != CompetitionStatus.RUNNING:
            raise NotAccepted("event.not_running", Text("The event is not running."))
        there = of_event(session, event_id)
        if there.open_call(leaver_id) is not None:
            raise Conflict("reserve.asked", Text("A reserve is being asked for this seat already."))
        if not schedule.has_more_to_play(session, event, leaver_id):
            raise NotAccepted(
                "reserve.games", Text("This player leaves nothing to take over: no running game and no round to come.")
            )
        made = _call_next(acting, leaver_id, reason, token)
        if made is None:
            raise NotAccepted("reserve.none", Text("No reserve is left who could be asked; open a ruling instead."))
        return made


def hold(acting: Acting, entrant: Entrant) -> bool:
    """Hold the games and the place of a player who leaves a running event for a day, while reserves are asked; False
    where nobody stands ready for them, or there is nothing to take over. Leaving again changes nothing."""
    session, event = acting.session, acting.event
    if entrant.leaves_at is not None:
        return True
    if event.boards or not schedule.has_more_to_play(session, event, entrant.id):
        return False
    until = acting.now + HELD
    session.exec(sa.update(Entrant).where(col(Entrant.id) == entrant.id).values(leaves_at=until))
    session.expire_all()
    if of_event(session, event.id).open_call(entrant.id) or _call_next(replace(acting, by_id=None), entrant.id):
        acting.write("entry.held", audit.player(entrant.player_id))
        return True
    session.exec(sa.update(Entrant).where(col(Entrant.id) == entrant.id).values(leaves_at=None))
    return False


def _call_next(acting: Acting, leaver_id: int, reason: str = "", token: str | None = None) -> ReserveCall | None:
    """Ask the next reserve of the list, in the caller's transaction; None when none is left."""
    session, event, now = acting.session, acting.event, acting.now
    blocked = _blocked(session, event.id, leaver_id)
    left = of_event(session, event.id).left(leaver_id)
    entrant, player = next((one for one in left if one[1].id not in blocked), (None, None))
    if entrant is None or player is None:
        return None
    until = now + timedelta(days=ANSWER_DAYS)
    leaves_at = session.scalar(sa.select(col(Entrant.leaves_at)).where(col(Entrant.id) == leaver_id))
    if leaves_at is not None:
        until = min(until, leaves_at)
    if until <= now:
        return None
    made = ReserveCall(event_id=event.id, leaver_id=leaver_id, entry_id=entrant.id, called_at=now, answer_by=until)
    session.add(made)
    session.flush()
    told = [(player.id, player.address)]
    acting.work.outbox.tell(told, "reserve_call", f"reserve_call:{made.id}", {"call": made.id}, now)
    after = {"call": made.id, "reserve": entrant.id}
    acting.write("reserve.called", audit.entrant(leaver_id), reason=reason, after=after, once=token)
    return find(session, made.id, player.id)


def _blocked(session: Session, event_id: int, leaver_id: int) -> set[int]:
    """Return the reserves who would meet an opponent with a block between them."""
    others = seat_changes.opponents(session, event_id, leaver_id)
    waiting = [player.id for _, player in of_event(session, event_id).waiting]
    pairs = blocks.among(session, [*others, *waiting])
    return {player for player in waiting if any(frozenset((player, other)) in pairs for other in others)}


def withdraw_call(
    database: Database, call_id: int, asked: ActRequest, *, undoes: int | None = None, now: datetime
) -> bool:
    """Withdraw a call that has not been answered and tell the reserve; return False if the button was pressed before.

    `undoes` is the act of the audit trail that is undone. Raises NotAllowed, and NotAccepted if the call has been
    answered.
    """
    reason, token = audit.read_reason(asked.reason), asked.token
    with Work(database) as work:
        row = get(work.session, call_id)
        acting = lifecycle.allowed(work, row.event_id, asked.by_id, Role.DEPUTY, now)
        opening.need_other(asked.by_id, seat_changes.opponents(work.session, row.event_id, row.leaver_id))
        act = acting.write(
            "reserve.withdrawn", audit.entrant(row.leaver_id), reason=reason, before={"call": call_id}, once=token
        )
        if act is None:
            return False
        if not _settle(work.session, call_id, "withdrawn", now):
            raise Conflict("reserve.answered", Text("The reserve has answered meanwhile."))
        if undoes is not None:
            audit.mark_undone(work.session, undoes, act)
        _tell(work, row, "withdrawn", [row.player_id], now)
        return True


def get(session: Session, call_id: int) -> ReserveCall:
    """Return a call in any state. Raises NotAccepted if it does not exist."""
    row = session.get(ReserveCall, call_id, populate_existing=True)
    if row is None:
        raise NotAccepted("reserve.unknown", Text("There is nothing at this address."))
    return row


def _settle(session: Session, call_id: int, status: str, now: datetime) -> bool:
    """End a waiting call; return False if another process was faster."""
    waits = sa.and_(col(ReserveCall.id) == call_id, col(ReserveCall.status) == CallStatus.CALLED)
    done = sa.update(ReserveCall).where(waits).values(status=status, answered_at=now)
    return session.exec(done).rowcount == 1


# -- answering ----------------------------------------------------------------------------------------


def answer(work: Work, call_id: int, player_id: int | None, *, accepts: bool, now: datetime) -> list[int]:
    """Record the reserve's answer: taking over all running games of the seat, or declining, so that the next one is
    asked.

    Returns the numbers of the games taken over. Raises CallEnded if the call no longer waits or has expired.
    """
    session = work.session
    made = find(session, call_id, player_id)
    event = lifecycle.get(session, made.event_id, lock=True)
    made = find(session, call_id, player_id)
    if now > made.answer_by:
        raise CallEnded("expired")
    _settle(session, call_id, "accepted" if accepts else "declined", now)
    acting = Acting(work, event, player_id, now)
    if not accepts:
        _note_and_go_on(acting, made, "reserve.declined")
        return []
    taken = handover.hand_over(work, event, made.leaver_id, made.entry_id, made.called_at, now)
    acting.write("reserve.accepted", audit.entrant(made.leaver_id), after={"reserve": made.entry_id, "games": taken})
    _tell(work, made, "taken" if taken else "place", _concerned(session, event, made), now)
    return taken


def _note_and_go_on(acting: Acting, made: ReserveCall, act: str) -> None:
    acting.write(act, audit.entrant(made.leaver_id), after={"call": made.id, "reserve": made.entry_id})
    session, event = acting.session, acting.event
    if not schedule.has_more_to_play(session, event, made.leaver_id):
        return
    if _call_next(replace(acting, by_id=None), made.leaver_id) is not None:
        return
    leaver = session.get_one(Entrant, made.leaver_id)
    if leaver.leaves_at is not None and leaver.status == EntrantStatus.ENTERED:  # taken out in a minute, which says it
        session.exec(sa.update(Entrant).where(col(Entrant.id) == leaver.id).values(leaves_at=acting.now))
    else:
        _tell(acting.work, made, "none", dict(club_rights.organisers(session, event.club_id)), acting.now)


@job("end calls", every=30)
def sweep_calls(database: Database, now: datetime) -> int:
    """End expired calls and ask the next reserve for each; return how many ended here."""
    # Written out, not a parameter: only so SQLite sees that a partial index fits.
    waits = sa.and_(col(ReserveCall.status) == sa.literal_column("'called'"), col(ReserveCall.answer_by) < now)
    with database.read() as session:
        found = session.exec(select(ReserveCall.id).where(waits).order_by(col(ReserveCall.answer_by))).all()
    return sum(
        failing.over(
            database,
            "reserve calls",
            found,
            lambda call: f"call {call}",
            lambda call: _expire(database, call, now),
            now,
        )
    )


def _expire(database: Database, call_id: int, now: datetime) -> bool:
    with Work(database) as work:
        made = get(work.session, call_id)
        event = lifecycle.get(work.session, made.event_id, lock=True)
        if not _settle(work.session, call_id, "expired", now):
            return False  # another process was faster
        _note_and_go_on(Acting(work, event, None, now), made, "reserve.expired")
        _tell(work, made, "expired", [made.player_id], now)
        return True


def end_calls_of(work: Work, event: Competition, entrant: Entrant, now: datetime) -> None:
    """End the calls of a player who has left.

    A call that waits for their answer counts as declined, and the next reserve is asked; a call for their own seats,
    whose games have ended, is withdrawn.
    """
    session = work.session
    for made in of_event(session, event.id).calls:
        if made.status != CallStatus.CALLED or entrant.id not in (made.entry_id, made.leaver_id):
            continue
        if made.entry_id == entrant.id:
            _settle(session, made.id, "declined", now)
            _note_and_go_on(Acting(work, event, entrant.player_id, now), made, "reserve.declined")
            continue
        _settle(session, made.id, "withdrawn", now)
        Acting(work, event, None, now).write("reserve.withdrawn", audit.entrant(entrant.id), before={"call": made.id})
        _tell(work, made, "withdrawn", [made.player_id], now)


# -- mails --------------------------------------------------------------------------------------------


def _concerned(session: Session, event: Competition, made: ReserveCall) -> set[int]:
    """Return who is concerned, without the substitute: the leaver, the opponents of the seat, and the organisers."""
    leaver = session.get_one(Entrant, made.leaver_id).player_id
    others = seat_changes.opponents(session, event.id, made.entry_id)
    return {leaver, *others, *dict(club_rights.organisers(session, event.club_id))} - {made.player_id}


def _tell(work: Work, made: ReserveCall, what: str, people: Collection[int], now: datetime) -> None:
    told = accounts.addresses(work.session, people)
    work.outbox.tell(told, "reserve", f"reserve:{made.id}:{what}", {"call": made.id, "what": what}, now)
