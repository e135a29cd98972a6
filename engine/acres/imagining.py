"""A position in which a seat can try things out: nothing in it comes from what the seat cannot know (R1.5)."""

from __future__ import annotations

from engine.acres.state import State


def imagined(state: State, seat: str) -> State:
    """Return the state with everything hidden from the seat replaced.

    The other side holds every card that lies in its hand or its deck, so that it can do whatever it might be able to
    do. The seat's own deck is sorted: the order in which it draws means nothing.
    """
    players = {}
    for side, player in state.players.items():
        if side == seat:
            players[side] = player._replace(draw=tuple(sorted(player.draw)))
        else:
            players[side] = player._replace(hand=tuple(sorted(player.hand + player.draw)), draw=())
    return state._replace(players=players)
