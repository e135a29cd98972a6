"""The terms of an event: as data and back, and the refusals of wrong ones."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.term_kinds import Worth, WrongTerm
from app.leagues.pure.terms import GONE, TERMS, USUAL, judge_terms, read_stored, read_terms, write_terms
from app.leagues.pure.tie_break_names import TIE_BREAKS
from tests.support import terms_table


def names(key: str) -> list[str]:
    """The choices of a term."""
    return list(TERMS[key].kind.names)


DATA = st.fixed_dictionaries(
    {},
    optional={
        "rounds": st.integers(1, 99),
        "legs": st.sampled_from([1, 2]),
        "worth": st.sampled_from([["3", 1, "0"], ["1", "1/2", 0, "1/3", "1/2"]]),
        "seating": st.sampled_from(names("seating")),
        "seeding": st.sampled_from(names("seeding")),
        "sizes": st.permutations([3, 4, 5]),
        "places": st.just({"4": [3, 2, 1, 0]}),
        "tie_breaks": st.permutations(tuple(TIE_BREAKS)).map(lambda order: list(order[:4])),
        "withdrawal": st.sampled_from(["annul", "walkover", "half"]),
        "limit": st.one_of(st.none(), st.integers(2, 1000)),
        "drawn": st.permutations(names("drawn")),
        "third_place": st.booleans(),
        "reach": st.integers(1, 100),
        "on_win": st.sampled_from(["takes", "swaps"]),
        "rated": st.booleans(),
    },
)


@given(DATA)
def test_terms_survive_the_way_through_data(data: dict[str, Any]) -> None:
    terms = read_terms(data)
    assert read_terms(write_terms(terms)) == terms


def test_what_is_not_said_is_as_usual() -> None:
    assert read_terms({}) == USUAL and write_terms(USUAL) == {"auto_leave": False}
    assert not USUAL.auto_leave
    kept = read_stored({"legs": 2})
    assert kept.auto_leave and read_stored(write_terms(kept)) == kept, "terms of earlier versions mean what they meant"
    assert not read_stored(write_terms(USUAL)).auto_leave
    assert USUAL.places[4] == (1, Fraction(2, 3), Fraction(1, 3), 0)


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"round": 3}, "round"),
        ({"rounds": 0}, "rounds"),
        ({"rounds": True}, "rounds"),
        ({"worth": "1"}, "worth"),
        ({"worth": [1, 0]}, "worth"),
        ({"worth": ["much", 0, 0]}, "worth"),
        ({"worth": ["1/0", 0, 0]}, "worth"),
        ({"worth": ["-1", 0, 0]}, "worth"),
        ({"sizes": [4, 4]}, "sizes"),
        ({"sizes": [6]}, "sizes"),
        ({"places": {"4": [1, 0]}}, "places"),
        ({"tie_breaks": []}, "tie_breaks"),
        ({"tie_breaks": ["points", "beauty"]}, "tie_breaks"),
        ({"withdrawal": "forget"}, "withdrawal"),
        ({"members_only": 1}, "members_only"),
        ({"floor": 1500}, "floor"),
    ],
)
def test_wrong_terms_are_named(data: dict[str, Any], key: str) -> None:
    with pytest.raises(WrongTerm) as refused:
        read_terms(data)
    assert refused.value.code == "terms.value" and refused.value.key == key


@pytest.mark.parametrize(
    ("data", "key", "part"),
    [
        ({"worth": ["1/2", 1, 0]}, "worth", ""),
        ({"worth": [1, "1/2", "3/4"]}, "worth", ""),
        ({"worth": [0, 0, 0]}, "worth", ""),
        ({"places": {"4": [3, 1, 2, 0]}}, "places", "4"),
        ({"places": {"3": [0, 1, 2]}}, "places", "3"),
        ({"places": {"5": [1, 1, 1, 1, 1]}}, "places", "5"),
    ],
)
def test_terms_that_contradict_each_other_are_named(data: dict[str, Any], key: str, part: str) -> None:
    terms = read_terms(data)  # each of them is valid: an existing event can be read
    with pytest.raises(WrongTerm) as refused:
        judge_terms(terms)
    assert (refused.value.code, refused.value.key, refused.value.part) == ("terms.value", key, part)


def test_the_documents_have_the_table_of_all_terms() -> None:
    assert terms_table.PAGE.read_text(encoding="utf-8") == terms_table.renewed(), terms_table.__doc__


@pytest.mark.slow
@given(st.lists(st.fractions(0, 1000, max_denominator=12), min_size=3, max_size=3))
def test_points_agree_where_a_win_is_the_best_and_a_loss_the_worst(points: list[Fraction]) -> None:
    win, draw, loss = points
    terms = replace(USUAL, worth=Worth(win, draw, loss, win, draw))
    if loss <= draw <= win and loss < win:
        judge_terms(terms)
    else:
        with pytest.raises(WrongTerm):
            judge_terms(terms)


def test_usual_terms_agree() -> None:
    judge_terms(USUAL)
    given = read_terms({"worth": [3, 1, 0], "places": {"4": [3, 2, 2, 0]}})
    judge_terms(given)
    assert given.worth == (3, 1, 0, 3, 1)


def test_terms_of_earlier_versions_are_read_and_what_is_gone_is_said() -> None:
    usual = {"running": None, "floor": None, "pairing": "sides", "first_side": "first", "line_up_days": None,
             "captains_enter": False, "board_order": "fixed", "challenges": 1, "rest_days": 14, "appeal_days": 7,
             "answer_days": 3}  # fmt: skip
    assert read_stored({**usual, "win": "1"}) == read_stored({}) and not read_stored(usual).gone
    kept = read_stored({"win": "3", "draw": "1", "half_bye": "1", "pairing": "fide", "floor": 1400, "boards": 4})
    assert kept.worth == (3, 1, 0, 1, 1) and kept.boards == 4
    assert kept.gone == (GONE["floor"][1], GONE["pairing"][1])
    assert read_stored(write_terms(kept)) == kept and not read_stored(write_terms(kept)).gone, (
        "said until it is changed"
    )
    for days, hours in ((2, 48), (1, 30), (30, 336)):
        assert read_stored({"line_up_days": days, "autopilot": 30}).autopilot == hours, "captains keep their days"
    assert read_stored({"line_up_days": 2}).autopilot is None
