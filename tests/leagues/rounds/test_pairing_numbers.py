"""Pairing numbers: by rating, and by the last season."""

from __future__ import annotations

from typing import Any

import pytest

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.leagues.clubs import notes
from app.leagues.events import entries, lifecycle
from app.leagues.results import records
from app.leagues.rounds import seeding
from app.leagues.tables import Competition, PastPlace
from tests.support import pressed
from tests.support.events import event, people, planned, play, read
from tests.support.tables import NOW


def numbers(database: Database, event_id: int) -> list[int]:
    """Return the players in the order of their numbers."""
    return [one.player_id for one in read(database, lambda s: entries.entrants(s, event_id)) if one.seed]


def another(database: Database, before: Competition, who: list[int], **terms: Any) -> int:
    """Start the next event of the club."""
    event_id = planned(
        database, before.club_id, who[0], "swiss", name="Cup 2", title=before.title_id, **{"rounds": 3} | terms
    )
    pressed.open_sign_up(database, event_id, who[0], now=NOW)
    for player in who:
        pressed.sign_up(database, event_id, player, by_id=who[0], now=NOW)
    pressed.start(database, event_id, who[0], now=NOW)
    return event_id


def proposed(database: Database, event_id: int, key: str = "") -> list[int]:
    """Return the players in the order of a source; of the last season without one."""
    with database.read() as session:
        here = lifecycle.get(session, event_id)
        source = seeding.find(session, here, key) if key else seeding.sources(session, here)[0]
        return [one.player_id for one in seeding.order_of(session, here, entries.entrants(session, event_id), source)]


def test_the_last_season_gives_numbers_by_the_terms_and_whoever_is_new_comes_behind(sqlite_database: Database) -> None:
    database = sqlite_database
    who = people(database, 5)
    last = event(database, who[:4], "round_robin")
    play(database, last, who[0])
    pressed.finish(database, last.id, who[0], now=NOW)
    table = [one.player_id for one in read(database, lambda s: records.finished(s, last.club_id))]
    assert sorted(filter(None, table)) == who[:4]
    here = another(database, last, who, seeding="last_season")
    assert numbers(database, here) == [*table, who[4]]
    keys = [one.key for one in read(database, lambda s: seeding.sources(s, lifecycle.get(s, here)))]
    assert keys == [f"event-{last.id}", "rating"]
    assert proposed(database, here) == [*table, who[4]]


def test_a_list_of_members_and_tables_from_before_stand_for_a_last_season(sqlite_database: Database) -> None:
    database = sqlite_database
    who = people(database, 4)
    now = event(database, who, "swiss", rounds=3)
    with pytest.raises(NotAccepted, match=r"numbers\.source"):
        proposed(database, now.id, "event-9")
    with database.write() as session:
        for player, division, place in ((0, "B", 1), (1, "A", 2), (2, "A", 1)):
            notes.write(session, now.club_id, who[player], {"division": division, "place": place})
        session.commit()
    assert proposed(database, now.id) == [who[2], who[1], who[0], who[3]]
    with database.write() as session:
        for season, order in (("2024", (0, 1)), ("2025", (3, 0))):
            session.add_all(
                PastPlace(club_id=now.club_id, season=season, place=place, player_id=who[n], taken_at=NOW)
                for place, n in enumerate(order, 1)
            )
        session.commit()
    assert proposed(database, now.id)[:2] == [who[3], who[0]]
    assert proposed(database, now.id, "season-2024")[:2] == [who[0], who[1]]
    assert proposed(database, now.id, "members")[:2] == [who[2], who[1]]
