"""What cells bring at once, and each seat's points by source in a whole game."""

from __future__ import annotations

from typing import Any

import pytest

from engine.new_world import NEW_WORLD
from engine.new_world.events import UnfinishedScored
from engine.new_world.merits import merits
from engine.new_world.reckoning import reckoning
from engine.new_world.state import State
from tests.support.new_world_games import random_game


def brings(state: State, action: Any) -> list[dict[str, Any]]:
    """What the look ahead says of a placement, one entry for each order of scoring."""
    found: Any = NEW_WORLD.preview(state, action)
    if action.segment is None:
        return list(found["without"])
    return next(list(part["choice"]) for part in found["parts"] if action.segment in part["segments"])


@pytest.mark.slow
def test_a_cell_is_worth_the_best_of_its_placements_and_the_best_come_first() -> None:
    """Own points with the surveyors' bonus; what gives points away comes last"""
    seen: list[State] = []
    random_game(5, 3, greedy=True, look=seen.append)
    for state in [one for one in seen if one.tile and not one.pending][::20]:
        best: dict[tuple[int, int], int] = {}
        for action in NEW_WORLD.legal(state):
            gain = max(one["scores"].get(state.to_move, 0) for one in brings(state, action))
            best[action.x, action.y] = max(gain, best.get((action.x, action.y), 0))
        found = merits(state)
        assert {(one.x, one.y): one.points for one in found} == best
        assert [one.points for one in found] == sorted(best.values(), reverse=True)
        idle = [bool(one.gives) for one in found if not one.points]
        assert idle == sorted(idle)


@pytest.mark.slow
def test_the_reckoning_adds_up_to_the_scores_and_the_view_tells_the_final_scoring_again() -> None:
    log = random_game(7, 4, greedy=True)
    events = [event for entry in log for event in entry.events]
    state: Any = None
    for event in events:
        state = NEW_WORLD.apply(state, event)
    found = reckoning(events)
    for seat in state.seats:
        earned = [by_seat[seat] for by_seat in (*found.played.values(), *found.at_end.values()) if seat in by_seat]
        assert sum(one.points for one in earned) + found.bonus.get(seat, 0) == state.scores[seat]
    shown = {part for one in NEW_WORLD.view(state, None)["features"] for part in one["parts"]}
    of_all = [by_seat.values() for by_seat in (*found.played.values(), *found.at_end.values())]
    assert all(set(one.features) <= shown for earned in of_all for one in earned), "the map can outline what was scored"
    scored = [(one.feature, dict(one.gains)) for one in events if isinstance(one, UnfinishedScored)]
    view = NEW_WORLD.view(state, None)
    assert scored and [(one["at"], one["gains"]) for one in view["final"]] == scored
    assert view["marked"] == [[at] for at, _ in scored]
