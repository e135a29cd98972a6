"""Properties of every game: conservation, listing and judging agree, round trips, and any text is read or refused."""

import json
import random
from collections import Counter
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.titles.registry import TITLES
from engine.acres import ACRES, rules
from engine.acres import actions as act
from engine.acres import events as ev
from engine.acres.data import CARDS, PLACES, SEATS
from engine.kernel import records
from engine.kernel.refusals import IllegalAction, NotToDecide, Unreadable
from engine.kernel.text import say
from engine.kernel.title import Choice
from tests.support.acres import ENGLISH, editions
from tests.support.acres_games import RandomChance, listed, positions, random_game, refusal, subsets
from tests.support.often import often

GAMES = often(3)


@editions
def test_games_end_by_the_rules_and_cards_pieces_and_forts_are_conserved_after_every_event(edition):
    for seed in range(GAMES):
        state = None
        end, log = random_game(seed, edition=edition)
        for entry in log:
            for event in entry.events:
                state = ACRES.apply(state, event)
                if not isinstance(event, ev.TurnEnded):
                    ACRES.check_invariants(state)
        assert state == end and end.outcome.reason in ("points", "home-taken")


# -- listing and judging --------------------------------------------------------------------------


def conceivable(state, seat):
    """Every action that the hand, the board and the card lists can form, with one card that is not there."""
    hand = list(state.players[seat].hand)
    stranger = next(card for card in CARDS[seat] if card not in hand)
    cards = sorted({*hand, stranger})
    some = subsets(hand)
    maybe = [None, *cards]
    everything = sorted(CARDS[seat])
    yield from (act.Pass(), act.Retrieve(), act.HomeSupport(), act.End(), act.Allow(), act.ShowHand())
    for card in cards:
        yield from (make(card) for make in (act.Ambush, act.Convert, act.TakeMoney, act.Piracy, act.Reserve))
        yield from (act.Merchant(card, coins) for coins in some)
    for chosen in some:
        yield from (make(chosen) for make in (act.Trade, act.Discard, act.Govern))
    for card in everything:
        yield from (act.Draft(card), act.UseIntendant(card), act.Block(card))
        yield from (act.Lose(card, source) for source in ("hand", "reserve", *PLACES))
    for place in PLACES:
        yield act.Leave(place)
        yield from (act.Occupy(place, settler) for settler in maybe)
        yield from (act.Withdraw(place, card) for card in (None, *everything))
        yield from (act.Raid(place, chosen) for chosen in some)
        for card in cards:
            yield from (act.Develop(place, card), act.Fortify(place, card), act.Reinforce(place, card))
            for carrier in cards:
                yield from (act.Besiege(place, card, carrier, force) for force in cards)
                yield from (act.Settle(place, card, carrier, settler) for settler in maybe)


