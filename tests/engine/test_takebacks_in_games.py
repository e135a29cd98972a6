"""A small share of the long run `python -m bench.takebacks`, and a check that its criteria find what is wrong."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bench.takebacks import Figures, few, learner, run, shown
from engine.acres import ACRES
from engine.new_world import NEW_WORLD
from tests.support.acres import acres, editions


@pytest.mark.slow
@editions
def test_no_offer_in_random_games_of_acres_is_wrong_in_any_world(edition: str) -> None:
    figures = run(ACRES, {"edition": edition}, ACRES.seats, 60, seed=7, most=30, every=4)
    assert figures.wrong == [] and figures.offers > 5 and figures.checked > 1, figures


def test_no_offer_in_a_random_game_of_new_world_is_wrong() -> None:
    figures = run(NEW_WORLD, {}, NEW_WORLD.seats[:3], 120, seed=7, most=1, every=1)
    assert figures.wrong == [] and figures.decisions == 120 and figures.refused["by chance"]


def found(state: Any, line: str) -> str | None:
    """Return a seat found to have learned something by a line, in any world of the seat that says it."""
    due = ACRES.decision(state)
    assert due is not None
    action = ACRES.read(state, due.seat, line)
    return learner(ACRES, state, [(due.seat, action)], due.seat, ACRES.seats, 200, random.Random(1), Figures())


HAND = ("boston", "norfolk", "militia", "settlers", "ships")


@pytest.mark.parametrize(("line", "who"), [
    ("draft regular-infantry", None), ("pass", None), ("money norfolk", "french"), ("reserve militia", "french"),
])  # fmt: skip
def test_the_check_finds_who_learns(line: str, who: str | None) -> None:
    """acres R1.5: a card that is played was hidden before; what lies open was not."""
    assert found(acres(british_hand=HAND, british_draw=("pemaquid", "st-marys", "ships")), line) == who


def test_the_check_finds_a_draw_only_where_the_cards_differ() -> None:
    """acres R3.5: the turn ends with one card drawn of two."""
    hand = ("quebec", "gaspe", "tadoussac", "louisbourg")
    of_two = acres("french", french_hand=hand, french_draw=("trader", "port-royal"), actions=0)
    of_equals = acres("french", french_hand=hand, french_draw=("trader", "trader"), actions=0)
    assert (found(of_two, "end"), found(of_equals, "end")) == ("french", None)


def test_all_worlds_are_looked_at_where_they_are_few() -> None:
    """The French may hold either of two cards; either of two different ones may be on top of their own deck."""
    state = acres(
        british_hand=("boston",), british_draw=("norfolk", "pemaquid"), french_hand=("quebec",), french_draw=("gaspe",)
    )
    worlds = few(state, "british")
    assert worlds is not None and len(worlds) == 4 and state in worlds
    assert few(acres(), "british") is None
    assert all(shown(ACRES, world, [], ("british",)) == shown(ACRES, state, [], ("british",)) for world in worlds)
