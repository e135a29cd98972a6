"""Outages: heartbeats, the gaps in them, and the time that every running clock is credited for them."""

from __future__ import annotations

import logging
import os
import socket
import threading
from datetime import UTC, datetime, timedelta
from functools import partial

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.process.config import Config
from app.base.process.jobs import Run, job, tidies
from app.base.stored import facts, failing, process_metrics
from app.base.stored.database import Database, insert_into
from app.base.stored.leases import keep_looking
from app.base.stored.mail_tables import MailRoute
from app.base.stored.upkeep_tables import Heartbeat
from app.clocks.clock import Span, deadline
from app.clocks.outages import OUTAGE_AFTER, gaps
from app.games.tables import Game
from app.games.work import Work
from app.time import pending
from app.time.tables import NoteCause, NoteKind, Outage

log = logging.getLogger("postroad")

MAIL = "mail"
JOBS = ("scheduler", MAIL, "web")
"""What has to run for clocks to run: the timetable, the way to the mail host, the pages."""
BEAT_EVERY_SECONDS = 10
NOT_RUN_HERE = timedelta(days=30)
"""A job that has been silent for longer no longer runs on this server, so that nothing waits for it."""
KEPT = timedelta(days=90)
"""How long heartbeats are kept, except the newest older one of each job: a gap begins with it."""

JOB = "credits"
AT_ONCE = 100
"""Games credited in one transaction."""
LEAST_TOLD = 60
"""Seconds: the jobs of one server differ by less, and nobody is told about it."""

_NOT_CREDITED = sa.select(col(Outage.id)).where(col(Outage.is_credited).is_(False)).limit(1)
_NEXT_TO_CREDIT = (
    select(Outage).where(col(Outage.is_credited).is_(False)).order_by(col(Outage.id)).limit(1).with_for_update()
)
_GAMES = (
    sa.select(col(Game.id))
    .where(col(Game.id) > sa.bindparam("after"), col(Game.deadline_at).is_not(None))
    .order_by(col(Game.id))
    .limit(sa.bindparam("most"))
    .with_for_update()
)


# -- heartbeats -------------------------------------------------------------------------------------


FAILED = "database.failed"
"""The fact that says when a process last met a failing database, and what that said."""


