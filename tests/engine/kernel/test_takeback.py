"""Takeback: what is learned by an action, against hidden variants of the same position that are made here anew."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.titles import TITLES
from engine.acres import ACRES
from engine.kernel.chance import ScriptedChance, SeededChance
from engine.kernel.refusals import Refusal
from engine.kernel.takeback import Deed, Learned, learned, learned_as_known
from engine.kernel.title import Title
from engine.new_world import NEW_WORLD
from tests.support.acres import EDITIONS, acres
from tests.support.acres_games import reshuffled
from tests.support.ferry import FERRY

TITLES.add(FERRY)
VARIANTS = 12
"""So many hidden variants are compared for each seat and action."""


def other_ferry(state: Any, viewer: str, source: random.Random) -> Any:
    """Ferry with all that this seat cannot see mixed anew."""
    others = [seat for seat in state.seats if seat != viewer]
    hidden = [card for seat in others for card in state.sides[seat].hand] + [*state.pile, *state.discard]
    source.shuffle(hidden)
    sides = dict(state.sides)
    for seat in others:
        count = len(sides[seat].hand)
        sides[seat], hidden = replace(sides[seat], hand=tuple(sorted(hidden[:count]))), hidden[count:]
    pile, discard = tuple(hidden[: len(state.pile)]), tuple(sorted(hidden[len(state.pile) :]))
    return replace(state, sides=sides, pile=pile, discard=discard)


def the_same(state: Any, viewer: str, source: random.Random) -> Any:
    """New World hides nothing (new_world R5.1): the only variant, read back from storage."""
    return NEW_WORLD.state_from_json(NEW_WORLD.state_to_json(state))


VARIANT: dict[str, Callable[[Any, Any, random.Random], Any]] = {
    "acres": reshuffled, "ferry": other_ferry, "new-world": the_same,
}  # fmt: skip
GAMES: list[tuple[Title, dict[str, Any], int]] = [
    *((ACRES, {"edition": edition}, 2) for edition in EDITIONS),
    *((NEW_WORLD, {}, seats) for seats in (2, 3, 5)),
    *((FERRY, {"turns": 9}, seats) for seats in (2, 3, 4)),
]
games = pytest.mark.parametrize(("title", "options", "seats"), GAMES)


def kind_of(entry: Any) -> str:
    return getattr(entry, "kind", None) or type(entry).__name__


def one_of_each_kind(title: Title, state: Any, source: random.Random) -> list[Any]:
    """A random action of every kind that is possible, resigning included where it is an action."""
    kinds: dict[str, list[Any]] = {}
    for entry in title.legal(state):
        kinds.setdefault(kind_of(entry), []).append(entry)
    found = []
    for entries in kinds.values():
        entry = source.choice(entries)
        found.append(source.choice(entry.smallest()) if hasattr(entry, "smallest") else entry)
    return found


def resigning(title: Title, state: Any, seat: str) -> list[Any]:
    try:
        return [title.read(state, seat, "resign")]
    except Refusal:
        return []


def deed(title: Title, state: Any, action: Any, seed: int) -> tuple[Deed, Any]:
    due = title.decision(state)
    assert due is not None
    chance = SeededChance(bytes([seed]))
    unfolded = title.unfold(state, due.seat, action, chance)
    return Deed(due.seat, action, tuple(e for e, _ in unfolded), (None,) * chance.ordinal), unfolded[-1][1]


def seats_of(title: Title, state: Any) -> tuple[str, ...]:
    return title.seats if title is ACRES else tuple(state.seats)


def found_by(title: Title, before: Any, deeds: Sequence[Deed]) -> Learned | None:
    after = before
    for one in deeds:
        for event in one.events:
            after = title.apply(after, event)
    return learned(title, before, deeds, after, seats_of(title, before))


def looks_the_same(title: Title, state: Any, other: Any, deeds: Sequence[Deed], seat: str) -> bool:
    """Whether the seat sees the same when the same is done in another state; written apart from the engine's."""
    shown = []
    for now in (state, other):
        seen: list[Any] = []
        for one in deeds:
            try:
                events = title.play(now, one.seat, one.action, ScriptedChance())
            except Exception as no:  # refused, or chance is asked: nothing like what was seen
                seen.append(type(no).__name__)
                break
            for event in events:
                now = title.apply(now, event)
                seen.append(title.seen_by(event, seat))
        shown.append((seen, title.view(now, seat)))
    return bool(shown[0] == shown[1])


