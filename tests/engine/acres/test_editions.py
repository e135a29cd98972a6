"""The switches: each both ways on its own, and the rows of the three editions as the rules document has them."""

import pytest

from engine.acres import ACRES
from engine.acres.record_form import initial_deck
from engine.kernel.refusals import Unreadable
from tests.support.acres import EDITIONS, ENGLISH, acres, allowed, editions, legal_lines, play, siege

TABLE = {
    "french_initial_bateaux": (True, True, False),
    "raid_range_bonus": (0, 0, 1),
    "raid_siege_limits": (False, False, True),
    "settling_capital_wins": (False, False, True),
    "merchant_max_coins": (None, 2, 2),
    "withdraw_is_free": (False, True, True),
    "reinforce_from_new_york": (True, True, False),
    "reshuffle_at_once": (True, True, False),
    "reserve_limit": (None, 5, 5),
    "reserve_location_cards": (True, True, False),
    "home_support_reshuffles": (True, True, False),
    "placement_end_needs_no_siege": (True, False, True),
    "siege_before_placement_end": (False, True, False),
    "conquest_is_optional": (False, False, True),
    "ambush_reaches_siege_cards": (False, False, False),
    "siege_track": ("capped", "capped", "capped"),
}


@pytest.mark.parametrize("switch", TABLE)
def test_a_row_of_the_table_is_as_the_rules_document_has_it(switch):
    """acres, Edition switches"""
    settings = [ACRES.read_options({"edition": edition}) for edition in EDITIONS]
    assert tuple(getattr(edition, switch) for edition in settings) == TABLE[switch]


def test_the_table_has_all_switches():
    """acres, Edition switches"""
    assert {field.name for field in ACRES.option_fields({})} == {"edition", *TABLE}


def initial_bateaux(**given):
    return "bateaux" in initial_deck(ACRES.read_options(given), "french")


def raids_two_away(**given):
    state = acres("french", options=given, french_places=["kennebec"], british_places=["boston", "pemaquid"],
                  french_hand=["coureurs-de-bois"])  # fmt: skip
    return allowed(state, "raid pemaquid with coureurs-de-bois")


def raids_a_besieged_place(**given):
    sieges = {"french": siege("fort-halifax", 0, ["militia"])}
    state = acres("french", options=given, french_places=["kennebec"], british_places=["boston", "fort-halifax"],
                  french_hand=["coureurs-de-bois"], sieges=sieges)  # fmt: skip
    return allowed(state, "raid fort-halifax with coureurs-de-bois")


def settling_wins(**given):
    state = acres("french", options=given, french_places=["quebec", "louisbourg", "pemaquid"],
                  french_hand=["pemaquid", "louisbourg", "quebec"], british_places=["new-york"])  # fmt: skip
    return play(state, "settle boston from pemaquid with louisbourg settler quebec").outcome is not None


def merchant_takes_three(**given):
    state = acres(options=given, british_hand=["ships", "boston", "new-york", "norfolk"])
    return allowed(state, "merchant ships: boston, new-york, norfolk")


def withdraws_for_free(**given):
    state = acres(options=given, sieges={"british": siege("louisbourg", 0, ["militia"])})
    return play(state, "withdraw louisbourg remove militia").actions_left == 2


def reinforces_from_new_york(**given):
    state = acres(options=given, british_places=["new-york"], british_hand=["militia"],
                  french_places=["quebec", "boston", "louisbourg"],
                  sieges={"british": siege("louisbourg", 0, ["ships"])})  # fmt: skip
    return allowed(state, "reinforce louisbourg with militia")


def shuffles_at_once(**given):
    state = acres(options=given, actions=0, british_hand=["militia"] * 3 + ["ships"], british_draw=["boston"],
                  british_discard=["norfolk"])  # fmt: skip
    return play(state, "end").players["british"].draw == ("norfolk",)


def reserves_a_sixth_card(**given):
    reserve = ["militia", "militia", "militia", "ships", "ships"]
    return allowed(acres(options=given, british_reserve=reserve, british_hand=["rangers"]), "reserve rangers")


def reserves_a_location_card(**given):
    return allowed(acres(options=given, british_hand=["boston"]), "reserve boston")


def home_support_shuffles(**given):
    state = acres(options=given, british_hand=["home-support"], british_draw=[], british_discard=["boston"])
    return allowed(state, "home-support")


def placed_pieces_wait_for_sieges(**given):
    state = acres("french", options=given, actions=0, british_stock=(5, 0),
                  sieges={"french": siege("pemaquid", 0, ["militia"])})  # fmt: skip
    return play(state, "end").outcome is None


def a_won_siege_comes_before_the_end(**given):
    state = acres("french", options={"placement_end_needs_no_siege": False} | given, actions=0, british_stock=(5, 0),
                  sieges={"british": siege("louisbourg", 2, ["militia"])})  # fmt: skip
    return play(state, "end").players["british"].captured_villages == 1


def a_conquest_may_be_left(**given):
    state = acres("french", options=given, actions=0, french_places=["quebec", "fort-stanwix"],
                  sieges={"british": siege("fort-stanwix", 2, ["militia"])})  # fmt: skip
    return allowed(play(state, "end"), "leave fort-stanwix")


