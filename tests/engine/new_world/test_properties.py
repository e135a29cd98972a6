"""Properties of every game, over seeded random games of 2 to 5 seats and both ways of playing."""

from __future__ import annotations

import json
import random
from functools import cache
from itertools import permutations
from typing import Any

import pytest

from engine.kernel.chance import SeededChance
from engine.kernel.records import Entry
from engine.kernel.refusals import Refusal
from engine.new_world import NEW_WORLD
from engine.new_world.actions import Place, ScoreOrder
from engine.new_world.board import Board, lay, start_board
from engine.new_world.events import FeatureScored, SurveyorMoved, TilePlaced, TurnEnded, UnfinishedScored
from engine.new_world.features import find
from engine.new_world.geometry import SIDES, STEPS
from engine.new_world.orders import course_with_scores
from engine.new_world.placement import placements, placements_with_settlers
from engine.new_world.references import parse_reference
from engine.new_world.state import State
from engine.new_world.tiles import SHIPPED, tile_set
from tests.support import new_world_recount as recount
from tests.support.new_world_games import random_game

DATA = tile_set(SHIPPED).data
GAMES = [(2, False), (3, True), (4, False), (5, True)]
games = pytest.mark.parametrize(("seats", "greedy"), GAMES)


@cache
def played(seats: int, greedy: bool) -> tuple[list[Entry], list[State], list[str]]:
    """A game that the tests look at from many sides: its log, its states, and of every eighth what is stored of it, as
    it was when it was reached."""
    states: list[State] = []
    stored: list[str] = []

    def look(state: State) -> None:
        if len(states) % 8 == 0:
            stored.append(json.dumps(NEW_WORLD.state_to_json(state)))
        states.append(state)

    return random_game(100 + seats, seats, greedy=greedy, look=look), states, stored


def laid_tiles(state: State) -> dict[tuple[int, int], tuple[str, int]]:
    return {cell: (one.tile, one.rotation) for cell, one in state.board.laid.items()}


def wholes_at(state: State) -> dict[recount.Part, recount.Whole]:
    return {part: whole for whole in recount.features_of(DATA, laid_tiles(state)) for part in whole.parts}  # type: ignore[arg-type]


@pytest.mark.slow
@games
def test_scores_equal_a_slow_recount_from_the_laid_tiles(seats: int, greedy: bool) -> None:
    """new_world R7, R8, R9.4, R9.8, R11: every scored feature, who scores it, and that none is left out."""
    log, _, _ = played(seats, greedy)
    state: Any = None
    totals = dict.fromkeys(NEW_WORLD.seats[:seats], 0)
    for entry in log:
        for event in entry.events:
            before, state = state, NEW_WORLD.apply(state, event)
            if isinstance(event, FeatureScored | UnfinishedScored):
                whole = wholes_at(before)[parse_reference(event.feature)]
                complete = isinstance(event, FeatureScored)
                points = recount.value(DATA, laid_tiles(before), whole, complete=complete)  # type: ignore[arg-type]
                standing = [(s.seat, s.x) for s in before.settlers if (s.x, s.y, s.segment) in whole.parts]
                expected = recount.gains(points, standing, before.surveyors if complete else None)
                assert (event.kind, event.value, dict(event.gains)) == (whole.kind, points, expected)
                if complete:
                    assert whole.open == 0
                    assert {part[:3] for part in event.home} == {
                        tuple(s)[:3] for s in before.settlers if (s.x, s.y, s.segment) in whole.parts
                    }
                for seat, number in event.gains.items():
                    totals[seat] += number
            if isinstance(event, TurnEnded):
                assert dict(state.scores) == totals
                parts = wholes_at(state)
                for settler in state.settlers:  # nothing complete keeps a settler (R9.8)
                    whole = parts[settler.x, settler.y, settler.segment]
                    if whole.kind == "farm":
                        assert recount.filled_around(DATA, laid_tiles(state), settler.x, settler.y) < 8  # type: ignore[arg-type]
                    else:
                        assert whole.kind == "plain" or whole.open


@pytest.mark.slow
@games
def test_features_equal_a_slow_walk_over_the_tiles(seats: int, greedy: bool) -> None:
    """new_world R6.2, R10.1: each half-edge in one plain, each side in one road or town, joined as one walks."""
    _, states, _ = played(seats, greedy)
    for state in [*states[5::17], states[-1]]:
        parts = wholes_at(state)
        for (x, y), one in state.board.laid.items():
            for segment, number in zip(state.board.kind_at(x, y).segments, one.numbers, strict=True):
                feature = state.board.features[find(state.board.links, number)]
                whole = parts[x, y, segment.id]
                assert (feature.kind, feature.extras) == (whole.kind, whole.extras)
                assert feature.cells.bit_count() == len(whole.cells)
                assert feature.kind in ("plain", "farm") or feature.open == whole.open
                assert {(s.x, s.y, s.segment) for s in feature.settlers} <= whole.parts


def outline(board: Board) -> set[tuple[object, ...]]:
    """The features of a board without their numbers."""
    parts: dict[int, set[object]] = {}
    for (x, y), one in board.laid.items():
        for segment, number in zip(board.kind_at(x, y).segments, one.numbers, strict=True):
            parts.setdefault(find(board.links, number), set()).add((x, y, segment.id))
    found = set()
    for number, names in parts.items():
        feature = board.features[number]
        found.add((feature.kind, feature.cells.bit_count(), feature.open, feature.extras, frozenset(names)))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_a_feature_does_not_depend_on_the_order_in_which_it_was_joined(seed: int) -> None:
    """new_world R8: the same tiles laid in another order make the same features, values and legal places."""
    states: list[State] = []
    random_game(seed, 2, look=states.append)
    board = states[-1].board
    source = random.Random(seed)
    other = start_board(board.tiles)
    left = dict(board.laid)
    while left:
        cell = source.choice([cell for cell in left if other.gap_at(*cell)])
        one = left.pop(cell)
        other = lay(other, *cell, one.tile, one.rotation, one.seat, one.turn)
    assert outline(other) == outline(board)
    assert [gap[:3] for gap in other.gaps] == [gap[:3] for gap in board.gaps]
    assert other.west == board.west


