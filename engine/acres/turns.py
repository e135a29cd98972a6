"""R3 Turn: how a turn begins, goes on and ends."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.data import HAND_SIZE, OTHER, SEATS
from engine.acres.drawing import draw
from engine.acres.effects import Happenings
from engine.acres.ending import end_on_points, end_triggers, home_taken, pieces_placed
from engine.acres.siege_ends import capital_falls, is_settling, settle_due, sieges_due
from engine.acres.state import State

ACTIONS = 2  # R3.1
ACTIONS_FIRST_TURN = 1  # R3.2


def begin_turn(happened: Happenings, seat: str) -> None:
    """Begin a turn (R3.1 (a), (b)): the ends of the game, then the sieges that this seat has won; with
    `siege_before_placement_end` in the opposite order if it has won one (D33)."""
    fallen = capital_falls(happened.state, seat)
    if fallen is not None:
        happened.add(home_taken(happened.state, seat, fallen))
        return
    won = sieges_due(happened.state, seat)
    sieges_first = bool(won) and happened.state.edition.siege_before_placement_end
    triggers = () if sieges_first else end_triggers(happened.state, seat)
    if triggers:
        happened.add(end_on_points(happened.state, seat, triggers))
        return
    turn = happened.state.turn + 1
    actions = ACTIONS_FIRST_TURN if turn <= len(SEATS) else ACTIONS
    happened.add(ev.TurnBegan(seat, turn, actions, won))
    if won:
        _settle(happened)


def go_on(happened: Happenings, before: State) -> None:
    """Do what is due after an action or an answer; `before` is the state it was given in. A turn never ends by itself:
    whether a free step is left (R3.8) depends on the hidden hand (R1.5), so its seat says when it ends."""
    if is_settling(before):
        _settle(happened)


def _settle(happened: Happenings) -> None:
    """Settle the sieges won; once all are, the pieces placed may end the game (D33)."""
    settle_due(happened)
    state = happened.state
    if state.edition.siege_before_placement_end and not is_settling(state):
        placed = pieces_placed(state, state.on_turn)
        if placed:
            happened.add(end_on_points(state, state.on_turn, placed))


def end_turn(happened: Happenings) -> None:
    """End the turn (R3.1 (d), R3.5); then the other seat's turn begins."""
    seat = happened.state.on_turn
    draw(happened, seat, HAND_SIZE - len(happened.state.players[seat].hand))
    happened.add(ev.TurnEnded(seat))
    begin_turn(happened, OTHER[seat])
