"""Actions, events and states as JSON data, for the server's log and cache."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.acres import events as ev
from engine.acres.actions import ACTIONS
from engine.acres.editions import keep_options, kept_options
from engine.acres.effects import EFFECTS
from engine.acres.state import Board, Holding, Player, Question, Siege, State
from engine.kernel.codec import Codec
from engine.kernel.title import GameEnded, Outcome

EVENTS: tuple[type, ...] = tuple(EFFECTS)
assert GameEnded in EVENTS and ev.Opened in EVENTS

events = Codec((*EVENTS, Outcome))
actions = Codec(ACTIONS)
_outcomes = Codec((Outcome,))


def state_to_json(state: State) -> dict[str, Any]:
    return {
        "options": keep_options(state.edition),
        "turn": state.turn,
        "on_turn": state.on_turn,
        "actions_left": state.actions_left,
        "question": list(state.question) if state.question else None,
        "due": list(state.due),
        "two_due": state.two_due,
        "players": {seat: player._asdict() for seat, player in state.players.items()},
        "neutral": list(state.neutral),
        "board": {place: list(holding) for place, holding in state.board.holdings.items()},
        "sieges": {attacker: siege._asdict() for attacker, siege in state.sieges.items()},
        "outcome": _outcomes.to_json(state.outcome) if state.outcome else None,
    }


def _tuples(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}


def state_from_json(data: Mapping[str, Any]) -> State:
    return State(
        edition=kept_options(data["options"]),
        turn=data["turn"],
        on_turn=data["on_turn"],
        actions_left=data["actions_left"],
        question=Question(*data["question"]) if data["question"] else None,
        due=tuple(data["due"]),
        two_due=data["two_due"],
        players={seat: Player(**_tuples(fields)) for seat, fields in data["players"].items()},
        neutral=tuple(data["neutral"]),
        board=Board({place: Holding(*holding) for place, holding in data["board"].items()}),
        sieges={attacker: Siege(**_tuples(fields)) for attacker, fields in data["sieges"].items()},
        outcome=_outcomes.from_json(data["outcome"]) if data["outcome"] else None,
    )
