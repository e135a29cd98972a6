"""What a seat can say. Cards are ids; several cards of one action are kept sorted, since their order has no meaning."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Settle:
    """R5: `card` lists the place, `carrier` has the transport symbol, `settler` is set if the place requires one."""

    place: str
    card: str
    carrier: str
    settler: str | None = None


@dataclass(frozen=True, slots=True)
class Develop:
    """R6.1; the place's own card is played with it."""

    place: str
    settler: str


@dataclass(frozen=True, slots=True)
class Fortify:
    """R6.3; the place's own card is played with it."""

    place: str
    fortification: str


@dataclass(frozen=True, slots=True)
class Besiege:
    """R7; `force` is the card that enters the siege."""

    place: str
    card: str
    carrier: str
    force: str


@dataclass(frozen=True, slots=True)
class Reinforce:
    """R8; free with a Military Leader."""

    place: str
    card: str


@dataclass(frozen=True, slots=True)
class Raid:
    """R10.1."""

    place: str
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ambush:
    """R10.13."""

    card: str


@dataclass(frozen=True, slots=True)
class Convert:
    """R10.16, with a Priest or the Indian Leader."""

    card: str


@dataclass(frozen=True, slots=True)
class TakeMoney:
    """R11.1."""

    card: str


@dataclass(frozen=True, slots=True)
class Merchant:
    """R11.2."""

    ship: str
    coins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trade:
    """R11.10; the Trader itself is understood."""

    furs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Piracy:
    """R11.11; Louisbourg itself is understood."""

    ship: str


@dataclass(frozen=True, slots=True)
class Draft:
    """R11.5."""

    card: str


@dataclass(frozen=True, slots=True)
class Discard:
    """R11.6."""

    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reserve:
    """R11.3."""

    card: str


@dataclass(frozen=True, slots=True)
class Govern:
    """R11.8; the Governor itself is understood."""

    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UseIntendant:
    """R11.9; the Intendant itself is understood."""

    card: str


@dataclass(frozen=True, slots=True)
class Pass:
    """R3.4."""


@dataclass(frozen=True, slots=True)
class Retrieve:
    """R11.4, free."""


@dataclass(frozen=True, slots=True)
class HomeSupport:
    """R11.7, free."""


@dataclass(frozen=True, slots=True)
class Withdraw:
    """R12; `remove` is the empire card given up, if there is one. Free if the edition says so."""

    place: str
    remove: str | None = None


@dataclass(frozen=True, slots=True)
class End:
    """No more free steps: the hand is refilled and the turn is over."""


@dataclass(frozen=True, slots=True)
class Block:
    """Answer to a raid or an ambush (R10.9, R10.13)."""

    card: str


@dataclass(frozen=True, slots=True)
class Allow:
    """Answer to a raid that is not blocked."""


HAND, RESERVE = "hand", "reserve"


@dataclass(frozen=True, slots=True)
class Lose:
    """Answer to an ambush or a Priest, or what the loser of a siege gives up.

    `source` is HAND or RESERVE, or the place of the siege in whose box the card lies.
    """

    card: str
    source: str


@dataclass(frozen=True, slots=True)
class ShowHand:
    """Answer of a seat with nothing to lose (R10.14, R10.16)."""


@dataclass(frozen=True, slots=True)
class Occupy:
    """The winner of a siege places a village (R9.3)."""

    place: str
    settler: str | None = None


@dataclass(frozen=True, slots=True)
class Leave:
    """The winner of a siege leaves the place neutral (R9.3)."""

    place: str


Action = (
    Settle | Develop | Fortify | Besiege | Reinforce | Raid | Ambush | Convert | TakeMoney | Merchant | Trade | Piracy
    | Draft | Discard | Reserve | Govern | UseIntendant | Pass | Retrieve | HomeSupport | Withdraw | End
    | Block | Allow | Lose | ShowHand | Occupy | Leave
)  # fmt: skip

ACTIONS: tuple[type, ...] = Action.__args__

_PLACES_NAMED = {kind: tuple(one.name for one in fields(kind) if one.name in ("place", "source")) for kind in ACTIONS}
_CARDS_NAMED = {
    kind: tuple(one.name for one in fields(kind) if one.name not in ("place", "source")) for kind in ACTIONS
}


def places_named(action: Action) -> tuple[str, ...]:
    """Return the places that an action names."""
    named: tuple[str, ...] = tuple([getattr(action, name) for name in _PLACES_NAMED[type(action)]])
    return tuple(place for place in named if place not in (HAND, RESERVE))


def cards_named(action: Action) -> tuple[str, ...]:
    """Return the cards that an action names."""
    named: list[str] = []
    for name in _CARDS_NAMED[type(action)]:
        card = getattr(action, name)
        if card is not None:
            named += (card,) if isinstance(card, str) else card
    return tuple(named)
