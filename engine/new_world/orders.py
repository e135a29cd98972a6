"""Scoring in an order, and what each order brings, found by scoring (new_world R9.6, R9.7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.kernel.chance import ScriptedChance
from engine.kernel.happenings import Happenings
from engine.kernel.title import Event
from engine.new_world import events as ev
from engine.new_world.references import parse_reference
from engine.new_world.scoring import score
from engine.new_world.state import SURVEYORS, State, apply
from engine.new_world.surveyors import step, stragglers

Course = Happenings[State, Event]


def score_in_order(course: Course, order: Sequence[str]) -> None:
    """Score completed features one after another, with a surveyor's step after each (new_world R9.6)."""
    for reference in order:
        state = course.state
        if not state.board.feature_at(*parse_reference(reference)).settlers:
            continue  # all its settlers were removed in the meantime (R9.7)
        course.add(score(state, reference))
        state = course.state
        moved = step(state.surveyors, state.board.west)
        if moved is None:
            continue
        surveyor, column = moved
        left = state.surveyors[SURVEYORS.index(surveyor)]
        course.add(ev.SurveyorMoved(surveyor, column))
        gone = stragglers(state.settlers, left, course.state.surveyors, state.options.stragglers)
        if gone:
            course.add(ev.StragglersRemoved(tuple((*settler,) for settler in gone)))


def course_with_scores(state: State, order: Sequence[str]) -> Course:
    """Return the course after scoring completed features in this order, which draws nothing (new_world R9.6)."""
    course: Course = Happenings(state, apply, ScriptedChance())
    score_in_order(course, order)
    return course


class Result(NamedTuple):
    """What an order brings."""

    order: tuple[str, ...]
    events: tuple[Event, ...]
    state: State


def results(state: State, features: Sequence[str]) -> list[Result]:
    """Return the results of all orders of these completed features that leave different states; of several orders that
    leave the same, the first in the order of `legal`. One result, without points, if nothing is scored.

    Equal states are merged after each feature, so many orders still cost little.
    """
    level = [Result((), (), state)]
    for _ in features:
        following: dict[object, Result] = {}
        for order, events, before in level:
            for feature in features:
                if feature in order:
                    continue
                scored = course_with_scores(before, [feature])
                now = Result((*order, feature), (*events, *scored.events), scored.state)
                following.setdefault((frozenset(now.order), _left_behind(now.state)), now)
        # The earlier ones are sorted as `legal` sorts and stay so: an order is kept at its smallest beginning.
        places = {feature: place for place, feature in enumerate(features)}
        level = sorted(following.values(), key=lambda one: [places[feature] for feature in one.order])
    return level


def _left_behind(state: State) -> object:
    """Return everything that scoring changes."""
    return tuple(sorted(state.scores.items())), state.settlers, state.surveyors, tuple(sorted(state.supply.items()))


def gained(events: Sequence[Event]) -> dict[str, Any]:
    """Return the points of each scoring seat, the surveyors' bonus among them, and the settlers that both surveyors
    pass, from the events."""
    scores: dict[str, int] = {}
    bonus: dict[str, int] = {}
    stragglers = []
    for event in events:
        if isinstance(event, ev.FeatureScored):
            for seat, points in event.gains.items():
                scores[seat] = scores.get(seat, 0) + points
            for seat, points in event.bonus.items():
                bonus[seat] = bonus.get(seat, 0) + points
        elif isinstance(event, ev.StragglersRemoved):
            stragglers += [{"seat": seat, "at": f"{x},{y}", "segment": part} for seat, x, y, part in event.home]
    return {"scores": scores, "bonus": bonus, "stragglers": stragglers}
