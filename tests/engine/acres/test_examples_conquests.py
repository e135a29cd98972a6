"""The examples E33-E36: what the winner of a siege does with the place, and when the game ends beside it."""

import pytest

from engine.acres import ACRES
from tests.support.acres import EARLIER, EDITIONS, acres, due, editions, legal_lines, play, refused, siege, start_places

earlier = pytest.mark.parametrize("edition", EARLIER)
NIAGARA = {"british": siege("fort-niagara", 3, ["regular-infantry"])}
LOUISBOURG = {"british": siege("louisbourg", 3, ["regular-infantry"], ["militia"])}


def before(edition="second", options=None, more=(), **zones):
    """The French end their turn; the British then begin theirs, with a village of theirs at each of `more`."""
    return acres(
        "french",
        edition,
        options,
        actions=0,
        british_places=[*start_places("british"), *more],
        british_hand=["settlers", "ships"],
        **zones,
    )


def at_niagara(edition="second", **more):
    places = {"french_places": [*start_places("french"), "fort-niagara"], "sieges": NIAGARA}
    return before(edition, more=("oswego", "albany"), **(places | more))


@editions
def test_e33_a_conquest_without_settler_symbol(edition):
    """acres E33, R9.3, D19"""
    state = play(at_niagara(edition), "end")
    assert state.players["british"].captured_villages == 1 and due(state) == ("british", "conquest")
    if edition == "second":
        assert legal_lines(state) == ["occupy fort-niagara", "leave fort-niagara"]
    else:
        assert legal_lines(state) == ["occupy fort-niagara"]
        refused(state, "leave fort-niagara", "conquest.duty", "R9.3")
    assert (ACRES.forced(state) is None) == (edition == "second"), "everybody sees whether it is the only answer"


@editions
def test_e33b_without_a_village_it_can_only_be_left(edition):
    """acres E33b, E35, R9.3"""
    state = play(at_niagara(edition, british_stock=(0, 9)), "end")
    if edition == "first-revised":
        assert due(state) == ("british", "conquest"), "the siege is settled first"
    assert legal_lines(state) == ["leave fort-niagara"]
    after = play(state, "leave fort-niagara")
    assert (after.outcome is not None) == (edition == "first-revised")


@editions
def test_e33c_with_a_settler_symbol_it_may_be_left_in_all_editions(edition):
    """acres E33c, R9.3"""
    sieges = {"british": siege("louisbourg", 3, ["regular-infantry"])}
    state = play(before(edition, sieges=sieges), "end")
    assert legal_lines(state) == ["occupy louisbourg settler settlers", "leave louisbourg"]


@editions
@pytest.mark.parametrize("optional", [True, False])
def test_e33d_the_option_turns_it_round(edition, optional):
    """acres E33d, R9.3"""
    state = play(at_niagara(edition, options={"conquest_is_optional": optional}), "end")
    assert legal_lines(state) == ["occupy fort-niagara", "leave fort-niagara"][: 2 if optional else 1]


@editions
def test_e34_the_defender_gives_the_place_up(edition):
    """acres E34, R12.3, R9.3"""
    places = [*start_places("french"), "fort-niagara"]
    british = [*start_places("british"), "oswego", "albany"]
    sieges = {"british": siege("fort-niagara", 1, ["regular-infantry"])}
    state = acres("french", edition, french_places=places, british_places=british, sieges=sieges)
    asked = play(state, "withdraw fort-niagara")
    assert due(asked) == ("british", "conquest") and asked.on_turn == "french"
    assert legal_lines(asked) == ["occupy fort-niagara", "leave fort-niagara"][: 2 if edition == "second" else 1]
    after = play(asked, "occupy fort-niagara")
    assert after.outcome is None and after.board.owner("fort-niagara") == "british"


def at_louisbourg(edition="second", sieges=LOUISBOURG, **more):
    return before(
        edition, sieges=sieges, **({"more": ("albany", "oswego", "deerfield"), "british_stock": (5, 0)} | more)
    )


def test_e35_in_the_revised_first_edition_the_siege_is_settled_before_the_end():
    """acres E35, R3.1, R13.2, D33"""
    begun = at_louisbourg("first-revised")
    over = play(begun, "end", "lose militia", "leave louisbourg")
    assert over.outcome.detail == {"ended_by": "british", "trigger": ("towns-placed",)}
    assert (over.outcome.winners, dict(over.outcome.scores)) == (("british",), {"british": 29, "french": 25})
    assert over.turn == begun.turn + 1 and over.actions_left == 2, "without an action, and nothing is drawn"
    assert over.players["british"].hand == begun.players["british"].hand


