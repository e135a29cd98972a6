"""What happened, as values; `engine.acres.effects` says how each changes the state.

`seat` is the seat that acts. `cards` are the cards played from its hand to its discard pile, in that order; `price` is
what the seat paid. Whether one of the turn's actions was used follows from the kind of event; if it does not, the event
says `free`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.kernel.title import Event, GameEnded

Cards = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Opened(Event):
    """Setup (R2): options, and each seat's first hand and draw deck as chance gave them."""

    options: Mapping[str, Any]
    hands: Mapping[str, Cards]
    draws: Mapping[str, Cards]


@dataclass(frozen=True, slots=True)
class TurnBegan(Event):
    """Start of the seat's turn (R3.1). `sieges` are the attackers of the sieges that end now, in order (R9.1, R9.2)."""

    begins_turn = True

    seat: str
    turn: int
    actions: int
    sieges: Cards = ()


@dataclass(frozen=True, slots=True)
class Settled(Event):
    """R5. `placed`: a village was put there (not when only the card comes back, R5.6); `taken`: the card was taken."""

    seat: str
    place: str
    cards: Cards
    placed: bool = True
    taken: bool = True


@dataclass(frozen=True, slots=True)
class Developed(Event):
    """R6.1."""

    seat: str
    place: str
    cards: Cards


@dataclass(frozen=True, slots=True)
class Fortified(Event):
    """R6.3."""

    seat: str
    place: str
    cards: Cards
    price: int


@dataclass(frozen=True, slots=True)
class SiegeBegan(Event):
    """R7. `force` entered the siege, which now stands at `strength`."""

    seat: str
    place: str
    cards: Cards
    force: str
    strength: int
    price: int = 0


@dataclass(frozen=True, slots=True)
class Reinforced(Event):
    """R8. The siege now stands at `strength`; `change` is by how much the marker moved for the attacker."""

    seat: str
    place: str
    attacker: str
    card: str
    strength: int
    change: int
    price: int = 0
    free: bool = False


@dataclass(frozen=True, slots=True)
class RaidBegan(Event):
    """R10.1; the other seat answers."""

    seat: str
    place: str
    cards: Cards
    price: int = 0


@dataclass(frozen=True, slots=True)
class RaidBlocked(Event):
    """R10.9; `seat` is the blocker."""

    seat: str
    place: str
    card: str


@dataclass(frozen=True, slots=True)
class RaidSucceeded(Event):
    """R10.10. `piece` was captured; `village_left`: a village replaced the town; `lifted`: attacker of a siege
    which ended because the place became neutral (R10.11)."""

    seat: str
    place: str
    piece: str
    village_left: bool = False
    lifted: str | None = None


@dataclass(frozen=True, slots=True)
class AmbushBegan(Event):
    """R10.13; the other seat answers."""

    seat: str
    card: str
    price: int = 0


@dataclass(frozen=True, slots=True)
class AmbushBlocked(Event):
    """R10.13; `seat` is the blocker."""

    seat: str
    card: str


@dataclass(frozen=True, slots=True)
class CardAmbushed(Event):
    """R10.14; `seat` lost the card from hand, reserve or the siege at the place `source`."""

    seat: str
    card: str
    source: str
    attacker: str | None = None
    strength: int | None = None


@dataclass(frozen=True, slots=True)
class ConversionBegan(Event):
    """R10.16; the other seat answers."""

    seat: str
    card: str


@dataclass(frozen=True, slots=True)
class CardConverted(Event):
    """R10.16; `seat` handed the card over from hand or reserve."""

    seat: str
    card: str
    source: str


@dataclass(frozen=True, slots=True)
class HandShown(Event):
    """R10.14, R10.16; only the opponent sees the cards."""

    seat: str
    cards: Cards


@dataclass(frozen=True, slots=True)
class MoneyTaken(Event):
    """R11.1."""

    seat: str
    card: str
    amount: int


@dataclass(frozen=True, slots=True)
class MerchantSent(Event):
    """R11.2; the ship card comes first."""

    seat: str
    cards: Cards
    amount: int


