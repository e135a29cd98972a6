"""Actions and states as JSON data and back. A state is stored as what was laid; the joins follow from that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text
from engine.new_world import options
from engine.new_world.actions import Action, Place, Resign, ScoreOrder
from engine.new_world.board import lay, start_board, with_settler
from engine.new_world.events import CODEC
from engine.new_world.features import Settler
from engine.new_world.state import State
from engine.new_world.tiles import tile_set


def action_to_json(action: Action) -> dict[str, Any]:
    """Plain data of an action."""
    if isinstance(action, Place):
        data: dict[str, Any] = {"is": "Place", "x": action.x, "y": action.y, "rotation": action.rotation}
        if action.segment is not None:
            data["segment"] = action.segment
        return data
    if isinstance(action, ScoreOrder):
        return {"is": "ScoreOrder", "features": list(action.features)}
    return {"is": "Resign"}


def action_from_json(data: Mapping[str, Any]) -> Action:
    """Return the action again. Raises `Unreadable` for data of another shape."""
    match data:
        case {"is": "Place", "x": int(x), "y": int(y), "rotation": int(rotation)}:
            segment = data.get("segment")
            if segment is None or isinstance(segment, str):
                return Place(x, y, rotation, segment)
        case {"is": "ScoreOrder", "features": [*features]} if all(isinstance(one, str) for one in features):
            return ScoreOrder(tuple(features))
        case {"is": "Resign"}:
            return Resign()
    raise Unreadable("action.shape", Text("This is not an action of the game."))


def state_to_json(state: State) -> dict[str, Any]:
    """Plain data of a state."""
    return {
        "options": options.write(state.options, options.KEPT),
        "seats": list(state.seats),
        "start": state.start,
        "laid": [[x, y, one.tile, one.rotation, one.seat, one.turn] for (x, y), one in state.board.laid.items()],
        "bag": list(state.bag),
        "set_aside": list(state.set_aside),
        "tile": state.tile,
        "turn": state.turn,
        "to_move": state.to_move,
        "surveyors": list(state.surveyors),
        "scores": dict(state.scores),
        "supply": dict(state.supply),
        "settlers": [list(settler) for settler in state.settlers],
        "last": None if state.last is None else list(state.last),
        "pending": list(state.pending),
        "resigned": list(state.resigned),
        "outcome": CODEC.to_json(state.outcome),
    }


def state_from_json(data: Mapping[str, Any]) -> State:
    """Return the state again, equal to the one that was stored."""
    chosen = options.read(data["options"], options.KEPT)
    board = start_board(tile_set(chosen.tile_set))
    for x, y, tile, rotation, seat, turn in data["laid"]:
        board = lay(board, x, y, tile, rotation, seat, turn)
    settlers = tuple(Settler(*settler) for settler in data["settlers"])
    for settler in settlers:
        board = with_settler(board, settler)
    north, south = data["surveyors"]
    last = data["last"]
    return State(
        options=chosen,
        seats=tuple(data["seats"]),
        start=data["start"],
        board=board,
        bag=tuple(data["bag"]),
        set_aside=tuple(data["set_aside"]),
        tile=data["tile"],
        turn=data["turn"],
        to_move=data["to_move"],
        surveyors=(north, south),
        scores=dict(data["scores"]),
        supply=dict(data["supply"]),
        settlers=settlers,
        last=None if last is None else (last[0], last[1]),
        pending=tuple(data["pending"]),
        resigned=tuple(data["resigned"]),
        outcome=CODEC.from_json(data["outcome"]),
    )
