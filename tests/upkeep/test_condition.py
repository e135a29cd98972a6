"""The condition of the server: the operators' page, `/metrics`, alarms, and log lines."""

from __future__ import annotations

import logging
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from flask import Flask
from sqlalchemy.exc import OperationalError

from app.base.process import logs
from app.base.process.config import load
from app.base.process.failures import Failures
from app.base.process.mail_settings import MailIn
from app.base.server import Server
from app.base.stored import process_metrics
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.upkeep_tables import Heartbeat, ProcessFigures
from app.computer.tables import ComputerDecision
from app.post.inbound import gate
from app.post.route import mail_route
from app.server import registry
from app.server.factory import create_app
from app.time import outages
from app.upkeep import alarms, condition, health, jobs, metrics
from app.upkeep.backups import scheduled
from app.upkeep.server_pages import size_in
from bench.trials.previews import words_of
from tests.support.listener import Listener
from tests.support.people import Browser, PostOffice, make_operator, text_of
from tests.support.running import ROOT
from tests.support.tables import CONFIG, LINKS, start

Enter = Callable[..., Browser]
TOKEN = "a-token-for-the-figures"
BOTH = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.mark.parametrize("app", BOTH, indirect=True)
def test_operators_see_how_the_server_is_and_nobody_else(app: Flask, server: Server, enter: Enter) -> None:
    for job in ("scheduler", "mail"):
        outages.beat(server.database, job, "one", datetime.now(UTC))
    alice = enter("alice")
    assert "for the operators" in alice.get("/server", 403) and "/server" not in alice.get("/games")
    alice.get("/metrics", 403)
    Browser(app).get("/metrics", 403)
    make_operator(server, "alice@example.org")
    start(server.database)
    page = alice.get("/server")
    for said in ("All is well.", "scheduler", "games in play", "Links asked for", "POSTROAD_BACKUPS", "MB", "Python"):
        assert said in page
    assert "failed a short while ago" not in page and "POSTROAD_BASE_URL" in page
    said, process = alice.get("/metrics"), process_metrics.process()
    for line in (
        'postroad_job_started_seconds{job="mail"} ',
        "postroad_mail_paused_seconds 0.0",
        'postroad_games{status="running"} 1.0',
        'postroad_mails{state="waiting"} ',
        'postroad_job_processes{job="scheduler"} 1.0',
        'postroad_down{part="mail"} 0.0',
        f'postroad_request_seconds_count{{method="GET",part="server",process="{process}",status="403"}} ',
        "postroad_database_bytes ",
    ):
        assert line in said
    assert "example.org" not in said and "/t/" not in said
    later = {"postroad_database_failed_seconds", "postroad_backup_seconds", "postroad_job_seconds"}
    told = set(re.findall(r"^# TYPE (\S+)", said, re.M)) | later
    for name in ("alerts.yaml", "grafana.json"):
        named = re.findall(r"postroad_\w+", (ROOT / "deploy" / name).read_text())
        assert named and {re.sub("_(bucket|count)$", "", one) for one in named} <= told, name
    bare = re.findall(r"expr: (?!')(.*?), (?:for|annotations):", (ROOT / "deploy/alerts.yaml").read_text())
    assert "honor_labels: true" in (ROOT / "docs/operators-reference.md").read_text(), "ours are called job, too"
    assert bare and not [one for one in bare if set("{}[],") & set(one)], "Prometheus cannot read it"


def test_operators_act_on_the_page_of_the_server(server: Server, enter: Enter) -> None:
    """The doctor, people; no secret is among the settings shown."""
    alice = enter("alice")
    assert "for the operators" in alice.post("/server/doctor", 403)
    make_operator(server, "alice@example.org")
    page = alice.get("/server")
    assert "POSTROAD_SECRET_KEY" in page and str(server.config.given["SECRET_KEY"]) not in page
    assert "for the operators" in enter("bob").get("/server/people", 403)
    found = words_of(alice.get("/server/people?q=BO"))
    assert "bob@example.org" in found and "alice@example.org" not in found and "0 running games" in found
    assert "There are none." in alice.get("/server/people?q=%25")
    found = alice.post("/server/doctor")
    assert "all mails stay in the mailbox of this machine" in found and "migrations" in found


