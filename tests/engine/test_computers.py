"""The computer plays whole legal games of every title, fairly, and the same on every machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bench.trials.computer_twins import EDITIONS, QUICK, OtherHand, OwnDeck, differences, positions
from engine.acres import ACRES
from engine.kernel import search
from engine.kernel.search import Stream, is_lost, levels_of, look_back, see, think
from engine.kernel.search.looking_back import LOOKED_AT
from engine.new_world.title import NEW_WORLD
from tests.support.acres import editions
from tests.support.ferry import FERRY

ROOT = Path(__file__).resolve().parents[2]
SEATS: dict[str, tuple[str, ...]] = {"acres": ACRES.seats, "new-world": ("red", "blue"), "ferry": ("red", "blue")}
TITLES = {title.id: title for title in (ACRES, NEW_WORLD, FERRY)}


@cache
def game(title: str, level: int, seats: int = 2, edition: str = "") -> list[tuple[Any, str, Any, Any]]:
    """A whole game of the title by one of its levels: each action is judged by the rules as it is played."""
    chosen = TITLES[title]
    options = {"edition": edition} if edition else {"turns": 2} if title == "ferry" else {}
    return list(positions(chosen, levels_of(chosen)[level], options, chosen.seats[:seats], 1))


@editions
@pytest.mark.parametrize("level", [0, 1])
def test_it_plays_whole_games_of_acres(edition: str, level: int) -> None:
    last = game("acres", level, edition=edition)[-1][-1]
    assert last.outcome.reason in ("points", "home-taken")


@pytest.mark.parametrize(("level", "seats"), [(0, 2), (1, 3), (0, 5)])
def test_it_plays_whole_games_of_new_world(level: int, seats: int) -> None:
    assert game("new-world", level, seats)[-1][-1].outcome.reason == "points"


@pytest.mark.parametrize("seats", [2, 4])
def test_it_plays_a_title_from_elsewhere_and_searches_there(seats: int) -> None:
    assert game("ferry", 1, seats)[-1][-1].outcome.reason == "points"


def test_it_decides_whatever_a_game_asks() -> None:
    kinds = Counter(
        due.kind
        for edition in EDITIONS
        for level in (0, 1)
        for state, *_ in game("acres", level, edition=edition)
        if (due := ACRES.decision(state)) is not None
    )
    assert {"action", "raid", "ambush", "siege-loss"} <= set(kinds)


@pytest.mark.parametrize("title", SEATS)
def test_each_level_says_how_it_plays(title: str) -> None:
    levels = levels_of(TITLES[title])
    assert levels[0].name == "beginner" and levels[-1].name == "strong"
    assert all(level.label and level.says.endswith(".") for level in levels)


def test_it_knows_when_a_game_is_lost() -> None:
    """As the game ends when a side has captured twelve points, it is lost for the other if that side is far ahead."""
    state = next(state for state, *_ in game("acres", 1)[20:] if not state.sieges and state.question is None)
    assert not any(is_lost(ACRES, see(QUICK.mind, state, seat), QUICK, b"lost") for seat in ACRES.seats)
    british = state.players["british"]._replace(captured_towns=20)
    state = state._replace(players={**state.players, "british": british})
    lost = [is_lost(ACRES, see(QUICK.mind, state, seat), QUICK, b"lost") for seat in ACRES.seats]
    assert lost == [False, True]


# -- fair -----------------------------------------------------------------------------------------------


def test_twins_give_the_same_thoughts() -> None:
    found, twins = differences(200, QUICK, every=3)
    assert found == 0 and twins > 180


@pytest.mark.parametrize("mind", [OtherHand, OwnDeck])
def test_a_mind_that_peeks_is_caught(mind: type[Any]) -> None:
    found, _ = differences(40, replace(QUICK, mind=mind(QUICK.mind.weights)), every=3)
    assert found > 2


@pytest.mark.parametrize("title", SEATS)
def test_a_sight_looks_like_the_state(title: str) -> None:
    chosen = TITLES[title]
    mind = levels_of(chosen)[0].mind
    for state, *_ in game(title, 0)[::25]:
        for seat in SEATS[title]:
            assert chosen.view(see(mind, state, seat).world, seat) == chosen.view(state, seat)


def test_a_search_takes_nothing_but_a_sight() -> None:
    """Of what is offered, only `see` and a finished game's `look_back` are given states."""
    offered = {name: getattr(search, name).__annotations__ for name in ("think", "is_lost", "see", "look_back")}
    assert offered["think"]["sight"] == offered["is_lost"]["sight"] == "Sight"
    assert {name for name, types in offered.items() if "state" in types} == {"see"}


