"""The condition of a server, in figures: for the operators' page, `/metrics` and alarms."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.process.config import Config
from app.base.process.failures import Failures
from app.base.stored import failing, limits, process_metrics
from app.base.stored.database import kind_of, log_bytes
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.upkeep_tables import FailingRow, Heartbeat, ProcessFigures, RateCount, ServerFact
from app.computer import queue
from app.games.tables import DecisionMade, Game
from app.people import unasked
from app.people.tables import Player
from app.play.tables import ChatReport
from app.post.inbound import gate
from app.post.push import devices
from app.time import installed, outages
from app.time.tables import Case, CaseState
from app.upkeep import health, zones
from app.upkeep.backups import scheduled

LATE = timedelta(hours=2)
"""How late a backup may be."""
ALIVE = timedelta(seconds=outages.BEAT_EVERY_SECONDS * 2.5)
"""A process that has been silent for longer is gone."""
LONG_LOG = 64 * 1024 * 1024
"""Bytes of SQLite's log, which the timetable cuts at a fraction of that."""
SHOWN_FOR = timedelta(minutes=15)
"""How long a past failure of the database is shown."""
LITTLE_TEMPORARY_ROOM = 20 * 1024 * 1024
LITTLE_ROOM = 300 * 1024 * 1024
ENOUGH_ROOM = 2 * LITTLE_ROOM
LONG_SECONDS, SHARE = 0.1, 100
"""Counting all games and mails is repeated only after this many times as long as it took, once it takes longer than
this, however often it is requested: with millions of rows it would otherwise take more than the pages do."""


@dataclass(frozen=True, slots=True)
class AlarmInputs:
    """The figures for alarms: few enough to be checked every few seconds on a server with millions of mails."""

    health: health.Health
    free_bytes: int
    temporary_bytes: int
    """Free bytes in the folder for temporary files."""
    backup: scheduled.LastBackup
    unreadable: int
    """Mails that came in within a day and could not be read."""
    strangers: int
    """Mails of today to people who have never used the server."""
    heard: Sequence[ProcessFigures]
    """What each process had counted when it was last heard of."""
    ahead: datetime | None
    """The newest heartbeat that is still to come: the clock was set back."""
    owed_since: datetime | None
    """Since when the computer owes a decision that nobody has made."""
    broken: Sequence[str]
    """The games in which their title fails."""

    def is_silent(self, role: str, now: datetime) -> bool:
        """Return whether what runs as `role` has not been heard of lately."""
        beats = (now - one.at for one in self.heard if role in one.content.get("roles", ()))
        return not any(-ALIVE <= ago <= health.BEAT_IS_RECENT for ago in beats)

    def outdated(self, now: datetime) -> list[str]:
        """Return the processes that run with settings of before the last change of their file."""
        alive = (one for one in self.heard if abs(now - one.at) < ALIVE)
        return [in_words(one) for one in alive if one.content.get("outdated")]


def in_words(one: ProcessFigures) -> str:
    """Return a process as operators know it: `web of games:4711`."""
    return f"{', '.join(one.content.get('roles', ()))} of {one.process}"


@dataclass(frozen=True, slots=True)
class Job:
    """What several processes may run, and since when, and when one of them was last heard of."""

    name: str
    processes: int
    started_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class AllRows:
    """The figures that take as long as there are rows."""

    games: dict[str, int]
    mails: dict[str, int]
    players: int


@dataclass(frozen=True, slots=True)
class Condition(AlarmInputs):
    """The condition of a server at a moment."""

    jobs: Sequence[Job]
    rows: AllRows
    decisions: int
    """The number ever answered."""
    standing: dict[str, int]
    """Running games whose title is not installed."""
    cases: int
    """Open cases."""
    talk_reports: int
    """Reports of lines and of players that no operator has closed."""
    sign_ins: int
    """Mails with sign-in links requested today and yesterday."""
    bad_links: int
    """Invalid links posted in that time: an attacker guesses, or a mail program cuts them."""
    database_bytes: int
    log_bytes: int
    """The size of SQLite's write-ahead log."""
    failed: ServerFact | None
    """The last failure of the database that this process has met or been told of."""
    others: dict[str, Any]
    """What the other processes have counted about themselves."""
    failing: Sequence[FailingRow]
    """The rows that jobs have set aside."""
    pushes: devices.Figures
    """How devices are told."""
    unknown_zones: dict[str, Counter[str]]
    """Time zones that this machine does not know, and how many rows of which tables name them."""


_NEWEST_BEAT = sa.select(sa.func.max(col(Heartbeat.last_at)))


