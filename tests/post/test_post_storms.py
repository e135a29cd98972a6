"""A mail host in trouble: what happens to every mail, on both databases.

Short storms; `python -m bench.mail_storm` has the long ones.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.clocks.pace import DEFAULT
from app.overdue.cases import sweep_cases
from app.post.out import carrier, mail_leases
from app.post.out.mail_leases import PAUSES
from app.post.out.sender import Sender
from app.post.route import mail_route
from tests.support.at_once import at_once
from tests.support.post_storm import HOUR, MINUTE, OPERATOR, Storm, begin_games, server_at, weather
from tests.support.scripted import HANG_UP, TAKE_AND_HANG_UP, Script, ScriptedHost, refusing, willing
from tests.support.tables import NOW, load, start

LASTS = 20 * MINUTE
SIX = 3

OURS: dict[str, Script] = {
    "hangs up before a word": lambda stage, address: HANG_UP if stage in ("connect", "mail") else None,
    "550 at MAIL": refusing("mail", "550 relay permission has ended"),
    "5.7.1 at RCPT": refusing("rcpt", "550 5.7.1 your address is on a list"),
    "550 at RCPT": refusing("rcpt", "550 no"),
    "451 at RCPT": refusing("rcpt", "451 come back later"),
    "our quota, as an address's fault": refusing("rcpt", "550 5.1.90 you've reached your limit for message recipients"),
    "421 at DATA": refusing("data", "421 4.3.2 shutting down"),
    "hangs up in the text": refusing("text", HANG_UP),
    "554 after the dot": refusing("sent", "554 no"),
}


# The reply is judged in one way on both; what PostgreSQL keeps of it shows in one reply and one that is missing.
ON_BOTH = [("sqlite", name) for name in OURS] + [
    pytest.param("postgres", name, marks=pytest.mark.postgres) for name in ("451 at RCPT", "hangs up in the text")
]


@pytest.mark.parametrize(("database_url", "name"), ON_BOTH, indirect=["database_url"])
def test_what_is_our_fault_costs_no_mail_no_case_and_no_time(database: Database, name: str) -> None:
    """Clocks, reminders and a sign-in during it; one mail to the operator; all is delivered within ten minutes."""
    storm = weather(database, OURS[name], lasts=LASTS, count=SIX)
    assert storm.states() == {"sent": 2 + 2 * SIX} and storm.cases() == 0
    assert storm.operators_mails() == ["sent"]
    assert set(storm.host.ids().values()) == {1} and storm.host.to()["nadia@example.net"] == 1
    assert storm.host.to()[OPERATOR] == 1
    assert len(storm.mailed_at()) == 2 + 2 * SIX, "every clock runs"
    first, *_ = storm.credited()
    assert len(storm.credited()) == 2 and LASTS - 2 * MINUTE <= timedelta(seconds=first) <= LASTS + 2 * MINUTE
    with database.read() as session:
        state = mail_route.post_state(session)
    assert (state.waiting, state.given_up, state.pauses) == (0, 0, []) and state.last_taken is not None


def test_what_the_host_takes_without_a_word_comes_again_with_the_same_message_id(sqlite_database: Database) -> None:
    storm = weather(sqlite_database, refusing("sent", TAKE_AND_HANG_UP), lasts=LASTS, count=SIX)
    assert storm.states() == {"sent": 2 + 2 * SIX} and storm.cases() == 0
    assert len(storm.host.ids()) == sum(row.state == "sent" for row in rows(sqlite_database))
    assert max(storm.host.ids().values()) > 1


def test_one_domain_that_does_not_want_us_is_no_pause_and_its_mails_arrive_when_it_does(
    sqlite_database: Database,
) -> None:
    def unwanted(stage: str, address: str) -> str | None:
        return "550 5.7.1 not from you" if stage == "rcpt" and address.endswith("@d0.example") else None

    storm = weather(sqlite_database, unwanted, lasts=LASTS, count=12)
    assert storm.states() == {"sent": 26} and storm.cases() == 0
    assert storm.operators_mails() == [] and storm.credited() == []
    assert set(storm.host.ids().values()) == {1}


def test_an_address_that_is_not_there_is_given_up_and_opens_a_case_and_nobody_else_waits(database: Database) -> None:
    """With an enhanced code at once; with a plain 550 at the second attempt, after another mail has been accepted."""
    answers = {"r0@d0.example": "550 5.1.1 no such user", "r1@d1.example": "550 no"}
    with ScriptedHost(lambda stage, address: answers.get(address) if stage == "rcpt" else None) as host:
        storm = Storm(database, host)
        storm.begin(5)
        storm.step()
        assert storm.states() == {"sent": 3, "failed": 1, "waiting": 1}
        storm.begin(1)
        storm.step()
        storm.step()
        storm.sender.close()
    assert storm.states() == {"sent": 4, "failed": 2}
    sweep_cases(database, storm.now)
    assert storm.cases() == 2 and storm.operators_mails() == []
    assert pauses(database) == []


def pauses(database: Database) -> Any:
    with database.read() as session:
        return mail_route.pauses(session)


def test_a_mail_that_is_asked_for_goes_ahead_of_all_that_wait(sqlite_database: Database) -> None:
    with ScriptedHost(refusing("mail", "550 no")) as host:
        storm = Storm(sqlite_database, host)
        storm.begin(30)
        storm.step()
        storm.step(2 * HOUR)
        storm.sign_in("nadia@example.net")
        host.script = willing
        sender = Sender(server_at(sqlite_database, host.port, connections=1))
        while sender.send_due(storm.now):
            pass
        sender.close()
        storm.sender.close()
    assert [mail.address for mail in host.taken].index("nadia@example.net") <= 1, "one was tried to see"


# -- live: threads and seconds ---------------------------------------------------------------------------


@contextmanager
def running(database: Database, host: ScriptedHost, senders: int = 1, connections: int = 4) -> Iterator[None]:
    """Run this many senders, as in separate processes."""
    stop = threading.Event()
    made = [Sender(server_at(database, host.port, connections)) for _ in range(senders)]
    threads = [threading.Thread(target=sender.run, args=(stop,)) for sender in made]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)


def rows(database: Database) -> list[Any]:
    with database.read() as session:
        return list(session.execute(sa.select(OutboxMail.__table__).order_by(OutboxMail.id)))  # type: ignore[attr-defined]


def wait_until(is_so: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def wait_for(database: Database, sent: int, seconds: float = 60) -> None:
    wait_until(lambda: Counter(row.state for row in rows(database))["sent"] >= sent, seconds)


@pytest.mark.parametrize("how", [HANG_UP, "421 4.7.0 not this one"])
def test_a_mail_at_which_the_host_hangs_up_holds_up_no_other(database: Database, how: str) -> None:
    begin_games(database, range(8), datetime.now(UTC), DEFAULT)
    at = ("text" if how == HANG_UP else "data", "r0@d0.example")
    with ScriptedHost(lambda stage, address: how if (stage, address) == at else None) as host, running(database, host):
        wait_for(database, 7, seconds=18)
    first, *others = rows(database)
    assert (first.state, first.attempts) == ("waiting", 1) and first.due_at > first.made_at + MINUTE / 3
    assert {row.state for row in others} == {"sent"} and set(host.ids().values()) == {1}
    assert pauses(database) == []


def test_a_slow_host_has_every_connection_in_use_and_gets_each_mail_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two senders; the host answers when the leases of all mails in flight have been renewed."""
    monkeypatch.setattr(carrier, "RENEW_EVERY_SECONDS", 0.1)
    answers, mails, connections = threading.Event(), 16, 2
    begin_games(database, range(mails), datetime.now(UTC), DEFAULT)

    def leases() -> dict[int, datetime]:
        return {row.id: row.due_at for row in rows(database) if row.claimed_by}

    with (
        ScriptedHost(lambda stage, address: answers if stage == "sent" else None) as host,
        running(database, host, senders=2, connections=connections),
    ):
        wait_until(lambda: sum(host.tried.values()) == 2 * connections and len(leases()) == 2 * connections)
        first = leases()
        wait_until(lambda: all(until > first[mail] for mail, until in leases().items()))
        assert leases().keys() == first.keys() and sum(host.tried.values()) == 2 * connections
        answers.set()
        wait_for(database, mails)
    assert set(host.ids().values()) == {1} and len(host.ids()) == mails