def stretches(title: Title, options: dict[str, Any], seats: int, seed: int, most: int) -> Iterator[tuple[Any, Any]]:
    """Positions of a random game with what a seat does from there: each kind of action alone, and the last few of one
    seat together."""
    source = random.Random(seed)
    chance = SeededChance(seed.to_bytes(4, "big"))
    state: Any = None
    for event in title.open(title.read_options(options), title.seats[:seats], chance):
        state = title.apply(state, event)
    row: list[tuple[Any, Deed]] = []
    for n in range(most):
        due = title.decision(state)
        if due is None:
            return
        choices = one_of_each_kind(title, state, source)
        for action in (*choices, *(resigning(title, state, due.seat) if n % 7 == 0 else ())):
            yield state, [deed(title, state, action, n % 256)[0]]
        action = source.choice(choices)
        if title is ACRES and n < most // 2:  # more of what shows nothing, so that stretches get longer
            action = next((a for a in choices if kind_of(a) in ("Draft", "Retrieve", "Pass")), action)
        if title is NEW_WORLD and due.kind == "place":  # what leaves an order of scoring to choose is rare
            some = source.sample(title.legal(state), min(len(title.legal(state)), 40))
            action = next((a for a in some if not title.reveals(state, a)), action)
        done, after = deed(title, state, action, n % 256)
        row = [*(row if row and row[-1][1].seat == due.seat else []), (state, done)][-3:]
        if len(row) > 1:
            yield row[0][0], [one for _, one in row]
        state = after


counted: dict[str, Counter[tuple[str, bool]]] = {title.id: Counter() for title in (ACRES, NEW_WORLD, FERRY)}


@games
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_takeback_is_free_exactly_when_nobody_knows_more(
    title: Title, options: dict[str, Any], seats: int, seed: int
) -> None:
    """Issue 4, 6: over random games, after every kind of action, and after several in a row."""
    source = random.Random(seed)
    for before, deeds in stretches(title, options, seats, seed, 60):
        found = found_by(title, before, deeds)
        if any(one.chance for one in deeds):
            assert found == Learned(None)
            continue
        if found is None:
            for seat in seats_of(title, before):
                for _ in range(VARIANTS):
                    other = VARIANT[title.id](before, seat, source)
                    assert looks_the_same(title, before, other, deeds, seat), (seat, deeds)
            continue
        assert found.seat is not None
        worlds = list(title.worlds(before, found.seat))
        assert any(not looks_the_same(title, before, world, deeds, found.seat) for world in worlds)


@games
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_what_the_actor_is_told_depends_on_nothing_that_it_does_not_know(
    title: Title, options: dict[str, Any], seats: int, seed: int
) -> None:
    """Two states that the actor cannot tell apart, before and after, give it the same answer, so the offer shows
    nothing."""
    source = random.Random(seed)
    same, of_all = 0, 0
    for before, deeds in stretches(title, options, seats, seed, 40):
        actor = deeds[0].seat
        everybody = seats_of(title, before)
        first = title.representative(before, actor)
        assert title.view(first, actor) == title.view(before, actor)
        title.check_invariants(first)
        told = learned_as_known(title, before, deeds, actor, everybody)
        of_all += 1
        same += (told is None) == (found_by(title, before, deeds) is None)
        for _ in range(3):
            other = VARIANT[title.id](before, actor, source)
            assert title.representative(other, actor) == first
            if looks_the_same(title, before, other, deeds, actor):
                assert learned_as_known(title, other, deeds, actor, everybody) == told
    assert same >= of_all * 0.97, "it is hardly ever another answer than the one that takes all hands into account"


@games
def test_what_a_seat_takes_for_possible_looks_the_same_to_it(title: Title, options: dict[str, Any], seats: int) -> None:
    for seed in range(3):
        for before, _ in list(stretches(title, options, seats, seed, 40))[::9]:
            for seat in seats_of(title, before):
                for world in title.worlds(before, seat):
                    assert title.view(world, seat) == title.view(before, seat)
                    assert world != before
                    title.check_invariants(world)


