"""Answers ahead of time: standing orders, foreseeable questions, forced answers, what reveals."""

import pytest

from engine.acres import ACRES
from engine.kernel.refusals import Unreadable
from tests.support.acres import acres, due, editions, play, siege, start_places


def answer(state, *lines):
    """The line that the orders give to the question; None: the seat must be asked."""
    decision = ACRES.decision(state)
    action = ACRES.standing_answer(state, decision.seat, ACRES.read_standing(lines))
    if action is None:
        return None
    ACRES.check(state, decision.seat, action)
    return ACRES.write(state, action)


def raided(hand=("rangers", "native-americans", "fortification"), edition="second"):
    state = acres(
        "french",
        edition,
        french_places=["kennebec"],
        french_hand=["coureurs-de-bois"],
        british_places=["boston", "pemaquid", "fort-halifax"],
        british_hand=hand,
    )
    return play(state, "raid fort-halifax with coureurs-de-bois")


def ambushed(hand=("militia", "native-americans", "regular-infantry"), reserve=("siege-artillery",)):
    state = acres(british_hand=["rangers"], french_hand=hand, french_reserve=reserve)
    return play(state, "ambush with rangers")


def converted(hand=("native-americans",), reserve=("native-americans",)):
    state = acres("french", french_hand=["priest"], british_hand=hand, british_reserve=reserve)
    return play(state, "convert with priest")


def siege_lost(cards=("militia", "regular-infantry", "port-royal"), strength=2):
    sieges = {"british": siege("louisbourg", strength, ["rangers"], cards)}
    return acres("french", actions=0, british_hand=["boston", "settlers"], sieges=sieges)


def conquered(place="louisbourg", cards=("militia",)):
    french = ["quebec", place]
    british = [*start_places("british"), "albany"]
    sieges = {"british": siege(place, 2, ["rangers"], cards)}
    state = acres("french", actions=0, british_places=british, french_places=french, sieges=sieges,
                  british_hand=["boston", "settlers"])  # fmt: skip
    return play(state, "end", "lose militia")


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["raid: allow"], "allow"),
        (["raid: ask"], None),
        ([], None),
        (["ambush: block with rangers"], None),
        (["raid: block with native-americans"], "block native-americans"),
        (["raid: block with fort-halifax, rangers"], "block rangers"),
        (["raid: block with any except rangers, fortification"], "block native-americans"),
        (["raid: block with any except rangers, fortification, native-americans"], None),
        (["raid on pemaquid: allow"], None),
        (["raid on pemaquid, fort-halifax: allow"], "allow"),
        (["raid on pemaquid: allow", "raid: block with rangers"], "block rangers"),
        (["raid on fort-halifax: block with fort-halifax", "raid: allow"], "allow"),
        (["raid: block with rangers", "raid: allow"], "block rangers"),
        (["raid: allow", "raid: block with rangers"], "allow"),
        (["raid on fort-halifax: ask", "raid: allow"], None),
    ],
)
@editions
def test_the_first_order_that_fits_a_raid_decides(edition, lines, wanted):
    """acres R10.9"""
    assert answer(raided(edition=edition), *lines) == wanted


def test_any_blocker_is_one_that_is_listed():
    """acres R10.9"""
    assert answer(raided(), "raid: block with any") in (
        "block rangers",
        "block native-americans",
        "block fortification",
    )
    assert answer(raided(["militia"]), "raid: block with any") is None
    assert answer(raided(["militia"]), "raid: block with any", "raid: allow") == "allow"


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["ambush: block with militia"], "block militia"),
        (["ambush: block with any except militia"], "block native-americans"),
        (["ambush: lose regular-infantry"], "lose regular-infantry"),
        (["ambush: lose siege-artillery from reserve"], "lose siege-artillery from reserve"),
        (["ambush: lose siege-artillery from hand"], None),
        (["ambush: lose from reserve"], "lose siege-artillery from reserve"),
        (["ambush: lose militia, siege-artillery"], "lose siege-artillery from reserve"),
        (["ambush: lose any except regular-infantry"], "lose siege-artillery from reserve"),
        (["ambush: allow"], None),
        (["ambush: allow", "ambush: lose regular-infantry"], "lose regular-infantry"),
        (["ambush: ask", "ambush: block with militia"], None),
    ],
)
def test_the_first_order_that_fits_an_ambush_decides(lines, wanted):
    """acres R10.13, R10.14"""
    assert answer(ambushed(), *lines) == wanted


