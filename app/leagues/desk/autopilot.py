"""An event that runs itself, as far as its terms say: sign-up opens and closes at its hours, the event starts, closes
rounds whose games are over, pairs the next ones, publishes drafts after the hours in which organisers can look at them,
begins its finals when its groups are over, ends, and drafts the next season, whose sign-up opens and closes in turn.

It does what the buttons do, by the same services, each act in a transaction of its own; the trail names the server.
Where something is unusual it stops and asks the organisers, once; whatever they then do themselves, it goes on from
there. Of several workers one acts: what is due is worked out anew with the event locked.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col

from app.base import failing
from app.base.jobs import job
from app.base.outbox import PlannedMail
from app.base.refusals import NotAccepted
from app.games.work import Work
from app.leagues.clubs import audit, clubs
from app.leagues.desk import unusual, week
from app.leagues.events import events, round_rows, two_clubs
from app.leagues.rounds import brackets, following, pairing, pairing_jobs, rounds
from app.leagues.rulings.opening import WAITING
from app.leagues.seasons import endings, seasons
from app.leagues.tables import (
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Division,
    Match,
    PairingJob,
    RoundStatus,
    Ruling,
    RulingStatus,
)
from app.leagues.teams import line_ups
from app.time import outages
from engine.kernel.refusals import Refusal
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database

OPEN, CLOSE_SIGN_UP, START, FINISH = "open", "close_sign_up", "start", "finish"


@dataclass(frozen=True, slots=True)
class NextAct:
    """What an event does next by itself, in a division or as a whole."""

    kind: str
    """`open`, `close_sign_up`, `start`, `extra`, `close`, `pair`, `publish`, `finish`."""
    at: datetime | None = None
    """When; None for at once."""
    division: Division | None = None
    number: int = 0
    """Of the round."""
    round: CompetitionRound | None = None
    asks: bool = False
    """Whether it is left to the organisers, because something is unusual."""
    why: Text | None = None
    """What is unusual, where no page says it otherwise."""

    @property
    def key(self) -> tuple[str, int, int, int]:
        """Tells it from all others of its event; a draft that was changed is another one."""
        division = 0 if self.division is None else self.division.id
        return self.kind, division, self.number, 0 if self.round is None else self.round.version

    def is_due(self, now: datetime) -> bool:
        return self.at is None or self.at <= now


def runs_itself(event: Competition) -> bool:
    """Whether an event has an autopilot that is not paused."""
    return event.terms.autopilot is not None and event.paused_at is None


def next_acts(session: Session, event: Competition) -> list[NextAct]:
    """What an event with an autopilot does next, also while it is paused; empty while it waits for its players."""
    hours = timedelta(hours=event.terms.autopilot or 0)
    if event.terms.autopilot is None:
        return []
    if event.status == CompetitionStatus.DRAFT and event.sign_up_from is not None:
        return [NextAct(OPEN, event.sign_up_from)]
    if event.status == CompetitionStatus.SIGN_UP and event.sign_up_until is not None:
        return _start(session, event, event.sign_up_until)
    if event.status != CompetitionStatus.RUNNING:
        return []
    found = [act for division in event.divisions for act in _in_division(session, event, division)]
    return found or _end(session, event, hours)


def publishes(event: Competition, round: CompetitionRound) -> datetime | None:
    """When a draft is published by itself; None where that is left to the organisers."""
    if round.publish_at is not None:
        return round.publish_at
    if not runs_itself(event) or round.warnings:
        return None
    return _after_looking(event, round)


def _after_looking(event: Competition, round: CompetitionRound) -> datetime:
    """When organisers have had the hours of the terms to look at a draft, and captains theirs to choose."""
    looked = round.made_at + timedelta(hours=event.terms.autopilot or 0)
    return max(looked, line_ups.until(event, round) or looked)


def _start(session: Session, event: Competition, at: datetime) -> list[NextAct]:
    """Sign-up is closed, then the event starts; where something is unusual then, organisers start it."""
    if not audit.was_done(session, _sign_up_closed(event)):
        return [NextAct(CLOSE_SIGN_UP, at), NextAct(START, at)]
    why = unusual.of_start(session, event)
    return [NextAct(START, at, asks=why is not None, why=why)]


def _sign_up_closed(event: Competition) -> str:
    """Once for each hour: organisers who name another one open sign-up again."""
    return f"sign-up-closed:{event.id}:{event.sign_up_until:%Y%m%d%H%M%S}"


def _in_division(session: Session, event: Competition, division: Division) -> list[NextAct]:
    acts = []
    for task in week.tasks_of(session, event, division):
        if task.kind == week.PUBLISH and task.round is not None:
            # An hour that an organiser has named for it goes before the event's own.
            asks = bool(task.round.warnings) and task.planned is None
            at = task.planned or _after_looking(event, task.round)
            acts.append(NextAct(task.kind, at, division, task.number, task.round, asks))
        elif task.kind in (week.EXTRA, week.CLOSE):
            acts.append(NextAct(task.kind, None, division, task.number, task.round))
        elif not task.after_close:
            why = unusual.of_finals(session, event, division) if task.number == 1 else None
            asks = why is not None or _has_failed(session, division, task.number)
            acts.append(NextAct(task.kind, None, division, task.number, asks=asks, why=why))
    return acts


def _has_failed(session: Session, division: Division, number: int) -> bool:
    """Whether the server has tried in vain to pair this round."""
    asked = sa.and_(col(PairingJob.division_id) == division.id, col(PairingJob.number) == number)
    states = session.scalars(sa.select(col(PairingJob.state)).where(asked)).all()
    return "failed" in states


def _end(session: Session, event: Competition, hours: timedelta) -> list[NextAct]:
    """The end of the event, some hours after its last round was closed; not while a ruling may still change it."""
    closed = []
    for division in event.divisions:
        there = round_rows.rounds_of(session, division.id, drafts=True)
        if pairing.open_job(session, division.id) is not None or not there:
            return []
        if any(one.status != RoundStatus.CLOSED or one.closed_at is None for one in there):
            return []
        closed.append(max(one.closed_at for one in there if one.closed_at is not None))
    asked = (
        sa.select(col(Ruling.status), col(Ruling.appeal_until), col(Ruling.details), col(Match.ended))
        .outerjoin(Match, col(Match.id) == col(Ruling.match_id))
        .where(col(Ruling.event_id) == event.id, col(Ruling.status).in_((*WAITING, RulingStatus.DECIDED)))
    )
    # What only the end of a round has asked for, and a game has answered since, waits for nobody.
    waits = [
        row
        for row in session.execute(asked)
        if not (row.status == RulingStatus.OPEN and row.ended and row.details.get("round_end"))
    ]
    if not closed or any(row.status in WAITING for row in waits):
        return []
    return [NextAct(FINISH, max([max(closed) + hours, *(row.appeal_until for row in waits if row.appeal_until)]))]


# -- doing it -----------------------------------------------------------------------------------------


@job("run events", every=60, did="acts of autopilots")
def sweep(database: Database, now: datetime) -> int:
    """Do all that events do by themselves and is due; how many acts."""
    with database.read() as session:
        asked = sa.select(col(Competition.id)).where(
            sa.or_(
                col(Competition.status).in_((CompetitionStatus.SIGN_UP, CompetitionStatus.RUNNING)),
                sa.and_(col(Competition.status) == CompetitionStatus.DRAFT, col(Competition.sign_up_from) <= now),
            ),
            col(Competition.paused_at).is_(None),
        )
        there = session.scalars(asked).all()
        if not there or outages.is_down(session, now):
            return 0
    return sum(
        failing.over(
            database, "autopilots", there, lambda event: f"event {event}", lambda event: _run(database, event, now), now
        )
    )


def _run(database: Database, event_id: int, now: datetime) -> int:
    """One act after another, since what was closed is paired; how many."""
    done, tried = 0, set[tuple[str, int, int, int]]()
    while True:
        with database.read() as session:
            event = events.get(session, event_id)
            due = [act for act in next_acts(session, event) if act.is_due(now) and act.key not in tried]
        if not due:
            return done
        tried.add(due[0].key)
        try:
            done += (_ask if due[0].asks else _act)(database, event_id, due[0], now)
        except Refusal:
            done += _ask(database, event_id, due[0], now)


def _act(database: Database, event_id: int, act: NextAct, now: datetime) -> bool:
    """Do what is due; False when it is not due any more."""
    with Work(database) as work:
        event = events.get(work.session, event_id, lock=True)  # before its rounds, as everywhere
        if not runs_itself(event) or act.key not in {one.key for one in next_acts(work.session, event)}:
            return False
        if act.kind == OPEN:
            two_clubs.need_unbound(work.session, event)
            events.set_status(work, event, CompetitionStatus.SIGN_UP, None, now=now)
        elif act.kind == CLOSE_SIGN_UP:
            once = _sign_up_closed(event)
            audit.write(work.session, event.club_id, "autopilot.sign_up_closed", at=now, event_id=event.id, once=once)
        elif act.kind == START:
            rounds.start_in(work, event, None, now)
        elif act.kind == FINISH:
            over, again = endings.finish_in(work, event, None, now), event.terms.next_season
            if over and again is not None and event.guest_id is None:
                seasons.follow(work, event, again, now)
        elif act.kind == week.PAIR:
            assert act.division is not None
            pairing_jobs.pair(work, event, act.division.id, None, now=now)
            return True
        else:
            assert act.round is not None
            round = round_rows.get(work.session, act.round.id, lock=True)
            if act.kind == week.EXTRA:
                brackets.add_extra_in(work, event, round, None, now)
            elif act.kind == week.CLOSE:
                rounds.close_in(work.session, event, round, None, now)
                following.published_follow(work, event, round.division_id, round.number, None, now)
            else:
                rounds.publish_in(work, event, round, None, now)
        work.commit()
        return True


def _ask(database: Database, event_id: int, act: NextAct, now: datetime) -> bool:
    """Tell the organisers, once, that the event waits for them."""
    kind, division, number, version = act.key
    with Work(database) as work:
        event = events.get(work.session, event_id, lock=True)
        once = f"autopilot:{event_id}:{kind}:{division}:{number}:{version}"
        subject = audit.round_of(number, division) if division else audit.NOTHING
        written = audit.write(
            work.session, event.club_id, "autopilot.asks", at=now, event_id=event_id, subject=subject, once=once
        )
        if written is None:
            return False
        details = {"event": event_id, "act": kind, "division": division, "number": number, "version": version}
        people = clubs.organisers(work.session, *event.club_ids)
        work.outbox.add(
            [PlannedMail(f"{once}:{who}", "event_asks", address, who, details=details) for who, address in people], now
        )
        work.commit()
        return True


# -- pausing ------------------------------------------------------------------------------------------


def pause(database: Database, event_id: int, by_id: int, *, paused: bool, now: datetime) -> bool:
    """Stop what an event does by itself, or let it go on; False when it is so already. NoSuchCompetition, NotAllowed,
    NotAccepted."""
    with Work(database) as work:
        event = events.need(work.session, event_id, by_id, "organiser", lock=True)
        if event.terms.autopilot is None:
            raise NotAccepted("autopilot.none", Text("This event has no autopilot: its terms say nothing of it."))
        if (event.paused_at is not None) == paused:
            return False
        here = sa.update(Competition).where(col(Competition.id) == event_id)
        work.session.execute(here.values(paused_at=now if paused else None))
        act = "autopilot.paused" if paused else "autopilot.resumed"
        audit.write(work.session, event.club_id, act, at=now, by_id=by_id, event_id=event_id)
        work.commit()
        return True
