"""What judging needs of a position: armies, sieges, and what stands on the board. Only ever of drawn states."""

from __future__ import annotations

from collections.abc import Mapping

from engine.acres.data import CAPITALS_TO_TAKE, CARDS, OTHER, PLACES, SEATS, TOWN, TOWN_POINTS, VILLAGE_POINTS, Card
from engine.acres.ending import points_of
from engine.acres.mind.weights import CARD_WORTH, Weights
from engine.acres.state import Cards, Player, Siege, State

SOON = 0.4
"""How much of the army that is not in hand comes in time for a siege."""
SPREAD = 1.6
"""The lead in a siege with which it is won in three of four cases."""
MILITARY: Mapping[str, Mapping[str, int]] = {
    seat: {card.id: card.strength for card in CARDS[seat].values() if card.siege == "both"} for seat in SEATS
}
"""Cards that count in every siege, with their strength."""
SHIPS: Mapping[str, frozenset[str]] = {
    seat: frozenset(card.id for card in CARDS[seat].values() if card.ship and card.siege) for seat in SEATS
}
HIDDEN_ARMY = 0.55
"""How much of an army counts whose hand is not known."""


def strength_of(seat: str, cards: Cards) -> int:
    """Return the military symbols on these cards that serve attack and defence."""
    military = MILITARY[seat]
    found = 0
    for card in cards:
        found += military.get(card, 0)
    return found


def deck_of(player: Player) -> Cards:
    """Return all cards of a seat but those in sieges."""
    return player.hand + player.draw + player.discard + player.reserve


def army(state: State, seat: str, place: str, *, own: bool) -> float:
    """Return the strength that the seat may still bring to a siege of the place; `own` if its hand is known."""
    player = state.players[seat]
    if own:
        hand, rest = player.hand + player.reserve, player.draw + player.discard
        found = strength_of(seat, hand) + SOON * strength_of(seat, rest)
    else:
        found = HIDDEN_ARMY * strength_of(seat, deck_of(player))
    if PLACES[place].ship:
        ships = SHIPS[seat]
        for card in player.hand if own else ():
            found += 0.8 * (card in ships)
    return found


def chance_in_siege(attack: float, strength: float) -> float:
    """Return how likely the attacker wins: `strength` is the siege's (it wins at 2, the defender at -1), `attack` what
    the armies still bring in."""
    lead = strength - 0.5 + attack
    return 0.5 + 0.5 * lead / (SPREAD + abs(lead))


def prize(weights: Weights, state: State, attacker: str, place: str) -> float:
    """Return what taking the place is worth to the attacker (R9.3, R9.8)."""
    if place in CAPITALS_TO_TAKE[attacker]:
        return weights.capital
    captured = TOWN_POINTS if state.board.holdings[place].piece == TOWN else VILLAGE_POINTS
    return weights.captured * captured + points_of(state, place) + 0.5 * PLACES[place].points


def siege_worth(weights: Weights, state: State, seat: str, attacker: str, siege: Siege) -> float:
    """Return what a siege is worth to its attacker, as the seat sees it that knows its own hand."""
    defender = OTHER[attacker]
    mine = army(state, attacker, siege.place, own=attacker == seat)
    theirs = army(state, defender, siege.place, own=defender == seat)
    # Who is on turn has the next word, so a lead must last.
    tempo = 0.5 if state.on_turn == attacker else -0.5
    likely = chance_in_siege(0.5 * (mine - theirs) + tempo, siege.strength)
    return weights.siege * (likely * prize(weights, state, attacker, siege.place) - (1 - likely) * weights.siege_lost)


def coins(weights: Weights, money: int) -> float:
    """Return what so much money is worth."""
    found = 0.0
    for worth in weights.money[:money]:
        found += worth
    return found


def gain(weights: Weights, money: int, more: int) -> float:
    """Return what some money more, or less, is worth."""
    return coins(weights, money + more) - coins(weights, money)


def drafted_worth(weights: Weights, state: State, seat: str, card: Card) -> float:
    """Return what one card more of a kind is worth in the seat's deck."""
    player = state.players[seat]
    owned = deck_of(player)
    worth = CARD_WORTH[seat][card.id] - weights.room
    if card.strength and card.siege == "both":
        has = strength_of(seat, owned)
        return worth + weights.strength * card.strength * (1 if has < weights.enough else -0.5)
    return worth - 0.8 * owned.count(card.id)
