"""One mail with all games that wait, at the hours of a player's day."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.outbox import Outbox, PlannedMail
from app.base.words.refusals import NotAccepted
from app.people.tables import Player
from app.post.out import news_in_digests
from app.time.reminding import digest
from app.time.reminding.digest import next_at
from tests.support.events import event
from tests.support.inbound import WayIn, way_in
from tests.support.sink import text_of
from tests.support.tables import LINKS, NOW, link_to, load, start, write

DAY = timedelta(days=1)
MORNING = datetime(2026, 11, 22, 8, 0, tzinfo=UTC)


def wish(database: Database, hours: str, *, instead: bool = True, zone: str = "UTC", now: datetime = NOW) -> None:
    """Set Alice's wishes."""
    with database.write() as session:
        session.execute(sa.update(Player).where(Player.id == 1).values(zone=zone))
        digest.settle(session, 1, hours, instead, now)
        session.commit()


def due(database: Database) -> Any:
    with database.read() as session:
        return session.scalar(sa.select(Player.digest_at).where(Player.id == 1))


def kinds(way: WayIn, state: str = "sent") -> list[str]:
    rows = [row for row in way.rows(OutboxMail) if row.player_id == 1 and row.state == state]
    return [row.kind for row in rows]


@pytest.fixture
def way(database: Database) -> Iterator[WayIn]:
    """Three games that wait for Alice: with six days, with two hours, and with three days. Nothing has gone out."""
    start(database)
    start(database, pace=timedelta(hours=2))
    start(database, "new-world", pace=3 * DAY)
    with way_in(database) as way:
        yield way


def test_one_mail_with_all_that_waits_the_most_urgent_first(way: WayIn) -> None:
    """A game with less than a day left when it comes is mailed at once, on its own. Running twice plans one mail."""
    wish(way.database, "8, 18")
    way.send(NOW)
    assert kinds(way) == ["turn"] and kinds(way, "dropped") == ["turn", "turn"]
    assert "#2" in str(way.sink.mails("alice@example.org")[-1]["Subject"]) and due(way.database) == MORNING
    assert digest.send_due(way.database, MORNING - timedelta(seconds=1)) == 0
    with ThreadPoolExecutor(3) as workers:
        assert sorted(workers.map(lambda _: digest.send_due(way.database, MORNING), range(3))) == [0, 0, 1]
    way.send(MORNING)
    mail = way.sink.mails("alice@example.org")[-1]
    assert mail["Subject"] == "3 games wait for you, the first until Sat 21 Nov" and "Reply-To" in mail
    words = text_of(mail)
    places = [words.index(f"#{number} ") for number in (2, 3, 1)]
    assert places == sorted(places) and due(way.database) == MORNING + timedelta(hours=10)
    assert all(LINKS.turn(link_to(load(way.database, number))) in words for number in (1, 2, 3))
    # One that a night or an outage held back is replaced by the next.
    for hours in (10, 24):
        assert digest.send_due(way.database, MORNING + timedelta(hours=hours)) == 1
    assert kinds(way, "waiting") == ["digest"]


def test_nobody_is_written_to_without_a_game_that_waits_or_hours(way: WayIn) -> None:
    wish(way.database, "8", instead=False)
    way.send(NOW)
    assert kinds(way) == ["turn"] * 3, "beside the single mails"
    write(way.database, sa.text("UPDATE game SET decides = 'blue'"))
    assert digest.send_due(way.database, MORNING) == 0 and due(way.database) == MORNING + DAY
    wish(way.database, "", now=MORNING)
    assert due(way.database) is None and digest.send_due(way.database, MORNING + 9 * DAY) == 0
    with pytest.raises(NotAccepted):
        wish(way.database, "25")
    with pytest.raises(NotAccepted):
        wish(way.database, "1 2 3 4 5")


def test_hours_are_those_of_the_zone_on_days_when_clocks_change() -> None:
    madrid = "Europe/Madrid"
    evening = datetime(2026, 10, 24, 18, 0, tzinfo=UTC)
    assert next_at([8], madrid, evening) == datetime(2026, 10, 25, 7, 0, tzinfo=UTC)
    assert next_at([8], madrid, evening - DAY) == datetime(2026, 10, 24, 6, 0, tzinfo=UTC)
    assert next_at([8, 18], "Pacific/Chatham", NOW) == datetime(2026, 11, 22, 4, 15, tzinfo=UTC)
    assert next_at([], madrid, NOW) is None


def test_more_news_than_a_mail_holds_comes_with_the_next_one_which_is_said(way: WayIn) -> None:
    wish(way.database, "8")
    way.send(NOW)
    cup = event(way.database, [1, 2], "round_robin")
    reasons = [f"reason {n:02}." for n in range(news_in_digests.MOST_LINES + 2)]
    with way.database.write() as session:
        details = {"event": cup.id, "by": 2}
        Outbox(session).add(
            [
                PlannedMail(
                    f"c:{reason}", "event_cancelled", "alice@example.org", 1, details={**details, "reason": reason}
                )
                for reason in reasons
            ],
            NOW,
        )
        session.commit()
    way.send(NOW)
    told = []
    for morning in (MORNING, MORNING + DAY):
        digest.send_due(way.database, morning)
        way.send(morning)
        told.append(text_of(way.sink.mails("alice@example.org")[-1]))
        way.send(morning + 2 * news_in_digests.AFTER)  # the rest comes up meanwhile, and is put back until the next
    assert [[reason for reason in reasons if reason in text] for text in told] == [reasons[:-2], reasons[-2:]]
    assert "2 more pieces of news come with the next such mail." in told[0] and "more piece" not in told[1]
