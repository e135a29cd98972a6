"""Who may know what (R1.5): hands are their owner's, decks are nobody's; all else lies open."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.acres import events as ev
from engine.acres.data import OTHER, SEATS
from engine.acres.ending import score
from engine.acres.rules import decision
from engine.acres.state import Player, State, siege_half


def view(state: State, seat: str | None) -> dict[str, Any]:
    """What a seat, or with None a spectator, may know.

    Cards that a player's own count would give away are given: `unseen` is what lies in hand and deck together (for
    the own seat, in the deck), sorted. It follows from the open zones, as every card is somewhere.
    """
    due = decision(state)
    outcome = state.outcome
    return {
        "seat": seat,
        "edition": state.edition.edition,
        "turn": state.turn,
        "on_turn": state.on_turn,
        "actions_left": state.actions_left,
        "decision": None if due is None else {"seat": due.seat, "kind": due.kind, "place": _asked_place(state)},
        "two_sieges_end": state.two_due,
        "seats": {side: _side(state, side, own=side == seat) for side in SEATS},
        "neutral": list(state.neutral),
        "board": {
            place: {"owner": holding.owner, "piece": holding.piece, "fort": holding.fort}
            for place, holding in sorted(state.board.holdings.items())
        },
        "sieges": [
            {"attacker": attacker, "place": siege.place, "strength": siege.strength}
            for attacker, siege in sorted(state.sieges.items())
        ],
        "score": score(state),
        "outcome": None
        if outcome is None
        else {
            "winners": list(outcome.winners),
            "reason": outcome.reason,
            "scores": dict(outcome.scores),
            **{key: list(value) if isinstance(value, tuple) else value for key, value in outcome.detail.items()},
        },
    }


def _asked_place(state: State) -> str | None:
    if state.question is not None:
        return state.question.place or None
    return state.sieges[state.due[0]].place if state.due else None


def _side(state: State, side: str, *, own: bool) -> dict[str, Any]:
    player: Player = state.players[side]
    return {
        "money": player.money,
        "hand": list(player.hand) if own else None,
        "hand_count": len(player.hand),
        "deck_count": len(player.draw),
        "unseen": sorted(player.draw if own else player.draw + player.hand),
        "discard": list(player.discard),
        "reserve": list(player.reserve),
        "locations": list(player.locations),
        "empire": list(player.empire),
        "siege": {
            attacker: sorted(siege_half(siege, attacker, side)) for attacker, siege in sorted(state.sieges.items())
        },
        "villages": player.villages,
        "towns": player.towns,
        "captured_villages": player.captured_villages,
        "captured_towns": player.captured_towns,
    }


def seen_by(event: Any, seat: str | None) -> Any:
    """The event as the seat sees it; what it may not see is gone."""
    if isinstance(event, ev.Opened):
        hands = {side: cards for side, cards in event.hands.items() if side == seat}
        return replace(event, hands=hands, draws={})
    if isinstance(event, ev.Shuffled):
        return replace(event, cards=())
    if isinstance(event, ev.Drew) and event.seat != seat:
        return replace(event, cards=())
    if isinstance(event, ev.HandShown) and seat not in (event.seat, OTHER[event.seat]):
        return replace(event, cards=())
    return event
