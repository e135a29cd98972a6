"""Runs an event on its own as far as its terms say.

Sign-up opens and closes at its hours, the event starts, closes rounds whose games are over, pairs the next ones,
publishes drafts after the hours organisers have to look at them, begins its finals after its groups, ends, and drafts
the next season, whose sign-up opens and closes in turn.

It uses the same services as the buttons, each act in a transaction of its own; the trail names the server. If something
is unusual it stops and asks the organisers, once; it then continues from whatever they did. Several workers never act
twice: what is due is recomputed with the event locked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.process.jobs import job
from app.base.stored import failing
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.games.work import Work
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import Acting
from app.leagues.desk import people, week
from app.leagues.desk.week import EventTask
from app.leagues.events import entries, invited, lifecycle, round_rows
from app.leagues.rounds import all_rounds, brackets, pairing, pairing_jobs, round_loop, stages
from app.leagues.rulings.opening import WAITING
from app.leagues.seasons import endings, next_season
from app.leagues.tables import (
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Division,
    EntrantStatus,
    Match,
    PairingJob,
    Ruling,
    RulingStatus,
)
from app.leagues.teams import rosters
from app.time import outages
from engine.kernel.refusals import Refusal
from engine.kernel.text import Counted, Text

OPEN, REMIND, CLOSE_SIGN_UP, START = "open", "remind", "close_sign_up", "start"
BEGIN_ALL, FINISH = "begin_all", "finish"


def runs_itself(event: Competition) -> bool:
    """Whether an event has an autopilot that is not paused."""
    return event.terms.autopilot is not None and event.paused_at is None


def next_acts(session: Session, event: Competition) -> list[EventTask]:
    """Return the next automatic steps of an event with an autopilot, also while it is paused; empty while it waits for
    its players.
    """
    hours = timedelta(hours=event.terms.autopilot or 0)
    if event.terms.autopilot is None:
        return []
    if event.status == CompetitionStatus.DRAFT and event.sign_up_from is not None:
        return [EventTask(OPEN, event, at=event.sign_up_from)]
    if event.status == CompetitionStatus.SIGN_UP and event.sign_up_until is not None:
        return _start(session, event, event.sign_up_until)
    if event.status != CompetitionStatus.RUNNING:
        return []
    if event.terms.at_once and event.started_at and all_rounds.left(session, event):
        return [EventTask(BEGIN_ALL, event, at=event.started_at + hours)]
    found = [act for division in event.divisions for act in _in_division(session, event, division)]
    return found or _end(session, event, hours)


def publishes(event: Competition, round: CompetitionRound) -> datetime | None:
    """Return when a draft is published automatically; None if that is left to the organisers."""
    if round.publish_at is not None:
        return round.publish_at
    if not runs_itself(event) or round.warnings:
        return None
    return _after_looking(event, round)


def _after_looking(event: Competition, round: CompetitionRound) -> datetime:
    """Return when the hours for organisers to look at a draft, and for captains to choose, are over."""
    return round.made_at + timedelta(hours=event.terms.autopilot or 0)


def _start(session: Session, event: Competition, at: datetime) -> list[EventTask]:
    """Remind who has not answered, close sign-up, then start the event; if something is unusual then, organisers start
    it."""
    if not audit.was_done(session, _sign_up_closed(event)):
        closes = [EventTask(CLOSE_SIGN_UP, event, at=at), EventTask(START, event, at=at)]
        reminds = invited.reminds_at(session, event)
        return closes if reminds is None else [EventTask(REMIND, event, at=reminds), *closes]
    why = unusual_at_start(session, event)
    return [EventTask(START, event, at=at, asks=why is not None, why=why)]


def _sign_up_closed(event: Competition) -> str:
    """Return the key of closing sign-up at one hour: organisers who set another hour open it again."""
    return f"sign-up-closed:{event.id}:{event.sign_up_until:%Y%m%d%H%M%S}"


def _in_division(session: Session, event: Competition, division: Division) -> list[EventTask]:
    acts = []
    there = round_rows.rounds_of(session, division.id, drafts=True)
    for task in week.tasks_of(session, event, division, there):
        if task.kind == week.PUBLISH and task.round is not None:
            # An hour set by an organiser for it takes precedence over the event's own.
            asks = bool(task.round.warnings) and task.planned is None
            at = task.planned or _after_looking(event, task.round)
            acts.append(replace(task, at=at, asks=asks))
        elif task.kind in (week.EXTRA, week.CLOSE):
            acts.append(task)
        elif not task.after_close:
            why = unusual_at_finals(session, event, division) if task.number == 1 else None
            asks = why is not None or _has_failed(session, division, task.number)
            acts.append(replace(task, asks=asks, why=why))
    return acts


def _has_failed(session: Session, division: Division, number: int) -> bool:
    """Whether the server has failed to pair this round."""
    asked = sa.and_(col(PairingJob.division_id) == division.id, col(PairingJob.number) == number)
    states = session.scalars(sa.select(col(PairingJob.state)).where(asked)).all()
    return "failed" in states


def _end(session: Session, event: Competition, hours: timedelta) -> list[EventTask]:
    """Return the end of the event, some hours after its last round closed; not while a ruling may still change it."""
    if not week.is_played_out(session, event):
        return []
    last = select(sa.func.max(CompetitionRound.closed_at)).where(col(CompetitionRound.event_id) == event.id)
    closed = session.exec(last).one()
    asked = (
        sa.select(col(Ruling.status), col(Ruling.appeal_until), col(Ruling.details), col(Match.ended))
        .outerjoin(Match, col(Match.id) == col(Ruling.match_id))
        .where(col(Ruling.event_id) == event.id, col(Ruling.status).in_((*WAITING, RulingStatus.DECIDED)))
    )
    # Requests made only because the round ended are no longer open once the game has a result.
    waits = [
        row
        for row in session.execute(asked)
        if not (row.status == RulingStatus.OPEN and row.ended and row.details.get("round_end"))
    ]
    if closed is None or any(row.status in WAITING for row in waits):
        return []
    at = max([closed + hours, *(row.appeal_until for row in waits if row.appeal_until)])
    return [EventTask(FINISH, event, at=at)]


# -- what it does not decide by itself ----------------------------------------------------------------


def unusual_at_start(session: Session, event: Competition) -> Text | None:
    """What is unusual about the players of an event that could start now; None for nothing. What a start refuses
    anyhow is not looked for."""
    playing = [one for one in entries.entrants(session, event.id) if one.status == EntrantStatus.ENTERED]
    sizes = Counter(one.division_id for one in playing)
    if len(sizes) > 1 and max(sizes.values()) - min(sizes.values()) > 1:
        return Text(
            "the divisions are uneven: one has {most} players, another {least}.",
            most=max(sizes.values()),
            least=min(sizes.values()),
        )
    length = event.terms.rounds
    if event.plays.by_round and not event.plays.at_tables and length:
        for division in event.divisions:
            count = len(rosters.of_event(session, event.id)) if event.boards else sizes[division.id]
            if 1 < count <= length:
                return _too_few(count, length)
    return None


def unusual_at_finals(session: Session, event: Competition, division: Division) -> Text | None:
    """Why the finals of an event whose groups are over cannot begin; None where they can, and for other divisions."""
    if division != event.finals:
        return None
    try:
        stages.through(session, event)
    except NotAccepted as no:
        return no.why
    return None


def _too_few(count: int, rounds: int) -> Text:
    return Counted(
        "{count} take part, too few to meet somebody new in {n} round.",
        "{count} take part, too few to meet somebody new in each of {n} rounds.",
        n=rounds,
        count=count,
    )


# -- doing it -----------------------------------------------------------------------------------------


@job("run events", every=60)
def sweep(database: Database, now: datetime) -> int:
    """Do every automatic step that is due; return how many acts."""
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
    """Do one act after another, since closing a round makes the next one due; return how many."""
    done, tried = 0, set[tuple[str, int, int, int]]()
    while True:
        with database.read() as session:
            event = lifecycle.get(session, event_id)
            acts = next_acts(session, event)
            due = [act for act in acts if act.is_due(now) and act.key not in tried]
            unseen = [] if due else _unseen(session, event, acts)
        if unseen:
            _show(database, event_id, unseen, now)
        if not due:
            return done
        tried.add(due[0].key)
        try:
            done += (_ask if due[0].asks else _act)(database, event_id, due[0], now)
        except Refusal:
            done += _ask(database, event_id, due[0], now)


def _act(database: Database, event_id: int, act: EventTask, now: datetime) -> bool:
    """Do what is due; return False if it is no longer due."""
    with Work(database) as work:
        event = lifecycle.get(work.session, event_id, lock=True)  # before its rounds, as everywhere
        if not runs_itself(event) or act.key not in {one.key for one in next_acts(work.session, event)}:
            return False
        acting = Acting(work, event, None, now)
        if act.kind == OPEN:
            lifecycle.set_status(acting, CompetitionStatus.SIGN_UP)
        elif act.kind == REMIND:
            invited.remind(acting)
        elif act.kind == BEGIN_ALL:
            all_rounds.begin(acting)
        elif act.kind == CLOSE_SIGN_UP:
            acting.write("autopilot.sign_up_closed", once=_sign_up_closed(event))
        elif act.kind == START:
            round_loop.start(acting)
        elif act.kind == FINISH:
            over, again = endings.conclude(acting), event.terms.next_season
            if over and again is not None and event.guest_id is None:
                next_season.follow(acting, again)
        elif act.kind == week.PAIR:
            assert act.division is not None
            people.leave_out_silent(acting, act.division.id, act.number)
            pairing_jobs.pair(acting, act.division.id)
            return True
        else:
            assert act.round is not None
            round = round_rows.get(work.session, act.round.id, lock=True)
            if act.kind == week.EXTRA:
                brackets.add_extra(acting, round)
            elif act.kind == week.CLOSE:
                round_loop.close(acting, round)
            else:
                round_loop.put_out(acting, round)
        return True


def _ask(database: Database, event_id: int, act: EventTask, now: datetime) -> bool:
    """Tell the organisers, once, that the event waits for them."""
    kind, division, number, version = act.key
    with Work(database) as work:
        event = lifecycle.get(work.session, event_id, lock=True)
        once = f"autopilot:{event_id}:{kind}:{division}:{number}:{version}"
        subject = audit.round_of(number, division) if division else audit.NOTHING
        written = Acting(work, event, None, now).write("autopilot.asks", subject, once=once)
        if written is None:
            return False
        details = {"event": event_id, "act": kind, "division": division, "number": number, "version": version}
        told = club_rights.organisers(work.session, *event.club_ids)
        work.outbox.tell(told, "event_asks", once, details, now)
        return True


# -- drafts that go out by themselves -----------------------------------------------------------------


def _unseen(session: Session, event: Competition, acts: Sequence[EventTask]) -> list[EventTask]:
    """Return the drafts that will be published by themselves and that organisers have not been shown, once no other
    division is being paired: one mail for all of them."""
    if any(pairing.open_job(session, division.id) is not None for division in event.divisions):
        return []
    drafts = [act for act in acts if act.kind == week.PUBLISH and not act.asks]
    return [act for act in drafts if not audit.was_done(session, _shown_once(event.id, act))]


def _shown_once(event_id: int, act: EventTask) -> str:
    return f"autopilot:drafted:{event_id}:{act.key[1]}:{act.number}:{act.key[3]}"


def _show(database: Database, event_id: int, drafts: Sequence[EventTask], now: datetime) -> None:
    """Mail the organisers the pairings that will be published, and when."""
    with Work(database) as work:
        event = lifecycle.get(work.session, event_id, lock=True)
        acting = Acting(work, event, None, now)
        named = [(act.round, act.division, _shown_once(event_id, act)) for act in drafts]
        shown = [
            (round, once)
            for round, division, once in named
            if round is not None and division is not None
            if acting.write("autopilot.drafted", audit.round_of(round.number, division.id), once=once) is not None
        ]
        if not shown:
            return
        details = {"event": event_id, "rounds": [[round.id, round.version] for round, _ in shown]}
        key = f"event_draft:{event_id}:{shown[0][0].id}:{shown[0][0].version}"
        told = club_rights.organisers(work.session, *event.club_ids)
        work.outbox.tell(told, "event_draft", key, details, now)


def waiting_drafts(session: Session, event: Competition) -> list[EventTask]:
    """Return the drafts of an event that are published by themselves at an hour."""
    if not runs_itself(event):
        return []
    return [act for act in next_acts(session, event) if act.kind == week.PUBLISH and not act.asks]


# -- pausing ------------------------------------------------------------------------------------------


def pause(acting: Acting, *, paused: bool) -> bool:
    """Pause or resume the automatic steps of an event, which is locked; return False if nothing changed. Raises
    NotAccepted."""
    event = acting.event
    if event.terms.autopilot is None:
        raise NotAccepted("autopilot.none", Text("This event has no autopilot: its terms say nothing of it."))
    if (event.paused_at is not None) == paused:
        return False
    here = sa.update(Competition).where(col(Competition.id) == event.id)
    acting.session.execute(here.values(paused_at=acting.now if paused else None))
    acting.write("autopilot.paused" if paused else "autopilot.resumed")
    return True
