"""R11: money and the management of cards."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.data import CARDS, NEUTRAL, OTHER
from engine.acres.effects.zones import played, sent_home, with_action_used, with_player
from engine.acres.state import State, with_sorted, without


def money_taken(state: State, event: ev.MoneyTaken) -> State:
    player = state.players[event.seat]
    return with_action_used(state, event.seat, played(player, (event.card,), money=player.money + event.amount))


def sold(state: State, event: ev.MerchantSent | ev.FursTraded) -> State:
    player = state.players[event.seat]
    return with_action_used(state, event.seat, played(player, event.cards, money=player.money + event.amount))


def piracy_done(state: State, event: ev.PiracyDone) -> State:
    victim = OTHER[event.seat]
    robbed = state.players[victim]
    state = with_player(state, victim, robbed._replace(money=robbed.money - event.stolen))
    player = state.players[event.seat]
    return with_action_used(state, event.seat, played(player, event.cards, money=player.money + event.amount))


def drafted(state: State, event: ev.Drafted) -> State:
    player = state.players[event.seat]
    money, discard = player.money - event.price, (*player.discard, event.card)
    if CARDS[event.seat][event.card].home == NEUTRAL:
        player = player._replace(money=money, discard=discard)
        return with_action_used(state, event.seat, player, neutral=without(state.neutral, (event.card,)))
    player = player._replace(money=money, discard=discard, empire=without(player.empire, (event.card,)))
    return with_action_used(state, event.seat, player)


def discarded(state: State, event: ev.Discarded) -> State:
    player = state.players[event.seat]
    return with_action_used(state, event.seat, played(player, event.cards, money=player.money - event.price))


def reserved(state: State, event: ev.Reserved) -> State:
    player = state.players[event.seat]
    hand, reserve = without(player.hand, (event.card,)), with_sorted(player.reserve, (event.card,))
    return with_action_used(state, event.seat, player._replace(hand=hand, reserve=reserve))


def retrieved(state: State, event: ev.Retrieved) -> State:
    player = state.players[event.seat]
    hand = with_sorted(player.hand, event.cards)
    return with_player(state, event.seat, player._replace(hand=hand, reserve=(), money=player.money - event.price))


def governed(state: State, event: ev.Governed) -> State:
    player = played(state.players[event.seat], ("governor",))
    player = player._replace(hand=without(player.hand, event.cards))
    return sent_home(with_action_used(state, event.seat, player), event.seat, event.cards)


def card_fetched(state: State, event: ev.CardFetched) -> State:
    player = state.players[event.seat]
    discard = without(player.discard, (event.card,))
    hand = with_sorted(without(player.hand, ("intendant",)), (event.card,))
    player = player._replace(hand=hand, discard=(*discard, "intendant"), money=player.money - event.price)
    return with_action_used(state, event.seat, player)


def home_support_played(state: State, event: ev.HomeSupportPlayed) -> State:
    return state


def home_support_discarded(state: State, event: ev.HomeSupportDiscarded) -> State:
    return with_player(state, event.seat, played(state.players[event.seat], ("home-support",)))