@pytest.mark.slow
@games
def test_exactly_the_listed_actions_are_accepted(seats: int, greedy: bool) -> None:
    """Every legal action is accepted and every other refused with a reason."""
    _, states, _ = played(seats, greedy)
    for state in states[3:-1:13]:
        owed = NEW_WORLD.decision(state)
        assert owed is not None
        listed = NEW_WORLD.legal(state)
        assert len(set(listed)) == len(listed)
        if isinstance(listed[0], ScoreOrder) or state.tile is None:
            continue
        assert listed == sorted(listed, key=lambda one: one[:3])
        kind = state.board.tiles.kinds[state.tile]
        cells = {(x + dx, y + dy) for x, y in state.board.laid for dx, dy in (*STEPS, (1, 1), (0, 0))}
        cells |= {(column, row) for column in (0, 1) for row in range(-1, 11)}
        for x, y in cells:
            for rotation in kind.rotations:
                for segment in (None, *kind.index, "t9"):
                    action = Place(x, y, rotation, segment)
                    try:
                        NEW_WORLD.check(state, owed.seat, action)
                    except Refusal as refusal:
                        assert action not in listed and refusal.rule and refusal.code
                    else:
                        assert action in listed


def test_of_many_orders_of_scoring_those_are_listed_that_end_differently_and_all_are_accepted() -> None:
    """new_world R9.7: six features have 720 orders. No game had six at once; these are taken for completed."""
    _, states, _ = played(5, greedy=False)
    state = next(one for one in states if len(settled_features(one)) >= 6)
    state = state._replace(pending=settled_features(state)[:6])
    ends: dict[object, tuple[str, ...]] = {}
    for order in permutations(state.pending):
        after = course_with_scores(state, order).state
        ends.setdefault((str(after.scores), after.settlers, after.surveyors), order)
    listed = [one.features for one in NEW_WORLD.legal(state)]
    assert listed == list(ends.values()) and 24 < len(listed) < 720
    other = next(order for order in permutations(state.pending) if order not in listed)
    NEW_WORLD.play(state, NEW_WORLD.decision(state).seat, ScoreOrder(other), SeededChance(b"six"))


def settled_features(state: State) -> tuple[str, ...]:
    """Return the roads, towns and farms with settlers, each by one of them."""
    found: dict[object, str] = {}
    for one in state.settlers:
        if one.segment[0] != "p":
            found.setdefault(
                state.board.feature_at(one.x, one.y, one.segment).settlers, f"{one.x},{one.y}:{one.segment}"
            )
    return tuple(found.values())


@pytest.mark.slow
@games
def test_a_part_is_free_exactly_where_the_laid_tile_joins_no_settler(seats: int, greedy: bool) -> None:
    """new_world R6.2: which parts are free is worked out without laying the tile; laying it says the same."""
    _, states, _ = played(seats, greedy)
    parts = 0
    for state in states[3:-1:5]:
        if state.tile is None or state.pending:
            continue
        listed = placements_with_settlers(state.board, state.tile)
        for x, y, rotation, _ in placements(state.board, state.tile):
            after = lay(state.board, x, y, state.tile, rotation, seat="red", turn=1)
            for part in state.board.tiles.kinds[state.tile].index:
                standing = after.feature_at(x, y, part).settlers
                assert (Place(x, y, rotation, part) in listed) == (not standing)
                parts += bool(standing)
    assert parts > 100


@pytest.mark.slow
@games
def test_surveyors_walk_as_they_must(seats: int, greedy: bool) -> None:
    """new_world R9.1 to R9.3: a step behind each scored feature, unless both are together and nothing lies west."""
    state: Any = None
    for entry in played(seats, greedy)[0]:
        events = list(entry.events)
        for place, event in enumerate(events):
            state = NEW_WORLD.apply(state, event)
            if isinstance(event, FeatureScored):
                north, south = state.surveyors
                moves = isinstance(events[place + 1], SurveyorMoved)
                assert moves == (north != south or any(x > north for x, _ in state.board.laid))
            if isinstance(event, TilePlaced):
                assert SIDES and state.board.west >= event.x


def test_a_state_is_small() -> None:
    """One game state under 40 KB; states share what did not change."""
    import sys

    states: list[State] = []
    random_game(8, 5, look=states.append)
    late, later = states[-3], states[-2]
    seen: set[int] = set()

    def size(value: object) -> int:
        if id(value) in seen or isinstance(value, str | int | bool | None):
            return 0
        seen.add(id(value))
        own = sys.getsizeof(value)
        if isinstance(value, tuple):
            return own + sum(map(size, value))
        if isinstance(value, dict):
            return own + sum(map(size, value.values())) + sum(map(size, value))
        return own

    size(late.board.tiles)
    size(late)
    assert size(later) < 40_000


def test_too_many_completed_features_are_still_listed_completely() -> None:
    """new_world R9.7: every order of four features is a legal action."""
    state = next(iter(_with_pending(4)))
    assert len(NEW_WORLD.legal(state)) == 24


def _with_pending(number: int) -> list[State]:
    """Return a state in which this many features wait; only their names matter to the list."""
    states: list[State] = []
    random_game(1, 2, look=states.append)
    return [states[9]._replace(pending=tuple(f"1,{row}:t0" for row in range(number)))]
