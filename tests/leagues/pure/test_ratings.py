"""Ratings: the paper's example, the value of a side, tables with ties, the same numbers from the same games."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import PlackettLuce

from app.leagues.pure.ratings import (
    FLOOR,
    GROWTH_DAYS,
    NEW,
    NEW_DEVIATION,
    SIDE_DEVIATION,
    Change,
    CountedGame,
    GameAgainst,
    PlayerRating,
    expected,
    period,
    rate_tables,
    rate_two,
)

BIAS = 190.848  # 400 log10 3: the first side wins three of four games among equals


def test_the_example_of_the_paper() -> None:
    """Glickman 2013, pages 4 and 5: 1464.06, 151.52, 0.05999 (with intermediate figures rounded)"""
    games = [
        GameAgainst(PlayerRating(1400, 30), 1),
        GameAgainst(PlayerRating(1550, 100), 0),
        GameAgainst(PlayerRating(1700, 300), 0),
    ]
    after = period(PlayerRating(1500, 200, 0.06), games)
    assert after.rating == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.005)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)
    chances = [expected(PlayerRating(1500, 200), game.opponent) for game in games]
    assert chances == pytest.approx([0.639, 0.432, 0.303], abs=0.0005)


def test_without_a_game_only_the_deviation_grows() -> None:
    """Step 6; a deviation of 60 is 96 after a year, and none exceeds that of a new player."""
    after = period(PlayerRating(1600, 60), [], elapsed=365 / GROWTH_DAYS)
    assert (after.rating, round(after.deviation), after.volatility) == (1600, 96, 0.06)
    assert period(PlayerRating(1600, 340), [], elapsed=1000).deviation == NEW_DEVIATION


def test_a_surprise_makes_the_volatility_greater() -> None:
    calm = period(PlayerRating(1500, 60), [GameAgainst(PlayerRating(1500, 60), 0.5)] * 4)
    wild = period(PlayerRating(1500, 60), [GameAgainst(PlayerRating(2100, 60), 1)] * 4)
    assert calm.volatility is not None and wild.volatility is not None
    assert calm.volatility < 0.06 < wild.volatility


# -- sides --------------------------------------------------------------------------------------------


def test_equal_players_stay_equal_where_the_side_wins() -> None:
    """One player always has the side that wins three of four games, and wins three of four."""
    one, other = PlayerRating(1500, 50), PlayerRating(1500, 50)
    scores = (1, 1, 1, 0)
    fair = period(one, [GameAgainst(other, score, BIAS) for score in scores])
    assert fair.rating == pytest.approx(1500, abs=0.5)
    theirs = period(other, [GameAgainst(one, 1 - score, -BIAS) for score in scores])
    assert theirs.rating == pytest.approx(1500, abs=0.5)
    blind = period(one, [GameAgainst(other, score) for score in scores])
    assert blind.rating > 1510


def biased(count: int, seed: int, *, chance_of_first: float = 0.75, players: int = 12) -> list[CountedGame]:
    """Games of equal players, three a week, with a side that wins more often."""
    source = random.Random(seed)
    games = []
    for number in range(count):
        one, two = source.sample(range(players), 2)
        places = (1, 2) if source.random() < chance_of_first else (2, 1)
        games.append(CountedGame(number, 7 * number // 3, (one, two), places))
    return games


def test_what_a_side_is_worth_is_learnt_from_the_games() -> None:
    """Slightly too much is right: players who seem to differ hide a part of the side's value."""
    for seed in (1, 2):
        side = rate_two(biased(1500, seed)).side
        assert side.advantage == pytest.approx(BIAS, abs=40)
        assert side.deviation < 20
    none = rate_two(biased(1500, 3, chance_of_first=0.5)).side
    assert none.advantage == pytest.approx(0, abs=25)


def test_few_games_say_little_about_a_side() -> None:
    """Shrinkage: three wins of the first side prove nothing; without games there is no offset."""
    ratings = rate_two([CountedGame(n, n, (2 * n, 2 * n + 1), (1, 2)) for n in range(3)])
    assert 0 < ratings.side.advantage < 50 and 80 < ratings.side.deviation < SIDE_DEVIATION
    assert rate_two([]).side.advantage == 0


def test_who_sits_on_the_better_side_is_not_rated_above() -> None:
    """A club plays in both directions; then two equals play 24 games, each always on the same side.

    Neither rating is far off with the offset; without it the first would be well above.
    """
    club = biased(900, 2)
    last = club[-1].day
    source = random.Random(3)
    results = [(1, 2)] * 18 + [(2, 1)] * 6
    source.shuffle(results)
    pair = [CountedGame(10_000 + n, last + 7 * n, (100, 101), places) for n, places in enumerate(results, 1)]
    learnt = rate_two([*club, *pair]).players
    blind = rate_two([*club, *pair], advantage=0).players
    assert abs(learnt[100].rating - learnt[101].rating) < 70
    assert blind[100].rating - blind[101].rating > 120


def test_a_constant_offset_stays_what_it_is() -> None:
    ratings = rate_two(biased(50, 4), advantage=BIAS)
    assert (ratings.side.advantage, ratings.side.deviation) == (BIAS, 0)


# -- the same games, the same numbers -----------------------------------------------------------------


@st.composite
def some_games(draw: st.DrawFn, seats: tuple[int, int]) -> list[CountedGame]:
    games = []
    for number in range(draw(st.integers(0, 25))):
        size = draw(st.integers(*seats))
        players = draw(st.lists(st.integers(1, 7), min_size=size, max_size=size, unique=True))
        raw = draw(st.lists(st.integers(1, size), min_size=size, max_size=size))
        places = tuple(1 + sum(other < one for other in raw) for one in raw)
        games.append(CountedGame(number, draw(st.integers(0, 40)), tuple(players), places))
    return games


