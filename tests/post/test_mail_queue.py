"""`postroad mail`: mails that wait or were given up, and sending them again; clocks and cases of their decisions."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play.agreed import results
from app.post.kept import queue
from app.server.cli import main
from app.upkeep import jobs
from tests.support.overdue import case_of, log
from tests.support.post_storm import MINUTE, Storm
from tests.support.scripted import ScriptedHost, refusing, willing
from tests.support.tables import NOW, load, say, write

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def gone(stage: str, address: str) -> str | None:
    """Refuse the mailbox of the player to move first."""
    return "550 5.1.1 no such user" if stage == "rcpt" and address.startswith("r") else None


def given_up(database: Database, host: ScriptedHost, count: int = 2) -> Storm:
    """Games whose first mails were given up, and their cases."""
    storm = Storm(database, host)
    host.script = gone
    storm.begin(count)
    storm.step()
    storm.step()
    assert storm.states() == {"failed": count} and storm.cases() == count
    return storm


def test_what_was_given_up_is_sent_again_and_its_case_closed_when_it_is_accepted(database: Database) -> None:
    with ScriptedHost() as host:
        storm = given_up(database, host)
        host.script = willing
        assert queue.send_again(database, now=storm.now) == 2
        assert queue.send_again(database, now=storm.now) == 0, "once"
        assert storm.cases() == 2 and case_of(database, 1).ended_at is None, "until it is accepted"
        storm.step()
        storm.sender.close()
    assert storm.states() == {"sent": 2} and storm.host.to()["r0@d0.example"] == 1
    for game in (1, 2):
        assert case_of(database, game).state == "closed"
        assert load(database, game).mailed_at == NOW + 2 * MINUTE
        assert load(database, game).deadline_at == NOW + 2 * MINUTE + 7 * DAY
        assert [(kind, cause) for kind, cause, _ in log(database, game)] == [
            ("mail_failed", "mail"),
            ("closed", "mail"),
        ]


def test_a_mail_that_nobody_needs_any_more_is_dropped_and_one_to_a_new_address_goes_there(
    sqlite_database: Database,
) -> None:
    with ScriptedHost() as host:
        storm = given_up(sqlite_database, host)
        say(sqlite_database, 1, "rob blue", now=storm.now)
        with sqlite_database.write() as session:
            moved = sa.update(Player).where(Player.address == "r1@d1.example")  # type: ignore[arg-type]
            session.execute(moved.values(address="here@d3.example", address_key="here@d3.example"))
            session.commit()
        host.script = willing
        assert queue.send_again(sqlite_database, now=storm.now, address="HERE@d3.example") == 1
        assert queue.send_again(sqlite_database, now=storm.now, since=NOW) == 1
        storm.step()
        storm.sender.close()
    assert storm.states() == {"dropped": 1, "sent": 2} and host.to()["here@d3.example"] == 1
    assert host.to()["r0@d0.example"] == 0


def test_without_a_case_a_turn_s_mail_has_the_whole_time_to_arrive_again(sqlite_database: Database) -> None:
    with ScriptedHost(gone) as host:
        storm = Storm(sqlite_database, host)
        storm.begin(1)
        storm.step()
        host.script = refusing("rcpt", "451 4.2.1 busy")
        later = NOW + 2 * DAY
        assert storm.cases() == 0 and queue.send_again(sqlite_database, now=later) == 1
        for hours in range(0, 71, 5):
            sweep_cases(sqlite_database, later + hours * HOUR)
        assert storm.cases() == 0
        sweep_cases(sqlite_database, later + 3 * DAY)
        assert storm.cases() == 1
        storm.sender.close()


def test_what_would_be_said_is_forgotten_after_a_month(sqlite_database: Database) -> None:
    with ScriptedHost(gone) as host:
        storm = Storm(sqlite_database, host)
        storm.sign_in("rosa@example.net")
        storm.step()
        storm.sender.close()
    asked = sa.select(OutboxMail.state, OutboxMail.details)
    assert [row.details != {} for row in storm.rows(asked)] == [True]
    jobs.tidy(sqlite_database, NOW + 31 * DAY)
    assert [tuple(row) for row in storm.rows(asked)] == [("failed", {})]
    assert queue.send_again(sqlite_database, now=NOW + 31 * DAY) == 0


def test_old_mails_go_with_their_games_and_none_of_a_game_that_runs(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mails of a running game show that nobody is timed out by them."""
    monkeypatch.setattr(queue, "LOOKED_AT", 2)  # several looks
    with ScriptedHost(gone) as host:
        storm = Storm(database, host)
        storm.begin(2)
        storm.sign_in("olga@example.net")
        storm.step()
        storm.step()
        storm.sender.close()
    results.resign(database, 2, load(database, 2).seats[0].player_id or 0, now=NOW)
    kept = sa.select(OutboxMail.game_id, OutboxMail.state).order_by(OutboxMail.id)

    def there() -> list[tuple[int | None, str]]:
        return [(row.game_id, row.state) for row in storm.rows(kept)]

    before = there()
    assert {1, 2, None} == {game for game, _ in before} and before[-1] == (2, "waiting")
    jobs.tidy(database, NOW + 365 * DAY)
    assert there() == before, "a year, and not less"
    jobs.tidy(database, NOW + 366 * DAY)
    assert there() == [row for row in before if row[0] == 1 or row[1] == "waiting"]
    results.resign(database, 1, load(database, 1).seats[0].player_id or 0, now=NOW)
    write(database, sa.update(OutboxMail).values(state="sent", sent_at=NOW))
    newest = storm.rows(sa.select(sa.func.max(OutboxMail.id)))
    jobs.tidy(database, NOW + 40 * DAY, 31)
    assert storm.rows(sa.select(OutboxMail.id)) == newest, "its number is not given again"


