"""Pairings that take too long for one request: requested by a button, worked out by a worker.

A row holds the request. Workers lease the rows (`app.base.stored.leases`) and renew the lease about once a second,
together with their progress. The result becomes the draft in one transaction, and only if the row is still leased,
the draft has not changed, and neither has anything else the pairing depends on.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.process.jobs import tidies, worker
from app.base.server import Server
from app.base.stored import failing
from app.base.stored.database import Database
from app.base.stored.leases import Leases, Pauses, keep_looking
from app.base.words.refusals import Conflict, NoSuch, NotAccepted
from app.games.work import Work
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import Acting, ClubActing
from app.leagues.events import lifecycle
from app.leagues.pure.model import Round
from app.leagues.pure.pairing.tasks import Task
from app.leagues.rounds import round_loop
from app.leagues.rounds.pairing import IS_OPEN, open_job
from app.leagues.tables import Competition, CompetitionRound, JobState, JobStep, PairingJob, Role
from engine.kernel.text import Text

log = logging.getLogger("postroad.pairing")

LEASE = timedelta(seconds=60)
"""How long after its worker was last heard of a job is taken up by another one."""
TELL_EVERY = timedelta(seconds=1)
PAUSE = timedelta(seconds=5)
"""The pause before the next attempt after an error of the program or the database."""
MOST_TRIES = 3
LOOK_EVERY_SECONDS = 2.0
"""How long a pairing that another process asked for waits for this one's next look."""
KEPT = timedelta(days=30)
"""How long finished jobs are kept, so that an open page can still find its draft."""

asked = threading.Event()
"""Set when this process has committed a job, so that its worker need not wait for its next look."""

_LEASES = Leases(PairingJob, IS_OPEN, LEASE)
_PAUSES = Pauses([PAUSE] * (MOST_TRIES - 1))
_CHANGED = Text("This draft has been changed or published meanwhile, so what the server worked out was dropped.")
_RESTLESS = Text("Results or entries changed again and again while this round was paired; pair it once more.")
_BROKEN = Text("The server could not work this pairing out; its log says why. Tell whoever runs the server.")


class NoSuchJob(NoSuch):
    """No pairing job has this number."""


class JobLost(Exception):
    """The job no longer belongs to this worker: it was cancelled, or another one has taken it up."""


class JobGivenBack(Exception):
    """This worker has been told to stop."""


# -- asking -------------------------------------------------------------------------------------------


def pair(acting: Acting, division_id: int, *, once: str | None = None) -> tuple[int | None, int | None]:
    """Pair the next round of a division at once, or have a worker do it where it takes long; the numbers of the draft
    and of the job, one of which is None. Asking twice (with the same `once`, or while the first is at work) makes one
    job. The caller has locked the event and judged the role. Raises NotAccepted."""
    session, event, now = acting.session, acting.event, acting.now
    there = _asked_with(session, once) or open_job(session, division_id)
    if there is not None:
        return None, there
    task, draft = round_loop.next_task(session, event, division_id)
    if not task.is_long:
        return round_loop.keep_draft(acting, division_id, task, task.work_out(), draft), None
    job = PairingJob(
        event_id=event.id,
        division_id=division_id,
        number=task.number,
        version=draft.version if draft else 0,
        asked_by=acting.by_id,
        asked_at=now,
        once=once,
        due_at=now,
    )
    session.add(job)
    session.flush()
    _note(acting, job, "round.pairing_asked")
    acting.work.commit()  # before a worker is told
    asked.set()
    return None, job.id


def _asked_with(session: Session, once: str | None) -> int | None:
    if once is None:
        return None
    found: int | None = session.scalar(sa.select(col(PairingJob.id)).where(col(PairingJob.once) == once))
    return found


def _note(acting: Acting | ClubActing, job: PairingJob, act: str) -> None:
    acting.write(act, audit.round_of(job.number, job.division_id))


def get(session: Session, job_id: int) -> PairingJob:
    """Return a job. Raises NoSuchJob."""
    row = session.exec(select(PairingJob).where(col(PairingJob.id) == job_id)).first()
    if row is None:
        raise NoSuchJob(job_id)
    return row


def newest(session: Session, event_id: int) -> dict[int, PairingJob]:
    """Return the newest job of each division of an event, by the number of the division."""
    last = (
        sa.select(sa.func.max(col(PairingJob.id)))
        .where(col(PairingJob.event_id) == event_id)
        .group_by(col(PairingJob.division_id))
    )
    rows = session.exec(select(PairingJob).where(col(PairingJob.id).in_(last.scalar_subquery()))).all()
    return {row.division_id: row for row in rows}


def cancel(acting: Acting, job: PairingJob) -> bool:
    """Stop a job; the draft stays as it is. Returns False if it is already over."""
    here = sa.and_(col(PairingJob.id) == job.id, IS_OPEN)
    values = {"state": JobState.CANCELLED, "ended_at": acting.now}
    if acting.session.exec(sa.update(PairingJob).where(here).values(**values)).rowcount == 0:
        return False
    _note(acting, job, "round.pairing_stopped")
    return True


@tidies
def forget(session: Session, now: datetime) -> int:
    """Delete jobs that ended long ago; return how many."""
    return session.exec(
        sa.delete(PairingJob).where(col(PairingJob.state) != JobState.OPEN, col(PairingJob.ended_at) < now - KEPT)
    ).rowcount


# -- working ------------------------------------------------------------------------------------------


