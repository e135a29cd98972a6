"""A server without competitions: games, leave, rulings and accounts work without them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.account import export, memberships, my_data
from app.base.stored.database import Database
from app.games import competitions
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play.agreed import results
from app.time.away import leave
from tests.support.overdue import DAY, DUE, begin, mails, operator, player, with_stages
from tests.support.tables import NOW, deliver, load, start


@pytest.fixture(autouse=True)
def nobody() -> Iterator[None]:
    """Register nobody, as before a server starts."""
    before, there = competitions.runner(), memberships.there()
    competitions.register(competitions.NoCompetitions())
    memberships.register(memberships.NoMemberships())
    yield
    competitions.register(before)
    memberships.register(there)


def test_a_game_ends_and_nothing_follows(database: Database) -> None:
    game_id = start(database)
    after = results.resign(database, game_id, player(database, game_id, "red") or 0, now=NOW)
    assert after.is_over and load(database, game_id).is_over
    with database.read() as session:
        assert competitions.runner().place_of_game(session, game_id) is None


def test_operators_rule_where_the_pace_asks_for_an_organiser(database: Database) -> None:
    operator(database)
    begin(database, with_stages((0, "flagged", ["organiser"])))
    sweep_cases(database, DUE)
    assert [who for kind, who, _ in mails(database, "case")] == ["olga"]
    deliver(database, DUE)


def test_a_players_own_leave_stops_the_clock_and_the_opponent_hears_of_it(database: Database) -> None:
    game_id = start(database, pace=7 * DAY)
    deliver(database, NOW)
    due, alice = load(database, game_id).deadline_at, player(database, game_id, "red") or 0
    assert due is not None
    day = (NOW + 2 * DAY).date()
    leave.plan(database, alice, day, day, now=NOW, allowance=30)
    assert load(database, game_id).deadline_at == due + DAY
    assert [who for _, who, _ in mails(database, "leave")] == ["bob"]
    with database.read() as session:
        seen = leave.overview(session, alice, "UTC", NOW, 30)
        assert (seen.left[day.year], seen.granted) == (29, ())
        assert leave.running_in(session, alice, 1) == []


def test_an_account_is_taken_away_and_erased_without_clubs(database: Database) -> None:
    game_id = start(database)
    me = player(database, game_id, "red") or 0
    packed = zipfile.ZipFile(io.BytesIO(export.export(database, me, now=NOW)))
    about = json.loads(packed.read("my-data.json"))
    assert about["games"][0]["id"] == game_id
    assert {"clubs", "event_entries", "ratings"}.isdisjoint(about)
    with database.read() as session:
        found = my_data.leaving(session, me)
    assert (len(found.games), found.events, found.closed, found.ownerless) == (1, (), (), ())
    my_data.erase(database, me, now=NOW + timedelta(hours=1))
    with database.read() as session:
        assert session.scalar(sa.select(Player.name).where(Player.id == me)) == ""
    assert load(database, game_id).is_over