def test_not_blocking_an_ambush_is_enough_where_only_one_card_can_go():
    """acres R10.14"""
    assert answer(ambushed(["militia", "regular-infantry"], ()), "ambush: allow") == "lose regular-infantry"
    assert answer(ambushed(["militia"], ()), "ambush: allow") == "show-hand"


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["convert: lose from reserve"], "lose native-americans from reserve"),
        (["convert: lose native-americans from hand"], "lose native-americans"),
        (["convert: lose any"], "lose native-americans"),
        (["convert: ask", "convert: lose any"], None),
    ],
)
def test_orders_hand_over_native_americans(lines, wanted):
    """acres R10.16"""
    assert answer(converted(), *lines) == wanted


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["siege of louisbourg: lose regular-infantry"], "lose regular-infantry"),
        (["siege of gaspe: lose regular-infantry"], None),
        (["siege: lose priest, militia"], "lose militia"),
        (["siege: lose any except militia"], "lose regular-infantry"),
        (["siege: lose port-royal"], None),
    ],
)
def test_orders_give_up_a_card_of_a_lost_siege(lines, wanted):
    """acres R9.6"""
    assert answer(play(siege_lost(), "end"), *lines) == wanted


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["conquest of louisbourg: occupy with settlers"], "occupy louisbourg settler settlers"),
        (["conquest: occupy with norfolk, boston"], "occupy louisbourg settler boston"),
        (["conquest: occupy with any except boston"], "occupy louisbourg settler settlers"),
        (["conquest: leave"], "leave louisbourg"),
        (["conquest of gaspe: leave"], None),
        (["conquest of louisbourg: ask", "conquest: leave"], None),
    ],
)
def test_orders_settle_a_conquered_place(lines, wanted):
    """acres R9.3"""
    assert answer(conquered(), *lines) == wanted


def test_a_place_without_a_settler_symbol_is_occupied_without_a_card():
    """acres R9.3"""
    assert answer(conquered("fort-stanwix"), "conquest: occupy") == "occupy fort-stanwix"
    assert answer(conquered("fort-stanwix"), "conquest: occupy with boston") == "occupy fort-stanwix"


def test_orders_answer_no_action_and_not_for_the_other_seat():
    """acres R10.9"""
    orders = ACRES.read_standing(["raid: allow"])
    assert ACRES.standing_answer(acres(), "british", orders) is None
    assert ACRES.standing_answer(raided(), "french", orders) is None


CANONICAL = [
    "raid: allow",
    "raid: ask",
    "raid on pemaquid, boston: block with rangers, pemaquid",
    "raid: block with any",
    "raid on pemaquid: block with any except rangers",
    "ambush: block with militia, native-americans",
    "ambush: lose militia, regular-infantry from reserve",
    "ambush: lose militia from hand",
    "ambush: lose from reserve",
    "ambush: lose any",
    "ambush: allow",
    "ambush: ask",
    "convert: lose from reserve",
    "siege of louisbourg: lose militia",
    "siege: lose any except siege-artillery",
    "conquest of halifax: occupy with boston, settlers",
    "conquest: occupy",
    "conquest of halifax: leave",
]


@pytest.mark.parametrize("line", CANONICAL)
def test_an_order_is_written_as_it_was_read(line):
    orders = ACRES.read_standing([line])
    assert ACRES.write_standing(orders) == [line]
    assert ACRES.read_standing([line.upper().replace(" ", "  ")]) == orders