@dataclass(frozen=True, slots=True)
class FursTraded(Event):
    """R11.10; the Trader comes first."""

    seat: str
    cards: Cards
    amount: int


@dataclass(frozen=True, slots=True)
class PiracyDone(Event):
    """R11.11. `amount` was gained, `stolen` of it from the British, the rest from the bank."""

    seat: str
    cards: Cards
    amount: int
    stolen: int


@dataclass(frozen=True, slots=True)
class Drafted(Event):
    """R11.5."""

    seat: str
    card: str
    price: int = 0


@dataclass(frozen=True, slots=True)
class Discarded(Event):
    """R11.6."""

    seat: str
    cards: Cards
    price: int = 0


@dataclass(frozen=True, slots=True)
class Reserved(Event):
    """R11.3."""

    seat: str
    card: str


@dataclass(frozen=True, slots=True)
class Governed(Event):
    """R11.8; `cards` went back to where they are available."""

    seat: str
    cards: Cards


@dataclass(frozen=True, slots=True)
class CardFetched(Event):
    """R11.9; the Intendant took the card from the discard pile."""

    seat: str
    card: str
    price: int


@dataclass(frozen=True, slots=True)
class Passed(Event):
    """R3.4."""

    seat: str


@dataclass(frozen=True, slots=True)
class Retrieved(Event):
    """R11.4."""

    seat: str
    cards: Cards
    price: int


@dataclass(frozen=True, slots=True)
class HomeSupportPlayed(Event):
    """R11.7; the draws follow, then the card is discarded."""

    seat: str


@dataclass(frozen=True, slots=True)
class HomeSupportDiscarded(Event):
    """R11.7: only after the cards are drawn."""

    seat: str


@dataclass(frozen=True, slots=True)
class Drew(Event):
    """Cards from the top of the deck came into the hand. Others see `count` only."""

    shows = True

    seat: str
    count: int
    cards: Cards = ()


@dataclass(frozen=True, slots=True)
class Shuffled(Event):
    """The discard pile became the draw deck (R3.6). Nobody sees the order."""

    seat: str
    count: int
    cards: Cards = ()


@dataclass(frozen=True, slots=True)
class SiegeWon(Event):
    """R9.3-R9.7: `seat` won the siege of `attacker`; `returned` is the empire card that the loser gave up.

    If the attacker won, the piece is captured and he decides next whether to occupy the place.
    """

    seat: str
    place: str
    attacker: str
    returned: str | None = None


@dataclass(frozen=True, slots=True)
class Withdrew(Event):
    """R12: `seat` withdrew and so lost the siege of `attacker`."""

    seat: str
    place: str
    attacker: str
    returned: str | None = None
    free: bool = True


@dataclass(frozen=True, slots=True)
class Occupied(Event):
    """R9.3."""

    seat: str
    place: str
    settler: str | None = None
    taken: bool = False


@dataclass(frozen=True, slots=True)
class LeftNeutral(Event):
    """R9.3."""

    seat: str
    place: str


@dataclass(frozen=True, slots=True)
class TurnEnded(Event):
    """The hand is refilled and the turn is over; the state is now a record's `after`."""

    ends_turn = True

    seat: str


_OF_WAR = (
    SiegeBegan, Reinforced, SiegeWon, Withdrew, RaidBegan, RaidBlocked, RaidSucceeded, AmbushBegan, AmbushBlocked,
    CardAmbushed, ConversionBegan, CardConverted, HandShown, GameEnded,
)  # fmt: skip
_ON_THE_BOARD = (Settled, Developed, Fortified, Occupied, LeftNeutral)


def weight(event: Event) -> int:
    """Return how much an event tells the other side; see `Title.weight`."""
    if isinstance(event, _OF_WAR) or (isinstance(event, PiracyDone) and event.stolen):
        return 3
    if isinstance(event, _ON_THE_BOARD):
        return 2
    return 0 if isinstance(event, (Drew, Shuffled, TurnBegan, TurnEnded)) else 1
