"""Nothing hidden leaks: what a seat sees, may do and is told is the same in all states that it cannot tell apart."""

import random
from collections import Counter

import pytest

from engine.acres import ACRES
from engine.acres import actions as act
from engine.acres import events as ev
from engine.acres.data import SEATS
from engine.kernel.text import PlainSpeaker, say
from tests.support.acres import ENGLISH, editions
from tests.support.acres_games import RandomChance, listed, opening, pick, positions, refusal, reshuffled


@editions
@pytest.mark.parametrize("viewer", [*SEATS, None])
def test_a_view_and_its_board_tell_nothing_hidden(edition, viewer):
    source = random.Random(11)
    speakers = [PlainSpeaker(ACRES.name_of, lang) for lang in ("en", "fr", "es", "it")]
    for state in positions(edition)[::2]:
        other = reshuffled(state, viewer, source)
        view = ACRES.view(state, viewer)
        assert view == ACRES.view(other, viewer)
        speaker = source.choice(speakers)
        assert ACRES.board(view, speaker) == ACRES.board(ACRES.view(other, viewer), speaker)


@editions
@pytest.mark.parametrize("viewer", SEATS)
def test_what_a_seat_may_do_depends_on_nothing_hidden(edition, viewer):
    source = random.Random(12)
    compared = 0
    for state in positions(edition):
        other = reshuffled(state, viewer, source)
        assert ACRES.foreseen(state, viewer) == ACRES.foreseen(other, viewer)
        if ACRES.decision(state).seat != viewer:
            continue
        compared += 1
        assert ACRES.legal(state) == ACRES.legal(other)
        reasons = [(kind, r.code, r.why, r.rule) for kind, r in ACRES.impossible(state)]
        assert reasons == [(kind, r.code, r.why, r.rule) for kind, r in ACRES.impossible(other)]
        for action in listed(state)[::11]:
            assert ACRES.reveals(state, action) == ACRES.reveals(other, action)
            assert ACRES.write(state, action) == ACRES.write(other, action)
    assert compared > 30


@editions
@pytest.mark.parametrize("viewer", [*SEATS, None])
def test_a_forced_answer_depends_on_nothing_hidden(edition, viewer):
    """An answer that shows the hand anyway may depend on it."""
    source = random.Random(13)
    for state in positions(edition):
        due = ACRES.decision(state)
        if due.seat == viewer:
            continue
        answers = [ACRES.forced(one) for one in (state, *(reshuffled(state, viewer, source) for _ in range(3)))]
        assert len({answer for answer in answers if not isinstance(answer, act.ShowHand)} | {None}) <= 2
        if not any(isinstance(answer, act.ShowHand) for answer in answers):
            assert len(set(answers)) == 1


FREE_STEPS = ("home-support", "military-leader")
"""Cards that allow a step when the actions are used up."""


def drafted_cards(state):
    """The state with the cards of free steps drafted by both sides, and no reserve to retrieve."""
    players = {}
    for seat, player in state.players.items():
        taken = [card for card in FREE_STEPS if card in player.empire]
        empire = list(player.empire)
        for card in taken:
            empire.remove(card)
        draw = (*player.draw, *taken, *player.reserve)
        players[seat] = player._replace(empire=tuple(empire), draw=draw, reserve=())
    return state._replace(players=players)


def last_action(state):
    """The state with no action left after the step that is due."""
    return state._replace(actions_left=int(ACRES.decision(state).kind == "action"))


def twins(state, viewer, source):
    """Return two states that differ only in what this viewer cannot see of other seats.

    Everything hidden there is dealt again, once with every free step in the hand and once with none.
    """
    found = []
    for first in (True, False):
        players = dict(state.players)
        for seat in SEATS:
            player = players[seat]
            if seat == viewer:
                continue
            hidden = list(player.hand + player.draw)
            source.shuffle(hidden)
            hidden.sort(key=lambda card: (card in FREE_STEPS) != first)
            count = len(player.hand)
            players[seat] = player._replace(hand=tuple(sorted(hidden[:count])), draw=tuple(hidden[count:]))
        found.append(state._replace(players=players))
    return found


def free_steps_of(state):
    hand = state.players[state.on_turn].hand
    return {card for card in FREE_STEPS if card in hand and (state.sieges or card == "home-support")}


@pytest.mark.slow
@editions
@pytest.mark.parametrize("viewer", [*SEATS, None])
def test_a_step_tells_nothing_hidden(edition, viewer):
    """acres R1.5, R3.8: the same step in two states that differ only in what the viewer cannot see. Whatever the hands
    hold, it sees the same events, sentences and position, and the same seat owes the same decision afterwards."""
    source = random.Random(14)
    compared, told_apart = Counter(), Counter()
    for position in positions(edition):
        for state in (position, last_action(drafted_cards(position))):
            one, other = twins(state, viewer, source)
            seat = ACRES.decision(one).seat
            actions = [pick(source, one) for _ in range(4)] + [act.Pass(), act.Allow(), act.End()]
            for action in dict.fromkeys(actions):
                if isinstance(action, act.ShowHand) or any(refusal(it, seat, action) for it in (one, other)):
                    continue
                seed, shown = source.random(), []
                for world in (one, other):
                    unfolded = ACRES.unfold(world, seat, action, RandomChance(random.Random(seed)))
                    after = unfolded[-1][1]
                    seen = [ACRES.seen_by(event, viewer) for event, _ in unfolded]
                    texts = [ACRES.sentence(event) for event in seen]
                    said = [say(text, ENGLISH) for text in texts if text is not None]
                    shown.append((seen, said, ACRES.view(after, viewer), ACRES.decision(after), owed(after)))
                    compared.update(type(event).__name__ for event, _ in unfolded)
                assert shown[0] == shown[1]
                if state.actions_left < 2 and free_steps_of(one) != free_steps_of(other):
                    told_apart[type(action).__name__] += 1
    assert compared["Drew"] > 5 and compared["Shuffled"] > 0
    assert told_apart.total() > 100 and told_apart["Pass"] > 20 and told_apart["Allow"] + told_apart["End"] > 0


def owed(state):
    """What may be played without asking the seat to decide; an answer that shows the hand anyway may depend on it."""
    forced = ACRES.forced(state)
    shows_hand = isinstance(forced, act.ShowHand)
    return None if shows_hand else forced, ACRES.end_of_steps(state), ACRES.actions_left(state)


@pytest.mark.parametrize("viewer", [*SEATS, None])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ev.Drew("french", 1, ("quebec",)), ev.Drew("french", 1, ("gaspe",))),
        (ev.Shuffled("french", 2, ("quebec", "gaspe")), ev.Shuffled("french", 2, ("gaspe", "quebec"))),
        (ev.Shuffled("british", 1, ("boston",)), ev.Shuffled("british", 1, ("norfolk",))),
        (ev.HandShown("french", ("quebec",)), ev.HandShown("french", ("gaspe",))),
    ],
)
def test_a_hidden_event_is_seen_alike(viewer, one, other):
    may_see = isinstance(one, ev.Drew) and viewer == "french"
    may_see |= isinstance(one, ev.HandShown) and viewer is not None
    assert (ACRES.seen_by(one, viewer) == ACRES.seen_by(other, viewer)) != may_see


@pytest.mark.parametrize("viewer", [*SEATS, None])
def test_the_opening_shows_a_seat_its_own_hand_only(viewer):
    _, log = opening(RandomChance(random.Random(1)))
    seen = ACRES.seen_by(log[0].events[0], viewer)
    assert set(seen.hands) == ({viewer} if viewer else set())
    assert dict(seen.draws) == {}
