"""What an action would do, for a page that shows it before it is played (new_world R6, R7, R8).

All points come from the engine's own scoring of a position in which the action has been played.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.new_world.actions import Action, Place, Resign, ScoreOrder
from engine.new_world.ending import final_scoring
from engine.new_world.features import Settler, find
from engine.new_world.notation import canonical, write
from engine.new_world.orders import Result, course_with_scores, gained, results
from engine.new_world.parts import leads, open_cells, rim
from engine.new_world.references import Reference
from engine.new_world.rules import check, decision, with_settler, with_tile
from engine.new_world.scoring import completed, is_complete, tiles_of
from engine.new_world.state import State
from engine.new_world.tiles import SETTLER_OF
from engine.new_world.view import view


def preview(state: State, action: Action) -> dict[str, Any] | None:
    """Return what a legal placement joins, completes and scores, or what an order of scoring scores; None for other
    actions.

    Refuses as `play` does.

    `parts` has an entry for each feature on the tile: which way it lies (`rim`) and where it leads, with the settlers
    already on it, and whether a settler could go there. A free one has a `choice`: what the placement would bring with
    that settler, and a `line` of the notation; `without` and `bare` are the same without a settler. `completes` are the
    features with settlers that would be scored, and `order` means that the seat chooses their order. `scores` are the
    points of each seat when they are scored as listed. `view` is the seat's view with the tile and the settler laid,
    before anything is scored.
    """
    owed = decision(state)
    if isinstance(action, Resign):
        return None
    check(state, owed.seat if owed else "", action)
    assert owed is not None
    if isinstance(action, ScoreOrder):
        scored = course_with_scores(state, action.features)
        after = scored.state._replace(pending=())
        return {**gained(scored.events), "view": view(after, owed.seat)}
    bare = with_tile(state, action)
    laid = with_settler(bare, action)
    complete_ones = completed(laid)
    parts = _parts(bare, owed.seat, action)
    for part in parts:
        own = action.segment if action.segment in part["segments"] else part["segments"][0]
        part["line"] = write(state, canonical(state, action._replace(segment=own))) if part["free"] else None
    return {
        "cell": [action.x, action.y],
        "tile": {"id": state.tile, "rotation": laid.board.laid[action.x, action.y].rotation},
        "segment": action.segment,
        "bare": write(state, canonical(state, action._replace(segment=None))),
        "parts": parts,
        "without": _brings(bare, action._replace(segment=None)),
        "completes": list(complete_ones),
        "order": len(complete_ones) > 1,
        **gained(course_with_scores(laid, complete_ones).events),
        "view": {**view(laid, owed.seat), "marked": [_references(action, part["segments"]) for part in parts]},
    }


def leaves_out(state: State, action: Action) -> bool:
    """Return whether a legal placement places no settler although it could."""
    owed = decision(state)
    if owed is None or not isinstance(action, Place) or action.segment is not None:
        return False
    return any(part["free"] for part in _parts(with_tile(state, action), owed.seat, action))


def _parts(state: State, seat: str, action: Place) -> list[dict[str, Any]]:
    """Return the features on the laid tile, in the order of their segments, before a settler goes there."""
    board = state.board
    kind = board.kind_at(action.x, action.y)
    segments: dict[int, list[str]] = {}
    for segment, number in zip(kind.segments, board.laid[action.x, action.y].numbers, strict=True):
        segments.setdefault(find(board.links, number), []).append(segment.id)
    open_beside = open_cells(board)
    found: list[dict[str, Any]] = []
    for number, names in segments.items():
        feature = board.features[number]
        points = rim(kind, action.rotation, tuple(names))
        at = Reference(action.x, action.y, names[0])
        free = not feature.settlers and bool(state.supply[seat])
        goes_on = feature.kind in ("road", "town")
        found.append(
            {
                "segments": names,
                "kind": feature.kind,
                "settler": SETTLER_OF[feature.kind],
                "rim": list(points),
                "leads": leads(board, action.x, action.y, points) if goes_on else [],
                "tiles": tiles_of(board, state.options, feature),
                "extras": feature.extras,
                "open": feature.open,
                "open_at": list(dict.fromkeys(open_beside.get(number, ()))) if goes_on else [],
                "around": board.filled_around(action.x, action.y) if feature.kind == "farm" else None,
                "settlers": [{"seat": one.seat, "at": one.at, "segment": one.segment} for one in feature.settlers],
                "free": free,
                "complete": is_complete(board, feature, at),
                "choice": _brings(state, action._replace(segment=names[0])) if free else None,
            }
        )
    for part in found:
        # A half of a side lies beside what divides the side.
        sides = {point[0] for point in part["rim"] if len(point) == 3}
        part["beside"] = [n for n, other in enumerate(found) if sides.intersection(other["rim"])]
    return found


def _references(action: Place, segments: Sequence[str]) -> list[str]:
    return [str(Reference(action.x, action.y, segment)) for segment in segments]


def _brings(state: State, action: Place) -> list[dict[str, Any]]:
    """Return what a placement brings at once, in the state with only its tile laid: one entry, or one for each order of
    scoring with a different end.

    Each has `scores`, `bonus` and `stragglers`, and for the settler placed with it: `goes_home` if the surveyors pass
    it at once, and `at_end`, what its feature would give its seat if the game ended then (None if it has been scored or
    has gone home).
    """
    laid = with_settler(state, action)
    return [{**gained(one.events), **_of_settler(one, action)} for one in results(laid, completed(laid))]


def _of_settler(result: Result, action: Place) -> dict[str, Any]:
    said: dict[str, Any] = {"goes_home": False, "at_end": None}
    if action.segment is None:
        return said
    here = f"{action.x},{action.y}"
    passed = gained(result.events)["stragglers"]
    said["goes_home"] = any(one["at"] == here and one["segment"] == action.segment for one in passed)
    after = result.state
    stays = next((one for one in after.settlers if (one.at, one.segment) == (here, action.segment)), None)
    if stays is not None:
        said["at_end"] = _at_end(after, stays)
    return said


def _at_end(state: State, settler: Settler) -> int:
    """Return what a settler's feature gives its seat if the game ends as it stands."""
    number = state.board.number_at(settler.x, settler.y, settler.segment)
    for event in final_scoring(state):
        at = next(one for one in state.settlers if f"{one.at}:{one.segment}" == event.feature)
        if state.board.number_at(at.x, at.y, at.segment) == number:
            return event.gains.get(settler.seat, 0)
    return 0