@cache
def verdicts(title_id: str) -> Counter[tuple[str, bool]]:
    """How often each kind of action, done alone in random games, left everybody's knowledge as it was, or did not."""
    found: Counter[tuple[str, bool]] = Counter()
    for title, options, seats in GAMES:
        if title.id == title_id:
            for seed in range(4):
                for before, deeds in stretches(title, options, seats, seed, 110):
                    if len(deeds) == 1:
                        free = found_by(title, before, deeds) is None
                        found[type(deeds[0].action).__name__, free] += 1
    return found


def test_every_kind_of_action_comes_up_and_what_shows_nothing_is_free() -> None:
    """acres: who pays from public money for public cards shows nothing; who plays a hidden card does. new_world: only
    what draws no tile."""
    of_acres, of_new_world, of_ferry = (verdicts(title) for title in ("acres", "new-world", "ferry"))
    for kind in ("Draft", "Pass", "Retrieve", "Withdraw"):
        assert of_acres[kind, True], kind
    for kind in ("Settle", "TakeMoney", "Raid", "Ambush", "Discard", "Reserve", "HomeSupport"):
        assert of_acres[kind, False], kind
    assert of_new_world["Place", True] and of_new_world["Place", False] and of_new_world["ScoreOrder", False]
    assert of_ferry["Rob", True] and of_ferry["Keep", False] and of_ferry["Peek", False] and of_ferry["End", False]
    kinds = {kind for kind, _ in of_acres}
    assert len(kinds) >= 22, sorted(kinds)


# -- single cases -------------------------------------------------------------------------------------


def after_lines(state: Any, *lines: str) -> Learned | None:
    """What is learned by these lines of the seat on turn."""
    before, deeds = state, []
    for line in lines:
        seat = ACRES.decision(state).seat  # type: ignore[union-attr]
        action = ACRES.read(state, seat, line)
        chance = SeededChance(b"")
        unfolded = ACRES.unfold(state, seat, action, chance)
        deeds.append(Deed(seat, action, [event for event, _ in unfolded], (None,) * chance.ordinal))
        state = unfolded[-1][1]
    return learned(ACRES, before, deeds, state, ACRES.seats)


FULL = ("boston", "norfolk", "militia", "settlers", "ships")


def test_drafting_shows_nothing_while_the_turn_goes_on() -> None:
    """acres R11.5: the money and the offers lie open."""
    assert after_lines(acres(british_hand=FULL), "draft regular-infantry") is None


def test_a_turn_that_ends_at_once_shows_that_there_is_no_home_support() -> None:
    """acres R3.8: with it in hand the turn would go on, so the other seat learns; with it in the open it does not."""
    state = acres(british_hand=FULL, british_draw=("home-support", "pemaquid"), actions=1)
    assert after_lines(state, "draft regular-infantry") == Learned("french")
    state = acres(british_hand=FULL, british_discard=("home-support",), british_draw=("st-marys",), actions=1)
    assert after_lines(state, "draft regular-infantry") is None


def test_a_hidden_card_that_is_played_is_learned_and_one_that_all_can_infer_is_not() -> None:
    """acres R1.5: with an empty deck everybody can work out the hand."""
    assert after_lines(acres(british_hand=FULL), "money norfolk") == Learned("french")
    assert after_lines(acres(british_hand=FULL, british_draw=()), "money norfolk") is None


def test_who_draws_learns_and_who_draws_the_only_card_does_not() -> None:
    """acres R3.5: the turn ends and the hand is refilled; one card that is left is known before it is drawn."""
    hand = ("boston", "norfolk", "settlers", "ships")
    state = acres(british_hand=hand, british_draw=("pemaquid", "st-marys"), actions=1)
    assert after_lines(state, "draft regular-infantry") == Learned("british")
    state = acres(british_hand=hand, british_draw=("st-marys",), actions=1)
    assert after_lines(state, "draft regular-infantry") is None


def test_chance_that_was_used_cannot_be_taken_back() -> None:
    """Issue 4, 6 and 7: the next outcome is another one."""
    state = acres(british_hand=FULL[:4], british_draw=(), british_discard=("st-marys",), actions=1)
    assert after_lines(state, "draft regular-infantry") == Learned(None)