def test_two_senders_that_render_one_mail_make_one_message_id(database: Database) -> None:
    start(database)
    with ScriptedHost() as host:
        senders = [Sender(server_at(database, host.port)) for _ in range(4)]
        with database.write() as session:
            mail = mail_leases.take(session, "somebody", NOW, 1)[0]
        made = at_once(*[lambda s=s: carrier.render(s, mail, NOW) or b"" for s in senders])
    assert len({message_from_bytes(raw)["Message-ID"] for raw in made}) == 1 and len(made) == 4


def test_a_mail_that_has_waited_is_written_anew_with_its_message_id_and_a_new_date(sqlite_database: Database) -> None:
    """It contains a later deadline."""
    game = start(sqlite_database)
    texts = []
    with ScriptedHost(refusing("sent", TAKE_AND_HANG_UP)) as host:
        sender, now = Sender(server_at(sqlite_database, host.port)), NOW
        for after in (timedelta(0), MINUTE, 10 * MINUTE, 60 * MINUTE):
            sender.send_due(now + after)
        host.script = willing
        sender.send_due(now + 3 * HOUR)
        sender.close()
        texts = [message_from_bytes(mail.text, policy=policy.default) for mail in host.taken]
    assert len(texts) == 5 and len({mail["Message-ID"] for mail in texts}) == 1
    dates = [mail["Date"].datetime - NOW for mail in texts]
    assert dates == [timedelta(0), MINUTE, 10 * MINUTE, HOUR, 3 * HOUR]
    assert load(sqlite_database, game).mailed_at == NOW + 3 * HOUR
    assert "23:00" in texts[-1].get_body(("plain",)).get_content(), "three hours later than at first"


def test_a_mail_that_cannot_be_written_is_given_up_after_days_and_holds_up_nobody(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = start(sqlite_database), start(sqlite_database)
    write = carrier.write_mail

    def broken(session: Any, links: Any, mail: Any, now: datetime) -> Any:
        if mail.game_id == bad:
            raise LookupError("nothing to write")
        return write(session, links, mail, now)

    monkeypatch.setattr(carrier, "write_mail", broken)
    with ScriptedHost() as host:
        sender, now, tries = Sender(server_at(sqlite_database, host.port)), NOW, 0
        while (row := rows(sqlite_database)[0]).state == "waiting":
            now = max(now, row.due_at)
            tries += 1
            sender.send_due(now)
        sender.close()
    assert tries == len(PAUSES.between) + 1 and 4 <= (now - NOW).days < 6
    assert row.state == "failed" and row.last_error == "LookupError"
    assert load(sqlite_database, good).mailed_at == NOW and load(sqlite_database, bad).mailed_at is None
