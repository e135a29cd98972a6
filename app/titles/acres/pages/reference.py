"""All cards and places of A Few Acres of Snow, as a list to look things up in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from app.titles.acres.pages.words import printed_words
from engine.acres.data import CARDS, NEUTRAL, PLACES, SEATS, Card

if TYPE_CHECKING:
    from app.web.wording import Words


class ListedCard(NamedTuple):
    """A kind of card: how many there are, what is printed on it, and where it leads by which transport."""

    name: str
    copies: int
    printed: str
    leads: tuple[tuple[str, str], ...]
    is_location: bool


def cards_of(side: str, words: Words) -> dict[str, list[ListedCard]]:
    """The cards of a side (or the neutral ones) by where they begin: `deck`, `places` and `empire`."""
    groups: dict[str, list[ListedCard]] = {"deck": [], "places": [], "empire": []}
    for card in CARDS[SEATS[0] if side == NEUTRAL else side].values():
        if (card.home == NEUTRAL) != (side == NEUTRAL):
            continue
        if card.initial:
            groups["deck"].append(_listed(card, card.initial, words, cost=False))
        if card.location and not card.initial:
            groups["places"].append(_listed(card, card.copies, words, cost=False))
        if not card.location and card.copies > card.initial:
            groups["empire"].append(_listed(card, card.copies - card.initial, words, cost=True))
    return {group: sorted(listed) for group, listed in groups.items() if listed}


def _listed(card: Card, copies: int, words: Words, cost: bool) -> ListedCard:
    ways: dict[str, list[str]] = {}
    for place, transport in card.reaches:
        ways.setdefault(transport, []).append(words.name("place", place))
    leads = tuple((words.name("symbol", transport), words.join(places)) for transport, places in ways.items())
    printed = " · ".join(printed_words(card, words, cost))
    return ListedCard(words.name("card", card.id), copies, printed, leads, card.location)


def places(words: Words) -> list[tuple[str, int, int, str]]:
    """Name, points, defence and signs of every place on the map."""
    return [
        (words.name("place", place.id), place.points, place.defence, _signs(place.ship, place.settler, words))
        for place in sorted(PLACES.values(), key=lambda one: words.name("place", one.id))
    ]


def _signs(ship: bool, settler: bool, words: Words) -> str:
    found: Iterable[str] = [symbol for symbol, there in (("ship", ship), ("settler", settler)) if there]
    return " · ".join(words.name("symbol", symbol) for symbol in found)
