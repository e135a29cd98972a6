"""Mails that bounce: their effect on addresses and clocks, and that nobody loses on time by one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.account import profiles
from app.base.process.mail_settings import MailIn
from app.base.stored.database import Database
from app.base.stored.mail_tables import BouncedAddress, MailGroup, MailState, OutboxMail
from app.base.stored.outbox import Outbox, group_of
from app.clocks.pace import Stage, simple
from app.games.store import GameStore
from app.games.tables import Game
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play.turn.moves import turn_mail
from app.post.kept import ledger, queue
from app.post.letters.reply_addresses import BOUNCES, Tags
from app.time.tables import Case, ClockNote
from bench.trials import bounces
from tests.support.inbound import WayIn, report, serving, way_in, written
from tests.support.post_storm import add_operator
from tests.support.sink import text_of
from tests.support.tables import NOW, load, random_line, say, start, write

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PACE = replace(simple(DAY), stages=(Stage(0, "warned", ("remind",)), Stage(10 * 86400, "flagged", ("forfeit",))))


@pytest.fixture
def way(sqlite_database: Database) -> Iterator[WayIn]:
    """A server with a game at a day a move and an operator; its first mail has gone out."""
    add_operator(sqlite_database)
    start(sqlite_database, pace=PACE)
    write(sqlite_database, sa.update(Player).values(auto_leave=False))
    with way_in(sqlite_database) as way:
        way.send(NOW)
        yield way


def pass_time(way: WayIn, since: datetime, until: datetime) -> None:
    """The sweeps of the server, every three hours."""
    now = since
    while now <= until:
        sweep_cases(way.database, now)
        way.send(now)
        now += 3 * HOUR


def timeouts(way: WayIn, who: str = "alice") -> int:
    with way.database.read() as session:
        player = session.scalar(sa.select(Player.id).where(Player.name == who))
        found = profiles.find(session, player)
        assert found is not None
        return found.timeouts


GONE, LISTED, EXPIRED = "smtp; 550 no such user", "smtp; 554 listed", "smtp; 421 connection timed out"


@pytest.mark.parametrize(
    ("after", "status", "words"),
    [
        (6 * HOUR, "5.1.1", GONE),
        (6 * HOUR, "5.7.1", LISTED),
        (DAY + HOUR, "5.1.1", GONE),
        (5 * DAY, "4.4.7", EXPIRED),
        (20 * DAY, "5.1.1", GONE),
        (20 * DAY, "4.4.7", EXPIRED),
    ],
    ids=["hours", "blocklisted", "past the deadline", "given up on the fifth day", "days", "given up when it was lost"],
)
def test_nobody_is_timed_out_for_a_mail_that_came_back(way: WayIn, after: timedelta, status: str, words: str) -> None:
    to = way.bounce_address()
    pass_time(way, NOW, NOW + after)
    assert timeouts(way) == (1 if after > 10 * DAY else 0)
    assert way.take(report(1, to, status, words), to, NOW + after, sender="") == "bounce"
    pass_time(way, NOW + after, NOW + after + 20 * DAY)
    assert timeouts(way) == 0
    [mail] = [mail for mail in way.mails("turn") if mail.id == 1]
    assert (mail.state, mail.bounced_at) == ("failed", NOW + after) and status in str(mail.last_error)
    if after > 10 * DAY:
        return
    game = load(way.database, 1)
    assert game.mailed_at is None and not game.is_over, "the clock stands as if it had never started"
    [case] = [case for case in way.rows(Case) if case.ended_at is None]
    assert case.kind == "mail"
    told = {mail.kind for mail in way.rows(OutboxMail) if mail.address == "bob@example.org"}
    assert "late" in told
    assert [row.address_key for row in _suppressed(way)] == (["alice@example.org"] if words == GONE else [])


@pytest.mark.parametrize("comes_back", [True, False])
def test_a_mail_that_was_given_up_changes_the_clock_of_its_game_alone(way: WayIn, comes_back: bool) -> None:
    """A day a move, and one mailbox was unreachable for five days (4.4.7): that game waits, the others go on."""
    others = [start(way.database, pace=PACE), start(way.database, pace=PACE, now=NOW + 2 * HOUR)]
    to = way.bounce_address()
    pass_time(way, NOW, NOW + 5 * DAY)
    before = [_game(way, number) for number in others]
    if comes_back:
        assert way.take(report(1, to, "4.4.7", EXPIRED), to, NOW + 5 * DAY, sender="") == "bounce"
    assert [_game(way, number) for number in others] == before
    pass_time(way, NOW + 5 * DAY, NOW + 13 * DAY)
    assert [_game(way, number)["status"] for number in (1, *others)] == [
        "running" if comes_back else "over",
        "over",
        "over",
    ]
    assert timeouts(way) == (2 if comes_back else 3)
    assert _suppressed(way) == []


def _game(way: WayIn, number: int) -> dict[str, Any]:
    with way.database.read() as session:
        table = Game.__table__  # type: ignore[attr-defined]
        return dict(session.execute(sa.select(table).where(table.c.id == number)).one()._mapping)


@pytest.mark.parametrize(
    ("days", "read_on", "is_gone"),
    [((0, 3, 7), None, True), ((0, 3), None, False), ((0, 8), None, False), ((0, 1, 6), None, False),
     ((0, 3, 7), 5, False), ((0, 3, 7, 9, 14), 5, True)],
    ids=["a week, three mails", "two mails", "two mails, long", "no week", "was read meanwhile", "a week since it was"],
)  # fmt: skip
def test_a_mailbox_is_given_up_when_it_has_been_full_for_a_week(
    way: WayIn, days: tuple[int, ...], read_on: int | None, is_gone: bool
) -> None:
    """5.2.2 of RFC 3463, 3.3; each mail bounces on the day that it was sent."""
    tags = Tags(way.server.config.mail_from, way.server.config.secret_keys)
    for number, day in enumerate(days):
        at, to = NOW + day * DAY, tags.address(BOUNCES, _sent(way, f"late:{number}", NOW + day * DAY))
        if read_on is not None and day > read_on:
            _sent(way, "read", NOW + read_on * DAY, seen_at=NOW + read_on * DAY)
        assert _suppressed(way) == []
        assert way.take(report(number, to, "5.2.2", "smtp; 552 5.2.2 over quota"), to, at, "") == "bounce"
        assert way.take(report(900 + number, to, "5.2.2", "smtp; 552 full"), to, at, "") == "bounce", "said twice"
    assert [row.address_key for row in _suppressed(way)] == (["alice@example.org"] if is_gone else [])


def _sent(way: WayIn, key: str, at: datetime, **values: Any) -> int:
    """Send a mail to Alice; return its number."""
    with way.database.write() as session:
        mail = {
            "kind": "ended",
            "mail_group": MailGroup.TURN,
            "address": "Alice@example.org",
            "details": {},
            "made_at": at,
            "due_at": at,
        }
        known = session.scalar(sa.select(OutboxMail.id).where(OutboxMail.mail_key == key))
        if known is None:
            row = OutboxMail(mail_key=key, state=MailState.SENT, player_id=1, sent_at=at, **mail, **values)
            session.add(row)
            session.flush()
            known = row.id
        session.commit()
        return known


def _suppressed(way: WayIn) -> list[Any]:
    with way.database.read() as session:
        return list(session.scalars(sa.select(BouncedAddress)))


def test_a_mail_that_its_reader_has_answered_did_arrive(way: WayIn) -> None:
    to = way.bounce_address()
    write(way.database, sa.update(OutboxMail).values(seen_at=NOW))
    assert way.take(report(1, to), to, NOW + HOUR, sender="") == "bounce"
    assert load(way.database, 1).mailed_at == NOW and _suppressed(way) == []


def test_all_that_went_out_as_one_mail_came_back_with_it(way: WayIn) -> None:
    keys = ("late:1", "late:2", "other")
    with way.database.write() as session:
        for key in keys:
            session.add(
                OutboxMail(
                    mail_key=key, kind="late", mail_group=MailGroup.CLOCK, player_id=1, address="alice@example.org",
                    details={}, made_at=NOW, due_at=NOW, state=MailState.SENT, sent_at=NOW,
                    message_id="1.x" if key != "other" else "2.x",
                )
            )  # fmt: skip
        session.commit()
    first = next(row for row in way.rows(OutboxMail) if row.mail_key == keys[0])
    to = Tags(way.server.config.mail_from, way.server.config.secret_keys).address(BOUNCES, first.id)
    assert way.take(report(70, to), to, NOW, "") == "bounce"
    states = {row.mail_key: (row.state, row.bounced_at) for row in way.rows(OutboxMail) if row.mail_key in keys}
    assert states == {"late:1": ("failed", NOW), "late:2": ("failed", NOW), "other": ("sent", None)}


@pytest.mark.parametrize("second", ["", "alice@elsewhere.org"])
def test_news_of_a_digest_that_came_back_goes_to_the_second_address(way: WayIn, second: str) -> None:
    with way.database.write() as session:
        session.execute(sa.update(Player).where(Player.name == "alice").values(second_address=second or None))
        alice = session.scalar(sa.select(Player.id).where(Player.name == "alice"))
        for kind in ("digest", "event_cancelled"):
            session.add(
                OutboxMail(
                    mail_key=kind, kind=kind, mail_group=group_of(kind), player_id=alice, address="alice@example.org",
                    details={"event": 1}, made_at=NOW, due_at=NOW, state=MailState.SENT, sent_at=NOW, message_id="9.x",
                )
            )  # fmt: skip
        session.commit()
    [digest] = way.mails("digest")
    to = Tags(way.server.config.mail_from, way.server.config.secret_keys).address(BOUNCES, digest.id)
    assert way.take(report(71, to), to, NOW + HOUR, "") == "bounce"
    [news] = way.mails("event_cancelled")
    found = (news.state, news.address, news.sent_at, news.details)
    assert found == (
        ("waiting", second, None, {"event": 1}) if second else ("failed", "alice@example.org", NOW, {"event": 1})
    )


def test_the_second_address_is_used_and_no_case_is_opened(way: WayIn) -> None:
    write(way.database, sa.update(Player).where(Player.name == "alice").values(second_address="alice@elsewhere.org"))
    to = way.bounce_address()
    way.take(report(1, to), to, NOW + HOUR, sender="")
    sweep_cases(way.database, NOW + HOUR)
    way.send(NOW + HOUR)
    [mail] = way.sink.mails("alice@elsewhere.org")
    game = load(way.database, 1)
    assert game.mailed_at == NOW + HOUR and way.rows(Case) == [] and "/t/" in text_of(mail)
    assert way.take(written(9, author="alice@elsewhere.org"), way.reply_address(1), NOW) == "unproven"
    with way.database.write() as session:  # and so does what comes later
        game = GameStore(session).load(1)
        Outbox(session).add([replace(turn_mail(game, game.seated("red")), key="later")], NOW + 2 * HOUR)
        session.commit()
    way.send(NOW + 2 * HOUR)
    assert len(way.sink.mails("alice@elsewhere.org")) == 3 and len(way.sink.mails("alice@example.org")) == 1


def test_what_bounced_is_sent_again_when_its_address_works_again(way: WayIn) -> None:
    to = way.bounce_address()
    way.take(report(1, to), to, NOW + HOUR, sender="")
    sweep_cases(way.database, NOW + HOUR)
    assert queue.send_again(way.database, now=NOW + 2 * HOUR, ids=[1]) == 1
    way.send(NOW + 2 * HOUR)
    assert load(way.database, 1).mailed_at is None, "the address still takes none"
    with way.database.write() as session:
        assert ledger.address_works(session, "Alice@Example.org")
        session.commit()
    assert queue.send_again(way.database, now=NOW + 3 * HOUR, ids=[1]) == 1
    way.send(NOW + 3 * HOUR)
    assert load(way.database, 1).mailed_at == NOW + 3 * HOUR
    assert all(case.ended_at for case in way.rows(Case))


def test_without_tags_the_mail_that_comes_back_says_which_it_is(sqlite_database: Database) -> None:
    start(sqlite_database)
    with way_in(sqlite_database, MailIn(tags=False)) as way:
        way.send(NOW)
        [(_, raw)] = way.sink.taken
        forged = raw.replace(b"<1.", b"<2.")
        assert way.take(report(1, "post@example.org", returned=forged), "post@example.org", NOW, "") == "report"
        assert way.take(report(2, "post@example.org", returned=raw), "post@example.org", NOW, "") == "bounce"
        assert load(way.database, 1).mailed_at is None


def test_many_at_once_are_one_mail_to_the_operator(sqlite_database: Database, tmp_path: Path) -> None:
    """Over LMTP, four connections at once, for games in time, late and lost; `python -m bench.trials.bounces` is the
    long one."""
    many = 20
    with way_in(sqlite_database) as way, serving(way, tmp_path) as place:
        outcome = bounces.storm(way, place, many, connections=4)
        assert outcome.faults == [], outcome
        assert (outcome.waiting, outcome.running, outcome.counted_before, outcome.counted_after) == (14, 0, 6, 0)
        [mail] = way.sink.mails("olga@example.org")[-1:]
        assert f"{many} mails" in str(mail["Subject"]) and len(_suppressed(way)) == many
    wrong = replace(outcome, not_taken=1, not_marked=2, running=3, counted_after=4, to_operator=2, verdicts={})
    assert len(wrong.faults) == 6


def test_reports_that_are_written_in_another_order_than_they_came_are_in_one_mail(way: WayIn) -> None:
    start(way.database, pace=PACE)
    way.send(NOW)
    moments = NOW + HOUR + timedelta(milliseconds=30), NOW + HOUR
    for number, (to, came) in enumerate(zip(way.sink.senders, moments, strict=True)):
        assert way.take(report(number, to), to, came, sender="") == "bounce"
    way.send(NOW + HOUR + timedelta(minutes=6))
    [mail] = way.sink.mails("olga@example.org")
    assert str(mail["Subject"]).startswith("2 mails have come back")


def test_a_player_s_own_reports_set_the_clock_back_once_a_game(way: WayIn) -> None:
    """Anybody who gets a mail knows where to report it; the next one stands in the log, on the desk and in the case."""
    tags, chooser = Tags(way.server.config.mail_from, way.server.config.secret_keys), random.Random(2)
    for number, at in enumerate((NOW, NOW + 10 * DAY, NOW + 20 * DAY)):
        while len(asked := [mail for mail in way.mails("turn") if mail.seat == "red"]) == number:
            say(way.database, 1, random_line(load(way.database, 1), chooser), at)
        way.send(at)
        assert load(way.database, 1).mailed_at is not None
        to = tags.address(BOUNCES, asked[-1].id)
        assert way.take(report(number, to, "5.2.2", "smtp; 552 5.2.2 full"), to, at + HOUR, "") == "bounce"
        assert (load(way.database, 1).mailed_at is None) == (number == 0)
        assert {mail.state for mail in way.mails("turn") if mail.seat == "red"} == {"failed"}
    with way.database.read() as session:
        notes = session.execute(sa.select(ClockNote.cause).where(ClockNote.kind == "mail_failed")).scalars().all()
    assert notes == ["mail", "bounce", "bounce"]
    pass_time(way, NOW + 20 * DAY, NOW + 22 * DAY)
    [case] = [case for case in way.rows(Case) if case.ended_at is None]
    assert (case.kind, case.cause) == ("time", "mail")


def test_the_log_of_a_game_says_what_became_of_the_time(way: WayIn) -> None:
    to = way.bounce_address()
    way.take(report(1, to), to, NOW + HOUR, sender="")
    with way.database.read() as session:
        notes = session.execute(sa.select(ClockNote.kind, ClockNote.cause, ClockNote.at)).all()
        assert [tuple(note) for note in notes] == [("mail_failed", "mail", NOW + HOUR)]
        assert session.scalar(sa.select(Game.check_at)) == NOW + HOUR