def signs(session: Session, config: Config, now: datetime) -> AlarmInputs:
    """Return the figures for alarms."""
    host = config.mail_host.route if config.mail_host else None
    return AlarmInputs(
        health.look(session, now, host=host),
        _free(config.data),
        temporary_room(),
        scheduled.last(session),
        gate.unreadable(session, now),
        limits.so_far(session, unasked.BUDGET, unasked.SERVER, now),
        process_metrics.heard(session),
        session.scalar(_NEWEST_BEAT.where(col(Heartbeat.last_at) > now + health.MAY_BE_AHEAD)),
        queue.owed_since(session),
        installed.broken(session),
    )


def look(session: Session, config: Config, now: datetime, met: Failures) -> Condition:
    """Return all figures, with counts of all mails and games, so not for every page. `met` is what this process has met
    itself."""
    sign = signs(session, config, now)
    counted = sa.func.count()
    open_cases = sa.select(counted).select_from(Case).where(col(Case.state).not_in((CaseState.RULED, CaseState.CLOSED)))
    open_reports = sa.select(counted).select_from(ChatReport).where(col(ChatReport.closed_at).is_(None))
    return Condition(
        **{one.name: getattr(sign, one.name) for one in fields(sign)},
        jobs=_jobs(session, sign.heard, now),
        rows=_all_rows(session, config.database_url),
        decisions=session.scalar(sa.select(sa.func.max(col(DecisionMade.id)))) or 0,
        standing=installed.standing(session),
        cases=session.scalar(open_cases) or 0,
        talk_reports=session.scalar(open_reports) or 0,
        sign_ins=_counted(session, limits.SIGN_IN_ADDRESS),
        bad_links=_counted(session, limits.BAD_LINKS),
        database_bytes=_size(session),
        log_bytes=log_bytes(config.database_url),
        failed=_failed(session, met),
        others={
            one.process: one.content
            for one in sign.heard
            if one.at > now - ALIVE and one.process != process_metrics.process()
        },
        failing=failing.listed(session, now),
        pushes=devices.figures(session),
        unknown_zones=zones.unknown(session),
    )


_kept: dict[str, tuple[float, AllRows]] = {}
"""By database: until when, and what was counted."""


def _all_rows(session: Session, url: str) -> AllRows:
    began = time.monotonic()
    until, found = _kept.get(url, (began, None))
    if found is not None and began < until:
        return found
    counted = sa.func.count()
    games = session.execute(sa.select(col(Game.status), counted).group_by(col(Game.status))).all()
    mails = session.execute(sa.select(col(OutboxMail.state), counted).group_by(col(OutboxMail.state))).all()
    there = sa.select(counted).select_from(Player).where(col(Player.erased_at).is_(None))
    found = AllRows(
        {str(status): number for status, number in games},
        {str(state): number for state, number in mails},
        session.scalar(there) or 0,
    )
    took = time.monotonic() - began
    if took > LONG_SECONDS:
        _kept[url] = (began + took * SHARE, found)
    return found


def ills(found: AlarmInputs, config: Config, now: datetime, known: set[str]) -> dict[str, str]:
    """Return what an operator has to know, by name, with the figures; `known` are those of the last check, which end
    only with some margin."""
    ill = _silent(found, config, now)
    down = [one for one in found.health.down if one != "database"]
    if "mail" in down:
        ill["mail"] = f"waiting {found.health.post.waiting}" if found.health.post else ""
    if "scheduler" in down:
        ill["scheduler"] = f"{found.health.beat_at:%Y-%m-%d %H:%M} UTC" if found.health.beat_at else ""
    if found.free_bytes < (ENOUGH_ROOM if "disk" in known else LITTLE_ROOM):
        ill["disk"] = f"{found.free_bytes // (1024 * 1024)} MB"
    if found.temporary_bytes < LITTLE_TEMPORARY_ROOM * (2 if "temporary" in known else 1):
        ill["temporary"] = f"{found.temporary_bytes // (1024 * 1024)} MB"
    if found.unreadable:
        ill["unreadable"] = str(found.unreadable)
    if found.strangers >= config.stranger_mails:
        ill["strangers"] = str(found.strangers)
    if config.backups is not None:
        made = found.backup.made_at
        if found.backup.error:
            ill["backup"] = found.backup.error[:200]
        elif made is not None and now - made > scheduled.EVERY + LATE:
            ill["backup"] = f"{made:%Y-%m-%d %H:%M} UTC"
    return ill


