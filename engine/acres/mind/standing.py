"""How each side stands in Acres, in points. Only ever asked of drawn states."""

from __future__ import annotations

from engine.acres.data import SEATS, TOWNS, VILLAGES
from engine.acres.ending import CAPTURED_POINTS_TO_END, captured_points, score
from engine.acres.mind.sense import coins, deck_of, siege_worth, strength_of
from engine.acres.mind.weights import CARD_WORTH, Weights
from engine.acres.state import State

USEFUL = 0.25
"""How much of a card's worth counts for its owner."""


def nearness(state: State) -> float:
    """Return how near the end of the game is, from 0 to 1 (R13.2)."""
    nearest = 0.0
    for seat in SEATS:
        player = state.players[seat]
        done = max(
            1 - player.villages / VILLAGES[seat],
            1 - player.towns / TOWNS[seat],
            captured_points(state, seat) / CAPTURED_POINTS_TO_END,
        )
        nearest = max(nearest, min(done, 1.0))
    return nearest


def worth(weights: Weights, state: State) -> dict[str, float]:
    """Return points, army, deck, money and sieges of each side."""
    points = score(state)
    near = nearness(state)
    lead = 1 + weights.nearness * near * near
    found = {}
    for seat in SEATS:
        player = state.players[seat]
        deck = deck_of(player)
        has = strength_of(seat, deck)
        army = min(has, weights.enough) + 0.5 * max(0, has - weights.enough)
        found[seat] = lead * points[seat] + weights.strength * army + coins(weights, player.money)
        cards = CARD_WORTH[seat]
        useful = 0.0
        for card in deck:
            useful += cards[card] - weights.room
        found[seat] += USEFUL * useful
    for attacker, siege in state.sieges.items():
        found[attacker] += siege_worth(weights, state, state.on_turn, attacker, siege)
    return found