def test_e35_with_the_option_off_the_game_ends_before():
    """acres E35, R3.1"""
    begun = at_louisbourg("first-revised", options={"siege_before_placement_end": False})
    over = play(begun, "end")
    assert (over.outcome.winners, dict(over.outcome.scores)) == (("french",), {"british": 27, "french": 29})
    assert over.turn == begun.turn and over.sieges == LOUISBOURG and over.board.owner("louisbourg") == "french"


@pytest.mark.parametrize("edition", ["first", "second"])
def test_e35_elsewhere_the_siege_delays_the_end(edition):
    """acres E35, R3.1"""
    state = play(at_louisbourg(edition), "end", "lose militia", "leave louisbourg")
    assert state.outcome is None and due(state) == ("british", "action")
    back = play(state, "pass", "pass", "end", "pass", "pass", "end")
    assert back.outcome.detail == {"ended_by": "british", "trigger": ("towns-placed",)}


def test_e35b_a_siege_may_be_lifted_without_a_line_of_anybody():
    """acres E35b, R3.1"""
    sieges = {"french": siege("pemaquid", -1, ["port-royal"])}
    over = play(before("first-revised", sieges=sieges, british_stock=(5, 0)), "end")
    assert over.sieges == {} and over.board.owner("pemaquid") == "british"
    assert over.outcome.detail == {"ended_by": "british", "trigger": ("towns-placed",)}


@earlier
def test_e35c_the_duty_may_place_the_last_village(edition):
    """acres E35c, R9.3"""
    state = play(at_niagara(edition, british_stock=(1, 9)), "end")
    assert legal_lines(state) == ["occupy fort-niagara"]
    after = play(state, "occupy fort-niagara")
    if edition == "first":
        assert after.outcome is None and due(after) == ("british", "action")
    else:
        assert after.outcome.detail["trigger"] == ("villages-placed",)
        assert dict(after.outcome.scores) == {"british": 27, "french": 29}


@editions
def test_e36_captured_points_end_the_game_only_as_a_turn_begins(edition):
    """acres E36, R3.1, R13.2"""
    sieges = {"british": siege("louisbourg", 3, ["regular-infantry"])}
    state = play(before(edition, sieges=sieges, british_captured=(5, 0)), "end", "leave louisbourg")
    assert state.players["british"].captured_villages == 6 and due(state) == ("british", "action")


def test_e36b_captured_points_are_no_reason_where_placed_towns_are():
    """acres E36b, R13.2"""
    sieges = {"british": siege("louisbourg", 3, ["regular-infantry"])}
    begun = before("first-revised", sieges=sieges, british_captured=(5, 0), british_stock=(5, 0))
    over = play(begun, "end", "leave louisbourg")
    assert over.players["british"].captured_villages == 6
    assert over.outcome.detail["trigger"] == ("towns-placed",)


def test_e36c_a_siege_that_stands_delays_the_end_where_the_option_says_so():
    """acres E36c, R3.1, R13.2"""
    options = {"siege_before_placement_end": True, "placement_end_needs_no_siege": True}
    sieges = LOUISBOURG | {"french": siege("pemaquid", 0, ["militia"])}
    state = play(at_louisbourg("first-revised", sieges, options=options), "end", "lose militia", "leave louisbourg")
    assert state.outcome is None and set(state.sieges) == {"french"}


def test_what_is_kept_names_what_was_usual_before():
    """acres, Edition switches: what names no option and is older is read the old way."""
    for edition in EDITIONS:
        kept = ACRES.kept_options({"edition": edition})
        assert (kept.conquest_is_optional, kept.siege_before_placement_end) == (True, False)
        today = ACRES.read_options({"edition": edition})
        assert ACRES.kept_options(ACRES.keep_options(today)) == today
        assert ACRES.keep_options(kept) == {"edition": edition}
    written = ACRES.write_options(ACRES.kept_options({"edition": "first-revised"}))
    assert written == {"edition": "first-revised", "siege_before_placement_end": False, "conquest_is_optional": True}