def test_orders_keep_their_order_and_empty_lines_are_passed_over():
    assert ACRES.write_standing(ACRES.read_standing(["", *CANONICAL, "  "])) == CANONICAL


@pytest.mark.parametrize(
    ("line", "code", "word"),
    [
        ("raid allow", "standing.shape", "raid allow"),
        ("raids: allow", "standing.question", "raids"),
        ("raid: lose militia", "standing.answer", "lose"),
        ("convert: block with rangers", "standing.answer", "block"),
        ("ambush on boston: allow", "standing.shape", "on"),
        ("raid on: allow", "standing.shape", "on"),
        ("raid on bostn: allow", "name.unknown", "bostn"),
        ("raid: block with ranger squad", "name.unknown", "ranger squad"),
        ("raid: block rangers", "standing.shape", "rangers"),
        ("raid: block with any but rangers", "standing.shape", "but"),
        ("raid: allow please", "standing.shape", "please"),
        ("raid:", "standing.shape", "raid:"),
    ],
)
def test_a_wrong_order_points_at_its_word(line, code, word):
    with pytest.raises(Unreadable) as caught:
        ACRES.read_standing([line])
    assert caught.value.code == code
    start, end = caught.value.word
    assert line[start:end] == word


# -- foreseen -------------------------------------------------------------------------------------


def foreseen(state, seat):
    return [(one.kind, one.about, one.answers, one.certain) for one in ACRES.foreseen(state, seat)]


@editions
def test_the_loser_of_a_siege_can_name_the_card_at_the_end_of_the_own_turn(edition):
    """acres R9.6"""
    sieges = {"british": siege("louisbourg", 2, ["rangers"], ["militia", "militia", "priest", "port-royal"])}
    state = acres("french", edition, actions=0, sieges=sieges)
    answers = ("siege of louisbourg: lose militia", "siege of louisbourg: lose priest")
    assert foreseen(state, "french") == [("siege-loss", "louisbourg", answers, True)]
    orders = ACRES.read_standing([answers[1]])
    asked = play(state, "end")
    assert ACRES.write(asked, ACRES.standing_answer(asked, "french", orders)) == "lose priest"


@editions
def test_the_attacker_can_name_the_card_too(edition):
    """acres R9.6"""
    sieges = {"british": siege("louisbourg", -1, ["rangers", "militia"])}
    state = acres(edition=edition, actions=0, sieges=sieges)
    assert ("siege-loss", "louisbourg") in [found[:2] for found in foreseen(state, "british")]


@editions
@pytest.mark.parametrize(
    ("place", "strength", "cards"),
    [("louisbourg", 1, ["militia", "priest"]), ("louisbourg", 2, ["militia"]), ("quebec", 2, ["militia", "priest"])],
)
def test_nothing_is_foreseen_where_nothing_will_be_asked(edition, place, strength, cards):
    """acres R9.1, R9.6, R9.8"""
    state = acres("french", edition, actions=0, sieges={"british": siege(place, strength, ["rangers"], cards)})
    assert foreseen(state, "french") == []


@editions
def test_the_attacker_may_be_asked_when_the_defender_withdraws(edition):
    """acres R12.3"""
    state = acres(
        edition=edition, british_hand=["boston", "militia"], sieges={"british": siege("louisbourg", 0, ["ships"])}
    )
    answers = ("conquest of louisbourg: occupy with boston", "conquest of louisbourg: leave")
    assert ("conquest", "louisbourg", answers, False) in foreseen(state, "british")


def test_every_answer_foreseen_is_an_order():
    sieges = {"british": siege("louisbourg", -1, ["rangers", "militia"])}
    for found in ACRES.foreseen(acres(british_hand=["boston"], sieges=sieges), "british"):
        assert ACRES.write_standing(ACRES.read_standing(found.answers)) == list(found.answers)


# -- forced, reveals ------------------------------------------------------------------------------


