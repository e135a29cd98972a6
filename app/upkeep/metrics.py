"""A server's figures in Prometheus's format, the same from every process: those of the database, and what each process
has counted about itself, under its name."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from typing import Any

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.core import HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from app.base import figures
from app.base.failures import Failures
from app.upkeep.condition import Condition, Job

OF_MAILS = ("waiting", "sent", "kept", "dropped", "failed")


def written(found: Condition, now: datetime) -> bytes:
    """Return all figures at a moment, in the text format of Prometheus."""
    registry = CollectorRegistry()

    def one(name: str, help: str, value: float) -> None:
        Gauge(f"postroad_{name}", help, registry=registry).set(value)

    def several(name: str, help: str, label: str, values: Mapping[str, float]) -> None:
        gauge = Gauge(f"postroad_{name}", help, [label], registry=registry)
        for key, value in values.items():
            gauge.labels(key).set(value)

    down = {part: float(part in found.health.down) for part in ("database", "scheduler", "mail")}
    several("down", "1 for what does not do its work.", "part", down)
    several("games", "Games by their status.", "status", found.games)
    several("games_standing", "Running games of titles that are not installed.", "title", found.standing)
    one("players", "Players with an account.", found.players)
    one("decisions", "Decisions that were ever answered.", found.decisions)
    several("mails", "Mails by what became of them.", "state", {state: found.mails.get(state, 0) for state in OF_MAILS})
    one("oldest_due_mail_seconds", "Since when the mail waits that should be out.", found.oldest_due_seconds(now))
    post = found.health.post
    one("mails_behind", "Waiting mails that were tried in vain.", post.behind if post else 0)
    paused = max(((now - pause.since).total_seconds() for pause in post.pauses), default=0.0) if post else 0.0
    one(
        "mail_paused_seconds",
        "Since when the mail host takes no mails and one is tried now and then; 0: it does.",
        paused,
    )
    aside = Counter(row.job for row in found.failing)
    several("rows_set_aside", "Rows that a job cannot do and tries again later.", "job", aside)
    one("cases_open", "Cases of players who are late.", found.cases)
    one("talk_reports_open", "Reports of chat and of players that wait for an operator.", found.talk_reports)
    several("job_processes", "Processes that run a job.", "job", {job.name: job.processes for job in found.jobs})
    several("job_started_seconds", "Since the newest process of a job began.", "job", _since(now, found.jobs))
    beats = {job.name: (now - job.last_at).total_seconds() for job in found.jobs}
    several("job_silence_seconds", "Since a job was last heard of.", "job", beats)
    one("sign_ins_asked", "Sign-in links asked for, of the last two days.", found.sign_ins)
    one("bad_links", "Posted links that are none, of the last two days.", found.bad_links)
    if found.failed is not None:
        one("database_failed_seconds", "Since the database failed last.", (now - found.failed.at).total_seconds())
    one("database_bytes", "Size of the database.", found.database_bytes)
    one("database_log_bytes", "Size of SQLite's write-ahead log.", found.log_bytes)
    one("disk_free_bytes", "Room where the data folder is.", found.free_bytes)
    one("temporary_free_bytes", "Room for temporary files.", found.temporary_bytes)
    one("clock_jumped_seconds", "By how much the clock jumped in the last quarter of an hour.", found.jumped_seconds)
    one("backup_bytes", "Size of the last backup of the timetable.", found.backup.size)
    one("backup_failed", "1 when the last one failed.", float(bool(found.backup.error)))
    if found.backup.made_at is not None:
        one("backup_seconds", "Age of the last backup.", (now - found.backup.made_at).total_seconds())
    several("processes", "Processes by the version that they run.", "version", _versions(found.others))
    return generate_latest(registry) + of_processes(found.others)


def without_database(met: Failures, now: datetime) -> bytes:
    """Return what can be said while the database does not answer."""
    registry = CollectorRegistry()
    down = Gauge("postroad_down", "1 for what does not do its work.", ["part"], registry=registry)
    down.labels("database").set(1)
    if met.last_at is not None:
        since = Gauge("postroad_database_failed_seconds", "Since the database failed last.", registry=registry)
        since.set((now - met.last_at).total_seconds())
    return generate_latest(registry) + of_processes({})


def of_processes(others: Mapping[str, Any]) -> bytes:
    """Return what the answering process has counted, and what the others had at their last heartbeat."""
    registry = CollectorRegistry()
    info = Gauge(
        "postroad_info", "The program, and the process that answers.", ["version", "process"], registry=registry
    )
    info.labels(version("postroad"), str(os.getpid())).set(1)
    registry.register(_Histograms({figures.process(): figures.counted(), **others}))
    return generate_latest(registry)


class _Histograms(Collector):
    """The histograms of several processes, by name."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self._found = found

    def collect(self) -> Iterator[Metric]:
        for told in figures.HERE.collect():
            family = None
            for process, counted in self._found.items():
                one = counted["histograms"].get(told.name)
                for labels, up_to, total in one["rows"] if one else ():
                    if family is None:
                        family = HistogramMetricFamily(told.name, told.documentation, labels=[*labels, "process"])
                    ends = list(zip(one["le"], up_to, strict=True))
                    family.add_metric([*labels.values(), process], ends, total)
            if family is not None:
                yield family


def _versions(others: Mapping[str, Any]) -> Mapping[str, float]:
    return Counter([version("postroad"), *(one["version"] for one in others.values())])


def _since(now: datetime, jobs: Sequence[Job]) -> dict[str, float]:
    return {job.name: (now - job.started_at).total_seconds() for job in jobs}