def name_of_process() -> str:
    """What the heartbeats of a process are kept under."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{os.urandom(3).hex()}"


@job("beat", every=BEAT_EVERY_SECONDS).begun
def _beat_of_timetable(config: Config) -> Run:
    owner = name_of_process()

    def run(database: Database, now: datetime) -> int:
        beat(database, "scheduler", owner, now)
        return watch(database, now)

    return run


def beat(database: Database, job: str, owner: str, now: datetime) -> None:
    """Note that a job runs: extend the stretch of its process to now, or begin a new one after a silence. The others
    are told about a failure of the database that the process has met since."""
    try:
        _beat(database, job, owner, now)
    except Exception as error:
        database.failures.meet(error, now)
        raise


def _beat(database: Database, job: str, owner: str, now: datetime) -> None:
    met = database.failures
    with database.write_lightly() as session:
        if not met.is_told and met.last_at is not None:
            facts.tell(session, FAILED, met.said[:120], met.last_at)
        going_on = sa.and_(
            col(Heartbeat.job) == job, col(Heartbeat.owner) == owner, col(Heartbeat.last_at) >= now - OUTAGE_AFTER
        )
        if session.exec(sa.update(Heartbeat).where(going_on).values(last_at=now)).rowcount == 0:
            session.exec(sa.insert(Heartbeat).values(job=job, owner=owner, first_at=now, last_at=now))
        if job != MAIL:  # which counts nothing, and never is a process of its own
            process_metrics.write_down(session, job, now)
    met.is_told = True


def last_beat(session: Session, job: str, until: datetime | None = None) -> datetime | None:
    """Return when the job was last known to run, in any process; at the latest `until`, as a clock that was set back
    leaves beats behind that are still to come."""
    of_job = sa.select(sa.func.max(col(Heartbeat.last_at))).where(col(Heartbeat.job) == job)
    return session.scalar(of_job if until is None else of_job.where(col(Heartbeat.last_at) <= until))


class Pulse:
    """The beat of a process that serves pages, or does what no clock stands still for: mails in, thinking."""

    def __init__(self, database: Database, role: str) -> None:
        self._database, self._role, self._owner = database, role, name_of_process()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="beat", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(10)

    def _run(self) -> None:
        keep_looking(self._stop, self._beat, BEAT_EVERY_SECONDS, log, "the heartbeat could not be written")

    def _beat(self) -> None:
        now = datetime.now(UTC)
        if self._role in JOBS:
            beat(self._database, self._role, self._owner, now)
            return
        with self._database.write_lightly() as session:
            process_metrics.write_down(session, self._role, now)


@tidies
def forget_old_beats(session: Session, now: datetime) -> int:
    """Delete the heartbeats that no longer matter; return how many."""
    old = now - KEPT
    newest = (
        sa.select(sa.func.max(col(Heartbeat.last_at))).where(col(Heartbeat.last_at) < old).group_by(col(Heartbeat.job))
    )
    return session.exec(
        sa.delete(Heartbeat).where(
            col(Heartbeat.last_at) < old, col(Heartbeat.last_at).not_in(newest.scalar_subquery())
        )
    ).rowcount


# -- what is down -----------------------------------------------------------------------------------


def is_down(session: Session, now: datetime) -> bool:
    """Return whether a job is silent right now, or was so and its outage has not been noted yet: until then deadlines
    are provisional, and nobody is reminded or flagged. A pause of the route to the mail host is the mail's silence from
    its first moment."""
    return _pause_since(session, now) is not None or bool(not_noted(session, now))


def _pause_since(session: Session, now: datetime) -> datetime | None:
    """Return since when no mails go to a host that is still being probed: every minute, so that one which was not
    probed for longer is no longer used, or its sender is silent altogether."""
    is_tried = col(MailRoute.probe_at) > now - OUTAGE_AFTER
    since: datetime | None = session.scalar(sa.select(sa.func.min(col(MailRoute.paused_at))).where(is_tried))
    return since


def not_noted(session: Session, now: datetime) -> list[Span]:
    """Return the outages without a row: current ones, and those whose end has just been seen."""
    return [span for _, span in (*silent(session, now), *_new_gaps(session))]


def silent(session: Session, now: datetime) -> list[tuple[str, Span]]:
    """Return the jobs that do not run now, each with the time since they did."""
    last = session.execute(
        sa.select(col(Heartbeat.job), sa.func.max(col(Heartbeat.last_at))).group_by(col(Heartbeat.job))
    ).all()
    found = [(job, Span(at, now)) for job, at in last if OUTAGE_AFTER < now - at < NOT_RUN_HERE]
    paused = _pause_since(session, now)
    if paused is not None and now - paused > OUTAGE_AFTER:
        found.append(("mail", Span(paused, now)))
    return found


def of_everybody(session: Session, since: datetime) -> tuple[Span, ...]:
    """Return the noted outages of the whole server that ended after a moment."""
    asked = select(Outage).where(col(Outage.to_at) > since, col(Outage.job).in_(JOBS))
    return tuple(Span(row.from_at, row.to_at) for row in session.exec(asked))


def _new_gaps(session: Session) -> list[tuple[str, Span]]:
    stretches: dict[str, list[Span]] = {}
    for name, first, last in session.execute(
        sa.select(col(Heartbeat.job), col(Heartbeat.first_at), col(Heartbeat.last_at))
    ):
        stretches.setdefault(name, []).append(Span(first, last))
    found = [(name, gap) for name, spans in stretches.items() for gap in gaps(spans)]
    if not found:
        return []
    noted = {tuple(row) for row in session.execute(sa.select(col(Outage.job), col(Outage.from_at)))}
    return [(name, gap) for name, gap in found if (name, gap.start) not in noted]


# -- crediting --------------------------------------------------------------------------------------


def watch(database: Database, now: datetime) -> int:
    """Note the outages that are over, and credit their time; return how many clocks were moved."""
    with database.read() as session:
        found = _new_gaps(session)
        again = [what for what, at in failing.known(session, JOB).items() if at <= now]
        if not found and not again and session.scalar(_NOT_CREDITED) is None:
            return 0
    if found:
        with database.write() as session:
            for job, gap in found:
                note(session, job, gap, now)
    moved = failing.over(database, JOB, again, str, partial(_credit_again, database, now), now)
    return credit(database, now) + sum(moved)


def note(session: Session, job: str, gap: Span, now: datetime) -> None:
    """Note an outage that is over, unless that was done before."""
    outage = {"job": job, "from_at": gap.start, "to_at": gap.end, "noted_at": now}
    insert = insert_into(session, Outage).values(**outage, credited_up_to=0, is_credited=False)
    session.execute(insert.on_conflict_do_nothing(index_elements=["job", "from_at"]))


def credit(database: Database, now: datetime) -> int:
    """Recompute the deadlines that an outage has moved, a hundred games at a time; return how many.

    The progress is written with the games, under a lock: a killed process is continued from there, and two processes
    take turns.
    """
    moved = 0
    while True:
        with Work(database) as work:
            outage = work.session.exec(_NEXT_TO_CREDIT).first()
            if outage is None:
                return moved
            games = work.session.scalars(_GAMES, {"after": outage.credited_up_to, "most": AT_ONCE}).all()
            for game_id in games:  # one for which it fails is retried later
                with failing.spared(work.session, JOB, f"outage {outage.id} of game {game_id}", now, {}):
                    moved += _credit(work.session, outage, game_id, now)
            done = {"credited_up_to": games[-1]} if len(games) == AT_ONCE else {"is_credited": True}
            work.session.exec(sa.update(Outage).where(col(Outage.id) == outage.id).values(**done))


def _credit_again(database: Database, now: datetime, what: str) -> bool:
    _, outage_id, _, _, game_id = what.split()
    with Work(database) as work:
        outage = work.session.get(Outage, int(outage_id))
        return outage is not None and _credit(work.session, outage, int(game_id), now)


def _credit(session: Session, outage: Outage, game_id: int, now: datetime) -> bool:
    """Credit one game for an outage, and write it into its log; return whether its deadline moved.

    What another outage or leave already covered is not credited twice.
    """
    decision = pending.owed(session, game_id)
    if decision is None or decision.player_id is None or decision.started_at >= outage.to_at:
        return False
    # As of the end of the outage: a reminder that fell within it is due now.
    pending.refresh(session, decision, outage.to_at - timedelta(seconds=1))
    if decision.mailed_at is None:
        return False
    without, with_it = (
        deadline(
            decision.pace,
            decision.started_at,
            decision.budget,
            pending.standstill(session, decision, outages_up_to=up_to),
        )
        for up_to in (outage.id - 1, outage.id)
    )
    seconds = int((with_it - without).total_seconds())
    if seconds < LEAST_TOLD:
        return False
    details = {"job": outage.job, "from": outage.from_at.isoformat(), "to": outage.to_at.isoformat()}
    said: pending.Noted = {"seconds": seconds, "details": details, "once": f"credit:{outage.id}:{game_id}"}
    return pending.note(session, decision, NoteKind.CREDIT, NoteCause.OUTAGE, now, **said)
