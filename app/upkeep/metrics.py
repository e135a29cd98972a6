"""A server's figures in Prometheus's format, the same from every process: those of the database, and what each process
has counted about itself, under its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from importlib.metadata import version
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from app.base.process.failures import Failures
from app.base.stored import process_metrics
from app.people.tables import DeliveryState
from app.upkeep.condition import Condition

OF_MAILS = ("waiting", "sent", "kept", "dropped", "failed")


class _Figures(Collector):
    """The figures of one answer."""

    def __init__(self) -> None:
        self._families: list[Metric] = []

    def collect(self) -> Iterator[Metric]:
        yield from self._families

    def one(self, name: str, help: str, value: float) -> None:
        self._families.append(GaugeMetricFamily(f"postroad_{name}", help, value))

    def ever(self, name: str, help: str, value: float) -> None:
        """Add what only grows."""
        self._families.append(CounterMetricFamily(f"postroad_{name}", help, value))

    def several(self, name: str, help: str, label: str, values: Mapping[str, float]) -> None:
        gauge = GaugeMetricFamily(f"postroad_{name}", help, labels=[label])
        for key, value in values.items():
            gauge.add_metric([key], value)
        self._families.append(gauge)

    def written(self, others: Mapping[str, Any]) -> bytes:
        """Return them, with what each process has counted: the one that answers now, the others at their last beat."""
        registry = CollectorRegistry()
        info = GaugeMetricFamily("postroad_info", "The process that answers.", labels=["version", "process"])
        info.add_metric([version("postroad"), process_metrics.process()], 1)
        self._families.append(info)
        registry.register(self)
        registry.register(_Processes({process_metrics.process(): process_metrics.counted(), **others}))
        return generate_latest(registry)


def written(found: Condition, now: datetime) -> bytes:
    """All figures at a moment, in the text format of Prometheus."""
    say = _Figures()
    down = {part: float(part in found.health.down) for part in ("database", "scheduler", "mail")}
    say.several("down", "1 for what does not do its work.", "part", down)
    say.several("games", "Games by their status.", "status", found.rows.games)
    say.several("games_standing", "Running games of titles that are not installed.", "title", found.standing)
    say.one("players", "Players with an account.", found.rows.players)
    say.ever("decisions", "Decisions that were ever answered.", found.decisions)
    _say_mails(say, found, now)
    _say_pushes(say, found, now)
    aside = Counter(row.job for row in found.failing)
    say.several("rows_set_aside", "Rows that a job cannot do and tries again later.", "job", aside)
    say.one("cases_open", "Cases of players who are late.", found.cases)
    say.one("talk_reports_open", "Reports of chat and of players that wait for an operator.", found.talk_reports)
    say.several("job_processes", "Processes that run a job.", "job", {job.name: job.processes for job in found.jobs})
    begun = {job.name: (now - job.started_at).total_seconds() for job in found.jobs}
    say.several("job_started_seconds", "Since the newest process of a job began.", "job", begun)
    beats = {job.name: (now - job.last_at).total_seconds() for job in found.jobs}
    say.several("job_silence_seconds", "Since a job was last heard of.", "job", beats)
    say.one("sign_ins_asked", "Sign-in links asked for, of the last two days.", found.sign_ins)
    say.one("stranger_mails", "Mails of today to people who have never used the server.", found.strangers)
    say.one("bad_links", "Posted links that are none, of the last two days.", found.bad_links)
    _say_machine(say, found, now)
    return say.written(found.others)


def _say_mails(say: _Figures, found: Condition, now: datetime) -> None:
    say.several(
        "mails", "Mails by what became of them.", "state", {state: found.rows.mails.get(state, 0) for state in OF_MAILS}
    )
    waits = found.health.oldest_due_seconds(now) or 0
    say.one("oldest_due_mail_seconds", "Since when the mail waits that should be out.", waits)
    post = found.health.post
    say.one("mails_behind", "Waiting mails that were tried in vain.", post.behind if post else 0)
    since = [pause.paused_at for pause in post.pauses if pause.paused_at] if post else []
    paused = max(((now - at).total_seconds() for at in since), default=0.0)
    say.one(
        "mail_paused_seconds",
        "Since when the mail host takes no mails and one is tried now and then; 0: it does.",
        paused,
    )


def _say_pushes(say: _Figures, found: Condition, now: datetime) -> None:
    say.one("push_devices", "Devices that are told at once.", found.pushes.devices)
    states = {str(state): found.pushes.states.get(state, 0) for state in DeliveryState}
    say.several("pushes", "Notifications of the last 30 days by what became of them.", "state", states)
    say.one("push_services_resting", "Push services that do not answer.", len(found.pushes.resting(now)))


def _say_machine(say: _Figures, found: Condition, now: datetime) -> None:
    """The database, its disk, its backups, and the processes."""
    if found.failed is not None:
        since = (now - found.failed.noted_at).total_seconds()
        say.one("database_failed_seconds", "Since the database failed last.", since)
    say.one("database_bytes", "Size of the database.", found.database_bytes)
    say.one("database_log_bytes", "Size of SQLite's write-ahead log.", found.log_bytes)
    say.one("disk_free_bytes", "Room where the data folder is.", found.free_bytes)
    say.one("temporary_free_bytes", "Room for temporary files.", found.temporary_bytes)
    say.one("mails_unreadable", "Mails that came in within a day and could not be read.", found.unreadable)
    say.one("backup_bytes", "Size of the last backup of the timetable.", found.backup.size)
    say.one("backup_failed", "1 when the last one failed.", float(bool(found.backup.error)))
    if found.backup.made_at is not None:
        say.one("backup_seconds", "Age of the last backup.", (now - found.backup.made_at).total_seconds())
    say.one(
        "computer_owes_seconds",
        "Since when the computer owes a decision.",
        (now - found.owed_since).total_seconds() if found.owed_since else 0,
    )
    say.one("games_broken", "Games in which the title has failed.", len(found.broken))
    say.one("processes_outdated", "Processes with settings of before their last change.", len(found.outdated(now)))
    say.several("processes", "Processes by the version that they run.", "version", _versions(found.others))


def without_database(met: Failures, now: datetime) -> bytes:
    """Return what can be said while the database does not answer."""
    say = _Figures()
    say.several("down", "1 for what does not do its work.", "part", {"database": 1})
    if met.last_at is not None:
        since = (now - met.last_at).total_seconds()
        say.one("database_failed_seconds", "Since the database failed last.", since)
    return say.written({})


class _Processes(Collector):
    """What several processes have counted, by name."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self._found = found

    def collect(self) -> Iterator[Metric]:
        labels = ["process", "runs"]
        memory = GaugeMetricFamily("postroad_process_memory_bytes", "Share of memory of a process.", labels=labels)
        cpu = CounterMetricFamily("postroad_process_cpu_seconds", "Processor time of a process.", labels=labels)
        for process, counted in self._found.items():
            named = [process, ",".join(counted.get("roles", ()))]
            memory.add_metric(named, counted.get("memory", 0))
            cpu.add_metric(named, counted.get("cpu", 0))
        yield from (memory, cpu, *self._histograms())

    def _histograms(self) -> Iterator[Metric]:
        for told in process_metrics.HERE.collect():
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