# -- the command -----------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Result]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POSTROAD_DATABASE_URL", sqlite_url)
    return lambda line: CliRunner().invoke(main, line.split())


def test_the_command_shows_what_waits_and_why_and_sends_again(
    run: Callable[[str], Result], sqlite_database: Database
) -> None:
    assert run("mail list").output == "Mails waiting: 0; not delivered so far: 0; given up: 0.\n"
    with ScriptedHost() as host:
        storm = given_up(sqlite_database, host)
        host.script = refusing("mail", "550 5.7.1 your right to relay has ended")
        storm.begin(1)
        storm.step()
        storm.sender.close()
        shown = run("mail list").output
    with sqlite_database.write() as session:  # given up now, as the command's clock is not written
        recently = sa.update(OutboxMail).where(OutboxMail.state == "failed")  # type: ignore[arg-type]
        session.execute(recently.values(sent_at=datetime.now(UTC)))
        session.commit()
    assert "has taken no mails since 2026-11-21T20:02:00Z (mail): 550 5.7.1 your right to relay" in shown
    assert "given up: 2." in shown
    assert re.search(r"given up, turn to r0@d0.example, game 1, \d+ days old, tries: 1, 550 5.1.1", shown), (
        "its own age"
    )
    assert "waiting, turn to r2@d2.example, game 3" in shown
    told = re.findall(r"(\d+): given up, turn to (\S+),", run("mail list").output)
    assert [address for _, address in told] == ["r1@d1.example", "r0@d0.example"]
    first = told[1][0]
    assert run(f"mail retry {first}").output == "1 mails go out again.\n"
    assert run("mail retry --address nobody@example.org").output == "0 mails go out again.\n"
    assert run("mail retry --all").output == "1 mails go out again.\n"
    assert "given up: 0." in run("mail list").output


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("mail retry", "--all"),
        ("mail retry --all 3", "--all stands alone"),
        ("mail retry --since yesterday", "2026-11-24T21:00:00Z"),
        ("mail retry 0", "1<=x"),
        ("mail retry 99999999999999999999", "2147483647"),
        ("mail list --most 0", "x>=1"),
    ],
)
def test_what_cannot_be_sent_again_is_said(run: Callable[[str], Result], line: str, said: str) -> None:
    result = run(line)
    assert result.exit_code == 2 and said in result.output
