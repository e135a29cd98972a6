"""What features and settlers are worth in New World, and how each seat stands."""

from __future__ import annotations

from engine.new_world.board import Board
from engine.new_world.ending import unfinished_value
from engine.new_world.features import Feature, Settler
from engine.new_world.mind.weights import Weights
from engine.new_world.references import Reference
from engine.new_world.scoring import CELLS_AROUND_A_FARM, completed_value, majority
from engine.new_world.state import State

AHEAD = 3
"""Steps within which a surveyor is expected soon."""


def feature_worth(weights: Weights, state: State, board: Board, feature: Feature, settler: Settler) -> float:
    """Return what a feature, in which this settler stands, may bring to each of its owners."""
    at = Reference(settler.x, settler.y, settler.segment)
    unfinished = unfinished_value(board, state.options, feature, at)
    tiles = len(state.bag)
    if feature.kind == "plain":
        return unfinished + weights.animals * tiles
    missing = feature.open
    whole = float(completed_value(board, state.options, feature))
    if feature.kind == "farm":
        missing = CELLS_AROUND_A_FARM - board.filled_around(settler.x, settler.y)
    else:
        whole += weights.growth * missing * (2 if feature.kind == "town" else 1)
    column, (north, south) = settler.x, state.surveyors
    steps = max(0, column + 1 - north) + max(0, column + 1 - south)
    time = weights.step * steps
    is_passed = time < tiles
    if is_passed:
        tiles = int(time)
    chances = weights.closing[feature.kind]
    likely = chances[min(missing, len(chances) - 1)]
    if missing:
        likely *= tiles / (tiles + weights.pace * missing)
    if column in (north, south):
        whole += weights.bonus_here
    elif min(north, south) < column <= max(north, south) + AHEAD:
        whole += weights.bonus_ahead
    return likely * whole + (1 - likely) * unfinished * (weights.abandoned if is_passed else 1)


def supply_worth(weights: Weights, state: State, seat: str) -> float:
    """Return what the settlers that the seat has not placed are worth."""
    left = len(state.bag) / len(state.seats)
    return weights.supply[state.supply[seat]] * left / (left + weights.busy) if left else 0.0


def worth(weights: Weights, state: State) -> dict[str, float]:
    """Return points scored and to come, and settlers left, of each seat."""
    board = state.board
    found = {seat: state.scores[seat] + supply_worth(weights, state, seat) for seat in state.playing}
    seen: list[int] = []
    for settler in state.settlers:
        number = board.number_at(settler.x, settler.y, settler.segment)
        if number in seen:
            continue
        seen.append(number)
        feature = board.features[number]
        value = feature_worth(weights, state, board, feature, settler)
        for seat in majority(state.seats, feature.settlers):
            if seat in found:
                found[seat] += value
    return found
