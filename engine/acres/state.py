"""The state of a game: immutable values that share unchanged parts.

Zones hold card ids. Hands, reserves and offers are sorted; a draw deck has its top card first, a discard pile its top
card last (R1.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from engine.acres import data
from engine.acres.data import CARDS, OTHER
from engine.acres.editions import Edition
from engine.kernel.title import Outcome

Cards = tuple[str, ...]


class Holding(NamedTuple):
    """A controlled location (R2.5)."""

    owner: str
    piece: str
    fort: bool = False


class Board:
    """Who controls what. A location that is not in `holdings` is neutral.

    What is in supply follows from the board alone, so it is worked out once per board and cached (R4.3-R4.7).
    """

    __slots__ = ("_supplied", "_supplied_from_new_york", "holdings")

    def __init__(self, holdings: Mapping[str, Holding]) -> None:
        self.holdings = holdings
        self._supplied: dict[str, frozenset[str]] = {}
        self._supplied_from_new_york: dict[str, frozenset[str]] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self.holdings == other.holdings

    def __hash__(self) -> int:
        return hash(frozenset(self.holdings.items()))

    def __repr__(self) -> str:
        return f"Board({dict(self.holdings)!r})"

    def put(self, place: str, holding: Holding | None) -> Board:
        """Return the board with this location changed; None makes it neutral."""
        holdings = dict(self.holdings)
        if holding is None:
            holdings.pop(place, None)
        else:
            holdings[place] = holding
        return Board(holdings)

    def owner(self, place: str) -> str | None:
        holding = self.holdings.get(place)
        return holding.owner if holding else None

    def forts(self) -> int:
        """Fortification discs on the board."""
        return sum(holding.fort for holding in self.holdings.values())

    def supplied(self, seat: str, *, from_new_york: bool = False) -> frozenset[str]:
        """Return the locations that a chain of the seat's supply reaches, its root included (R4.3-R4.7).

        The capital is a root even when it is neutral, but not while the enemy holds it (R4.7). With `from_new_york` the
        British trace from a New York that they control as well (R8.3).
        """
        kept = self._supplied_from_new_york if from_new_york else self._supplied
        found = kept.get(seat)
        if found is None:
            found = kept[seat] = self._trace(seat, from_new_york)
        return found

    def _trace(self, seat: str, from_new_york: bool) -> frozenset[str]:
        holdings = self.holdings
        capital, second = data.CAPITAL[seat], data.SECOND_ROOT[seat]
        open_ends = []
        if self.owner(capital) != OTHER[seat]:
            open_ends.append(capital)
        if from_new_york and second is not None and self.owner(second) == seat:
            open_ends.append(second)
        reached = set(open_ends)
        by_sea = False
        while open_ends:
            place = open_ends.pop()
            neighbours: Iterable[str] = data.WAYS[place]
            if data.PLACES[place].sea and not by_sea:
                by_sea = True
                neighbours = (*neighbours, *data.PORTS)
            for near in neighbours:
                if near not in reached:
                    holding = holdings.get(near)
                    if holding is not None and holding.owner == seat:
                        reached.add(near)
                        open_ends.append(near)
        return frozenset(reached)


class Player(NamedTuple):
    """One side's zones (R1.5)."""

    money: int
    hand: Cards
    draw: Cards
    discard: Cards
    reserve: Cards
    locations: Cards
    """Available location cards."""
    empire: Cards
    """Available empire cards of the side's own colour."""
    villages: int
    """Cubes in stock; `towns` are discs."""
    towns: int
    captured_villages: int
    captured_towns: int


class Siege(NamedTuple):
    """A siege, identified by its attacker. `strength` counts for the attacker (v of the rules document)."""

    place: str
    strength: int
    attacking: Cards
    """The attacker's half of the box; `defending` is the other."""
    defending: Cards


class Question(NamedTuple):
    """What another seat must answer before the turn goes on, or the winner of a siege before anything else.

    `kind` is raid, ambush, convert or conquest; `seat` answers; `place` is the raided or conquered location.
    """

    kind: str
    seat: str
    place: str = ""


class State(NamedTuple):
    """The state of a game."""

    edition: Edition
    turn: int
    on_turn: str
    actions_left: int
    question: Question | None
    due: Cards
    """Attackers of the sieges that end at this turn's start and are not settled yet, in order."""
    two_due: bool
    """Two sieges end at this turn's start, so their lines name the place."""
    players: Mapping[str, Player]
    neutral: Cards
    """The neutral empire display."""
    board: Board
    sieges: Mapping[str, Siege]
    """By attacker."""
    outcome: Outcome | None


def besieged_by(state: State, place: str) -> str | None:
    """Return the attacker of the siege at a location, if there is one."""
    for attacker, siege in state.sieges.items():
        if siege.place == place:
            return attacker
    return None


def siege_half(siege: Siege, attacker: str, seat: str) -> Cards:
    """Return the cards that this seat has in the siege box of that attacker."""
    return siege.attacking if attacker == seat else siege.defending


def empire_cards(seat: str, cards: Cards) -> Cards:
    """Return which of the seat's cards are empire cards (R1.7)."""
    kinds = CARDS[seat]
    return tuple(card for card in cards if not kinds[card].location)


def without(cards: Cards, gone: Iterable[str]) -> Cards:
    """Return the cards less one copy of each that is gone. ValueError if one is not there."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return tuple(left)


def with_sorted(cards: Cards, more: Iterable[str]) -> Cards:
    """Return the cards and some more, sorted."""
    return tuple(sorted((*cards, *more)))
