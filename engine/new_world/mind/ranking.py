"""What each action of New World is worth to its seat, one placement ahead.

A tile changes few features: only those are valued again. Where a placement completes something, its scoring is carried
out and everything is valued.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.kernel.search.minds import Ranked
from engine.new_world.actions import Action, Place, ScoreOrder
from engine.new_world.board import Board, lay, with_settler
from engine.new_world.features import Feature, Settler, find
from engine.new_world.mind.standing import feature_worth, supply_worth, worth
from engine.new_world.mind.weights import Weights
from engine.new_world.orders import course_with_scores
from engine.new_world.references import Reference
from engine.new_world.rules import legal
from engine.new_world.scoring import CELLS_AROUND_A_FARM, completed, is_complete, majority
from engine.new_world.state import State


def ranked(weights: Weights, state: State, seat: str) -> list[Ranked]:
    """Return the seat's actions with their worth, the best first; those of equal worth as the rules list them."""
    actions: list[Action] = legal(state)
    view = _Judging(weights, state, seat)
    if state.pending:
        found = [Ranked(view.after_scores(state, one.features), one) for one in actions if isinstance(one, ScoreOrder)]
    else:
        found = view.placements([one for one in actions if isinstance(one, Place)])
    found.sort(key=lambda one: -one.points)
    return found


class _Judging:
    """One position as the seat judges where its tile can go."""

    __slots__ = ("before", "rivals", "seat", "settled", "state", "weights")

    def __init__(self, weights: Weights, state: State, seat: str) -> None:
        self.weights = weights
        self.state = state
        self.seat = seat
        self.rivals = max(1, len(state.playing) - 1)
        self.before: float | None = None
        spent = state._replace(supply={**state.supply, seat: max(0, state.supply[seat] - 1)})
        self.settled = supply_worth(weights, spent, seat) - supply_worth(weights, state, seat)

    def balance(self, points: dict[str, float]) -> float:
        """Return the seat's points less those of the others, in the mean."""
        found = 0.0
        for seat, value in points.items():
            found += value if seat == self.seat else -value / self.rivals
        return found

    def feature(self, board: Board, feature: Feature) -> float:
        """Return what a feature brings to the seat, less what it brings to others."""
        settlers = feature.settlers
        if not settlers:
            return 0.0
        value = feature_worth(self.weights, self.state, board, feature, settlers[0])
        found = 0.0
        for seat in majority(self.state.seats, settlers):
            found += value if seat == self.seat else -value / self.rivals
        return found

    def after_scores(self, state: State, features: Iterable[str]) -> float:
        """Return by how much the seat stands better when these features are scored in this order."""
        if self.before is None:
            self.before = self.balance(worth(self.weights, self.state))
        after = course_with_scores(state, tuple(features)).state
        return self.balance(worth(self.weights, after)) - self.before

    def placements(self, places: list[Place]) -> list[Ranked]:
        """Return the worth of each placement; those of one cell and rotation follow each other."""
        found: list[Ranked] = []
        last: tuple[int, int, int] | None = None
        for place in places:
            spot = (place.x, place.y, place.rotation)
            if spot != last:
                last, laid = spot, _Laid(self, place)
            found.append(Ranked(laid.worth(place.segment), place))
        return found


class _Laid:
    """The tile laid at one cell in one rotation."""

    __slots__ = ("board", "change", "completes", "place", "view")

    def __init__(self, view: _Judging, place: Place) -> None:
        state = view.state
        assert state.tile is not None
        self.view, self.place = view, place
        old = state.board
        self.board = lay(old, place.x, place.y, state.tile, place.rotation, view.seat, state.turn)
        self.change, self.completes = 0.0, False
        gap = old.gap_at(place.x, place.y)
        assert gap is not None
        for number in dict.fromkeys([find(old.links, number) for _, number in gap.contacts]):
            self.change -= view.feature(old, old.features[number])
        for number in dict.fromkeys(self.board.laid[place.x, place.y].numbers):
            feature = self.board.features[find(self.board.links, number)]
            if feature.settlers:
                self.change += view.feature(self.board, feature)
                self.completes |= not feature.open and feature.kind in ("road", "town")
        self._count_farms(old)

    def _count_farms(self, old: Board) -> None:
        """Reckon with the farms beside the cell, which are a part fuller now."""
        place, view = self.place, self.view
        for settler in view.state.settlers:
            is_near = abs(settler.x - place.x) <= 1 and abs(settler.y - place.y) <= 1
            if settler.segment[0] == "f" and is_near:
                self.change -= view.feature(old, old.feature_at(settler.x, settler.y, settler.segment))
                self.change += view.feature(self.board, self.board.feature_at(settler.x, settler.y, settler.segment))
                self.completes |= self.board.filled_around(settler.x, settler.y) == CELLS_AROUND_A_FARM

    def worth(self, segment: str | None) -> float:
        """Return the worth of this placement with a settler on that segment, or without one."""
        view, place = self.view, self.place
        if segment is None:
            return self._scored(self.board, None) if self.completes else self.change
        settler = Settler(view.seat, place.x, place.y, segment)
        feature = self.board.feature_at(place.x, place.y, segment)
        if self.completes or is_complete(self.board, feature, Reference(place.x, place.y, segment)):
            return self._scored(with_settler(self.board, settler), settler)
        value = feature_worth(view.weights, view.state, self.board, feature._replace(settlers=(settler,)), settler)
        return self.change + value + view.settled

    def _scored(self, board: Board, settler: Settler | None) -> float:
        """Return the worth when what is complete has been scored."""
        state, view, place = self.view.state, self.view, self.place
        settlers, supply = state.settlers, state.supply
        if settler is not None:
            settlers = tuple(sorted((*settlers, settler)))
            supply = {**supply, view.seat: supply[view.seat] - 1}
        laid = state._replace(board=board, tile=None, last=(place.x, place.y), settlers=settlers, supply=supply)
        return view.after_scores(laid, completed(laid))
