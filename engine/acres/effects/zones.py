"""Moving cards and pieces between a seat's zones and using up actions: the steps that effects are made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.acres.actions import HAND, RESERVE
from engine.acres.data import CARDS, NEUTRAL, TOWN
from engine.acres.state import Cards, Player, State, with_sorted, without


def played(player: Player, cards: Cards, **changes: Any) -> Player:
    """Move the cards from the hand to the top of the discard pile (R3.7); other fields may change with it."""
    return player._replace(hand=without(player.hand, cards), discard=player.discard + cards, **changes)


def with_player(state: State, seat: str, player: Player, **changes: Any) -> State:
    """Return the state with this seat's zones, and other fields, changed."""
    return state._replace(players={**state.players, seat: player}, **changes)


def with_action_used(state: State, seat: str, player: Player, **changes: Any) -> State:
    """Return the same with one action used up."""
    return with_player(state, seat, player, actions_left=state.actions_left - 1, **changes)


def sent_home(state: State, seat: str, cards: Iterable[str]) -> State:
    """Return cards that left this seat's deck to where they are available (own piles or the neutral display)."""
    kinds = CARDS[seat]
    for card in cards:
        kind = kinds[card]
        player = state.players[seat]
        if kind.home == NEUTRAL:
            state = state._replace(neutral=with_sorted(state.neutral, (card,)))
        elif kind.location:
            state = with_player(state, seat, player._replace(locations=with_sorted(player.locations, (card,))))
        else:
            state = with_player(state, seat, player._replace(empire=with_sorted(player.empire, (card,))))
    return state


def with_location_card(player: Player, place: str) -> Player:
    """Move the place's card from the available location cards to the top of the discard pile (R5.2)."""
    return player._replace(locations=without(player.locations, (place,)), discard=(*player.discard, place))


def with_cards_back(player: Player, cards: Cards) -> Player:
    """Move the cards of a finished siege to the discard pile (R9.3, R9.6)."""
    return player._replace(discard=player.discard + cards)


def with_captured(player: Player, piece: str) -> Player:
    """Add a captured piece (R9.3, R10.10)."""
    if piece == TOWN:
        return player._replace(captured_towns=player.captured_towns + 1)
    return player._replace(captured_villages=player.captured_villages + 1)


def without_card(state: State, seat: str, card: str, source: str) -> State:
    """Remove the card from the seat's hand or reserve; for the moment it is nowhere."""
    player = state.players[seat]
    if source == HAND:
        return with_player(state, seat, player._replace(hand=without(player.hand, (card,))))
    assert source == RESERVE
    return with_player(state, seat, player._replace(reserve=without(player.reserve, (card,))))
