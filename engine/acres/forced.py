"""Answers that need no asking, and actions that cannot be taken back."""

from __future__ import annotations

from engine.acres import actions as act
from engine.acres.rules import decision, legal, play
from engine.acres.state import State
from engine.kernel.chance import ChanceExhausted, ScriptedChance


def forced(state: State) -> act.Action | None:
    """Return the only answer where everybody can see that it is the only one, and `show-hand`, which shows it anyway.

    None where the hidden hand could leave another one: then even a pause would give it away.
    """
    due = decision(state)
    if due is None or due.kind == "action":
        return None
    choices: list[act.Action] = legal(state)
    if len(choices) != 1:
        return None
    player = state.players[due.seat]
    if choices == [act.ShowHand()] or not player.hand:
        return choices[0]
    # The same with no card in the hand, and with all that may be there: everybody knows who owns what.
    for hand in ((), player.hand + player.draw):
        if legal(state._replace(players={**state.players, due.seat: player._replace(hand=hand)})) != choices:
            return None
    return choices[0]


def reveals(state: State, action: act.Action) -> bool:
    """Return whether the action draws cards, asks the other seat or ends the turn, so that it cannot be taken back."""
    due = decision(state)
    if due is None:
        return False
    try:
        happened = play(state, due.seat, action, ScriptedChance())
    except ChanceExhausted:
        return True
    if any(event.shows or event.ends_turn for event in happened.events):
        return True
    after = decision(happened.state)
    return after is None or after.seat != due.seat
