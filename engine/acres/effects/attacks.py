"""R10: raid, ambush, conversion."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.data import OTHER, SEATS, VILLAGE
from engine.acres.effects.zones import (
    played,
    sent_home,
    with_action_used,
    with_captured,
    with_cards_back,
    with_player,
    without_card,
)
from engine.acres.state import Question, State, siege_half, without


def raid_began(state: State, event: ev.RaidBegan) -> State:
    player = state.players[event.seat]
    player = played(player, event.cards, money=player.money - event.price)
    return with_action_used(state, event.seat, player, question=Question("raid", OTHER[event.seat], event.place))


def blocked(state: State, event: ev.RaidBlocked | ev.AmbushBlocked) -> State:
    return with_player(state, event.seat, played(state.players[event.seat], (event.card,)), question=None)


def raid_succeeded(state: State, event: ev.RaidSucceeded) -> State:
    owner = OTHER[event.seat]
    players = dict(state.players)
    players[event.seat] = with_captured(players[event.seat], event.piece)
    if event.village_left:
        players[owner] = players[owner]._replace(villages=players[owner].villages - 1)
        left = state.board.holdings[event.place]._replace(piece=VILLAGE)
        board = state.board.put(event.place, left)
    else:
        board = state.board.put(event.place, None)
    sieges = state.sieges
    if event.lifted is not None:
        siege = sieges[event.lifted]
        for seat in SEATS:
            players[seat] = with_cards_back(players[seat], siege_half(siege, event.lifted, seat))
        sieges = {key: other for key, other in sieges.items() if key != event.lifted}
    return state._replace(players=players, board=board, sieges=sieges, question=None)


def ambush_began(state: State, event: ev.AmbushBegan) -> State:
    player = state.players[event.seat]
    player = played(player, (event.card,), money=player.money - event.price)
    return with_action_used(state, event.seat, player, question=Question("ambush", OTHER[event.seat]))


def conversion_began(state: State, event: ev.ConversionBegan) -> State:
    player = played(state.players[event.seat], (event.card,))
    return with_action_used(state, event.seat, player, question=Question("convert", OTHER[event.seat]))


def card_ambushed(state: State, event: ev.CardAmbushed) -> State:
    if event.attacker is not None and event.strength is not None:  # from a siege box (option, C7)
        siege = state.sieges[event.attacker]._replace(strength=event.strength)
        if event.seat == event.attacker:
            siege = siege._replace(attacking=without(siege.attacking, (event.card,)))
        else:
            siege = siege._replace(defending=without(siege.defending, (event.card,)))
        state = state._replace(sieges={**state.sieges, event.attacker: siege})
    else:
        state = without_card(state, event.seat, event.card, event.source)
    return sent_home(state, event.seat, (event.card,))._replace(question=None)


def card_converted(state: State, event: ev.CardConverted) -> State:
    state = without_card(state, event.seat, event.card, event.source)
    taker = OTHER[event.seat]
    player = state.players[taker]
    return with_player(state, taker, player._replace(discard=(*player.discard, event.card)), question=None)


def hand_shown(state: State, event: ev.HandShown) -> State:
    return state._replace(question=None)