@pytest.mark.parametrize("app", BOTH, indirect=True)
def test_whichever_process_is_asked_tells_of_all(app: Flask, server: Server, enter: Enter) -> None:
    """Of all processes heard of lately; a worker has no pages, but its timetable is shown all the same."""
    alice, now = enter("alice"), datetime.now(UTC)
    make_operator(server, "alice@example.org")
    row = [{"job": "cases"}, [1, 2, 3], 0.75]
    counted = {
        "version": "0.0.1",
        "log": [["2026-05-01T10:00:00+00:00", "postroad WARNING the mail host is away"]],
        "histograms": {"postroad_job_seconds": {"le": ["0.1", "1.0", "+Inf"], "rows": [row]}},
    }
    outages.beat(server.database, "scheduler", "one", now)
    with server.database.write() as session:
        for name, at in (("worker:7", now), ("gone:8", now - timedelta(minutes=1)), ("old:9", now - timedelta(days=2))):
            session.add(ProcessFigures(process=name, at=at, content=counted))
        session.commit()
    said = alice.get("/metrics")
    for line in (
        'postroad_job_seconds_bucket{job="cases",le="1.0",process="worker:7"} 2.0',
        'postroad_job_seconds_count{job="cases",process="worker:7"} 3.0',
        'postroad_job_seconds_sum{job="cases",process="worker:7"} 0.75',
        'postroad_processes{version="0.0.1"} 1.0',
        f'postroad_processes{{version="{version("postroad")}"}} 1.0',
        f'part="server",process="{process_metrics.process()}"',
    ):
        assert line in said
    assert "gone:8" not in said and "old:9" not in said
    logs.LAST.emit(
        logging.makeLogRecord({"name": "postroad.mail", "msg": "no mail to a@example.org", "levelname": "ERROR"})
    )
    page = words_of(alice.get("/server"))
    assert "postroad WARNING the mail host is away" in page and "postroad.mail ERROR no mail to (address)" in page
    jobs.tidy(server.database, now)
    with server.database.read() as session:
        kept = session.scalars(sa.select(ProcessFigures.process)).all()
    assert sorted(kept) == sorted(["worker:7", "gone:8", process_metrics.process()])


