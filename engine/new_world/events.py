"""What can happen in a game. Events hold the outcomes of chance and what the rules made of them, so that a log of them
replays without judging anything again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from engine.kernel.codec import Codec
from engine.kernel.title import Event, GameEnded, Outcome
from engine.new_world.options import Options

SettlerData = tuple[str, int, int, str]
"""A settler as plain data: seat, x, y, segment."""


@dataclass(frozen=True, slots=True)
class Opened(Event):
    """The game begins: who sits at the table in turn order, and who starts (new_world R3)."""

    options: Options
    seats: tuple[str, ...]
    start: str


@dataclass(frozen=True, slots=True)
class TileDrawn(Event):
    """Chance gave the seat on turn a tile, which all may see (new_world R5.1)."""

    seat: str
    tile: str


@dataclass(frozen=True, slots=True)
class TileSetAside(Event):
    """The drawn tile has no legal place and leaves the game (new_world R5.4)."""

    seat: str
    tile: str


@dataclass(frozen=True, slots=True)
class TilePlaced(Event):
    """The drawn tile was laid (new_world R5)."""

    seat: str
    tile: str
    x: int
    y: int
    rotation: int


@dataclass(frozen=True, slots=True)
class SettlerPlaced(Event):
    """A settler went from the supply to the tile just laid (new_world R6). `settler` is robber, trader ..."""

    seat: str
    x: int
    y: int
    segment: str
    settler: str


@dataclass(frozen=True, slots=True)
class FeaturesCompleted(Event):
    """Several features with settlers are complete, and the seat on turn must say in which order they are scored."""

    seat: str
    features: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScoringOrdered(Event):
    """The order of scoring is settled (new_world R9.7)."""

    seat: str
    features: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FeatureScored(Event):
    """A completed feature was scored and its settlers went home (new_world R8, R9.4).

    `value` is what the feature is worth without bonus, `gains` what each scoring seat got, its `bonus` included.
    """

    feature: str
    kind: str
    value: int
    gains: Mapping[str, int]
    bonus: Mapping[str, int]
    home: tuple[SettlerData, ...]


@dataclass(frozen=True, slots=True)
class SurveyorMoved(Event):
    """A surveyor went one column west (new_world R9.1)."""

    surveyor: str
    column: int


@dataclass(frozen=True, slots=True)
class StragglersRemoved(Event):
    """Settlers behind both surveyors went home without points (new_world R9.5)."""

    home: tuple[SettlerData, ...]


@dataclass(frozen=True, slots=True)
class UnfinishedScored(Event):
    """An unfinished feature or a plain was scored at the end (new_world R11.2 to R11.4); settlers stay."""

    feature: str
    kind: str
    value: int
    gains: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TurnEnded(Event):
    """The turn of a seat is over; `next` is the seat that follows, None when the game is over."""

    ends_turn: ClassVar[bool] = True

    seat: str
    next: str | None


@dataclass(frozen=True, slots=True)
class SeatResigned(Event):
    """A seat gave up while three or more were playing: its turns are passed over from now on."""

    seat: str


@dataclass(frozen=True, slots=True)
class SeatTakenOut(Event):
    """How a `SeatResigned` is told if the seat did not resign itself: `cause` is `time` or `ruling`. Never stored."""

    seat: str
    cause: str


EVENTS: tuple[type, ...] = (
    Opened,
    TileDrawn,
    TileSetAside,
    TilePlaced,
    SettlerPlaced,
    FeaturesCompleted,
    ScoringOrdered,
    FeatureScored,
    SurveyorMoved,
    StragglersRemoved,
    UnfinishedScored,
    TurnEnded,
    SeatResigned,
    GameEnded,
)
CODEC = Codec((*EVENTS, Options, Outcome))


def weight(event: Event, seat: str | None) -> int:
    """Return how much an event tells a seat; see `Title.weight`."""
    match event:
        case FeatureScored(gains=gains) | UnfinishedScored(gains=gains) if seat in gains:
            return 3
        case FeatureScored(home=home) | StragglersRemoved(home=home) if any(owner == seat for owner, *_ in home):
            return 3
        case GameEnded() | SeatResigned() | SeatTakenOut():
            return 3
        case FeatureScored() | TilePlaced() | SettlerPlaced():
            return 2
        case TileDrawn() | Opened():
            return 0
    return 1
