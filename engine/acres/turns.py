"""R3 Turn: how one begins, goes on and ends."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.data import HAND_SIZE, OTHER, SEATS
from engine.acres.drawing import draw
from engine.acres.effects import Happenings
from engine.acres.ending import end_on_points, end_triggers, home_taken
from engine.acres.siege_ends import capital_falls, settle_due, sieges_due

ACTIONS = 2  # R3.1
ACTIONS_FIRST_TURN = 1  # R3.2


def begin_turn(happened: Happenings, seat: str) -> None:
    """R3.1 (a), (b): the ends of the game, then the sieges that this seat has won."""
    fallen = capital_falls(happened.state, seat)
    if fallen is not None:
        happened.add(home_taken(happened.state, seat, fallen))
        return
    triggers = end_triggers(happened.state, seat)
    if triggers:
        happened.add(end_on_points(happened.state, seat, triggers))
        return
    turn = happened.state.turn + 1
    actions = ACTIONS_FIRST_TURN if turn <= len(SEATS) else ACTIONS
    happened.add(ev.TurnBegan(seat, turn, actions, sieges_due(happened.state, seat)))
    settle_due(happened)


def go_on(happened: Happenings) -> None:
    """After an action or an answer: what is due now. The turn never ends by itself: whether a free step is left (R3.8)
    depends on the hand, which nobody else may know (R1.5), so its seat says when it ends."""
    if happened.state.outcome is None:
        settle_due(happened)


def end_turn(happened: Happenings) -> None:
    """R3.1 (d), R3.5; then the other seat's turn begins."""
    seat = happened.state.on_turn
    draw(happened, seat, HAND_SIZE - len(happened.state.players[seat].hand))
    happened.add(ev.TurnEnded(seat))
    begin_turn(happened, OTHER[seat])