def test_the_search_knows_no_records_nor_anything_else_of_a_server() -> None:
    code = "import engine.kernel.search, sys; print(*[n for n in sys.modules if n.split('.')[0] in ('engine', 'app')])"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    modules = {name for name in found.stdout.split() if not name.startswith("engine.kernel.search")}
    assert modules == {
        "engine",
        "engine.kernel",
        *(f"engine.kernel.{one}" for one in ("chance", "refusals", "text", "title")),
    }


# -- the same everywhere -----------------------------------------------------------------------------------

_THOUGHTS = "from tests.engine.test_computers import TITLES, thoughts; print([thoughts(title) for title in TITLES])"


def thoughts(title: str) -> str:
    """What a search found in some positions of a game, to the last digit."""
    chosen = TITLES[title]
    level = replace(levels_of(chosen)[-1], width=4, playouts=6, turns=2)
    played = game(title, 0)
    found = [
        think(chosen, see(level.mind, state, seat), level, b"seed") for state, seat, *_ in played[:: len(played) // 4]
    ]
    return repr([(one.action, [(tried.points, tried.expected) for tried in one.tried]) for one in found])


def test_it_thinks_the_same_in_another_process() -> None:
    """With another order of sets."""
    environment = {**os.environ, "PYTHONHASHSEED": "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"}
    found = subprocess.run(
        [sys.executable, "-c", _THOUGHTS], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == str([thoughts(title) for title in TITLES])


@pytest.mark.parametrize("title", SEATS)
def test_a_stored_sight_gives_the_same_thought(title: str) -> None:
    chosen = TITLES[title]
    level = replace(levels_of(chosen)[-1], width=3, playouts=3, turns=2)
    state, seat, *_ = game(title, 0)[len(game(title, 0)) // 2]
    sight = see(level.mind, state, seat)
    stored = chosen.state_from_json(json.loads(json.dumps(chosen.state_to_json(sight.world))))
    assert think(chosen, replace(sight, world=stored), level, b"s") == think(chosen, sight, level, b"s")


def test_chance_is_even_and_comes_from_its_seed_and_labels() -> None:
    rolled = Stream(b"seed", "dice")
    counts = Counter(rolled.below(6) for _ in range(6000))
    assert all(880 < counts[face] < 1120 for face in range(6))
    again, other = Stream(b"seed", "dice"), Stream(b"seed", "dice", 1)
    first = [again.below(1000) for _ in range(20)]
    assert [Stream(b"seed", "dice").below(1000)] == first[:1] and [other.below(1000) for _ in range(20)] != first


# -- looking back ------------------------------------------------------------------------------------------


def test_a_finished_game_is_looked_back_on() -> None:
    played = game("ferry", 0)
    level = levels_of(FERRY)[-1]
    found = look_back(FERRY, played, level, b"back")
    assert [one.number for one in found.course] == list(range(len(played)))
    changes = [abs(one.change) for one in found.turning_points]
    assert len(changes) == 3 and changes == sorted(changes, reverse=True)
    greatest = sorted((abs(one.change) for one in found.course), reverse=True)[:LOOKED_AT]
    assert set(changes) <= set(greatest)
    avoidable = [one.turn for one in found.turning_points if one.better is not None]
    assert len({*avoidable}) == len(avoidable)
    assert all(0 <= one.before <= 1 and 0 <= one.after <= 1 for one in found.course)
    assert found == look_back(FERRY, played, level, b"back")
    for point in found.turning_points:
        if point.better is not None:
            FERRY.check(played[point.number][0], point.seat, point.better)
