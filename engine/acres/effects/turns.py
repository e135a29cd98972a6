"""R3: turns, drawing and shuffling, passing, the end of the game."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.effects.zones import with_player
from engine.acres.state import State, with_sorted
from engine.kernel.title import GameEnded


def turn_began(state: State, event: ev.TurnBegan) -> State:
    return state._replace(
        turn=event.turn,
        on_turn=event.seat,
        actions_left=event.actions,
        due=event.sieges,
        two_due=len(event.sieges) == 2,
    )


def turn_ended(state: State, event: ev.TurnEnded) -> State:
    return state


def game_ended(state: State, event: GameEnded) -> State:
    return state._replace(outcome=event.outcome, question=None, due=())


def passed(state: State, event: ev.Passed) -> State:
    return state._replace(actions_left=state.actions_left - 1)


def drew(state: State, event: ev.Drew) -> State:
    player = state.players[event.seat]
    hand = with_sorted(player.hand, event.cards)
    return with_player(state, event.seat, player._replace(hand=hand, draw=player.draw[len(event.cards) :]))


def shuffled(state: State, event: ev.Shuffled) -> State:
    return with_player(state, event.seat, state.players[event.seat]._replace(draw=event.cards, discard=()))
