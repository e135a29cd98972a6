"""What an action would do, for a page that shows it before it is played (new_world R6, R7, R8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.kernel.title import Event
from engine.new_world import events as e
from engine.new_world.actions import Action, Resign, ScoreOrder
from engine.new_world.board import lay
from engine.new_world.ending import unfinished_value
from engine.new_world.features import find
from engine.new_world.references import Reference
from engine.new_world.rules import check, completed_by, course_with, course_with_scores, decision
from engine.new_world.scoring import completed_value, is_complete, tiles_of
from engine.new_world.state import State
from engine.new_world.tiles import SETTLER_OF
from engine.new_world.view import view


def preview(state: State, action: Action) -> dict[str, Any] | None:
    """What a legal placement joins, completes and scores, or an order of scoring scores; None for other actions.

    Refuses as `play` does.

    `parts` has an entry for each feature on the tile, with the settlers already on it, what it is worth, and
    whether a settler could go there. `completes` are the features with settlers that would be scored, and `order`
    tells that their order is for the seat to choose. `scores` are the points of each seat when they are scored as
    listed. `asks` tells that a settler could be placed and is not; `view` is the seat's view with the tile and the
    settler laid, before anything is scored.
    """
    owed = decision(state)
    if isinstance(action, Resign):
        return None
    check(state, owed.seat if owed else "", action)
    assert owed is not None
    if isinstance(action, ScoreOrder):
        scored = course_with_scores(state, action.features)
        after = scored.state._replace(pending=())
        return {"asks": False, **_scored(scored.events), "view": view(after, owed.seat)}
    assert state.tile is not None
    board = lay(state.board, action.x, action.y, state.tile, action.rotation, owed.seat, state.turn)
    kind = board.tiles.kinds[state.tile]
    parts: dict[int, dict[str, Any]] = {}
    for segment, number in zip(kind.segments, board.laid[action.x, action.y].numbers, strict=True):
        number = find(board.links, number)
        if number in parts:
            parts[number]["segments"].append(segment.id)
            continue
        feature = board.features[number]
        at = Reference(action.x, action.y, segment.id)
        complete = is_complete(board, feature, at)
        parts[number] = {
            "segments": [segment.id],
            "kind": feature.kind,
            "settler": SETTLER_OF[feature.kind],
            "tiles": tiles_of(board, state.options, feature),
            "extras": feature.extras,
            "open": feature.open,
            "settlers": [{"seat": one.seat, "at": one.at, "segment": one.segment} for one in feature.settlers],
            "free": not feature.settlers and bool(state.supply[owed.seat]),
            "complete": complete,
            "worth": completed_value(board, state.options, feature)
            if complete
            else unfinished_value(board, state.options, feature, at),
        }
    complete_ones = completed_by(state, action)
    laid = course_with(state, action).state
    free = any(part["free"] for part in parts.values())
    return {
        "cell": [action.x, action.y],
        "tile": {"id": state.tile, "rotation": kind.smallest[action.rotation]},
        "segment": action.segment,
        "asks": free and action.segment is None,
        "parts": list(parts.values()),
        "completes": list(complete_ones),
        "order": len(complete_ones) > 1,
        **_scored(course_with_scores(laid, complete_ones).events),
        "view": view(laid, owed.seat),
    }


def _scored(happened: Sequence[Event]) -> dict[str, Any]:
    """The points of each seat, and the settlers that both surveyors pass."""
    scores: dict[str, int] = {}
    for event in happened:
        if isinstance(event, e.FeatureScored):
            for seat, points in event.gains.items():
                scores[seat] = scores.get(seat, 0) + points
    return {
        "scores": scores,
        "stragglers": [
            {"seat": seat, "at": f"{x},{y}", "segment": segment}
            for event in happened
            if isinstance(event, e.StragglersRemoved)
            for seat, x, y, segment in event.home
        ],
    }
