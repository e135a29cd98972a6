"""R5, R6: settling and building."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.data import TOWN, VILLAGE
from engine.acres.effects.zones import played, with_action_used, with_location_card
from engine.acres.state import Holding, State


def settled(state: State, event: ev.Settled) -> State:
    player = state.players[event.seat]
    player = played(player, event.cards, villages=player.villages - event.placed)
    if event.taken:
        player = with_location_card(player, event.place)
    board = state.board.put(event.place, Holding(event.seat, VILLAGE)) if event.placed else state.board
    return with_action_used(state, event.seat, player, board=board)


def developed(state: State, event: ev.Developed) -> State:
    player = state.players[event.seat]
    player = played(player, event.cards, villages=player.villages + 1, towns=player.towns - 1)
    holding = state.board.holdings[event.place]
    return with_action_used(state, event.seat, player, board=state.board.put(event.place, holding._replace(piece=TOWN)))


def fortified(state: State, event: ev.Fortified) -> State:
    player = state.players[event.seat]
    player = played(player, event.cards, money=player.money - event.price)
    holding = state.board.holdings[event.place]
    return with_action_used(state, event.seat, player, board=state.board.put(event.place, holding._replace(fort=True)))
