"""R7-R9, R12: sieges."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.data import OTHER, VILLAGE
from engine.acres.effects.zones import (
    played,
    sent_home,
    with_action_used,
    with_captured,
    with_cards_back,
    with_location_card,
    with_player,
)
from engine.acres.state import Holding, Question, Siege, State, siege_half, with_sorted, without


def siege_began(state: State, event: ev.SiegeBegan) -> State:
    player = state.players[event.seat]
    hand = without(player.hand, (*event.cards, event.force))
    player = player._replace(hand=hand, discard=player.discard + event.cards, money=player.money - event.price)
    siege = Siege(event.place, event.strength, (event.force,), ())
    return with_action_used(state, event.seat, player, sieges={**state.sieges, event.seat: siege})


def reinforced(state: State, event: ev.Reinforced) -> State:
    player = state.players[event.seat]
    player = player._replace(hand=without(player.hand, (event.card,)), money=player.money - event.price)
    siege = state.sieges[event.attacker]._replace(strength=event.strength)
    if event.seat == event.attacker:
        siege = siege._replace(attacking=with_sorted(siege.attacking, (event.card,)))
    else:
        siege = siege._replace(defending=with_sorted(siege.defending, (event.card,)))
    spend = with_player if event.free else with_action_used
    return spend(state, event.seat, player, sieges={**state.sieges, event.attacker: siege})


def _siege_over(state: State, attacker: str, winner: str, returned: str | None) -> State:
    """End a siege (R9.3, R9.6, R9.7): cards and marker come back; a beaten defender's piece is captured."""
    siege = state.sieges[attacker]
    loser = OTHER[winner]
    players = dict(state.players)
    players[winner] = with_cards_back(players[winner], siege_half(siege, attacker, winner))
    kept = siege_half(siege, attacker, loser)
    if returned is not None:
        kept = without(kept, (returned,))
    players[loser] = with_cards_back(players[loser], kept)
    board, question = state.board, state.question
    if winner == attacker:
        players[winner] = with_captured(players[winner], board.holdings[siege.place].piece)
        board = board.put(siege.place, None)
        question = Question("conquest", winner, siege.place)
    sieges = {key: other for key, other in state.sieges.items() if key != attacker}
    due = tuple(key for key in state.due if key != attacker)
    state = state._replace(players=players, board=board, question=question, sieges=sieges, due=due)
    return state if returned is None else sent_home(state, loser, (returned,))


def siege_won(state: State, event: ev.SiegeWon) -> State:
    return _siege_over(state, event.attacker, event.seat, event.returned)


def withdrew(state: State, event: ev.Withdrew) -> State:
    state = _siege_over(state, event.attacker, OTHER[event.seat], event.returned)
    return state if event.free else state._replace(actions_left=state.actions_left - 1)


def occupied(state: State, event: ev.Occupied) -> State:
    player = state.players[event.seat]
    if event.settler is not None:
        player = played(player, (event.settler,))
    player = player._replace(villages=player.villages - 1)
    if event.taken:
        player = with_location_card(player, event.place)
    board = state.board.put(event.place, Holding(event.seat, VILLAGE))
    return with_player(state, event.seat, player, board=board, question=None)


def left_neutral(state: State, event: ev.LeftNeutral) -> State:
    return state._replace(question=None)