def work_one(
    database: Database, me: str, clock: Callable[[], datetime], is_ending: Callable[[], bool] = lambda: False
) -> bool:
    """Take the job that has waited longest and work it out; return False if none is due.

    `me` names the worker (at most twelve characters). When `is_ending` returns True, the job is released.
    """
    taken = _LEASES.take(database, me, clock(), 1, step=JobStep.READING)
    for row in taken:
        _Worker(database, row, me, clock, is_ending).run()
    return bool(taken)


@worker("pairing")
class Pairer:
    """Works pairings out for one process, one after another."""

    def __init__(self, server: Server) -> None:
        self.database = server.database
        self.name = uuid4().hex[:12]

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set; what is in hand then is given back."""
        keep_looking(
            stop, lambda: self.work_one(stop), LOOK_EVERY_SECONDS, log, "looking for pairings failed", woken=asked
        )

    def work_one(self, stop: threading.Event) -> bool:
        """Work out the pairing that has waited longest; False when none does."""
        return work_one(self.database, self.name, lambda: datetime.now(UTC), stop.is_set)


class _Worker:
    """Works one job out."""

    def __init__(
        self, database: Database, row: PairingJob, me: str, clock: Callable[[], datetime], is_ending: Callable[[], bool]
    ) -> None:
        self.database = database
        self.job = row
        self.clock = clock
        self.is_ending = is_ending
        self.share = row.share
        self.told_at = clock()
        self.me = me
        self.is_mine = _LEASES.mine(row.id, me)

    def run(self) -> None:
        """Produce the draft, or a sentence that says why there is none."""
        job = self.job
        try:
            if job.attempts > MOST_TRIES:  # each attempt killed its worker
                raise NotAccepted("round.pairing_broken", _BROKEN)
            for _ in range(MOST_TRIES):
                task = self._begin()
                if self._keep(task, task.work_out(self._progress)):
                    if job.attempts > 1:
                        failing.well(self.database, "pairing", f"job {job.id}")
                    return
            raise NotAccepted("round.pairing_restless", _RESTLESS)
        except lifecycle.NoSuchCompetition:
            log.info("pairing job %s was dropped because its event no longer exists", job.id)
        except NotAccepted as no:
            self._fail(no.why)
        except JobGivenBack:
            self._give_back(self.clock(), attempts=job.attempts - 1)
        except JobLost:
            pass
        except Exception as error:
            failing.tell(self.database, "pairing", f"job {job.id}", error, self.clock())
            pause = _PAUSES.after(job.attempts)
            if pause is None:
                self._fail(_BROKEN)
            else:
                self._give_back(self.clock() + pause, attempts=job.attempts)

    def _begin(self) -> Task:
        if self.is_ending():
            raise JobGivenBack
        with self.database.read() as session:
            task, _ = self._task(session, lifecycle.get(session, self.job.event_id))
        self._tell(force=True)
        return task

    def _task(self, session: Session, event: Competition) -> tuple[Task, CompetitionRound | None]:
        """Return what is to be paired. Raises NotAccepted if it differs from what was requested."""
        job = self.job
        if job.asked_by is not None:  # else their account is erased
            club_rights.judge(club_rights.role_in(session, event, job.asked_by), Role.DEPUTY)
        task, draft = round_loop.next_task(session, event, job.division_id)
        if task.number != job.number or (draft.version if draft else 0) != job.version:
            raise Conflict("round.changed", _CHANGED)
        return task, draft

    def _keep(self, task: Task, made: Round) -> bool:
        """Write the draft and mark the job done; return False if a player left or a result changed in the meantime."""
        job, now = self.job, self.clock()
        with Work(self.database) as work:
            session = work.session
            event = lifecycle.get(session, job.event_id, lock=True)
            if session.scalar(sa.select(col(PairingJob.id)).where(self.is_mine).with_for_update()) is None:
                raise JobLost
            found, draft = self._task(session, event)
            if found != task:
                return False
            round_id = round_loop.keep_draft(Acting(work, event, job.asked_by, now), job.division_id, task, made, draft)
            done = {"state": JobState.DONE, "share": 100, "round_id": round_id, "ended_at": now}
            session.exec(sa.update(PairingJob).where(self.is_mine).values(**done))
        return True

    # What the page shows, and the sign to others that this worker is alive.

    def _progress(self, done: int, of: int) -> None:
        if self.is_ending():
            raise JobGivenBack
        self.share = max(self.share, min(99, 100 * done // max(of, 1)))  # a second search begins where the first was
        self._tell()

    def _tell(self, *, force: bool = False) -> None:
        now = self.clock()
        if not force and now - self.told_at < TELL_EVERY:
            return
        self.told_at = now
        with self.database.write_lightly() as session:
            if not _LEASES.renew(session, self.job.id, self.me, now, step=JobStep.PAIRING, share=self.share):
                raise JobLost

    def _fail(self, why: Text) -> None:
        now = self.clock()
        failed = {"state": JobState.FAILED, "why": why, "ended_at": now}
        club = sa.select(col(Competition.club_id)).where(col(Competition.id) == self.job.event_id).with_for_update()
        with Work(self.database) as work:
            club_id = work.session.scalar(club)  # the event is locked before the job, everywhere
            done = work.session.exec(sa.update(PairingJob).where(self.is_mine).values(**failed)).rowcount
            if club_id is not None and done:  # an event that is gone takes its jobs with it
                acting = ClubActing(work, club_id, None, now, self.job.event_id)
                _note(acting, self.job, "round.pairing_failed")

    def _give_back(self, due: datetime, *, attempts: int) -> None:
        values = {"claimed_by": None, "step": JobStep.WAITING, "due_at": due, "attempts": attempts}
        with self.database.write() as session:
            session.exec(sa.update(PairingJob).where(self.is_mine).values(**values))
