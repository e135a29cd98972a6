"""Board and cards, read from the tables in `data/`. A player can proofread the tables; nothing here is a rule.

`places.csv`: points, defence modifier, symbols on the board, start piece; `sea` marks the places joined by sea.
`links.csv`: `way` is a river, road or lake (raids and supply), `trail` an Indian trail (raids only).
`location_cards.csv`, `empire_cards.csv`: symbols and powers printed on the cards; `warpath_cost` is the price of
a card when it raids or ambushes. `names.csv`: the printed names in four languages.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files

BRITISH = "british"
FRENCH = "french"
SEATS = (BRITISH, FRENCH)
OTHER = {BRITISH: FRENCH, FRENCH: BRITISH}
NEUTRAL = "neutral"

VILLAGE = "village"
TOWN = "town"

BATEAUX, SHIP, WAGON = "bateaux", "ship", "wagon"
SYMBOLS = (BATEAUX, SHIP, WAGON, "settler", "fur")
"""What is printed on cards besides numbers and military symbols."""

HAND_SIZE = 5  # R3.5
HOME_SUPPORT_DRAW = 3  # R11.7
FIRST_MONEY = {BRITISH: 12, FRENCH: 5}  # R2.1
VILLAGES = {BRITISH: 18, FRENCH: 18}  # R1.2
TOWNS = {BRITISH: 12, FRENCH: 9}  # R1.2
FORTS = 12  # R1.2
FORTIFY_PRICE = 3  # R6.3
VILLAGE_POINTS, TOWN_POINTS = 2, 4  # R13.4
CAPITAL = {BRITISH: "boston", FRENCH: "quebec"}  # R4.1
SECOND_ROOT = {BRITISH: "new-york", FRENCH: None}  # R8.3
CAPITALS_TO_TAKE = {BRITISH: ("quebec",), FRENCH: ("boston", "new-york")}  # R9.8: whose loss wins for this side
TRACK = {BRITISH: (-5, 7), FRENCH: (-4, 7)}  # R7.7: ends of the track of this attacker


@dataclass(frozen=True, slots=True)
class Place:
    """A location of the board."""

    id: str
    points: int
    defence: int
    ship: bool
    settler: bool
    sea: bool
    owner: str | None
    piece: str | None


@dataclass(frozen=True, slots=True)
class Card:
    """A kind of card as it is for its owner. `home` is where it goes when it leaves a deck: a side or NEUTRAL.

    `strength` counts military symbols; `siege` says where they count (both, defence, ship, or nowhere "").
    """

    id: str
    home: str
    location: bool
    copies: int
    initial: int
    coins: int
    strength: int
    siege: str
    draft_cost: int
    play_cost: int
    warpath_cost: int
    bateaux: bool
    ship: bool
    wagon: bool
    settler: bool
    fur: bool
    ambushable: bool
    raids: bool
    adds_raid_range: bool
    ambushes: bool
    blocks_raid: bool
    blocks_ambush: bool
    action: str
    free: bool
    only_with: str
    reaches: tuple[tuple[str, str], ...]
    """The places that a location card lists, with the transport each needs."""

    def has(self, symbol: str) -> bool:
        """Return whether the transport symbol (bateaux, ship or wagon) is printed on the card."""
        return bool(getattr(self, symbol))

    @property
    def empire(self) -> bool:
        return not self.location

    @property
    def is_fortification(self) -> bool:
        """A Fortification card, own or neutral (R6.3)."""
        return self.action == "fortify"


def table(name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a table in `data/`."""
    with files("engine.acres").joinpath("data", name).open(encoding="utf-8") as lines:
        yield from csv.DictReader(lines)


def _places() -> dict[str, Place]:
    return {
        row["place"]: Place(
            id=row["place"],
            points=int(row["points"]),
            defence=int(row["defence"]),
            ship=bool(row["ship"]),
            settler=bool(row["settler"]),
            sea=bool(row["sea"]),
            owner=row["owner"] or None,
            piece=row["piece"] or None,
        )
        for row in table("places.csv")
    }


def _links(*kinds: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {place: [] for place in PLACES}
    for row in table("links.csv"):
        if row["kind"] in kinds:
            found[row["one"]].append(row["other"])
            found[row["other"]].append(row["one"])
    return {place: tuple(sorted(others)) for place, others in found.items()}


def _location_card(row: Mapping[str, str]) -> Card:
    symbols = row["symbols"].split()
    military = "military" in symbols
    return Card(
        id=row["card"],
        home=row["side"],
        location=True,
        copies=1,
        initial=1 if row["initial"] else 0,
        coins=int(row["coins"] or 0),
        strength=1 if military else 0,
        siege="both" if military else ("ship" if SHIP in symbols else ""),
        draft_cost=0,
        play_cost=0,
        warpath_cost=0,
        bateaux=BATEAUX in symbols,
        ship=SHIP in symbols,
        wagon=WAGON in symbols,
        settler="settler" in symbols,
        fur="fur" in symbols,
        ambushable=False,
        raids=False,
        adds_raid_range=False,
        ambushes=False,
        blocks_raid=False,
        blocks_ambush=False,
        action="",
        free=False,
        only_with="",
        reaches=tuple((place, by) for by in (BATEAUX, SHIP, WAGON) for place in row[f"by_{by}"].split()),
    )


def _empire_card(row: Mapping[str, str]) -> Card:
    symbols, powers = row["symbols"].split(), row["powers"].split()
    return Card(
        id=row["card"],
        home=row["side"],
        location=False,
        copies=int(row["copies"]),
        initial=int(row["initial"] or 0),
        coins=0,
        strength=int(row["strength"] or 0),
        siege=row["siege"],
        draft_cost=int(row["draft_cost"]),
        play_cost=int(row["play_cost"] or 0),
        warpath_cost=int(row["warpath_cost"] or 0),
        bateaux=BATEAUX in symbols,
        ship=SHIP in symbols,
        wagon=WAGON in symbols,
        settler="settler" in symbols,
        fur="fur" in symbols,
        ambushable=bool(row["ambushable"]),
        raids="raid" in powers,
        adds_raid_range="raid-range" in powers,
        ambushes="ambush" in powers,
        blocks_raid="block-raid" in powers,
        blocks_ambush="block-ambush" in powers,
        action=row["action"],
        free=bool(row["free"]),
        only_with=row["only_with"],
        reaches=(),
    )


PLACES: dict[str, Place] = _places()
WAYS = _links("way")
"""Neighbours by river, road and lake."""
RAID_LINKS = _links("way", "trail")
PORTS: tuple[str, ...] = tuple(place.id for place in PLACES.values() if place.sea)
"""All places joined to one another by sea (R4.4)."""

_LOCATION_CARDS = [_location_card(row) for row in table("location_cards.csv")]
_EMPIRE_CARDS = [_empire_card(row) for row in table("empire_cards.csv")]
ALL_CARDS: tuple[Card, ...] = (*_LOCATION_CARDS, *_EMPIRE_CARDS)
CARD_IDS = frozenset(card.id for card in ALL_CARDS)

CARDS: dict[str, dict[str, Card]] = {
    side: {card.id: card for card in ALL_CARDS if card.home in (side, NEUTRAL)} for side in SEATS
}
"""Every card that a side may hold, by id. A green card is in both."""
LOCATION_CARDS: dict[str, tuple[str, ...]] = {
    side: tuple(card.id for card in _LOCATION_CARDS if card.home == side) for side in SEATS
}
