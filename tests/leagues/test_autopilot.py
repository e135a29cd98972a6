"""An event that runs itself: it starts, pairs, publishes, closes and ends; it asks where something is unusual."""

from __future__ import annotations

import re

import pytest
import sqlalchemy as sa

from app.base.database import Database
from app.base.house import House
from app.base.refusals import NotAccepted, NotAllowed
from app.leagues import autopilot, entries, events, round_rows, rounds
from app.leagues.tables import EventRound, Ruling
from tests.support import falling_silent
from tests.support.events import club, people, read, resign_all
from tests.support.mails import kept
from tests.support.people import Enter
from tests.support.season import DAY, HOUR, season
from tests.support.tables import NOW, deliver


def shown(database: Database, event_id: int) -> list[tuple[str, int, bool]]:
    found = read(database, lambda session: autopilot.next_acts(session, events.get(session, event_id)))
    return [(act.kind, act.number, act.asks) for act in found]


def rounds_of(database: Database, event_id: int) -> list[EventRound]:
    [division] = read(database, lambda session: events.get(session, event_id)).divisions
    found: list[EventRound] = read(database, lambda session: round_rows.rounds_of(session, division.id, drafts=True))
    return found


def test_a_season_with_somebody_silent_needs_one_act_and_one_without_trouble_none(sqlite_database: Database) -> None:
    found = falling_silent.run(sqlite_database, 6, 2, 1)
    assert (found.rounds, sorted(found.acts.values()), found.others) == (2, [1], 0)
    assert found.longest <= falling_silent.ROUND_DAYS * DAY
    with sqlite_database.read() as session:
        rulings = session.scalars(sa.select(Ruling.status)).all()  # type: ignore[call-overload]
    assert set(rulings) == {"withdrawn"}, "leaving closes what the end of the round has asked for"


def test_an_event_starts_pairs_publishes_and_ends_by_itself(database: Database) -> None:
    """Each act once, also where two workers look at one time; nothing before its hour, nothing while it is paused."""
    boss, *players = people(database, 4)
    terms = {"members_only": False, "autopilot": 24}
    event = events.make(
        database, club(database, boss), boss, name="Cup", title_id="ferry", format="round_robin", terms=terms,
        sign_up_until=NOW + DAY, now=NOW,
    )  # fmt: skip
    events.open_sign_up(database, event, boss, now=NOW)
    assert autopilot.sweep(database, NOW + DAY - HOUR) == 0
    assert autopilot.sweep(database, NOW + DAY) == 1, "nobody has come: the organisers are asked"
    assert autopilot.sweep(database, NOW + DAY) == 0
    deliver(database, NOW + DAY)
    [mail] = kept(database, "event_asks")
    assert mail.subject == "Cup waits for you" and "the server cannot start it" in mail.words
    for player in players:
        entries.sign_up(database, event, player, by_id=boss, now=NOW + DAY)
    now = NOW + 2 * DAY
    assert autopilot.pause(database, event, boss, paused=True, now=now)
    assert autopilot.sweep(database, now) == 0
    with pytest.raises(NotAllowed):
        autopilot.pause(database, event, players[0], paused=False, now=now)
    assert autopilot.pause(database, event, boss, paused=False, now=now)
    assert not autopilot.pause(database, event, boss, paused=False, now=now)
    assert autopilot.sweep(database, now) == 2 and shown(database, event) == [("publish", 1, False)]
    for number in (1, 2, 3):
        assert autopilot.sweep(database, now + DAY - HOUR) == 0
        now += DAY
        assert autopilot.sweep(database, now) == 1
        [running] = [one for one in rounds_of(database, event) if one.status == "published"]
        assert running.number == number
        resign_all(database, running)
        assert autopilot.sweep(database, now) == (2 if number < 3 else 1)
    assert shown(database, event) == [("finish", 0, False)]
    assert autopilot.sweep(database, now + DAY) == 1 and autopilot.sweep(database, now + DAY) == 0
    assert read(database, lambda session: events.get(session, event)).status == "over"


def test_what_is_unusual_waits_for_the_organisers_who_are_asked_once(sqlite_database: Database) -> None:
    made = season(sqlite_database, 2, rounds=2, autopilot=0)
    database, event = made.database, made.event
    resign_all(database, made.round())
    assert autopilot.sweep(database, NOW) == 3, "closed, paired, asked"
    assert shown(database, event) == [("publish", 2, True)], "the two meet again"
    assert autopilot.sweep(database, NOW + DAY) == 0
    deliver(database, NOW + DAY)
    [mail] = kept(database, "event_asks")
    draft = rounds_of(database, event)[-1]
    assert mail.to == "p0@example.org" and f"/events/{event}/rounds/{draft.id}" in mail.text
    assert mail.subject == "Cup waits for you: round 2" and "something in it is unusual" in mail.words
    rounds.publish(database, draft.id, made.organiser, draft.version, now=NOW + DAY)
    resign_all(database, rounds_of(database, event)[-1])
    assert autopilot.sweep(database, NOW + DAY) == 2 and made.now().status == "over"


def test_the_page_says_what_comes_next_and_pauses_it(house: House, enter: Enter) -> None:
    made = season(house.database, 4, rounds=2, autopilot=48)
    resign_all(house.database, made.round())
    boss, path = enter("p0"), f"/events/{made.event}/manage"
    assert "Round 1 is closed. within a minute" in text_of(boss.get(path))
    autopilot.sweep(house.database, NOW)
    page = text_of(boss.get(path))
    assert "Round 2 is published. on Mon" in page and "Pause the autopilot" in page
    assert "Autopilot Round 2 is published. on Mon" in text_of(boss.get("/clubs/vendee/week"))
    draft = text_of(boss.get(f"/events/{made.event}/rounds/{rounds_of(house.database, made.event)[-1].id}"))
    assert "The autopilot publishes it on Mon" in draft
    assert "It is paused" in text_of(boss.post(f"/events/{made.event}/autopilot", paused="1"))
    assert "Autopilot: It is paused" in text_of(boss.get("/clubs/vendee/week"))
    assert made.now().paused_at is not None
    assert "It is paused" not in text_of(boss.post(f"/events/{made.event}/autopilot", paused=""))
    with pytest.raises(NotAccepted, match=r"event\.autopilot"):
        events.make(
            house.database, made.club, made.organiser, name="Ladder", title_id="ferry", format="ladder",
            terms={"autopilot": 1}, now=NOW,
        )  # fmt: skip


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())
