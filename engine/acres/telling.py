"""Which seats an action may have told something hidden, judged by public facts; see `Title.may_tell`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.acres import actions as act
from engine.acres import events as ev
from engine.acres.actions import HAND, RESERVE
from engine.acres.data import OTHER
from engine.acres.knowledge import FREE_STEPS
from engine.acres.rules import decision
from engine.acres.state import State

_OPEN = (act.Draft, act.Pass, act.Retrieve, act.Withdraw, act.End, act.Allow, act.Leave)
"""What can be said with any hand without showing any of it. Everything not named here is assumed to come from the
hand."""
_SHOW_THE_OTHER = ("ambush", "convert")
"""Questions put only to a hand that can lose a card: any other is shown at once (R10.14, R10.16)."""


def may_tell(before: State, action: Any, events: Sequence[Any], after: State) -> tuple[str, ...]:
    """Return the seats that may have learned something, judged only by open cards, counts and the action itself.

    An action tells about a hidden hand when it plays from it or when the hand decides what follows. When the draw deck
    is empty, everybody can work the hand out. A seat that draws learns something, unless the deck has only one card.
    """
    due = decision(before)
    assert due is not None
    found = []
    if not _is_open(action, due.kind) and before.players[due.seat].draw:
        found.append(OTHER[due.seat])
    if _hand_decided_end(before, action, events):
        found.append(OTHER[before.on_turn])
    if due.seat != before.on_turn and _only_end_is_owed(after):
        found.append(due.seat)  # if the other seat had announced its end in advance, the turn would be over
    if after.question is not None and after.question.kind in _SHOW_THE_OTHER:
        found.append(OTHER[after.question.seat])
    # The order of several drawn cards tells what lay on top, even when no other is left.
    found += [event.seat for event in events if isinstance(event, ev.Drew) and len(before.players[event.seat].draw) > 1]
    return tuple(found)


def _is_open(action: Any, kind: str) -> bool:
    if isinstance(action, act.Lose):
        # From a siege a card is lost to an ambush only where hand and reserve have none to lose (R10.14).
        return kind == "siege-loss" if action.source not in (HAND, RESERVE) else action.source == RESERVE
    if isinstance(action, act.Occupy):
        return action.settler is None
    return isinstance(action, _OPEN)


def _hand_decided_end(before: State, action: Any, events: Sequence[Any]) -> bool:
    """Return whether free steps that were, or were not, in a hidden hand decided that the turn ended (R3.8). Only games
    of an earlier version have such steps: now a turn ends when its seat says so."""
    player = before.players[before.on_turn]
    if isinstance(action, act.End) or not player.draw:
        return False
    ended = any(isinstance(event, ev.TurnEnded) for event in events)
    return ended and any(card in player.draw + player.hand for card in FREE_STEPS)


def _only_end_is_owed(state: State) -> bool:
    """Return whether the turn waits only for its seat to end it (R3.1)."""
    due = decision(state)
    return due is not None and due.kind == "action" and not state.actions_left
