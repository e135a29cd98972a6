"""The end of the game and the final scoring (new_world R11)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.kernel.title import Outcome
from engine.new_world.board import Board
from engine.new_world.events import UnfinishedScored
from engine.new_world.features import Feature
from engine.new_world.options import Options
from engine.new_world.references import Reference
from engine.new_world.scoring import majority, tiles_of
from engine.new_world.state import State

BY_POINTS = "points"
RESIGNATION = "resignation"


def unfinished_value(board: Board, options: Options, feature: Feature, at: Reference) -> int:
    """Return what an unfinished feature or a plain is worth at the end (new_world R11.2 to R11.4)."""
    if feature.kind == "plain":
        return feature.extras
    if feature.kind == "farm":
        return 1 + board.filled_around(at.x, at.y)
    posts_are_left_out = feature.kind == "road" and not options.posts_count_unfinished
    return tiles_of(board, options, feature) + (0 if posts_are_left_out else feature.extras)


def final_scoring(state: State) -> Iterator[UnfinishedScored]:
    """Yield one event for each feature that still holds a settler and is worth something.

    No bonus, no surveyor, nobody goes home (new_world R11.5).
    """
    board = state.board
    seen = set()
    for settler in state.settlers:
        number = board.number_at(settler.x, settler.y, settler.segment)
        if number in seen:
            continue
        seen.add(number)
        feature = board.features[number]
        at = Reference(settler.x, settler.y, settler.segment)
        value = unfinished_value(board, state.options, feature, at)
        if value:
            gains = dict.fromkeys(majority(state.seats, feature.settlers), value)
            yield UnfinishedScored(str(at), feature.kind, value, gains)


def outcome_by_points(state: State) -> Outcome:
    """Return the outcome: most points win, tied seats share the win; seats that resigned rank below (new_world
    R11.6)."""
    best = max(state.scores[seat] for seat in state.playing)
    winners = tuple(seat for seat in state.playing if state.scores[seat] == best)
    return Outcome(winners, BY_POINTS, dict(state.scores))
