"""Forecasts: right about as often as they claim, slow to believe, silent without data."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.forecast import (
    LEAST_ANSWERS,
    LEAST_GAMES,
    Forecast,
    RunningGame,
    forecast_game,
    forecast_round,
    quantile,
    times,
)

DAY = 86_400.0
LENGTHS = tuple(range(60, 141, 4))
STEADY = times([DAY] * 40)


def test_nothing_is_said_without_data() -> None:
    running = RunningGame(10, (1, 2), 1)
    few_games = forecast_game(running, {}, STEADY, LENGTHS[: LEAST_GAMES - 1])
    few_answers = forecast_game(running, {}, times([DAY] * (LEAST_ANSWERS - 1)), LENGTHS)
    too_long = forecast_game(RunningGame(138, (1, 2)), {}, STEADY, LENGTHS)
    for forecast, code in ((few_games, "few_games"), (few_answers, "few_answers"), (too_long, "few_games")):
        assert forecast.median is None and forecast.likely is None
        assert forecast.why_not is not None and forecast.why_not.code == f"forecast.{code}"


def test_steady_players_take_a_day_for_each_decision_left() -> None:
    """After 20 decisions, 40 to 120 are left, 80 in the middle; 80 % of the games have at most 104."""
    forecast = forecast_game(RunningGame(20, (1, 2)), {1: STEADY, 2: STEADY}, STEADY, LENGTHS)
    assert forecast.median == pytest.approx(80 * DAY, rel=0.03)
    assert forecast.likely == pytest.approx(104 * DAY, rel=0.03)
    assert (forecast.games, forecast.answers) == (len(LENGTHS), 80)


def test_a_few_quick_answers_prove_little() -> None:
    quick = forecast_game(RunningGame(20, (1,)), {1: times([60.0] * 2)}, STEADY, LENGTHS)
    proven = forecast_game(RunningGame(20, (1,)), {1: times([60.0] * 100)}, STEADY, LENGTHS)
    assert quick.median is not None and proven.median is not None
    assert quick.median > 50 * DAY and proven.median < 8 * DAY


def test_one_long_absence_changes_little() -> None:
    once = forecast_game(RunningGame(20, (1,)), {1: times([DAY] * 39 + [200 * DAY])}, STEADY, LENGTHS)
    never = forecast_game(RunningGame(20, (1,)), {1: STEADY}, STEADY, LENGTHS)
    assert once.median is not None and never.median is not None
    assert once.median < 1.15 * never.median


def test_who_has_waited_long_may_wait_as_long_again_but_not_past_the_clock() -> None:
    """The decision owed now is the last one of a game of 61"""
    lengths = [61] * LEAST_GAMES

    def ends(waited: float, clock: float | None) -> float | None:
        return forecast_game(RunningGame(60, (1, 2), 1, waited, clock), {}, STEADY, lengths).median

    assert ends(0.0, None) == pytest.approx(DAY)
    assert ends(0.25 * DAY, None) == pytest.approx(0.75 * DAY)
    assert ends(6 * DAY, None) == pytest.approx(6 * DAY)
    assert ends(6 * DAY, 2 * DAY) == pytest.approx(2 * DAY)


def test_the_last_game_of_a_round_ends_it() -> None:
    one = forecast_game(RunningGame(20, (1, 2)), {}, STEADY, LENGTHS)
    far = forecast_game(RunningGame(0, (1, 2)), {}, STEADY, [200] * LEAST_GAMES)
    assert forecast_round([one]).median == pytest.approx(one.median)
    assert forecast_round([one, far]).median == pytest.approx(200 * DAY, rel=0.01)
    many = forecast_round([one] * 8)
    assert many.median is not None and one.likely is not None and many.median > one.likely
    nothing = Forecast(why_not=forecast_game(RunningGame(0, ()), {}, STEADY, []).why_not)
    part = forecast_round([one, nothing])
    assert part.unknown == 1 and part.median == pytest.approx(one.median)
    assert forecast_round([nothing]).median is None and forecast_round([]).median is None


def test_forecasts_are_right_about_as_often_as_they_say() -> None:
    """Games of players with answer times of a long tail: half end before the median, four of five before the other."""
    source = random.Random(6)
    pace = {who: source.uniform(0.3, 3.0) * DAY for who in range(30)}

    def answer(who: int) -> float:
        return source.lognormvariate(0, 0.9) * pace[who]

    def length() -> int:
        return max(int(source.gauss(100, 20)), 30)

    own = {who: times([answer(who) for _ in range(40)]) for who in pace}
    everybody = times([answer(who) for who in pace for _ in range(20)])
    lengths = [length() for _ in range(60)]
    before_median = before_likely = 0
    for _ in range(300):
        players = tuple(source.sample(sorted(pace), 2))
        whole, made = length(), 25
        forecast = forecast_game(RunningGame(made, players, players[0]), own, everybody, lengths)
        took = sum(answer(players[at % 2]) for at in range(whole - made))
        assert forecast.median is not None and forecast.likely is not None
        before_median += took <= forecast.median
        before_likely += took <= forecast.likely
    assert 0.38 <= before_median / 300 <= 0.62
    assert 0.68 <= before_likely / 300 <= 0.90


@given(
    st.lists(st.floats(0, 40 * DAY), max_size=60), st.lists(st.floats(0, 40 * DAY), max_size=60),
    st.lists(st.integers(1, 300), max_size=30), st.integers(0, 200), st.floats(0, 60 * DAY),
    st.none() | st.floats(-DAY, 30 * DAY),
)  # fmt: skip
def test_a_forecast_is_in_order_and_not_in_the_past(
    mine: list[float], all_of: list[float], lengths: list[int], made: int, waited: float, clock: float | None
) -> None:
    running = RunningGame(made, (1, 2), 1, waited, clock)
    forecast = forecast_game(running, {1: times(mine)}, times(all_of), lengths)
    assert (forecast.why_not is None) == bool(forecast.ends)
    assert list(forecast.ends) == sorted(forecast.ends) and all(end >= 0 for end in forecast.ends)
    if forecast.median is not None and forecast.likely is not None:
        assert forecast.median <= forecast.likely
        both = forecast_round([forecast, forecast])
        assert both.median is not None and both.median >= forecast.median - 1e-6
        assert forecast_game(running, {1: times(mine)}, times(all_of[::-1]), lengths[::-1]) == forecast


def test_a_quantile_needs_values() -> None:
    assert quantile([1.0, 2.0, 4.0], 0.75) == 3.0
    with pytest.raises(ValueError):
        quantile([], 0.5)
