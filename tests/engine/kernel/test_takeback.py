"""Takeback: what an action reveals, against independently made hidden variants of the same position."""

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

from engine.acres import ACRES
from engine.kernel.chance import ChanceExhausted, ScriptedChance, SeededChance
from engine.kernel.refusals import Refusal
from engine.kernel.takeback import Deed, Learned, learned, may_have_learned
from engine.kernel.title import Choice, Title
from engine.new_world import NEW_WORLD
from tests.support.acres import EDITIONS, acres
from tests.support.acres_games import reshuffled
from tests.support.ferry import FERRY
from tests.support.often import often

VARIANTS = 4
"""How many hidden variants are compared for each seat and action."""


def other_ferry(state: Any, viewer: str, source: random.Random) -> Any:
    """Return Ferry with everything that this seat cannot see mixed again."""
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
    """Return a random action of every possible kind, including resigning if it is an action."""
    kinds: dict[str, list[Any]] = {}
    for entry in title.legal(state):
        kinds.setdefault(kind_of(entry), []).append(entry)
    found = []
    for entries in kinds.values():
        entry = source.choice(entries)
        found.append(source.choice(entry.smallest()) if isinstance(entry, Choice) else entry)
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
    """Whether the seat sees the same when the same is done in another state; independent of the engine's check."""
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
        shown.append((seen, title.view(now, seat), title.decision(now) and title.forced(now) is None))
    return bool(shown[0] == shown[1])


def stretches(title: Title, options: dict[str, Any], seats: int, seed: int, most: int) -> Iterator[tuple[Any, Any]]:
    """Yield positions of a random game with what a seat does from there: each kind of action alone, and the last few of
    one seat together.
    """
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