def forced(state):
    action = ACRES.forced(state)
    return None if action is None else ACRES.write(state, action)


def test_a_raid_without_a_blocker_is_not_forced_while_there_is_a_hand():
    """acres R10.9"""
    assert forced(raided(["militia"])) is None
    assert forced(raided([])) == "allow"


def test_an_answer_that_no_hidden_card_could_change_is_given_at_once():
    """acres R10.9, R10.16; N13: everybody knows who owns what, so that neither answer nor pause tells anything"""
    harmless = ("boston", "pemaquid")
    for draw, answer in ((harmless, "allow"), (("militia",), "allow"), (("rangers",), None), (("fort-halifax",), None)):
        state = raided(["boston"])
        player = state.players["british"]._replace(draw=draw)
        assert forced(state._replace(players={**state.players, "british": player})) == answer, draw
    asked = acres("french", french_hand=["priest"], british_hand=["boston"], british_reserve=["native-americans"])
    for draw, answer in ((harmless, "lose native-americans from reserve"), (("native-americans",), None)):
        state = play(asked, "convert with priest")
        player = state.players["british"]._replace(draw=draw)
        assert forced(state._replace(players={**state.players, "british": player})) == answer, draw


def test_the_only_card_in_a_siege_is_given_up_without_asking():
    """acres R9.6"""
    assert forced(play(siege_lost(["militia", "militia", "port-royal"]), "end")) == "lose militia"
    assert forced(play(siege_lost(), "end")) is None


def test_a_hand_with_nothing_to_lose_is_shown_without_asking():
    """acres R10.14"""
    assert forced(ambushed(["priest"], ())) == "show-hand"
    assert forced(ambushed(["regular-infantry"], ())) is None
    assert forced(acres()) is None


def test_without_a_village_a_conquered_place_is_left_without_asking():
    """acres R9.3"""
    sieges = {"british": siege("louisbourg", 2, ["rangers"])}
    state = acres("french", actions=0, british_hand=["boston"], british_stock=(0, 5), sieges=sieges)
    assert forced(play(state, "end")) == "leave louisbourg"


@pytest.mark.parametrize(
    ("line", "tells"),
    [
        ("money boston", False),
        ("draft native-americans", False),
        ("reserve militia", False),
        ("home-support", True),
        ("ambush with rangers", True),
    ],
)
def test_what_draws_or_asks_cannot_be_taken_back(line, tells):
    """acres R3.5"""
    hand = ["boston", "militia", "home-support", "rangers"]
    state = acres(british_hand=hand)
    assert ACRES.reveals(state, ACRES.read(state, "british", line)) == tells


@pytest.mark.parametrize("hand", [["boston"], ["boston", "home-support"]])
def test_the_end_of_a_turn_cannot_be_taken_back_and_the_last_action_can(hand):
    """acres R3.5, R3.8: whatever the hand holds."""
    state = acres(actions=1, british_hand=hand)
    assert not ACRES.reveals(state, ACRES.read(state, "british", "money boston"))
    used_up = play(state, "money boston")
    assert due(used_up) == ("british", "action") and used_up.actions_left == 0
    assert ACRES.reveals(used_up, ACRES.read(used_up, "british", "end"))


def test_a_shuffle_cannot_be_taken_back():
    """acres R3.6"""
    state = acres(edition="first", british_hand=["home-support"], british_draw=[], british_discard=["boston"])
    assert ACRES.reveals(state, ACRES.read(state, "british", "home-support"))


@pytest.mark.parametrize("line", ["ambush: lose", "siege of louisbourg: lose", "raid: block with rangers from reserve"])
def test_an_order_without_its_card_or_with_a_useless_source_is_refused(line):
    with pytest.raises(Unreadable):
        ACRES.read_standing([line])


def test_an_action_is_never_forced():
    """acres R3.8"""
    assert forced(acres(actions=0)) is None
    assert forced(acres(british_money=0)) is None
