"""What Ferry is made of: its state, actions, events and the choice of cards to drop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from engine.kernel.codec import Codec
from engine.kernel.title import Choice, Event, GameEnded, Outcome

SEATS = ("red", "blue", "green", "gold")
CARDS = tuple(f"{wood}-{n}" for wood in ("oak", "elm", "ash") for n in range(1, 7))
HAND = 3


@dataclass(frozen=True, slots=True)
class Side:
    hand: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    turns: int
    seats: tuple[str, ...]
    sides: Mapping[str, Side]
    pile: tuple[str, ...]
    discard: tuple[str, ...] = ()
    turn: int = 1
    actions: int = 2
    peeked: bool = False
    asked: str | None = None
    outcome: Outcome | None = None

    @property
    def on_turn(self) -> str:
        return self.seats[(self.turn - 1) % len(self.seats)]


@dataclass(frozen=True, slots=True)
class Keep:
    card: str


@dataclass(frozen=True, slots=True)
class Drop:
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rob:
    seat: str


@dataclass(frozen=True, slots=True)
class Yield:
    card: str


@dataclass(frozen=True, slots=True)
class Block:
    card: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """A robbed seat without cards."""


@dataclass(frozen=True, slots=True)
class Peek:
    pass


@dataclass(frozen=True, slots=True)
class End:
    pass


@dataclass(frozen=True, slots=True)
class Opened(Event):
    seats: tuple[str, ...]
    turns: int
    order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kept(Event):
    seat: str
    card: str


@dataclass(frozen=True, slots=True)
class Dropped(Event):
    seat: str
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked(Event):
    seat: str
    by: str


@dataclass(frozen=True, slots=True)
class Answered(Event):
    """`card` is hidden to a third seat when it was yielded."""

    seat: str
    by: str
    how: str
    card: str | None


@dataclass(frozen=True, slots=True)
class Peeked(Event):
    shows: ClassVar[bool] = True
    seat: str
    card: str | None


@dataclass(frozen=True, slots=True)
class Shuffled(Event):
    order: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Refilled(Event):
    seat: str
    cards: tuple[str, ...] | None
    count: int


@dataclass(frozen=True, slots=True)
class TurnEnded(Event):
    seat: str
    ends_turn: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class DropChoice(Choice):
    items: tuple[str, ...]
    kind: str = "drop"
    least: int = 1

    @property
    def most(self) -> int:
        return len(self.items)

    def action(self, picked: Sequence[str]) -> Drop:
        return Drop(tuple(sorted(picked)))

    def smallest(self) -> list[Drop]:
        return [Drop((card,)) for card in self.items]

    def describe(self) -> dict[str, Any]:
        return {"kind": "drop", "items": list(self.items), "least": self.least, "most": self.most}


ACTIONS = (Keep, Drop, Rob, Yield, Block, Nothing, Peek, End)
EVENTS = (Opened, Kept, Dropped, Asked, Answered, Peeked, Shuffled, Refilled, TurnEnded, GameEnded)
CODEC = Codec([Side, State, Outcome, *ACTIONS, *EVENTS])


def without(cards: tuple[str, ...], *gone: str) -> tuple[str, ...]:
    left = list(cards)
    for card in gone:
        left.remove(card)
    return tuple(left)


def legal(s: State) -> list[Any]:
    """Everything that the deciding seat may do."""
    if s.outcome:
        return []
    if s.asked:
        hand = s.sides[s.asked].hand
        blocks = [Block(card) for card in hand if card.startswith("oak")]
        return [*(Yield(card) for card in hand), *blocks] or [Nothing()]
    hand = s.sides[s.on_turn].hand
    free = [] if s.peeked or not s.pile else [Peek()]
    if not s.actions:
        return [*free, End()]
    robs = [Rob(seat) for seat in s.seats if seat != s.on_turn]
    return [*(Keep(card) for card in hand), *([DropChoice(hand)] if hand else []), *robs, *free]
