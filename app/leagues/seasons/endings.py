"""Changes an event before and after play: its divisions, its end, and its cancellation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from app.base.words.refusals import Conflict, NotAccepted, NotAllowed
from app.games.work import Work
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import Acting, ClubActing
from app.leagues.events import lifecycle, matches, round_rows, seat_changes, two_clubs
from app.leagues.pure.model import VOID
from app.leagues.results import outcomes
from app.leagues.rounds import brackets, ladder
from app.leagues.rulings import opening
from app.leagues.seasons import next_season, verdicts
from app.leagues.tables import (
    STILL_IN,
    CallStatus,
    Competition,
    CompetitionStatus,
    Division,
    Entrant,
    ReserveCall,
    Role,
    RoundStatus,
    Ruling,
    RulingStatus,
)
from app.people.tables import Player
from app.play.agreed import results
from engine.kernel.text import Text


def change_divisions(
    work: Work, event_id: int, by_id: int, given: Sequence[Mapping[str, Any]], *, now: datetime
) -> None:
    """Change the divisions before the start, in the caller's transaction: rows of `lifecycle.read_divisions`, existing
    ones with their `id`.

    Players of a removed division have none afterwards. Raises NoSuchCompetition, NotAllowed, NotAccepted.
    """
    session = work.session
    acting = lifecycle.allowed(work, event_id, by_id, Role.ORGANISER, now)
    event = acting.event
    if event.status not in (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP):
        raise Conflict("event.started", Text("The event has started; this stays as it is."))
    parts = lifecycle.read_divisions([{**row, "level": at} for at, row in enumerate(given, 1)], event.name)
    lifecycle.judge_parts(event.terms, len(parts))
    ids = [row.get("id") for row in given] or [None]
    there = {division.id: division for division in event.divisions}
    if not {number for number in ids if number is not None} <= set(there):
        raise NotAccepted("event.division", Text("One of these divisions is not there any more; look again."))
    before = [_said(division.name, division.promoted, division.relegated) for division in event.divisions]
    after = [_said(part["name"], part["promoted"], part["relegated"]) for part in parts]
    if before == after and len(set(ids)) == len(there):
        return
    gone = sorted(set(there) - set(ids))
    session.exec(sa.update(Entrant).where(col(Entrant.division_id).in_(gone)).values(division_id=None))
    session.exec(sa.delete(Division).where(col(Division.id).in_(gone)))
    for old in set(there) & set(ids):  # so that two divisions can exchange their names
        session.exec(sa.update(Division).where(col(Division.id) == old).values(name=f"#{old}"))
    for number, part in zip(ids, parts, strict=True):
        if number is None:
            session.exec(sa.insert(Division).values(event_id=event_id, **part))
        else:
            session.exec(sa.update(Division).where(col(Division.id) == number).values(**part))
    acting.write("event.divisions", before={"divisions": before}, after={"divisions": after})


def _said(name: str, promoted: int, relegated: int) -> str:
    return f"{name} (+{promoted}/-{relegated})"


def finish(acting: Acting, *, sure: bool = False, tells: bool = True) -> None:
    """End an event, which is locked and whose rounds are all closed: its standings are final, and unless it is not to
    (`tells`) a mail tells each player how it ended. Ending it again changes nothing.

    Raises NotAccepted; also, unless `sure`, while a ruling could still change it.
    """
    session, event = acting.session, acting.event
    if not sure and event.status == CompetitionStatus.RUNNING and verdicts.unsettled(session, event.id, acting.now):
        raise NotAccepted(
            "event.unsettled", Text("A ruling can still change the standings; tick that you end the event anyway.")
        )
    if event.plays.by_challenge and event.status == CompetitionStatus.RUNNING:
        ladder.close_down(session, event)
    conclude(acting, tells=tells)


def conclude(acting: Acting, *, tells: bool = True) -> bool:
    """`finish` whatever a ruling could still change. False when it is over already."""
    session, event = acting.session, acting.event
    open_ones = [
        Text("{division}, round {n}", division=division.name, n=round.number)
        for division in event.divisions
        for round in round_rows.rounds_of(session, division.id, drafts=True)
        if round.status != RoundStatus.CLOSED
    ]
    if event.status == CompetitionStatus.RUNNING and open_ones:
        raise NotAccepted("event.rounds_open", Text("Close these rounds first: {rounds}.", rounds=tuple(open_ones)))
    for division in event.divisions:
        brackets.need_winners(session, event, round_rows.rounds_of(session, division.id))
    if not lifecycle.set_status(acting, CompetitionStatus.OVER):
        return False
    next_season.freeze(acting)
    if tells:
        verdicts.tell(acting)
    return True


@dataclass(frozen=True, slots=True)
class Cancellation:
    """What cancelling an event would do: who gets a mail (number, name, address), running games, drafts of rounds,
    waiting rulings.
    """

    told: tuple[tuple[int, str, str], ...]
    running: int
    drafts: int
    rulings: int


def foresee(session: Session, event: Competition) -> Cancellation:
    """Return what cancelling an event would do now. Changes nothing."""
    drafts = [
        round
        for division in event.divisions
        for round in round_rows.rounds_of(session, division.id, drafts=True)
        if round.status == RoundStatus.DRAFT
    ]
    rulings = len(session.exec(_waiting_rulings(event.id)).all())
    return Cancellation(
        tuple(_concerned(session, event)), len(seat_changes.running_games(session, event.id)), len(drafts), rulings
    )


def _waiting_rulings(event_id: int) -> SelectOfScalar[Ruling]:
    here = sa.and_(col(Ruling.event_id) == event_id, col(Ruling.status).in_(opening.WAITING))
    return select(Ruling).where(here).order_by(col(Ruling.id))


def _concerned(session: Session, event: Competition) -> list[tuple[int, str, str]]:
    """Return everybody who plays in an event or is a reserve; empty for a draft, which nobody knows of yet."""
    if event.status == CompetitionStatus.DRAFT:
        return []
    asked = (
        sa.select(col(Player.id), col(Player.name), col(Player.address))
        .join(Entrant, col(Entrant.player_id) == col(Player.id))
        .where(
            col(Entrant.event_id) == event.id,
            col(Entrant.status).in_(STILL_IN),
            col(Player.erased_at).is_(None),
        )
        .order_by(col(Player.name), col(Player.id))
    )
    found = {row.id: (row.name, row.address) for row in session.execute(asked)}
    if event.guest_id is not None:  # the organisers of both, since one of them cancels it
        both = dict(club_rights.organisers(session, *event.club_ids))
        people = session.exec(select(Player).where(col(Player.id).in_(both)))
        found |= {one.id: (one.name, one.address) for one in people if one.id is not None}
    return [(who, name, address) for who, (name, address) in found.items()]


def cancel(acting: Acting, *, reason: str, ends: bool = False) -> None:
    """Cancel an event, which is locked: drafts are thrown away, open matches are void, calls of reserves end, waiting
    rulings are closed, and everybody concerned is told why by mail. A sketch is thrown away with its names.

    Running games end without a result (`ends`), or go on for their players, but do not count. Cancelling again changes
    nothing. Raises NotAllowed, NotAccepted.
    """
    reason, event = audit.read_reason(reason), acting.event
    if event.status == CompetitionStatus.RUNNING and two_clubs.both_there(acting.session, event):
        raise NotAllowed("club_match.runs", Text("A match of two clubs that has started is played to its end."))
    cancel_within(acting, reason=reason, ends=ends)


def cancel_within(acting: Acting, *, reason: str, ends: bool = False) -> None:
    """`cancel` whatever another club has in it; the reason has been read."""
    session, event, now = acting.session, acting.event, acting.now
    if event.status == CompetitionStatus.DRAFT:
        session.exec(sa.delete(Competition).where(col(Competition.id) == event.id))
        about = audit.named(event.name)
        ClubActing(acting.work, event.club_id, acting.by_id, now).write("event.thrown_away", about, reason=reason)
        return
    games = seat_changes.running_games(session, event.id) if ends else []
    matches.lock_games(session, games)
    concerned = _concerned(session, event)
    if not lifecycle.set_status(acting, CompetitionStatus.CANCELLED, reason=reason):
        return
    _close_rulings(acting, reason)  # before the matches: a decision locks it first, too
    for division in event.divisions:
        for round in round_rows.rounds_of(session, division.id, drafts=True):
            if round.status == RoundStatus.DRAFT:
                matches.delete_draft(session, round.id)
                continue
            for match in round.open_matches:
                outcomes.settle(session, match.id, VOID, "ruling", [Fraction(0)] * len(match.seats), now)
    asked = sa.and_(col(ReserveCall.event_id) == event.id, col(ReserveCall.status) == CallStatus.CALLED)
    session.exec(sa.update(ReserveCall).where(asked).values(status=CallStatus.WITHDRAWN, answered_at=now))
    for game_id in games:
        results.void(acting.work, acting.work.store.load(game_id, for_writing=True), now, tells=False)
    details = {"event": event.id, "by": acting.by_id, "reason": reason, "ended": len(games)}
    told = [(player_id, address) for player_id, _, address in concerned]
    acting.work.outbox.tell(told, "event_cancelled", f"event_cancelled:{event.id}", details, now)


def _close_rulings(acting: Acting, reason: str) -> None:
    """Close the rulings of a cancelled event that wait, with the reason, and tell their players and who would have
    decided. What a first decision did stands."""
    work, event, by_id, now = acting.work, acting.event, acting.by_id, acting.now
    for row in work.session.exec(_waiting_rulings(event.id).with_for_update()).all():
        values = {
            "status": RulingStatus.WITHDRAWN,
            "final_by": by_id,
            "final_at": now,
            "details": {**row.details, "note": reason},
        }
        work.session.exec(sa.update(Ruling).where(col(Ruling.id) == row.id).values(**values))
        acting.write("ruling.closed", audit.match(row.match_id), reason=reason, after={"ruling": row.id})
        opening.tell(work, row, "closed", now, but=(by_id or 0, row.decided_by or 0))
