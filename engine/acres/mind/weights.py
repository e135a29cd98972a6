"""What the computer thinks things are worth, in points of the game. Rules of thumb, nothing here is a rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.acres.data import CARDS, SEATS, Card

_EMPIRE = {
    "siege-artillery": 3.0,
    "regular-infantry": 2.6,
    "initial-infantry": 2.6,
    "military-leader": 1.8,
    "settlers": 2.4,
    "neutral-settlers": 2.2,
    "home-support": 2.2,
    "rangers": 1.5,
    "coureurs-de-bois": 1.9,
    "french-native-americans": 1.6,
    "native-americans": 1.0,
    "ships": 1.0,
    "militia": 1.0,
    "governor": 1.6,
    "trader": 1.2,
    "intendant": 0.9,
    "indian-leader": 0.4,
    "priest": 0.6,
    "fortification": 0.9,
    "neutral-fortification": 0.7,
    "bateaux": 0.6,
}


def _card_worth(card: Card) -> float:
    """Return what it is worth to have a card in the deck, beside the room that it takes."""
    if not card.location:
        return _EMPIRE[card.id]
    worth = 0.35 * card.coins + 0.3 * card.settler + 0.4 * card.strength + 0.12 * card.fur
    return worth + 0.2 * (card.ship + card.bateaux + card.wagon) + 0.05 * len(card.reaches)


CARD_WORTH: Mapping[str, Mapping[str, float]] = {
    seat: {card.id: _card_worth(card) for card in CARDS[seat].values()} for seat in SEATS
}
"""By seat and card."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The table; points unless something else is said."""

    money: tuple[float, ...] = (0.42,) * 4 + (0.32,) * 4 + (0.2,) * 4 + (0.08,) * 6
    """The worth of each further coin; more are worth nothing."""
    room: float = 1.2
    """What a card in the deck costs by being drawn instead of another."""
    used: float = 0.12
    """What it costs to use a card up for an action."""
    village: float = 1.2
    """A point of a place that a village is put on, and `town` a further one by a town."""
    town: float = 1.0
    settled: float = 0.6
    """Any place settled: it leads on, and takes a piece out of stock."""
    captured: float = 1.0
    """A point for a captured piece."""
    raided: float = 0.8
    """A point that a raid takes from the enemy."""
    ambush: float = 1.9
    """A card that an ambush takes, and `convert` one that a Priest takes."""
    convert: float = 1.1
    capital: float = 40.0
    """An enemy capital taken."""
    siege: float = 1.5
    """How much a siege counts; less for a level that does not see so far."""
    siege_lost: float = 1.5
    strength: float = 0.45
    """A military symbol in the deck up to `enough` of them, and half of that beyond."""
    enough: int = 10
    fort: float = 1.0
    """A fortification where an attack may be expected."""
    cycled: float = 0.12
    """A useless card put out of the hand."""
    thinned: float = 0.9
    """A card out of the deck that is worth less than its room."""
    kept: float = 0.1
    """A military symbol put aside for later, `retrieved` one taken back when it is needed."""
    retrieved: float = 0.7
    home_support: float = 2.5
    last_piece: float = 6.0
    """Ending the game when ahead, or not when behind; 0 for a level that forgets about it."""
    nearness: float = 1.0
    """How much more a lead counts when the game is about to end."""


CLUB = Weights()
BEGINNER = Weights(
    siege=0.5,
    room=0.5,
    last_piece=0.0,
    nearness=0.0,
    thinned=0.2,
    kept=0.0,
    fort=0.5,
    strength=0.25,
    money=(0.4,) * 8 + (0.3,) * 8,
)
"""Sees its own turn: money, land and raids; an army is bought late."""
