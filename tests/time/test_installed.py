"""A title that is not installed: its games are stopped, all others go on, and the time is given back."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from flask import Flask

from app.base.server import Server
from app.base.stored import facts
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.upkeep_tables import ServerFact
from app.base.words.refusals import TitleMissing
from app.games.tables import Game
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play.fairness import ends
from app.play.turn import holding
from app.server.cli import main
from app.time import installed, pending
from app.time.outages import watch
from app.time.reminding import digest
from app.time.reminding.reminders import remind
from app.time.tables import ClockNote
from app.titles.registry import TITLES
from app.upkeep import condition, health
from tests.support.sweeping import main as sweeping
from tests.support.tables import NOW, deliver, hand, link_to, load, say, start
from tests.support.world import JSON, World

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@contextmanager
def without(title: str) -> Iterator[None]:
    """Simulate a process that starts without the package of a title."""
    with pytest.MonkeyPatch.context() as patch:
        for kept in ("_points", "_loaded"):
            patch.setattr(TITLES, kept, {name: one for name, one in getattr(TITLES, kept).items() if name != title})
        yield


def row(database: Database, game_id: int) -> sa.Row[tuple[datetime | None, ...]]:
    with database.read() as session:
        return session.execute(sa.select(Game.deadline_at, Game.remind_at, Game.check_at).filter_by(id=game_id)).one()


def mails(database: Database, game_id: int) -> list[tuple[str, str]]:
    with database.read() as session:
        asked = sa.select(OutboxMail.kind, OutboxMail.state).where(OutboxMail.game_id == game_id)
        return [tuple(one) for one in session.execute(asked.order_by(OutboxMail.id))]


def sweep(database: Database, now: datetime) -> None:
    """Run everything in the timetable."""
    watch(database, now)
    remind(database, now)
    holding.play_due(database, now)
    digest.send_due(database, now)
    sweep_cases(database, now)
    ends.look(database, now)
    deliver(database, now)


def test_its_games_stand_still_and_all_others_go_on(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    gone, there = start(database, pace=2 * DAY), start(database, "acres", pace=2 * DAY)
    deliver(database, NOW)
    new = start(database, pace=2 * DAY)  # its mail waits
    with database.write() as session:
        digest.settle(session, 1, "8", False, NOW)
        session.execute(sa.update(Player).values(auto_leave=False))
        session.commit()
    with without("ferry"), caplog.at_level(logging.WARNING):
        assert installed.settle(database, NOW + HOUR) == {"ferry": 2}
        assert installed.settle(database, NOW + 2 * HOUR) == {"ferry": 2}, "the second process finds it as it is"
        for hours in range(2, 24 * 5, 2):
            sweep(database, NOW + hours * HOUR)
        with database.write() as session:
            pending.refresh_player(session, 1, NOW + 4 * DAY)  # leave, say, or another zone
            session.commit()
        assert tuple(row(database, gone)) == (None, None, None) == tuple(row(database, new))
        assert mails(database, gone) == [("turn", "kept")] and mails(database, new) == [("turn", "waiting")]
        assert {"reminder", "overdue"} <= {kind for kind, _ in mails(database, there)}
        with database.read() as session:
            assert dict(health.look(session, NOW + 5 * DAY, host="x").standing) == {"ferry": 2}
        with pytest.raises(TitleMissing):
            load(database, gone)
        assert not caplog.records, caplog.text
    back = NOW + HOUR + 5 * DAY
    assert installed.settle(database, back) == {}
    assert row(database, gone)[0] == NOW + 2 * DAY + 5 * DAY, "the time that it stood is given back"
    deliver(database, back)
    assert mails(database, new) == [("turn", "kept")] and row(database, new)[0] == back + 2 * DAY
    with database.read() as session:
        notes = session.execute(sa.select(ClockNote.game_id, ClockNote.seconds).filter_by(kind="credit")).all()
    assert [tuple(note) for note in notes] == [(gone, 5 * 24 * 3600)], "and to no other game"
    sweep(database, back + 3 * HOUR)
    say(database, gone, "rob blue", now=back + 4 * HOUR)


def test_a_title_that_fails_is_an_alarm_and_its_game_stands_still(
    app: Flask, server: Server, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T4: from when whoever is to decide meets it; a move, or the next start, lets its clock run again"""
    database = server.database
    broken, other = start(database, pace=2 * DAY), start(database, pace=2 * DAY)
    deliver(database, NOW)
    link = f"/t/{server.links.turn_token(link_to(load(database, broken)))}"

    def signs() -> dict[str, str]:
        with database.read() as session:
            at = datetime.now(UTC)
            return condition.ills(condition.signs(session, server.config, at), server.config, at, set())

    def fails(*_: object) -> None:
        raise AssertionError("a corner case")

    with monkeypatch.context() as inside:
        inside.setattr("postroad_ferry.engine.title.without", fails)
        line = f"keep {hand(load(database, broken), 'red')[0]}"
        for _ in range(2):
            failed = app.test_client().post(link, json={"orders": line, "decision": 1}, headers=JSON)
        assert failed.status_code == 500 and "its clock stands" in failed.json["error"]["message"]
    assert f"title ferry, game {broken}: AssertionError: a corner case" in caplog.text
    assert signs()["broken"] == f"ferry, game {broken}: AssertionError: a corner case"
    assert tuple(row(database, broken)) == (None, None, None) and row(database, other)[0] is not None
    with database.write() as session:
        pending.refresh_player(session, 1, NOW + HOUR)
    assert row(database, broken)[0] is None
    since = sa.update(ServerFact).where(sa.column("name").startswith(pending.BROKEN))
    with database.write() as session:
        session.execute(since.values(noted_at=NOW + HOUR))
    installed.settle(database, NOW + 5 * DAY)
    assert row(database, broken)[0] == NOW + 2 * DAY + (5 * DAY - HOUR), "the time that it stood is given back"
    assert row(database, other)[0] == NOW + 2 * DAY and "broken" not in signs()
    with database.write() as session:
        facts.tell(session, f"{pending.BROKEN}{other}.1", "x", NOW)
        pending.refresh_game(session, other, NOW)
    assert row(database, other)[0] is None
    say(database, other, "peek", now=NOW + HOUR)
    assert "broken" not in signs(), "another decision is not the one that failed"


def test_its_pages_say_so_and_lists_leave_it_out(world: World) -> None:
    database = world.app.extensions["postroad"].database
    gone, there = start(database, "ferry"), start(database, "acres")
    deliver(database, NOW)
    client = world.app.test_client()
    with without("ferry"):
        for address in (f"/games/{gone}", f"/games/{gone}/replay", f"/games/{gone}/proof"):
            page = client.get(address, headers={"Accept": "text/html"})
            assert page.status_code == 503 and "not installed on this server" in page.text, address
        assert client.get(f"/games/{gone}", headers={"Accept": "application/json"}).status_code == 503
        for address in ("/", "/games", "/tables", "/archive", f"/games/{there}"):
            assert client.get(address, follow_redirects=True).status_code == 200, address


def test_a_command_and_the_doctor_name_it(sqlite_url: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(sqlite_url)
    for _ in range(2):
        start(database, "ferry")
    database.close()
    monkeypatch.setenv("POSTROAD_DATABASE_URL", sqlite_url)
    monkeypatch.setenv("POSTROAD_DATA", str(tmp_path))
    with without("ferry"):
        said = CliRunner().invoke(sweeping, []).output
        told = CliRunner().invoke(main, ["doctor"]).output
    assert "2 games need the title ferry, which is not installed" in said
    assert "NOT WELL  titles: Games stand still, since their titles are not installed. ferry: 2" in told