@cache
def sample(edition, count, most_cards=5):
    """Some positions of random games, those with a question among them, hands not too large."""
    fit = [s for s in positions(edition, 6) if len(s.players[ACRES.decision(s).seat].hand) <= most_cards]
    asked = [s for s in fit if ACRES.decision(s).kind != "action"]
    source = random.Random(7)
    return source.sample(fit, count) + source.sample(asked, min(len(asked), count // 2))


@pytest.mark.slow
@editions
def test_what_is_listed_is_exactly_what_is_accepted(edition):
    kinds = Counter()
    for state in sample(edition, often(6)):
        seat = ACRES.decision(state).seat
        mine = listed(state)
        assert len(mine) == len(set(mine))
        accepted = {action for action in conceivable(state, seat) if refusal(state, seat, action) is None}
        assert accepted == set(mine)
        kinds.update(type(action) for action in mine)
    assert len(kinds) >= 12


@pytest.mark.slow
@editions
def test_a_refusal_has_a_code_a_sentence_and_a_rule(edition):
    codes = Counter()
    for state in sample(edition, often(3)):
        seat = ACRES.decision(state).seat
        for action in conceivable(state, seat):
            refused = refusal(state, seat, action)
            if refused is None:
                continue
            codes[refused.code] += 1
            if codes[refused.code] == 1:
                assert isinstance(refused, IllegalAction | NotToDecide)
                assert say(refused.why, ENGLISH).endswith(".")
                assert refused.rule or isinstance(refused, NotToDecide) or refused.code == "card.not_in_hand"
    assert len(codes) >= 20


@editions
def test_the_smallest_of_a_choice_are_legal_and_have_the_least_cards(edition):
    seen = set()
    for state in positions(edition, 6):
        seat = ACRES.decision(state).seat
        for entry in ACRES.legal(state):
            if isinstance(entry, Choice):
                seen.add(entry.kind)
                smallest = entry.smallest()
                assert smallest and all(refusal(state, seat, action) is None for action in smallest)
                assert set(smallest) <= {entry.action(some) for some in combinations(entry.items, entry.least)}
    assert seen == {"raid", "merchant", "trade", "discard", "govern"}


@editions
def test_a_choice_tells_its_price_and_its_gain(edition):
    for state in sample(edition, 40):
        seat = ACRES.decision(state).seat
        for entry in ACRES.legal(state):
            if isinstance(entry, Choice):
                action = entry.smallest()[0]
                cards = getattr(action, "cards", None) or getattr(action, "coins", None) or action.furs
                event = ACRES.play(state, seat, action, RandomChance(random.Random(1)))[0]
                assert getattr(event, "price", 0) == entry.price(cards)
                assert getattr(event, "amount", 0) == sum(entry.gain.get(card, 0) for card in cards)
                told = json.loads(json.dumps(entry.describe()))
                assert (told["kind"], told["least"], told["most"]) == (entry.kind, entry.least, entry.most)


@editions
def test_what_is_not_listed_of_a_kind_has_a_reason(edition):
    for state in positions(edition, 6):
        possible = {getattr(entry, "kind", type(entry).__name__.lower()) for entry in ACRES.legal(state)}
        names = {"takemoney": "money", "useintendant": "intendant", "homesupport": "home-support"}
        possible = {names.get(name, name) for name in possible}
        if ACRES.decision(state).kind != "action":
            assert ACRES.impossible(state) == []
            continue
        reasons = ACRES.impossible(state)
        assert not possible & {kind for kind, _ in reasons}
        never = {kind.name for kind in rules.KINDS if not rules.is_ever(kind, ACRES.decision(state).seat)}
        assert never == ({"piracy", "intendant"} if ACRES.decision(state).seat == "british" else set())
        assert len(possible - {"end"}) + len(reasons) + len(never) == 21
        for _, reason in reasons:
            assert say(reason.why, ENGLISH).endswith(".") and reason.rule


@editions
def test_the_listing_comes_in_a_stable_order(edition):
    for state in positions(edition, 6)[::5]:
        again = ACRES.state_from_json(json.loads(json.dumps(ACRES.state_to_json(state))))
        assert ACRES.legal(again) == ACRES.legal(state)


# -- round trips ----------------------------------------------------------------------------------


@pytest.mark.slow
@editions
def test_a_game_and_its_record_are_the_same_game(edition):
    for seed in range(20, 22):
        end, log = random_game(seed, edition=edition)
        written = json.dumps(records.export(ACRES, log))
        loaded = records.load(written, TITLES)
        played = list(records.replay(loaded))
        assert played[-1].state == end
        assert json.dumps(records.export(ACRES, [one.entry for one in played])) == written


@pytest.mark.slow
@editions
def test_an_unfinished_game_and_its_record_are_the_same_game(edition):
    _, log = random_game(30, edition=edition)
    for length in [*range(1, 12), *range(12, len(log), 17)]:
        cut = log[:length]
        state = None
        for entry in cut:
            for event in entry.events:
                state = ACRES.apply(state, event)
        played = list(records.replay(records.load(json.dumps(records.export(ACRES, cut)), TITLES)))
        assert played[-1].state == state


def test_a_record_without_secrets_tells_only_what_all_could_see():
    _, log = random_game(31)
    told = json.dumps(records.export(ACRES, log[:60], secrets=False))
    assert '"chance"' not in told and '"after"' not in told and '"draw"' not in told
    assert json.loads(told)["setup"] == {}


# -- words and nonsense ----------------------------------------------------------------------------


@given(st.text(max_size=60), st.sampled_from(SEATS))
def test_any_text_is_read_or_refused_as_unreadable(text, seat):
    state = positions("second")[0]
    try:
        action = ACRES.read(state, seat, text)
    except Unreadable as refused:
        assert refused.code and say(refused.why, ENGLISH)
        assert refused.word is None or 0 <= refused.word[0] <= refused.word[1] <= len(text)
    else:
        assert isinstance(action, act.ACTIONS)


WORDS = st.sampled_from(
    ["settle", "raid", "lose", "withdraw", "merchant", "discard", "from", "with", "at", "remove", "settler", ":", ",",
     "boston", "fort", "militia", "louis", "reserve", "on", "1", "the"]
)  # fmt: skip


@given(st.lists(WORDS, min_size=1, max_size=8))
def test_any_words_of_the_notation_are_read_or_refused_as_unreadable(parts):
    state = positions("second")[3]
    line = " ".join(parts)
    try:
        action = ACRES.read(state, "british", line)
    except Unreadable as refused:
        assert refused.word is None or 0 <= refused.word[0] <= refused.word[1] <= len(line)
    else:
        assert ACRES.read(state, "british", ACRES.write(state, action)) == action
