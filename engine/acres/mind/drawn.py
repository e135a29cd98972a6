"""A world that a seat takes for possible: the cards it cannot see, dealt again (R1.5)."""

from __future__ import annotations

from engine.acres.data import OTHER
from engine.acres.state import State
from engine.kernel.chance import Chance


def drawn(state: State, seat: str, chance: Chance) -> State:
    """Return a state with the same view for the seat: the other hand dealt from what lies in hand and deck together,
    its own deck shuffled. All hands are equally likely; what an attentive seat has seen pass by is not used."""
    other = OTHER[seat]
    own, their = state.players[seat], state.players[other]
    unseen = chance.shuffle("unseen", sorted(their.hand + their.draw))
    size = len(their.hand)
    players = {
        side: player._replace(draw=chance.shuffle("own", sorted(own.draw)))
        if side == seat
        else player._replace(hand=tuple(sorted(unseen[:size])), draw=unseen[size:])
        for side, player in state.players.items()
    }
    return state._replace(players=players)