def test_each_part_without_a_pulse_is_an_alarm(
    app: Flask, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F3, F11: what was silent in vain: mails in, thinkers, a clock set back, settings that are not in force"""
    config = replace(server.config, mail_in=MailIn(lmtp="127.0.0.1:9"))
    now = datetime.now(UTC)

    def told() -> set[str]:
        with server.database.read() as session:
            found = condition.signs(session, config, now)
            return set(condition.ills(found, config, now, set())) - {"scheduler"}

    monkeypatch.setattr(process_metrics, "BEGAN", time.time() - 600)
    assert told() == {"way_in"}
    for role in (gate.WAY_IN, "thinker"):
        with outages.Pulse(server.database, role):
            pass
    assert told() == set()
    game_id = start(server.database, now=now)
    owed = {"game_id": game_id, "number": 1, "seat": "red", "state": "waiting", "due_at": now, "attempts": 0}
    with server.database.write() as session:
        row = sa.insert(ComputerDecision).values(**owed, made_at=now - timedelta(minutes=16), cpu_seconds=0.0)
        session.execute(row)
    with server.database.write() as session:
        session.add(Heartbeat(job="scheduler", owner="dead", first_at=now, last_at=now + timedelta(hours=2)))
    assert told() == {"computer", "ahead"}
    with server.database.read() as session:
        assert "scheduler" in health.look(session, now, host=None).down, "a beat to come is not one that was"
    settings = tmp_path / "settings.env"
    settings.write_text("")
    monkeypatch.setenv("POSTROAD_ENV_FILE", str(settings))
    outages.beat(server.database, "web", "one", now)
    assert "settings" in told()
    with server.database.read() as session:
        found = condition.look(session, config, now, server.database.failures)
    said = metrics.written(found, now).decode()
    process = process_metrics.process()
    assert re.search(rf'postroad_process_cpu_seconds_total{{process="{process}",runs=".*way in,web"}}', said)
    assert 'postroad_job_processes{job="way in"} 1.0' in said and "postroad_processes_outdated 1.0" in said
    memory = re.search(rf'postroad_process_memory_bytes{{process="{process}".*}} (\S+)', said)
    assert memory and float(memory[1]) > 10e6


def test_counting_that_takes_long_is_not_done_for_every_look(
    app: Flask, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def games() -> int:
        with server.database.read() as session:
            found = condition.look(session, server.config, datetime.now(UTC), server.database.failures)
        return found.rows.games.get("running", 0)

    start(server.database)
    assert games() == 1
    start(server.database)
    assert games() == 2, "it took no time"
    monkeypatch.setattr(condition, "LONG_SECONDS", 0)
    monkeypatch.setattr(condition, "SHARE", 1e6)
    assert games() == 2
    start(server.database)
    assert games() == 2, "it would count again after a million times as long"
    condition._kept.clear()
    assert games() == 3
    condition._kept.clear()


def test_programs_read_the_figures_with_the_token(tmp_path: Path, sqlite_url: str) -> None:
    settings = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_METRICS_TOKEN": TOKEN}
    app = create_app(load(settings, tmp_path))
    asked = app.test_client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert asked.status_code == 200 and b"postroad_info" in asked.data
    for wrong in ("", "Bearer ", f"Bearer {TOKEN}x", "Bearer ¹"):
        assert app.test_client().get("/metrics", headers={"Authorization": wrong}).status_code == 403
    app.extensions["postroad"].database.close()


def test_what_fails_is_shown_from_its_first_moment(tmp_path: Path, sqlite_url: str) -> None:
    """A full disk, of which all processes learn when it is over; a mail host that accepts nothing; a new process."""
    settings = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_METRICS_TOKEN": TOKEN}
    settings["POSTROAD_SMTP_URL"] = "smtp://127.0.0.1:9"
    app = create_app(load(settings, tmp_path))
    server, now = app.extensions["postroad"], datetime.now(UTC)
    full = psycopg.errors.DiskFull("database or disk is full")

    def troubles(at: Server = server) -> dict[str, str]:
        with at.database.read() as session:
            found = condition.look(session, at.config, now, at.database.failures)
        return condition.troubles(found, now)

    assert troubles() == {}
    server.database.failures.meet(full, now)
    assert "disk is full" in troubles()["database"]
    asked = app.test_client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert b"postroad_database_failed_seconds" in asked.data
    other = Server(server.config, Database(sqlite_url), server.links)
    assert troubles(other) == {}
    outages.beat(server.database, "web", "one", now)
    assert "disk is full" in troubles(other)["database"], "every process knows it"
    mail_route.know(server.database, "127.0.0.1:9")
    assert mail_route.pause(server.database, "127.0.0.1:9", "rcpt", "5.7.1 no", now, now)
    assert "rcpt: 5.7.1 no" in troubles()["pause"]
    later = now + timedelta(minutes=2)
    outages.beat(server.database, "web", "two", later)
    with server.database.read() as session:
        job = condition.look(session, server.config, later, server.database.failures).jobs[0]
    assert (job.processes, job.started_at) == (1, later), "the first one is gone"
    other.database.close()
    server.database.close()


def test_a_full_temporary_folder_and_a_read_only_disk_are_shown_at_once(
    tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page and the figures; the folder also as an alarm, until there is room to spare."""
    settings = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_METRICS_TOKEN": TOKEN}
    app = create_app(load(settings, tmp_path))
    server, now = app.extensions["postroad"], datetime.now(UTC)

    def shown(at: datetime) -> tuple[condition.Condition, dict[str, str]]:
        with server.database.read() as session:
            found = condition.look(session, server.config, at, server.database.failures)
        return found, condition.troubles(found, at) | condition.ills(found, server.config, at, set())

    said = app.test_client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    assert "postroad_temporary_free_bytes " in said
    found, _ = shown(now)
    full: set[str] = {"temporary"}
    for free, known, is_ill in ((19, set[str](), True), (25, set[str](), False), (25, full, True), (41, full, False)):
        ills = condition.ills(replace(found, temporary_bytes=free << 20), server.config, now, known)
        assert ("temporary" in ills) == is_ill, free
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    assert shown(now)[1]["temporary"] == "0 MB"
    monkeypatch.undo()
    frozen = Database(f"sqlite:///file:{sqlite_url.partition('///')[2]}?mode=ro&uri=true")
    with pytest.raises(OperationalError):
        outages.beat(frozen, "web", "one", now)
    with frozen.read() as session:
        found = condition.look(session, server.config, now, frozen.failures)
    assert "readonly" in condition.troubles(found, now)["database"]
    frozen.close()
    server.database.close()


def test_sizes_are_written_as_the_reader_s_language_does_and_on_one_line() -> None:
    shown = {one: (size_in(one, 1258291), size_in(one, 3 << 30)) for one in ("en", "fr", "es", "it")}
    assert shown == {
        "en": ("1.2\u00a0MB", "3.0\u00a0GB"),
        "fr": ("1,2\u00a0Mo", "3,0\u00a0Go"),
        "es": ("1,2\u00a0MB", "3,0\u00a0GB"),
        "it": ("1,2\u00a0MB", "3,0\u00a0GB"),
    }


@pytest.mark.postgres
def test_the_figures_say_that_the_database_is_away(tmp_path: Path) -> None:
    away = f"postgresql+psycopg://nobody@/none?host={tmp_path}"
    app = create_app(load({"POSTROAD_DATABASE_URL": away, "POSTROAD_METRICS_TOKEN": TOKEN}, tmp_path))
    asked = app.test_client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert asked.status_code == 200 and b'postroad_down{part="database"} 1.0' in asked.data


def test_a_backup_that_fails_is_told_once_and_again_when_it_is_well(
    server: Server, enter: Enter, post: PostOffice, listener: Listener, tmp_path: Path
) -> None:
    enter("alice")
    make_operator(server, "alice@example.org")
    now = datetime.now(UTC)
    outages.beat(server.database, "scheduler", "one", now)
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    broken = replace(server, config=replace(server.config, backups=in_the_way / "folder", alarm_url=listener.url))
    assert not scheduled.make_due(broken, now)
    assert alarms.look(broken, now) == [("backup", True)]
    assert alarms.look(broken, now) == [], "once"
    assert [(told["alarm"], told["well"]) for told in listener.told] == [("backup", False)]
    mail = post.last("alice@example.org")
    assert mail["Subject"] == "Alarm: The backup is late or has failed." and "one more mail" in text_of(mail)
    mended = replace(server, config=replace(server.config, backups=tmp_path / "folder"))
    assert scheduled.make_due(mended, now + timedelta(hours=2))
    outages.beat(server.database, "scheduler", "one", now + timedelta(hours=2))
    assert alarms.look(mended, now + timedelta(hours=2)) == [("backup", False)]
    assert alarms.look(mended, now + timedelta(hours=2)) == []
    with server.database.read() as session:
        kinds = sa.select(sa.func.count()).select_from(OutboxMail).where(OutboxMail.kind == "alarm")
        assert session.scalar(kinds) == 2


def test_lines_of_the_log_hold_no_address_and_no_link() -> None:
    said = "mail to %s: http://x.org/t/WyJ0dXJuIiwxLCJyZWQiLDEsMV0.aGVsbG8gdGhlcmUgaGVsbG8gdGhlcmU refused"
    record = logging.LogRecord("postroad", logging.ERROR, "f", 1, said, ("bob@example.org",), None)
    line = logs.PlainLines().format(record)
    assert "bob" not in line and "WyJ0" not in line and "refused" in line
    try:
        raise ValueError("bob@example.org")
    except ValueError as error:
        record.exc_info = (type(error), error, error.__traceback__)
    assert "ERROR" in line and "ValueError: (address)" in logs.PlainLines().format(record)


def test_jobs_of_the_timetable_say_how_long_they_took(sqlite_database: Database) -> None:
    registry.register()
    for job in jobs.timetable(Server(CONFIG, sqlite_database, LINKS)):
        job.do()
    said = metrics.without_database(Failures(), datetime.now(UTC)).decode()
    for name in ("reminders", "digests", "cases", "end rounds", "run events"):
        assert f'postroad_job_seconds_count{{job="{name}",process="' in said
