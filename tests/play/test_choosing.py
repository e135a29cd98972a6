"""Choosing an action by touching its parts."""

from __future__ import annotations

import random
from typing import Any

import pytest

from app.play.turn.choosing import LONGEST_TOUCH, MOST_TOUCHES, Choosing, Selection, touches_in
from app.titles.pages import pages_of
from bench.trials.touches import acres_positions, answer_positions, check, new_world_positions
from engine.acres import ACRES
from engine.acres import actions as act
from tests.support.acres import acres


@pytest.mark.parametrize("positions", [acres_positions, answer_positions, new_world_positions])
def test_all_that_is_legal_can_be_touched_in_any_order_and_nothing_else(positions: Any) -> None:
    source = random.Random(7)
    every = list(positions(0))
    for title, state in source.sample(every, min(50, len(every))):
        check(title, state, source)


def chosen(*tokens: str, **position: Any) -> Selection:
    """Return what the British have chosen with these touches, with many cards in hand."""
    hand = ["boston", "new-haven", "norfolk", "philadelphia", "militia"]
    return Choosing(ACRES, pages_of("acres"), acres(british_hand=hand, **position)).at(tokens)


def test_only_what_follows_is_asked() -> None:
    """A place, then its cards: the kind is settled if it is the only one, and so is a last card."""
    place = chosen("place.baltimore")
    assert place.kinds == ("settle",) and place.question is not None and place.question.role == "from"
    assert [(one.touch.value, one.ways) for one in place.question.offers] == [("norfolk", 3), ("philadelphia", 2)]
    ship = chosen("place.baltimore", "from.norfolk", "with.boston")
    assert ship.action == act.Settle("baltimore", "norfolk", "boston", "philadelphia")
    assert ship.line == "settle baltimore from norfolk with boston settler philadelphia"


def test_a_card_is_touched_before_it_is_known_what_it_is_for() -> None:
    card = chosen("card.boston")
    assert {"settle", "develop", "money", "merchant", "discard"} <= set(card.kinds)
    assert card.open["place.baltimore"] == 4 and "place.quebec" not in card.open
    assert chosen("card.boston", "money").action == act.TakeMoney("boston")


def test_a_touch_moves_a_part_and_a_second_one_takes_it_back() -> None:
    place = chosen("settle", "place.baltimore", "from.norfolk")
    assert place.toggled("from.norfolk") == "settle,place.baltimore" == place.toggled("card.norfolk")
    assert place.toggled("place.halifax") == "settle,card.norfolk,place.halifax"
    assert place.toggled("money") == "card.norfolk,money"


def test_a_free_choice_is_an_action_as_soon_as_it_is_allowed() -> None:
    kind = chosen("discard")
    assert kind.only is not None and kind.action is None
    assert chosen("card.militia", "discard").action == act.Discard(("militia",))
    both = chosen("card.militia", "away.boston", "discard")
    assert both.action == act.Discard(("boston", "militia")) and both.open["card.norfolk"] == 1
    assert chosen("discard", "card.militia", "card.militia").dropped == ("card.militia",)


def test_what_is_unknown_or_does_not_fit_is_left_out() -> None:
    odd = chosen("hat", "card.quebec", "settle", "money", "at.baltimore", "at.halifax")
    assert odd.touched == ("settle", "at.baltimore") and odd.dropped == ("hat", "card.quebec", "money", "at.halifax")


def test_an_address_is_cut_to_what_can_be_meant() -> None:
    assert touches_in(["settle,,place.baltimore", "card.boston"]) == ("settle", "place.baltimore", "card.boston")
    assert len(touches_in(["a," * 1000])) == MOST_TOUCHES and len(touches_in(["a" * 9999])[0]) == LONGEST_TOUCH