def _silent(found: AlarmInputs, config: Config, now: datetime) -> dict[str, str]:
    """Return the parts that do not do what they should."""
    ill = {}
    if found.ahead is not None:
        ill["ahead"] = f"{found.ahead:%Y-%m-%d %H:%M} UTC"
    if found.owed_since is not None and now - found.owed_since > health.MAIL_MAY_STAND:
        ill["computer"] = f"{found.owed_since:%Y-%m-%d %H:%M} UTC"
    if found.broken:
        ill["broken"] = "; ".join(found.broken)
    if outdated := found.outdated(now):
        ill["settings"] = ", ".join(outdated)
    if config.mail_in.is_open and found.is_silent(gate.WAY_IN, now):
        ill["way_in"] = ""
    return ill


def troubles(found: Condition, now: datetime) -> dict[str, str]:
    """Return what operators see besides the ills, from its first moment on: no alarm, since most of it passes by
    itself."""
    seen = {}
    if found.failed is not None and now - found.failed.noted_at < SHOWN_FOR:
        seen["database"] = f"{found.failed.noted_at:%Y-%m-%d %H:%M:%S} UTC: {found.failed.value}"
    if found.standing:
        seen["titles"] = ", ".join(f"{title}: {games}" for title, games in found.standing.items())
    if found.log_bytes > LONG_LOG:
        seen["log"] = f"{found.log_bytes // (1024 * 1024)} MB"
    if found.failing:
        seen["set_aside"] = str(len(found.failing))
    if resting := found.pushes.resting(now):
        seen["pushes"] = ", ".join(f"{one.host}: {one.last_error}" for one in resting)
    if found.unknown_zones:
        seen["zones"] = zones.in_words(found.unknown_zones)
    post = found.health.post
    if post is not None and post.pauses:
        pause = post.pauses[0]
        seen["pause"] = f"{pause.paused_at:%Y-%m-%d %H:%M:%S} UTC, {pause.stage}: {pause.reason}"
    elif post is not None and post.behind:
        seen["behind"] = str(post.behind)
    return seen


def _failed(session: Session, met: Failures) -> ServerFact | None:
    """Return when the database last failed and what it said, as far as this process has met or been told of it."""
    told = session.get(ServerFact, outages.FAILED)
    if met.last_at is None or (told is not None and told.noted_at >= met.last_at):
        return told
    return ServerFact(name=outages.FAILED, value=met.said, noted_at=met.last_at)


def _jobs(session: Session, heard: Sequence[ProcessFigures], now: datetime) -> list[Job]:
    """Return what processes run: the jobs without which clocks stand, and what else beats."""
    alive = sa.func.count(sa.case((col(Heartbeat.last_at) > now - ALIVE, 1)))
    asked: sa.Select[*tuple[Any, ...]] = (
        sa.select(
            col(Heartbeat.job).label("name"),
            alive.label("processes"),
            sa.func.max(col(Heartbeat.first_at)).label("started_at"),
            sa.func.max(col(Heartbeat.last_at)).label("last_at"),
        )
        .group_by(col(Heartbeat.job))
        .order_by(col(Heartbeat.job))
    )
    found = [Job(*row) for row in session.execute(asked)]
    roles = sorted({role for one in heard for role in one.content.get("roles", ())} - {job.name for job in found})
    for role in roles:
        rows = [one for one in heard if role in one.content.get("roles", ())]
        began = max(one.content["began"] for one in rows)
        running = sum(one.at > now - ALIVE for one in rows)
        found.append(Job(role, running, datetime.fromtimestamp(began, UTC), max(one.at for one in rows)))
    return found


def _counted(session: Session, limit: limits.Limit) -> int:
    mine = col(RateCount.rate_key).startswith(f"{limit.name}:", autoescape=True)
    return session.scalar(sa.select(sa.func.coalesce(sa.func.sum(col(RateCount.count)), 0)).where(mine)) or 0


def _size(session: Session) -> int:
    if kind_of(session) == "sqlite":
        pages = session.connection().exec_driver_sql("PRAGMA page_count").scalar_one()
        return int(pages) * int(session.connection().exec_driver_sql("PRAGMA page_size").scalar_one())
    return int(session.connection().exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())


def temporary_room() -> int:
    """Return the free bytes for temporary files; 0 if none can be written at all."""
    try:
        return shutil.disk_usage(tempfile.gettempdir()).free
    except OSError:
        return 0


def _free(folder: Path) -> int:
    """Return the free bytes where the data folder is, or will be."""
    there = next(one for one in (folder, *folder.parents) if one.exists())
    return shutil.disk_usage(there).free
