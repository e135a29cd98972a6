"""All cards and places of A Few Acres of Snow, as a reference list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from app.web.wording import PageVoice
from engine.acres.data import CARDS, NEUTRAL, PLACES, SEATS, Card


class ListedCard(NamedTuple):
    """A kind of card, how many there are, and whether they are drafted."""

    name: str
    card: Card
    copies: int
    costs: bool


def cards_of(side: str, words: PageVoice) -> dict[str, list[ListedCard]]:
    """Return the cards of a side (or the neutral ones) by where they begin: `deck`, `places` and `empire`."""
    groups: dict[str, list[ListedCard]] = {"deck": [], "places": [], "empire": []}
    for card in CARDS[SEATS[0] if side == NEUTRAL else side].values():
        if (card.home == NEUTRAL) != (side == NEUTRAL):
            continue
        name = words.name("card", card.id)
        if card.initial:
            groups["deck"].append(ListedCard(name, card, card.initial, False))
        if card.location and not card.initial:
            groups["places"].append(ListedCard(name, card, card.copies, False))
        if not card.location and card.copies > card.initial:
            groups["empire"].append(ListedCard(name, card, card.copies - card.initial, True))
    return {group: sorted(listed, key=lambda one: one.name) for group, listed in groups.items() if listed}


def places(words: PageVoice) -> list[tuple[str, int, int, str]]:
    """Return name, points, defence and signs of every place on the map."""
    return [
        (words.name("place", place.id), place.points, place.defence, _signs(place.ship, place.settler, words))
        for place in sorted(PLACES.values(), key=lambda one: words.name("place", one.id))
    ]


def _signs(ship: bool, settler: bool, words: PageVoice) -> str:
    found: Iterable[str] = [symbol for symbol, there in (("ship", ship), ("settler", settler)) if there]
    return " · ".join(words.name("symbol", symbol) for symbol in found)