def follows(history: tuple[Change, ...]) -> None:
    """Each change begins where the last one of the player ended."""
    at: dict[int, float] = {}
    for change in history:
        assert change.before == pytest.approx(at.get(change.player, NEW), abs=1e-6)
        at[change.player] = change.after


@pytest.mark.slow
@given(some_games((2, 2)), st.randoms(use_true_random=False))
def test_glicko_from_scratch_gives_the_same_numbers(games: list[CountedGame], source: random.Random) -> None:
    ratings = rate_two(games)
    assert rate_two(source.sample(games, len(games))) == ratings
    follows(ratings.history)
    assert len(ratings.history) == 2 * len(games)
    assert {who: one.games for who, one in ratings.players.items()} == {
        who: sum(who in game.players for game in games) for game in games for who in game.players
    }
    for who, one in ratings.players.items():
        last = [change for change in ratings.history if change.player == who][-1]
        assert last.after == pytest.approx(one.rating, abs=1e-6) and last.deviation == one.deviation


@given(some_games((3, 5)), st.randoms(use_true_random=False))
def test_openskill_from_scratch_gives_the_same_numbers(games: list[CountedGame], source: random.Random) -> None:
    ratings = rate_tables(games)
    assert rate_tables(source.sample(games, len(games))) == ratings
    follows(ratings.history)
    assert len(ratings.history) == sum(len(game.players) for game in games)


def test_games_of_a_day_are_rated_from_the_evening_before() -> None:
    """Two wins on one day each gain what one game from the old ratings gives, and the second opponent has the rating of
    that morning.
    """
    day = [CountedGame(1, 5, (1, 2), (1, 2)), CountedGame(2, 5, (3, 1), (2, 1))]
    both = rate_two(day, advantage=0)
    assert both.players[1] == rate_two(list(reversed(day)), advantage=0).players[1]
    assert both.players[2].rating == pytest.approx(both.players[3].rating)
    first, second = (change for change in both.history if change.player == 1)
    assert first.after - first.before == pytest.approx(second.after - second.before)
    apart = rate_two([day[0], CountedGame(2, 6, (3, 1), (2, 1))], advantage=0)
    assert apart.players[1].rating != both.players[1].rating


def test_no_rating_falls_below_the_floor() -> None:
    games = [CountedGame(n, n, (1, 100 + n), (2, 1)) for n in range(400)]
    assert min(change.after for change in rate_two(games).history) >= FLOOR
    tables = [CountedGame(n, n, (1, 2, 3), (3, 1, 2)) for n in range(60)]
    assert min(change.after for change in rate_tables(tables).history) >= FLOOR


# -- tables -------------------------------------------------------------------------------------------


def test_tables_are_rated_as_the_library_has_it() -> None:
    """Plackett-Luce with a tie for the second place, on the scale of 1500 and 350"""
    model = PlackettLuce()
    expected_ones = model.rate([[model.rating()] for _ in range(4)], ranks=[2, 1, 2, 4])
    ratings = rate_tables([CountedGame(1, 1, (5, 6, 7, 8), (2, 1, 2, 4))]).players
    for who, (one,) in zip((5, 6, 7, 8), expected_ones, strict=True):
        assert ratings[who].rating == pytest.approx(1500 + (one.mu - 25) * 42)
        assert ratings[who].deviation == pytest.approx(one.sigma * 42)
        assert ratings[who].volatility is None
    assert ratings[6].rating > ratings[5].rating > ratings[8].rating
    assert ratings[5].rating == pytest.approx(ratings[7].rating)


# -- substitutes --------------------------------------------------------------------------------------


def test_a_seat_that_changed_hands_is_shared() -> None:
    """1 had three quarters of the seat, 3 the rest; 2 was against both."""
    whole = rate_two([CountedGame(1, 1, (1, 2), (1, 2))], advantage=0)
    shared = rate_two([CountedGame(1, 1, (1, 2), (1, 2), (((1, 0.75), (3, 0.25)), ((2, 1.0),)))], advantage=0)
    gain = {who: one.rating - NEW for who, one in shared.players.items()}
    assert gain[2] == pytest.approx(whole.players[2].rating - NEW)
    assert 0 < gain[3] < gain[1] < whole.players[1].rating - NEW
    assert whole.players[1].deviation < shared.players[1].deviation < shared.players[3].deviation < NEW_DEVIATION
    assert [change.player for change in shared.history] == [1, 3, 2]


def test_a_seat_of_a_table_that_changed_hands_is_shared() -> None:
    shares = (((1, 0.75), (9, 0.25)), ((2, 1.0),), ((3, 1.0),))
    whole = rate_tables([CountedGame(1, 1, (1, 2, 3), (1, 2, 3))]).players
    shared = rate_tables([CountedGame(1, 1, (1, 2, 3), (1, 2, 3), shares)]).players
    assert shared[1].rating - NEW == pytest.approx(0.75 * (whole[1].rating - NEW))
    assert shared[9].rating - NEW == pytest.approx(0.25 * (whole[1].rating - NEW))
    assert shared[2] == whole[2]


def test_a_whole_share_is_no_sharing() -> None:
    for size, rate in ((2, rate_two), (4, rate_tables)):
        players, places = tuple(range(size)), tuple(range(1, size + 1))
        plain = CountedGame(1, 1, players, places)
        named = CountedGame(1, 1, players, places, tuple(((who, 1.0), (99, 0.0)) for who in players))
        assert rate([plain]) == rate([named])
