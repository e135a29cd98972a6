"""Standing offers: those that match become a game, once, never too many; and which casual games are rated."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from html import unescape

import pytest
import sqlalchemy as sa

from app.account import export, my_data
from app.base.stored.database import Database
from app.base.words.refusals import NoSuch
from app.games.rating_tables import CasualRating
from app.games.tables import Game, GameSeat, GameStatus
from app.games.work import Work
from app.leagues.results import casual
from app.leagues.tables import Rating
from app.lobby import offers, strengths
from app.lobby.tables import OfferGame, StandingOffer
from app.people import blocks
from app.people.accounts import find_or_add
from app.play.agreed import results
from app.time.away import leave
from app.titles.registry import TITLES
from tests.support.people import BOTH, Enter, PostOffice, text_of
from tests.support.tables import NOW, address


def person(database: Database, who: str) -> int:
    with Work(database) as work:
        found = find_or_add(work.session, address(who), now=NOW)
        work.commit()
        return found.id


def offer(database: Database, who: int, title: str, players: int, edition: str = "", **terms: object) -> None:
    options = offers.options_of(TITLES[title], edition)
    offers.make(
        database, StandingOffer(player_id=who, title=title, players=players, options=options, since=NOW, **terms)
    )


def games(database: Database) -> list[set[int]]:
    """Return the players of each running game of an offer."""
    with database.read() as session:
        asked = (
            sa.select(GameSeat.game_id, GameSeat.player_id)
            .join(Game, Game.id == GameSeat.game_id)
            .where(Game.status == GameStatus.RUNNING, Game.id.in_(sa.select(OfferGame.game_id)))
            .order_by(GameSeat.game_id)
        )
        found: dict[int, set[int]] = {}
        for game_id, player_id in session.execute(asked):
            found.setdefault(game_id, set()).add(player_id)
        return list(found.values())


def numbers(database: Database) -> list[int | None]:
    with database.read() as session:
        return list(session.scalars(sa.select(Game.seed_number).order_by(Game.id)))


def test_offers_that_fit_become_games_and_no_more_than_asked(database: Database) -> None:
    alice, bob, carol, dora = (person(database, who) for who in ("alice", "bob", "carol", "dora"))
    offer(database, alice, "acres", 2, edition="first", at_once=2)
    offer(database, bob, "acres", 2, edition="second")
    assert games(database) == []  # another edition
    offer(database, carol, "acres", 2, pace="day")
    assert games(database) == [{alice, carol}]
    offer(database, dora, "acres", 2, at_once=5, is_rated=True)
    assert len(games(database)) == 1  # rated only where all want
    blocks.settle(database, dora, alice, ["block"], now=NOW)
    offer(database, dora, "acres", 2, at_once=5)
    assert games(database) == [{alice, carol}, {bob, dora}]
    assert numbers(database) == [1, 2]
    with database.read() as session:
        shown = {one.player_id: one for one in offers.listed(session, None)}
        assert set(shown) == {alice, dora} and shown[alice].running == 1
        assert not {alice, dora} & {one.player_id for one in offers.listed(session, alice)}
        first = session.scalars(sa.select(Game).order_by(Game.id)).first()
        assert first.options["edition"] == "first" and first.pace == {"decision": 86400} and first.drawn
    # Once a game is over the next look begins another, though not before.
    assert offers.match(database, NOW) == 0
    results.resign(database, 1, carol, now=NOW)
    assert offers.match(database, NOW) == 1 and {alice, carol} in games(database)


def test_strength_absence_and_pauses_are_respected(sqlite_database: Database) -> None:
    database = sqlite_database
    alice, bob = person(database, "alice"), person(database, "bob")
    offer(database, alice, "ferry", 2, weakest=1600)
    offer(database, bob, "ferry", 2)
    assert games(database) == []
    row = {"player_id": bob, "title": "ferry", "system": "glicko2", "rating": 1650.0, "deviation": 80.0, "games": 9}
    with database.write() as session:
        session.execute(sa.insert(CasualRating), [row])
        session.commit()
    with database.read() as session:
        mine = offers.of_player(session, alice)[0].terms.id
    with pytest.raises(NoSuch):
        offers.pause(database, bob, mine, paused=True, now=NOW)
    offers.pause(database, alice, mine, paused=True, now=NOW)
    assert offers.match(database, NOW) == 0
    leave.start_now(database, bob, 3, now=NOW, allowance=30)
    offers.pause(database, alice, mine, paused=False, now=NOW)
    assert games(database) == []
    assert offers.match(database, NOW + timedelta(days=4)) == 1
    assert games(database) == [{alice, bob}]


def test_more_games_of_events_count_before_casual_ones(sqlite_database: Database) -> None:
    alice = person(sqlite_database, "alice")
    for count, strength in ((8, (1650, 9, False)), (9, (1800, 9, True))):
        row = {"player_id": alice, "title": "ferry", "system": "glicko2", "deviation": 80.0}
        with sqlite_database.write() as session:
            session.execute(sa.delete(CasualRating))
            session.execute(sa.delete(Rating))
            session.execute(sa.insert(CasualRating), [row | {"rating": 1650.0, "games": 9}])
            session.execute(sa.insert(Rating), [row | {"rating": 1800.0, "games": count, "changed_at": NOW}])
            session.commit()
        with sqlite_database.read() as session:
            assert strengths.of_players(session, [alice]) == {(alice, "ferry", True): strength}


def test_three_find_one_another(sqlite_database: Database) -> None:
    three = [person(sqlite_database, who) for who in ("alice", "bob", "carol")]
    for n, who in enumerate(three):
        assert games(sqlite_database) == []
        offer(sqlite_database, who, "ferry", 3, pace="week" if n == 1 else "")
    assert games(sqlite_database) == [set(three)]


def test_many_who_look_at_once_make_no_game_twice(database: Database) -> None:
    people = [person(database, f"p{n}") for n in range(6)]
    with database.write() as session:
        for who in people:
            row = {"player_id": who, "title": "ferry", "players": 2, "options": {}, "at_once": 2, "since": NOW}
            session.execute(sa.insert(offers.StandingOffer), [row | {"is_rated": False}])
        session.commit()
    with ThreadPoolExecutor(4) as pool:
        begun = sum(pool.map(lambda _: offers.match(database, NOW), range(8)))
    made = games(database)
    assert begun == len(made) >= 5 and len({frozenset(pair) for pair in made}) == len(made)
    assert all(1 <= sum(who in pair for pair in made) <= 2 for who in people)
    assert numbers(database) == [*range(1, begun + 1)] and offers.match(database, NOW) == 0


@BOTH
def test_by_the_page_with_mails_to_all(enter: Enter, post: PostOffice, server) -> None:  # type: ignore[no-untyped-def]
    alice, bob = enter("alice"), enter("bob")
    page = alice.get("/offers?title=ferry")
    page = alice.post("/offers/ferry", 422, players="2", weakest="2000", strongest="1000", at_once="1")
    assert "should not be above" in page
    page = alice.post("/offers/ferry", players="2", at_once="1", rated="on")
    assert "Running games: 0, at most 1" in page and "rated" in page
    assert "alice" in bob.get("/tables") and "strength 1500" in bob.get("/offers")
    same = re.search(r'<a href="(/offers[^"]*)#new">Offer the same', bob.get("/offers"))
    assert same and re.search(r'<input[^>]*name="rated"[^>]* checked', bob.get(unescape(same[1])))
    assert "Running games: 1, at most 1" in bob.post("/offers/ferry", players="2", at_once="1", rated="on")
    for who in ("alice", "bob"):
        assert len([s for s in post.subjects(f"{who}@example.org") if "Ferry" in s]) == 1
    begun = [m for who in ("alice", "bob") for m in post.all(f"{who}@example.org") if "has begun" in str(m["Subject"])]
    assert len(begun) == 1 and "standing offer" in text_of(begun[0])
    # Rated: the result counts for both, and shows on their profiles.
    with server.database.read() as session:
        me = session.scalar(sa.select(GameSeat.player_id).where(GameSeat.game_id == 1, GameSeat.place == 0))
    results.resign(server.database, 1, me or 0, now=NOW)
    assert casual.CasualWatch().look(server.database) == ["ferry"]
    assert "Casual play" in alice.get(f"/players/{me}") and "1 rated game" in alice.get(f"/players/{me}")
    data = export.export(server.database, me or 0, now=NOW)
    assert data[:2] == b"PK"
    my_data.erase(server.database, me or 0, now=NOW)
    assert casual.recompute(server.database, "ferry") == 1
    with server.database.read() as session:
        assert me not in set(session.scalars(sa.select(offers.StandingOffer.player_id)))
        assert me not in set(session.scalars(sa.select(CasualRating.player_id)))


@pytest.mark.parametrize(
    ("result", "places"),
    [
        ({"winners": ["b"], "score": {"a": 5, "b": 9, "c": 7}}, (3, 1, 2)),
        ({"winner": "a", "score": {"a": 1, "b": 9}}, (1, 2, 3)),
        ({"winners": [], "score": {"a": 1, "b": 2, "c": 3}}, (1, 1, 1)),
        ({"winners": ["a", "c"], "score": {"a": 4, "b": 1, "c": 4}}, (1, 3, 1)),
    ],
)
def test_places_follow_winners_then_scores(result: dict[str, object], places: tuple[int, ...]) -> None:
    assert casual.places_of(["a", "b", "c"], result) == places
