"""The state of a game, and how an event changes it: `apply` judges nothing and draws nothing."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from engine.kernel.title import Event, GameEnded, Outcome
from engine.new_world import events as ev
from engine.new_world.board import Board, lay, start_board, with_settler, without_settlers
from engine.new_world.features import Settler
from engine.new_world.options import Options
from engine.new_world.tiles import tile_set

SETTLERS_EACH = 5
"""Settlers in a seat's supply at the start; the sixth is the scoring marker (new_world R3.2)."""
SURVEYORS = ("north", "south")


class State(NamedTuple):
    """One moment of a game. A value: every event gives a new one that shares unchanged parts."""

    options: Options
    seats: tuple[str, ...]
    start: str
    board: Board
    bag: tuple[str, ...]
    """The ids of the tiles left to draw, sorted: they have no order yet."""
    set_aside: tuple[str, ...]
    tile: str | None
    """The drawn tile, None when none lies open."""
    turn: int
    to_move: str | None
    """The seat on turn, None when the game is over."""
    surveyors: tuple[int, int]
    """The columns of the north and the south surveyor (new_world R3.3)."""
    scores: Mapping[str, int]
    supply: Mapping[str, int]
    settlers: tuple[Settler, ...]
    """All settlers on the table, sorted."""
    last: tuple[int, int] | None
    """Where the last tile was laid."""
    pending: tuple[str, ...]
    """Completed features whose order of scoring the seat on turn has to choose (new_world R9.7)."""
    resigned: tuple[str, ...]
    outcome: Outcome | None

    @property
    def playing(self) -> tuple[str, ...]:
        """The seats that have not resigned."""
        return tuple(seat for seat in self.seats if seat not in self.resigned)

    def next_playing(self, seat: str) -> str:
        """Return the seat that follows in turn order among those that have not resigned (new_world R3.4)."""
        place = self.seats.index(seat)
        order = self.seats[place + 1 :] + self.seats[: place + 1]
        return next(one for one in order if one not in self.resigned)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.to_move is None


def apply(state: State | None, event: Event) -> State:
    """Return the state after the event."""
    return _APPLY[type(event)](state, event)


def _opened(state: State | None, event: ev.Opened) -> State:
    tiles = tile_set(event.options.tile_set)
    return State(
        options=event.options,
        seats=event.seats,
        start=event.start,
        board=start_board(tiles),
        bag=tiles.bag,
        set_aside=(),
        tile=None,
        turn=1,
        to_move=event.start,
        surveyors=(0, 0),
        scores=dict.fromkeys(event.seats, 0),
        supply=dict.fromkeys(event.seats, SETTLERS_EACH),
        settlers=(),
        last=None,
        pending=(),
        resigned=(),
        outcome=None,
    )


def _tile_drawn(state: State, event: ev.TileDrawn) -> State:
    index = bisect_left(state.bag, event.tile)
    return state._replace(bag=state.bag[:index] + state.bag[index + 1 :], tile=event.tile)


def _tile_set_aside(state: State, event: ev.TileSetAside) -> State:
    return state._replace(set_aside=(*state.set_aside, event.tile), tile=None)


def _tile_placed(state: State, event: ev.TilePlaced) -> State:
    board = lay(state.board, event.x, event.y, event.tile, event.rotation, event.seat, state.turn)
    return state._replace(board=board, tile=None, last=(event.x, event.y))


def _settler_placed(state: State, event: ev.SettlerPlaced) -> State:
    settler = Settler(event.seat, event.x, event.y, event.segment)
    settlers = list(state.settlers)
    insort(settlers, settler)
    supply = dict(state.supply)
    supply[event.seat] -= 1
    return state._replace(board=with_settler(state.board, settler), settlers=tuple(settlers), supply=supply)


def _features_completed(state: State, event: ev.FeaturesCompleted) -> State:
    return state._replace(pending=event.features)


def _scoring_ordered(state: State, event: ev.ScoringOrdered) -> State:
    return state._replace(pending=())


def _with_gains(state: State, gains: Mapping[str, int]) -> Mapping[str, int]:
    return {seat: points + gains.get(seat, 0) for seat, points in state.scores.items()}


def _sent_home(state: State, home: tuple[ev.SettlerData, ...]) -> State:
    gone = tuple(Settler(*data) for data in home)
    supply = dict(state.supply)
    for settler in gone:
        supply[settler.seat] += 1
    left = tuple(settler for settler in state.settlers if settler not in gone)
    return state._replace(board=without_settlers(state.board, gone), settlers=left, supply=supply)


def _feature_scored(state: State, event: ev.FeatureScored) -> State:
    return _sent_home(state, event.home)._replace(scores=_with_gains(state, event.gains))


def _surveyor_moved(state: State, event: ev.SurveyorMoved) -> State:
    north, south = state.surveyors
    moved = (event.column, south) if event.surveyor == "north" else (north, event.column)
    return state._replace(surveyors=moved)


def _stragglers_removed(state: State, event: ev.StragglersRemoved) -> State:
    return _sent_home(state, event.home)


def _unfinished_scored(state: State, event: ev.UnfinishedScored) -> State:
    return state._replace(scores=_with_gains(state, event.gains))


def _turn_ended(state: State, event: ev.TurnEnded) -> State:
    return state._replace(to_move=event.next, turn=state.turn + (event.next is not None))


def _seat_resigned(state: State, event: ev.SeatResigned) -> State:
    return state._replace(resigned=(*state.resigned, event.seat))


def _game_ended(state: State, event: GameEnded) -> State:
    return state._replace(to_move=None, pending=(), outcome=event.outcome)


_APPLY: dict[type, Callable[[Any, Any], State]] = {
    ev.Opened: _opened,
    ev.TileDrawn: _tile_drawn,
    ev.TileSetAside: _tile_set_aside,
    ev.TilePlaced: _tile_placed,
    ev.SettlerPlaced: _settler_placed,
    ev.FeaturesCompleted: _features_completed,
    ev.ScoringOrdered: _scoring_ordered,
    ev.FeatureScored: _feature_scored,
    ev.SurveyorMoved: _surveyor_moved,
    ev.StragglersRemoved: _stragglers_removed,
    ev.UnfinishedScored: _unfinished_scored,
    ev.TurnEnded: _turn_ended,
    ev.SeatResigned: _seat_resigned,
    GameEnded: _game_ended,
}
