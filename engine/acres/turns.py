"""R3 Turn: how one begins, goes on and ends."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.data import HAND_SIZE, OTHER, SEATS
from engine.acres.drawing import draw
from engine.acres.ending import end_on_points, end_triggers, home_taken
from engine.acres.happening import Happenings
from engine.acres.management import can_play_home_support, can_retrieve
from engine.acres.position import Position
from engine.acres.siege_ends import capital_falls, settle_due, sieges_due
from engine.acres.sieges import legal_reinforce
from engine.acres.state import State

ACTIONS = 2  # R3.1
ACTIONS_FIRST_TURN = 1  # R3.2


def begin_turn(h: Happenings, seat: str) -> None:
    """R3.1 (a), (b): the ends of the game, then the sieges that this seat has won."""
    fallen = capital_falls(h.state, seat)
    if fallen is not None:
        h.add(home_taken(h.state, seat, fallen))
        return
    triggers = end_triggers(h.state, seat)
    if triggers:
        h.add(end_on_points(h.state, seat, triggers))
        return
    turn = h.state.turn + 1
    actions = ACTIONS_FIRST_TURN if turn <= len(SEATS) else ACTIONS
    h.add(ev.TurnBegan(seat, turn, actions, sieges_due(h.state, seat)))
    settle_due(h)


def go_on(h: Happenings) -> None:
    """After an action or an answer: what is due now, and the end of the turn when nothing can follow."""
    if h.state.outcome is not None:
        return
    settle_due(h)
    state = h.state
    if state.question is None and not state.due and not state.actions_left and not can_act_freely(state):
        end_turn(h)


def can_act_freely(state: State) -> bool:
    """Whether the seat on turn has a free step to make (R3.8)."""
    seat = state.on_turn
    if state.sieges:
        if state.edition.withdraw_is_free:
            return True
        if "military-leader" in state.players[seat].hand and legal_reinforce(Position(state, seat), free_only=True):
            return True
    return can_retrieve(state, seat) or can_play_home_support(state, seat)


def end_turn(h: Happenings) -> None:
    """R3.1 (d), R3.5; then the other seat's turn begins."""
    seat = h.state.on_turn
    draw(h, seat, HAND_SIZE - len(h.state.players[seat].hand))
    h.add(ev.TurnEnded(seat))
    begin_turn(h, OTHER[seat])
