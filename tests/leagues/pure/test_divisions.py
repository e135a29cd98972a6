"""Promotion and relegation: nobody is lost, everybody gets a reason, sizes stay within bounds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.divisions import DivisionDraft, Final, Numbers, balanced_sizes, next_season
from app.leagues.pure.why import sentence
from engine.kernel.text import PlainSpeaker, say

SPEAKER = PlainSpeaker(lambda kind, key, lang: key)

TOP = Final(1, "First", tuple(range(101, 109)), relegated=2)
MIDDLE = Final(2, "Second", tuple(range(201, 209)), promoted=2, relegated=2)
BOTTOM = Final(3, "Third", tuple(range(301, 309)), promoted=2)
THREE = (TOP, MIDDLE, BOTTOM)


def members(draft: DivisionDraft) -> list[list[int]]:
    return [list(division.members) for division in draft.divisions]


def changes(one: DivisionDraft, other: DivisionDraft) -> list[tuple[int, int | None, int | None]]:
    """Return whose level differs between two drafts: player, level in the one, in the other; None is not in it."""
    levels = [{move.player: move.after for move in draft.moves} for draft in (one, other)]
    players = sorted(levels[0].keys() | levels[1].keys())
    found = [(who, levels[0].get(who), levels[1].get(who)) for who in players]
    return [change for change in found if change[1] != change[2]]


def told(draft: DivisionDraft, player: int) -> str:
    move = next(move for move in draft.moves if move.player == player)
    return say(sentence(move.why, {move.player: f"P{move.player}" for move in draft.moves}), SPEAKER)


def test_the_best_go_up_and_the_last_go_down() -> None:
    draft = next_season(THREE)
    assert members(draft) == [
        [101, 102, 103, 104, 105, 106, 201, 202],
        [107, 108, 203, 204, 205, 206, 301, 302],
        [207, 208, 303, 304, 305, 306, 307, 308],
    ]
    assert told(draft, 201) == "P201, place 1 in Second, goes up to First."
    assert told(draft, 108) == "P108, place 8 in First, goes down to Second."
    assert told(draft, 303) == "P303, place 3 in Third, stays."
    assert [move.kind for move in draft.moves if move.player in (101, 108, 201)] == ["same", "down", "up"]
    assert draft.warnings == ()


def test_a_free_place_keeps_somebody_in() -> None:
    """104 leaves the top and 203 the middle, and two are new."""
    stay = next_season(THREE, [104, 203], [901, 902])
    assert told(stay, 107) == "P107, place 7 in First, stays because a place is free there."
    assert 108 in stay.divisions[1].members and [len(one) for one in members(stay)] == [8, 8, 8]
    assert told(stay, 104) == "P104, place 4 in First, leaves."
    assert told(stay, 901) == "P901 is new and begins in Third, the lowest with a place."


def test_who_leaves_gives_promotion_to_the_next() -> None:
    draft = next_season(THREE, [201], [901])
    assert 203 in draft.divisions[0].members
    assert told(draft, 203) == "P203, place 3 in Second, goes up to First instead of a player who leaves."


def test_what_if_other_numbers() -> None:
    now = next_season(THREE)
    more = next_season((replace(TOP, relegated=3), replace(MIDDLE, promoted=3), BOTTOM))
    assert changes(now, more) == [(106, 1, 2), (203, 2, 1)]
    other_places = replace(TOP, order=(*TOP.order[:5], 108, 106, 107))
    assert changes(now, next_season((other_places, MIDDLE, BOTTOM))) == [(106, 1, 2), (108, 2, 1)]
    by_hand = next_season(THREE, numbers=Numbers(placed={308: 1}))
    assert told(by_hand, 308) == "An organiser puts P308 into First."
    assert changes(now, by_hand) == [(106, 1, 2), (206, 2, 3), (308, 3, 1)]


def test_uneven_divisions_and_one_that_is_given_up() -> None:
    small = (
        replace(TOP, order=TOP.order[:4]),
        replace(MIDDLE, order=MIDDLE.order[:5]),
        replace(BOTTOM, order=(301, 302)),
    )
    draft = next_season(small, numbers=Numbers(least=4, most=8))
    assert [len(one) for one in members(draft)] == [5, 6]
    grown = next_season(THREE, joiners=range(900, 920), numbers=Numbers(least=4, most=10))
    assert [len(one) for one in members(grown)] == [8, 9, 9, 9, 9]
    assert grown.divisions[4].name == "" and told(grown, 919) == "P919 is new and begins in 5, the lowest with a place."


@pytest.mark.parametrize(
    ("total", "before", "sizes"),
    [
        (24, [8, 8, 8], [8, 8, 8]), (25, [8, 8, 8], [8, 8, 9]), (21, [8, 8, 8], [7, 7, 7]), (22, [8, 12], [10, 12]),
        (7, [4, 4], [7]), (0, [4], []), (26, [8, 8], [8, 9, 9]),
    ],
)  # fmt: skip
def test_sizes_are_balanced(total: int, before: list[int], sizes: list[int]) -> None:
    assert balanced_sizes(total, before, 4, 12 if total != 26 else 10) == sizes


def test_a_place_that_a_substitute_took_over_is_one_place() -> None:
    top = replace(TOP, order=(*TOP.order, 109), replaced=1)
    draft = next_season([top, MIDDLE, BOTTOM], leavers=[103])
    assert [len(one) for one in members(draft)] == [8, 8, 8]


def test_bounds_that_nobody_can_keep_are_reported() -> None:
    draft = next_season([Final(1, "Only", tuple(range(7)))], numbers=Numbers(least=4, most=6))
    assert [reason.code for reason in draft.warnings] == ["division.sizes"]
    assert [len(one) for one in members(draft)] == [7]


@pytest.mark.parametrize("finals", [[], [MIDDLE], [TOP, replace(MIDDLE, order=TOP.order)]])
def test_divisions_that_do_not_fit_are_refused(finals: list[Final]) -> None:
    with pytest.raises(ValueError):
        next_season(finals)
    with pytest.raises(ValueError):
        next_season([TOP], joiners=[101])


@st.composite
def seasons(draw: st.DrawFn) -> tuple[list[Final], list[int], list[int], Numbers]:
    finals, number = [], 0
    for level in range(1, draw(st.integers(1, 5)) + 1):
        size = draw(st.integers(1, 14))
        order = draw(st.permutations(range(number, number + size)))
        finals.append(Final(level, f"D{level}", tuple(order), draw(st.integers(0, 4)), draw(st.integers(0, 4))))
        number += size
    leavers = draw(st.lists(st.integers(0, number - 1), unique=True, max_size=number))
    joiners = draw(st.lists(st.integers(1000, 1030), unique=True, max_size=12))
    least = draw(st.integers(2, 8))
    numbers = Numbers(
        least,
        draw(st.integers(2 * least, 20)),
        draw(st.dictionaries(st.sampled_from(range(number)), st.integers(1, 5), max_size=3)),
    )
    return finals, leavers, joiners, numbers


@pytest.mark.slow
@given(seasons())
def test_people_are_conserved(season: tuple[list[Final], list[int], list[int], Numbers]) -> None:
    finals, leavers, joiners, numbers = season
    everybody = {who for final in finals for who in final.order}
    draft = next_season(finals, leavers, joiners, numbers)
    placed = [who for division in draft.divisions for who in division.members]
    assert len(placed) == len(set(placed))
    assert set(placed) == (everybody - set(leavers)) | set(joiners)
    assert sorted(move.player for move in draft.moves) == sorted(everybody | set(joiners))
    level = {who: division.level for division in draft.divisions for who in division.members}
    assert all(level.get(move.player) == move.after for move in draft.moves)
    assert all(told(draft, move.player) for move in draft.moves)
    if not numbers.placed and len(placed) >= numbers.least:
        assert all(numbers.least <= len(division.members) <= numbers.most for division in draft.divisions)
        assert draft.warnings == ()


@pytest.mark.slow
@given(seasons())
def test_nobody_goes_down_past_somebody_worse(
    season: tuple[list[Final], list[int], list[int], Numbers],
) -> None:
    """Within a division, a player is never put below one who finished lower in the standings, unless by hand."""
    finals, leavers, joiners, numbers = season
    draft = next_season(finals, leavers, joiners, replace(numbers, placed={}))
    level = {move.player: move.after for move in draft.moves}
    for final in finals:
        left = [level[who] for who in final.order if level[who] is not None]
        assert left == sorted(left)  # type: ignore[type-var]