def ambush_reaches_a_siege(**given):
    state = acres(options=given, british_hand=["rangers"],
                  sieges={"british": siege("louisbourg", 0, ["militia"], ["regular-infantry"])})  # fmt: skip
    return legal_lines(play(state, "ambush with rangers")) == ["lose regular-infantry at louisbourg"]


def track_is_open(**given):
    state = acres(options=given, british_hand=["regular-infantry"],
                  sieges={"british": siege("louisbourg", 6, ["militia"])})  # fmt: skip
    return play(state, "reinforce louisbourg with regular-infantry").sieges["british"].strength == 8


@editions
@pytest.mark.parametrize(
    ("switch", "happens", "no", "yes"),
    [
        ("french_initial_bateaux", initial_bateaux, False, True),
        ("raid_range_bonus", raids_two_away, 0, 1),
        ("raid_siege_limits", raids_a_besieged_place, True, False),
        ("settling_capital_wins", settling_wins, False, True),
        ("merchant_max_coins", merchant_takes_three, 2, None),
        ("merchant_max_coins", merchant_takes_three, 1, 3),
        ("withdraw_is_free", withdraws_for_free, False, True),
        ("reinforce_from_new_york", reinforces_from_new_york, False, True),
        ("reshuffle_at_once", shuffles_at_once, False, True),
        ("reserve_limit", reserves_a_sixth_card, 5, None),
        ("reserve_limit", reserves_a_sixth_card, 4, 6),
        ("reserve_location_cards", reserves_a_location_card, False, True),
        ("home_support_reshuffles", home_support_shuffles, False, True),
        ("placement_end_needs_no_siege", placed_pieces_wait_for_sieges, False, True),
        ("siege_before_placement_end", a_won_siege_comes_before_the_end, False, True),
        ("conquest_is_optional", a_conquest_may_be_left, False, True),
        ("ambush_reaches_siege_cards", ambush_reaches_a_siege, False, True),
        ("siege_track", track_is_open, "capped", "open"),
    ],
)
def test_a_switch_alone_makes_its_difference_in_every_edition(edition, switch, happens, no, yes):
    """acres, Edition switches"""
    assert not happens(edition=edition, **{switch: no})
    assert happens(edition=edition, **{switch: yes})


def test_the_second_edition_is_the_default():
    """acres, Edition switches"""
    assert ACRES.read_options({}).edition == "second"
    assert ACRES.write_options(ACRES.read_options({})) == {"edition": "second"}


def test_options_are_written_where_they_differ_from_the_edition():
    """acres, Edition switches"""
    given = {"edition": "first", "reserve_limit": 5, "siege_track": "open", "withdraw_is_free": False}
    written = ACRES.write_options(ACRES.read_options(given))
    assert written == {"edition": "first", "reserve_limit": 5, "siege_track": "open"}
    assert ACRES.read_options(written) == ACRES.read_options(given)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"edition": "third"}, "options.edition"),
        ({"edition": 2}, "options.edition"),
        ({"edition": None}, "options.edition"),
        ({"edition": ["second"]}, "options.edition"),
        ({"house_rules": True}, "options.unknown"),
        ({"withdraw_is_free": 1}, "options.value"),
        ({"withdraw_is_free": "yes"}, "options.value"),
        ({"raid_range_bonus": True}, "options.value"),
        ({"raid_range_bonus": -1}, "options.value"),
        ({"raid_range_bonus": None}, "options.value"),
        ({"reserve_limit": 2.5}, "options.value"),
        ({"reserve_limit": {}}, "options.value"),
        ({"siege_track": "endless"}, "options.value"),
    ],
)
def test_an_unknown_option_or_value_is_refused(given, code):
    """acres, Edition switches"""
    with pytest.raises(Unreadable) as caught:
        ACRES.read_options(given)
    assert caught.value.code == code


def test_the_option_fields_show_the_defaults_of_the_edition():
    """acres, Edition switches"""
    for index, edition in enumerate(EDITIONS):
        fields = {field.name: field.default for field in ACRES.option_fields({"edition": edition})}
        assert fields == {"edition": edition} | {switch: row[index] for switch, row in TABLE.items()}


def test_the_seats_are_two_in_one_order():
    """acres R1.1"""
    assert ACRES.check_seats(["british", "french"]) == ("british", "french")
    for seats in (["french", "british"], ["british"], ["british", "french", "red"], []):
        with pytest.raises(Unreadable):
            ACRES.check_seats(seats)


def test_view_and_text_board_tell_the_switches_that_differ_and_the_location_cards_on_offer():
    """acres R1.5, Edition switches"""
    state = acres(options={"siege_track": "open", "withdraw_is_free": False})
    view = ACRES.view(state, None)
    assert view["switches"] == {"siege_track": "open", "withdraw_is_free": False}
    board = " ".join(ACRES.board(view, ENGLISH).split())
    assert "Changed rules: Withdrawing is a free action: no, Ends of the siege track: open" in board
    assert board.count("Location cards on offer: ") == 2 and "Changed rules" not in ACRES.board(
        ACRES.view(acres(), None), ENGLISH
    )