@pytest.mark.slow
@games
@settings(max_examples=1, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_takeback_is_free_exactly_when_nobody_knows_more(
    title: Title, options: dict[str, Any], seats: int, seed: int
) -> None:
    """Over random games, after every kind of action, and after several in a row."""
    source = random.Random(seed)
    for before, deeds in stretches(title, options, seats, seed, often(24)):
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


@pytest.mark.slow
@games
@settings(max_examples=1, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_an_offer_tells_nothing_and_is_never_wrong_in_a_world_that_the_actor_takes_for_possible(
    title: Title, options: dict[str, Any], seats: int, seed: int
) -> None:
    """States that look the same to everybody give the same answer, so the offer shows nothing; and where it is
    offered, nobody has learned anything in any state that looks the same to the actor. The long run of this is
    `python -m bench.takebacks`."""
    source = random.Random(seed)
    for before, deeds in stretches(title, options, seats, seed, often(20)):
        actor = deeds[0].seat
        told = may_have_learned(title, before, deeds, actor)
        for _ in range(3):
            other = VARIANT[title.id](before, actor, source)
            again = done_again(title, other, deeds)
            if again is not None:
                assert may_have_learned(title, other, again, actor) == told
                assert told is not None or found_by(title, other, again) is None
        if told is None:
            assert found_by(title, before, deeds) is None


def done_again(title: Title, state: Any, deeds: Sequence[Deed]) -> list[Deed] | None:
    """Do the same in another state; return None if it is refused or asks for chance."""
    found = []
    for one in deeds:
        try:
            unfolded = title.unfold(state, one.seat, one.action, ScriptedChance())
        except (Refusal, ChanceExhausted):
            return None
        found.append(one._replace(events=tuple(event for event, _ in unfolded)))
        state = unfolded[-1][1]
    return found


@pytest.mark.slow
@games
def test_what_a_seat_takes_for_possible_looks_the_same_to_it(title: Title, options: dict[str, Any], seats: int) -> None:
    for before, _ in list(stretches(title, options, seats, 0, often(40)))[::9]:
        for seat in seats_of(title, before):
            for world in title.worlds(before, seat):
                assert title.view(world, seat) == title.view(before, seat)
                assert world != before
                title.check_invariants(world)


@cache
def verdicts(title_id: str) -> Counter[tuple[str, bool]]:
    """Return how often each kind of action, done alone in random games, left everybody's knowledge unchanged, or did
    not.
    """
    found: Counter[tuple[str, bool]] = Counter()
    for title, options, seats in GAMES:
        if title.id == title_id:
            for seed in (1, 3):
                for before, deeds in stretches(title, options, seats, seed, 110):
                    if len(deeds) == 1:
                        free = found_by(title, before, deeds) is None
                        found[type(deeds[0].action).__name__, free] += 1
    return found


@pytest.mark.slow
def test_every_kind_of_action_comes_up_and_what_shows_nothing_is_free() -> None:
    """acres: paying from public money for public cards shows nothing; playing a hidden card does. new_world: only what
    draws no tile.
    """
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
    """Return what these lines of the seat on turn reveal."""
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


def test_the_last_action_of_a_turn_tells_nothing_of_the_hand() -> None:
    """acres R1.5, R3.8: the turn goes on until its seat says otherwise, with Home Support and without."""
    for hand, draw in ((FULL, ("home-support", "pemaquid")), ((*FULL[1:], "home-support"), ("boston", "pemaquid"))):
        state = acres(british_hand=hand, british_draw=draw, actions=1)
        assert after_lines(state, "draft regular-infantry") is None
        assert after_lines(state, "draft regular-infantry", "end") is None  # five cards: nothing is drawn


def test_a_hidden_card_that_is_played_is_learned_and_one_that_all_can_infer_is_not() -> None:
    """acres R1.5: with an empty deck everybody can work out the hand."""
    assert after_lines(acres(british_hand=FULL), "money norfolk") == Learned("french")
    assert after_lines(acres(british_hand=FULL, british_draw=()), "money norfolk") is None


def test_who_draws_learns_and_who_draws_the_only_card_does_not() -> None:
    """acres R3.5: the turn ends and the hand is refilled; one card that is left is known before it is drawn."""
    hand = ("boston", "norfolk", "settlers", "ships")
    state = acres(british_hand=hand, british_draw=("pemaquid", "st-marys"), actions=1)
    assert after_lines(state, "draft regular-infantry", "end") == Learned("british")
    state = acres(british_hand=hand, british_draw=("st-marys",), actions=1)
    assert after_lines(state, "draft regular-infantry", "end") is None


def test_chance_that_was_used_cannot_be_taken_back() -> None:
    """The next outcome is another one."""
    state = acres(british_hand=FULL[:4], british_draw=(), british_discard=("st-marys",), actions=1)
    assert after_lines(state, "draft regular-infantry", "end") == Learned(None)


# -- what is offered ------------------------------------------------------------------------------------


def stands_against(state: Any, *lines: str) -> tuple[Learned | None, Learned | None]:
    """Return what prevents taking these lines back, as far as everybody can say, and what was really learned."""
    before, deeds, actor = state, [], ACRES.decision(state).seat  # type: ignore[union-attr]
    for line in lines:
        seat = ACRES.decision(state).seat  # type: ignore[union-attr]
        done, state = deed(ACRES, state, ACRES.read(state, seat, line), 0)
        deeds.append(done)
    return may_have_learned(ACRES, before, deeds, actor), learned(ACRES, before, deeds, state, ACRES.seats)


def raided(hand: Sequence[str], deck: Sequence[str], actions: int) -> Any:
    """The French raid Pemaquid with a Trader; `hand` and `deck` are what they have then."""
    state = acres(
        "french",
        actions=actions,
        french_hand=("coureurs-de-bois", *hand),
        french_draw=deck,
        british_hand=FULL,
        british_places=("boston", "pemaquid"),
        french_places=("quebec", "fort-halifax"),
    )
    return deed(ACRES, state, ACRES.read(state, "french", "raid pemaquid with coureurs-de-bois"), 0)[1]


def test_who_lets_a_raid_through_is_offered_the_same_whatever_the_raider_then_drew() -> None:
    """acres R3.5, R10.10: the French have said ahead that their turn ends, and draw one of two cards. Where both are
    the same they learned nothing, but the British cannot know that, and an offer would tell them."""
    of_two = raided(("gaspe", "initial-infantry", "trader", "trader"), ("montreal", "louisbourg"), 1)
    of_equals = raided(("gaspe", "initial-infantry", "montreal", "louisbourg"), ("trader", "trader"), 1)
    assert ACRES.view(of_two, "british") == ACRES.view(of_equals, "british")
    assert stands_against(of_two, "allow", "end") == (Learned("british"), Learned("french"))
    assert stands_against(of_equals, "allow", "end") == (Learned("british"), None)
    # Without the end the British know that it was not said ahead, so the French may have a free step in mind.
    assert stands_against(of_two, "allow") == stands_against(of_equals, "allow") == (Learned("british"), None)
    goes_on = raided(("gaspe", "initial-infantry", "trader", "trader"), ("montreal", "louisbourg"), 2)
    assert stands_against(goes_on, "allow") == (None, None)


def test_whether_a_hand_has_something_to_lose_is_learned_as_soon_as_it_is_asked_for_it() -> None:
    """acres R10.14: with nothing to lose the hand is shown at once; that it is asked says that there is something.
    The Native Americans that ambush are known here: the French have no deck."""
    state = acres("french", french_hand=("native-americans",), french_draw=(), british_hand=("militia", "norfolk"))
    assert stands_against(state, "ambush with native-americans") == (Learned("french"), Learned("french"))


def test_what_is_refused_without_need_is_what_only_the_hidden_cards_decide() -> None:
    """A card is certain to be in hand because the deck is too short for all copies of it: that is not considered."""
    state = acres("french", french_hand=("militia", "militia", "gaspe"), french_draw=("militia",))
    assert stands_against(state, "discard militia") == (Learned("british"), None)
    assert stands_against(acres(british_hand=FULL, british_draw=()), "money norfolk") == (None, None)


def test_of_several_who_learn_another_one_than_the_actor_is_named() -> None:
    """acres R11.7: Home Support is played from the hand, which the French see, and the British draw three cards."""
    state = acres(british_hand=("home-support", "norfolk"), british_draw=("pemaquid", "st-marys", "boston", "militia"))
    assert stands_against(state, "home-support") == (Learned("french"), Learned("british"))
