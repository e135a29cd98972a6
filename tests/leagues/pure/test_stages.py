"""Groups and finals: the snake, who goes through, and the first round of the final bracket."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.pairing.knockout import Bracket
from app.leagues.pure.pairing.stages import final_order, letter, snake, through
from tests.support.tournaments import field_of


def test_groups_are_dealt_in_a_snake() -> None:
    assert snake(list(range(1, 11)), 3) == [[1, 6, 7], [2, 5, 8], [3, 4, 9, 10]]


@given(st.integers(1, 8), st.integers(0, 30))
def test_nobody_is_lost_and_groups_differ_by_one_at_most(groups: int, more: int) -> None:
    order = list(range(2 * groups + more))
    dealt = snake(order, groups)
    assert sorted(who for group in dealt for who in group) == order
    assert max(map(len, dealt)) - min(map(len, dealt)) <= 1


def test_groups_have_letters() -> None:
    assert [letter(at) for at in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


STANDINGS = [[1, 6, 7], [5, 2, 8], [4, 3, 9]]


def test_the_first_of_each_group_go_through() -> None:
    assert [(one.entrant, one.group) for one in through(STANDINGS, 1)] == [(1, 0), (5, 1), (4, 2)]
    assert [one.entrant for one in through(STANDINGS, 2)] == [1, 5, 4, 3, 2, 6], "the second ones from the other end"


def test_bad_input_is_refused() -> None:
    for each in (0, 4, -1):
        with pytest.raises(ValueError):
            through(STANDINGS, each)
    for groups in (0, 4):
        with pytest.raises(ValueError):
            snake([1, 2, 3, 4, 5], groups)


@given(st.integers(2, 8), st.integers(1, 3))
def test_the_first_round_of_the_final_keeps_groups_apart(groups: int, each: int) -> None:
    """Two of each of two groups or more: nobody has to meet a member of their own group at once."""
    standings = [[10 * number + place for place in range(each + 1)] for number in range(groups)]
    qualifiers = through(standings, each)
    order = final_order(qualifiers)
    assert sorted(order) == sorted(one.entrant for one in qualifiers)
    field = {entrant.id: entrant for entrant in field_of(100)}
    bracket = Bracket([field[who + 1] for who in order])
    for pairing in bracket.pair_round(1).pairings:
        assert (pairing.seats[0] - 1) // 10 != (pairing.seats[1] - 1) // 10
