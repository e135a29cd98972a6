"""The end of a round, as the terms of its event say: players are reminded, the round is extended once, rulings are
opened (or a referee is asked to adjudicate).

Nothing happens during an outage. A game is spared while its mail has not arrived, while the player on turn is on
announced or granted leave (until the latest end, if the terms name one), and, after a bounce or an outage during the
decision, until its clock runs out. Each step is recorded in the trail once, so that several workers never repeat it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.process.jobs import job
from app.base.stored.database import Database
from app.base.stored.outbox import PlannedMail
from app.games.work import Work
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting
from app.leagues.events import lifecycle, round_rows
from app.leagues.rulings import opening
from app.leagues.tables import Competition, CompetitionRound, CompetitionStatus, Match, RoundStatus
from app.time import pending
from app.time.decisions import PendingDecision
from app.time.tables import ClockNote, Leave, LeaveKind, NoteKind

LONGEST_BEFORE = timedelta(days=61)
"""Nothing is due earlier than this before the end of a round."""


@job("end rounds", every=60)
def sweep(database: Database, now: datetime) -> int:
    """Do what is due at the ends of rounds; return for how many rounds something was done."""
    at = col(CompetitionRound.due_at)
    is_near = sa.and_(col(CompetitionRound.status) == RoundStatus.PUBLISHED, at <= now + LONGEST_BEFORE)
    return round_rows.over_due(database, "round ends", is_near, at, _act, now)


def _act(database: Database, event_id: int, round_id: int, now: datetime) -> bool:
    with database.read() as session:  # usually nothing is due, and then no lock is taken
        if _due(session, lifecycle.get(session, event_id), round_id, now) is None:
            return False
    with Work(database) as work:
        # The event before the round, the order in which publishing and leaving lock them.
        event = lifecycle.get(work.session, event_id, lock=True)
        round_rows.get(work.session, round_id, lock=True)
        found = _due(work.session, event, round_id, now)
        if found is None:  # another worker has done it, or a game has ended
            return False
        what, round, open_ones = found
        acting = Acting(work, event, None, now)
        if what == "ruling":
            for match in open_ones:
                _open(acting, match)
        else:
            _tell(acting, round, open_ones, what)
        return True


def _due(
    session: Session, event: Competition, round_id: int, now: datetime
) -> tuple[str, CompetitionRound, list[Match]] | None:
    """Return what is due for a round now (`reminded`, `longer`, `ruling`), with the round and the matches concerned."""
    round, terms = round_rows.get(session, round_id), event.terms
    if event.status != CompetitionStatus.RUNNING or round.status != RoundStatus.PUBLISHED or round.due_at is None:
        return None
    open_ones = [match for match in round.open_matches if match.game_id is not None]
    if now < round.due_at:
        soon = terms.round_remind is not None and now >= round.due_at - timedelta(days=terms.round_remind)
        what = "reminded" if soon else ""
    else:
        what = "longer" if terms.round_extra is not None else ""
    if what and open_ones and not audit.was_done(session, _once(what, round_id)):
        return what, round, open_ones
    if now < round.due_at or terms.round_end == "nothing":
        return None
    latest = None if terms.round_latest is None else round.due_at + timedelta(days=terms.round_latest)
    leave_spares = latest is None or now < latest
    left = [
        match
        for match in open_ones
        if not audit.was_done(session, _once("end", match.id))
        and not _is_spared(session, event, match, now, leave_spares=leave_spares)
    ]
    return ("ruling", round, left) if left else None


def _once(what: str, number: int) -> str:
    return f"round.{what}:{number}"


def _tell(acting: Acting, round: CompetitionRound, matches: Sequence[Match], what: str) -> None:
    """Remind the players of open games, or let the round go on and tell them."""
    session, event = acting.session, acting.event
    assert round.due_at is not None
    act = "round.longer" if what == "longer" else "round.reminded"
    days = (event.terms.round_extra if what == "longer" else event.terms.round_remind) or 0
    if what == "longer":
        here = sa.update(CompetitionRound).where(col(CompetitionRound.id) == round.id)
        session.execute(here.values(due_at=round.due_at + timedelta(days=days)))
    acting.write(act, audit.round_of(round.number, round.division_id), after={"days": days}, once=_once(what, round.id))
    told: dict[int, PlannedMail] = {}  # one mail to a player, also for two legs
    for match in matches:
        for player_id, address in opening.players_of(session, match.id).items():
            details = {"event": event.id, "match": match.id, "what": what}
            key = f"round.{what}:{round.id}:{player_id}"
            told.setdefault(
                player_id, PlannedMail(key, "round_end", address, player_id, match.game_id, details=details)
            )
    acting.work.outbox.add(list(told.values()), acting.now)


def _open(acting: Acting, match: Match) -> None:
    ends = acting.event.terms.round_end
    ruling_id, _ = opening.open_ruling(acting.work, match.id, by_id=None, claim="", now=acting.now, round_end=ends)
    acting.write("round.end", audit.match(match.id), after={"ruling": ruling_id}, once=_once("end", match.id))


def _is_spared(session: Session, event: Competition, match: Match, now: datetime, *, leave_spares: bool) -> bool:
    """Whether nobody can be blamed yet for a game that still runs."""
    owed = pending.owed(session, match.game_id or 0)
    if owed is None or owed.mailed_at is None or owed.deadline_at is None:
        return True
    is_away = leave_spares and _is_away(session, event, owed, now)
    return is_away or (now < owed.deadline_at and _was_hindered(session, owed))


def _is_away(session: Session, event: Competition, owed: PendingDecision, now: datetime) -> bool:
    kinds = [LeaveKind.GRANTED, LeaveKind.PLANNED, LeaveKind.NOW] if owed.pace.leave_days else [LeaveKind.GRANTED]
    asked = sa.select(col(Leave.id)).where(
        col(Leave.player_id) == owed.player_id,
        col(Leave.from_at) <= now,
        col(Leave.to_at) > now,
        col(Leave.kind).in_(kinds),
        sa.or_(col(Leave.event_id).is_(None), col(Leave.event_id) == event.id),
    )
    return session.scalar(asked.limit(1)) is not None


def _was_hindered(session: Session, owed: PendingDecision) -> bool:
    asked = sa.select(col(ClockNote.id)).where(
        col(ClockNote.game_id) == owed.game_id,
        col(ClockNote.number) == owed.number,
        col(ClockNote.kind).in_((NoteKind.MAIL_FAILED, NoteKind.CREDIT)),
    )
    return session.scalar(asked.limit(1)) is not None
