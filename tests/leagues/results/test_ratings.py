"""Ratings of the players of events: what counts, the same numbers from scratch, floors, the command."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.server import Server
from app.base.stored.database import Database
from app.leagues.clubs import notes
from app.leagues.events import entries, lifecycle
from app.leagues.pure.ratings import KNOWN_DEVIATION, GameAgainst, PlayerRating, period
from app.leagues.results import event_ratings, outcomes
from app.leagues.tables import Match, MatchSeat, Rating, RatingChange
from app.play.agreed import results
from tests.support import pressed
from tests.support.events import club, event, league, people, planned, play_round, published, read, resign_all
from tests.support.people import Browser
from tests.support.tables import NOW, write

_RATING, _CHANGE = Rating.__table__, RatingChange.__table__  # type: ignore[attr-defined]
_MATCH, _SEAT = Match.__table__, MatchSeat.__table__  # type: ignore[attr-defined]


def numbers(database: Database) -> dict[str, list[Any]]:
    """All rows of ratings, without their own numbers."""
    with database.read() as session:
        return {
            table.name: sorted(tuple(row)[1:] for row in session.execute(sa.select(table)))
            for table in (_RATING, _CHANGE)
        }


def test_new_results_are_rated_by_the_job_as_from_scratch(database: Database) -> None:
    who = people(database, 4)
    now = event(database, who, "round_robin", legs=2)
    watch = event_ratings.watch()
    assert watch.look(database) == ["ferry"] and watch.look(database) == []
    for number in range(3):
        round = published(database, now, who[0])
        for match in round.matches:
            assert match.game_id is not None
            at = NOW + timedelta(days=number, hours=match.number)
            results.resign(database, match.game_id, match.seats[number % 2].player_id, now=at)
            assert watch.look(database) == ["ferry"]
    first = numbers(database)
    assert len(first["rating"]) == 4 and len(first["rating_change"]) == 12
    assert event_ratings.recompute(database, "ferry") == 0, "nothing is written where nothing is different"
    write(database, sa.delete(_RATING), sa.delete(_CHANGE))
    event_ratings.recompute(database, "ferry")
    assert numbers(database) == first
    top = read(database, lambda c: event_ratings.table(c, "ferry", "glicko2"))
    assert [one.rating for one in top] == sorted((one.rating for one in top), reverse=True)
    own, steps = read(database, lambda c: event_ratings.ratings_of(c, top[0].player_id))[0]
    assert len(steps) == 3 and steps[-1][0].after == own.rating and steps[0][0].before == 1500


def test_one_game_moves_two_players_as_glicko_says(sqlite_database: Database) -> None:
    who = people(sqlite_database, 2)
    now = event(sqlite_database, who, "round_robin")
    resign_all(sqlite_database, published(sqlite_database, now, who[0]))
    event_ratings.recompute(sqlite_database, "ferry")
    wanted = period(PlayerRating(), [GameAgainst(PlayerRating(), 1.0)], elapsed=0.0)
    best, last = read(sqlite_database, lambda c: event_ratings.table(c, "ferry", "glicko2"))
    assert best.rating == pytest.approx(wanted.rating) and last.rating == pytest.approx(3000 - wanted.rating)


def test_what_does_not_count(sqlite_database: Database) -> None:
    """Walkovers and void games, events that are not rated; a corrected result is rated again."""
    who = people(sqlite_database, 2)
    now = event(sqlite_database, who, "round_robin", legs=2)
    one, two = (published(sqlite_database, now, who[0]).matches[0] for _ in range(2))
    watch = event_ratings.watch()
    with sqlite_database.write() as session:
        outcomes.settle(session, one.id, "walkover", "ruling", [Fraction(1), Fraction(0)], NOW)
        session.commit()
    watch.look(sqlite_database)
    assert numbers(sqlite_database) == {"rating": [], "rating_change": []}
    with sqlite_database.write() as session:
        outcomes.settle(session, two.id, "played", "game", [Fraction(1), Fraction(0)], NOW)
        session.commit()
    watch.look(sqlite_database)
    before = numbers(sqlite_database)
    with sqlite_database.write() as session:
        later = NOW + timedelta(hours=1)
        outcomes.settle(session, two.id, "played", "correction", [Fraction(0), Fraction(1)], later)
        session.commit()
    assert watch.look(sqlite_database) == ["ferry"] and numbers(sqlite_database) != before
    with sqlite_database.write() as session:
        outcomes.settle(session, two.id, "void", "ruling", [Fraction(0), Fraction(0)], NOW)
        session.commit()
    watch.look(sqlite_database)
    assert numbers(sqlite_database) == {"rating": [], "rating_change": []}


def test_an_event_that_is_not_rated(sqlite_database: Database) -> None:
    who = people(sqlite_database, 2)
    now = event(sqlite_database, who, "round_robin", rated=False)
    resign_all(sqlite_database, published(sqlite_database, now, who[0]))
    event_ratings.recompute(sqlite_database, "ferry")
    assert numbers(sqlite_database) == {"rating": [], "rating_change": []}


def test_tables_are_rated_by_openskill(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    now = event(sqlite_database, who, "tables", "new-world", rounds=1)
    round = published(sqlite_database, now, who[0])
    resign_all(sqlite_database, round)
    event_ratings.recompute(sqlite_database, "new-world")
    found = read(sqlite_database, lambda c: event_ratings.table(c, "new-world", "openskill"))
    assert [one.player_id for one in found] == [seat.player_id for seat in round.matches[0].seats]
    assert read(sqlite_database, lambda c: event_ratings.table(c, "new-world", "glicko2")) == []


@pytest.mark.parametrize(("share", "parts"), [("seat", (0, 1)), ("both", (1, 1)), ("split", (2, 1))])
def test_a_substituted_seat_is_rated_by_the_rule_of_the_event(
    sqlite_database: Database, share: str, parts: tuple[int, int]
) -> None:
    """Its holder alone, both in full, or by parts (a game from before decisions were asked for: by how often each held
    it)."""
    who = people(sqlite_database, 3)
    now = event(sqlite_database, who, "round_robin", share=share)
    match = next(m for m in published(sqlite_database, now, who[0]).matches if not m.is_bye)
    there = {one.player_id: one.id for one in read(sqlite_database, lambda c: entries.entrants(c, now.id))}
    inside = [seat.player_id for seat in match.seats]
    sub = next(player for player in who if player not in inside)
    results.resign(sqlite_database, match.game_id or 0, inside[1], now=NOW)
    with sqlite_database.write() as session:
        seat = sa.and_(_SEAT.c.match_id == match.id, _SEAT.c.place == 0)
        held = [[there[inside[0]], 1], [there[inside[0]], 2]]
        session.execute(sa.update(_SEAT).where(seat).values(entry_id=there[sub], played_by=held, as_recorded=True))
        session.commit()
    event_ratings.recompute(sqlite_database, "ferry")
    table = read(sqlite_database, lambda c: event_ratings.table(c, "ferry", "glicko2"))
    gained = {one.player_id: one.rating - 1500 for one in table}
    assert gained.keys() == {inside[1]} | {player for player, part in zip((inside[0], sub), parts, strict=True) if part}
    assert gained[sub] > 0 > gained[inside[1]]
    if parts[
        0
    ]:  # the holder of the greater share gains more, though not in proportion: a deviation shrinks with each game
        assert (gained[inside[0]] > gained[sub] * 1.2) == (parts[0] > parts[1])
        assert parts[0] > parts[1] or gained[inside[0]] == pytest.approx(gained[sub])


def test_ratings_are_a_floor_and_seeds(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    now = event(sqlite_database, who[:2], "round_robin")
    round = published(sqlite_database, now, who[0])
    resign_all(sqlite_database, round)
    event_ratings.recompute(sqlite_database, "ferry")
    winner = round.matches[0].seats[0].player_id
    again = planned(sqlite_database, now.club_id, who[0], name="Again")
    for player in (who[2], *who[:2]):
        pressed.sign_up(sqlite_database, again, player, by_id=who[0], now=NOW)
    pressed.start(sqlite_database, again, who[0], now=NOW)
    seeded = read(sqlite_database, lambda c: entries.entrants(c, again))
    assert seeded[0].player_id == winner and (seeded[0].rating or 0) > 1500 > (seeded[1].rating or 0)


def test_ratings_begin_where_the_list_of_the_club_has_them(sqlite_database: Database) -> None:
    """F11: who wins a lower division does not stand above the champion; seeds go by rating less deviation."""
    database, rated = sqlite_database, (1900, 1850, 1350, 1325)
    who = people(database, 4)
    club_id = club(database, who[0])
    with database.write() as session:
        for player, rating in zip(who, rated, strict=True):
            notes.write(session, club_id, player, {"rating": rating})
        session.commit()
    divisions = [{"name": "A"}, {"name": "B"}]
    draft = lifecycle.NewEvent(name="League", title_id="ferry", format="round_robin", divisions=divisions)
    number = lifecycle.make(database, club_id, who[0], draft, now=NOW)
    for player in who:
        pressed.sign_up(database, number, player, by_id=who[0], now=NOW)
    made = read(database, lambda c: lifecycle.get(c, number))
    entered = {one.player_id: one.id for one in read(database, lambda c: entries.entrants(c, number))}
    placed = {entered[player]: made.divisions[n // 2].id for n, player in enumerate(who)}
    pressed.put_into_divisions(database, number, who[0], placed, now=NOW)
    pressed.start(database, number, who[0], now=NOW)
    for division in made.divisions:
        play_round(database, division.id, who[0])
    event_ratings.recompute(database, "ferry")
    table = read(database, lambda c: event_ratings.table(c, "ferry", "glicko2"))
    assert {one.player_id for one in table[:2]} == {*who[:2]} and table[1].rating > 1700 > 1500 > table[2].rating
    assert all(one.deviation < KNOWN_DEVIATION for one in table), "whoever is known does not leap"
    again = event_ratings.recompute(database, "ferry")
    assert again == 0
    [(_, _, rows, changes)] = read(database, lambda c: event_ratings.of_club(c, club_id))
    assert len(rows) == 1 and len(changes) == 1, "only those who belong to the club"
    rows = {who[0]: (1700, 200), who[1]: (1650, 60)}
    with database.write() as session:
        for player, (rating, deviation) in rows.items():
            values = {"rating": rating, "deviation": deviation}
            session.execute(sa.update(_RATING).where(_RATING.c.player_id == player).values(**values))
        session.commit()
    following = planned(database, club_id, who[0])
    for player in who[:2]:
        pressed.sign_up(database, following, player, by_id=who[0], now=NOW)
    pressed.start(database, following, who[0], now=NOW)
    assert [one.player_id for one in read(database, lambda c: entries.entrants(c, following))] == [who[1], who[0]]


@pytest.mark.parametrize(
    ("format", "sizes", "systems"),
    [
        ("round_robin", [4, 3, 5], ["glicko2"]), ("tables", [2], ["glicko2"]), ("tables", [4, 3], ["openskill"]),
        ("tables", [3, 2], ["openskill", "glicko2"]), ("tables", [2, 3], ["glicko2", "openskill"]),
    ],
)  # fmt: skip
def test_seeds_and_floors_read_the_rating_that_the_games_move(
    sqlite_database: Database, format: str, sizes: list[int], systems: list[str]
) -> None:
    who = people(sqlite_database, 2)
    club_id = club(sqlite_database, who[0])
    terms = {"rounds": 1, "sizes": sizes}
    number = planned(sqlite_database, club_id, who[0], format, "new-world", **terms)
    with sqlite_database.write() as session:
        for player, held in ((who[0], ("glicko2", "openskill")), (who[1], ("glicko2",))):
            for system in held:
                row = {"player_id": player, "title": "new-world", "system": system, "deviation": 100, "changed_at": NOW}
                row |= {"rating": 1600 if system == "glicko2" else 1700, "games": 3}
                session.execute(sa.insert(_RATING).values(**row))
        session.commit()
    now = read(sqlite_database, lambda c: lifecycle.get(c, number))
    assert entries.systems_of(now) == systems
    found = [read(sqlite_database, lambda c, one=player: entries.rating_of(c, now, one)) for player in who]
    assert found == [1600 if systems[0] == "glicko2" else 1700, 1600 if "glicko2" in systems else None]


def test_a_table_of_two_moves_what_its_event_reads(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    now = event(sqlite_database, who, "tables", "new-world", rounds=1, sizes=[2])
    resign_all(sqlite_database, published(sqlite_database, now, who[0]))
    event_ratings.recompute(sqlite_database, "new-world")
    assert all(read(sqlite_database, lambda c, one=player: entries.rating_of(c, now, one)) for player in who)


def test_the_ratings_of_a_club_are_a_page_for_everybody(server: Server, stranger: Browser) -> None:
    """6.6: the list, and what each game changed."""
    assert "There are none." not in stranger.get("/clubs/vendee/ratings", 404)
    who = people(server.database, 4)
    now = league(server.database, who)
    play_round(server.database, now.divisions[0].id, who[0])
    assert "There are none." in stranger.get("/clubs/vendee/ratings")
    event_ratings.recompute(server.database, "ferry")
    page = stranger.get("/clubs/vendee/ratings")
    assert "Game by game" in page and "+162" in page and "−162" in page
