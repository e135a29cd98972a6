"""The notation: every verb, tolerance for people, and errors that point at the word."""

import pytest

from engine.acres import ACRES
from engine.acres import actions as act
from engine.kernel.refusals import Unreadable
from engine.kernel.text import say
from tests.support.acres import ENGLISH, acres, legal_lines, play, siege

LINES = {
    "settle albany from new-york with bateaux": act.Settle("albany", "new-york", "bateaux"),
    "settle albany from new-york with bateaux settler boston": act.Settle("albany", "new-york", "bateaux", "boston"),
    "develop norfolk with boston": act.Develop("norfolk", "boston"),
    "fortify norfolk with neutral-fortification": act.Fortify("norfolk", "neutral-fortification"),
    "besiege louisbourg from halifax with ships force militia": act.Besiege(
        "louisbourg", "halifax", "ships", "militia"
    ),
    "reinforce louisbourg with militia": act.Reinforce("louisbourg", "militia"),
    "raid quebec with native-americans, rangers": act.Raid("quebec", ("native-americans", "rangers")),
    "ambush with rangers": act.Ambush("rangers"),
    "convert with indian-leader": act.Convert("indian-leader"),
    "money boston": act.TakeMoney("boston"),
    "merchant ships: boston, norfolk": act.Merchant("ships", ("boston", "norfolk")),
    "trade albany, pemaquid": act.Trade(("albany", "pemaquid")),
    "piracy with ships": act.Piracy("ships"),
    "draft militia": act.Draft("militia"),
    "discard boston, militia, militia": act.Discard(("boston", "militia", "militia")),
    "reserve militia": act.Reserve("militia"),
    "govern albany, militia": act.Govern(("albany", "militia")),
    "intendant home-support": act.UseIntendant("home-support"),
    "pass": act.Pass(),
    "retrieve": act.Retrieve(),
    "home-support": act.HomeSupport(),
    "withdraw louisbourg": act.Withdraw("louisbourg"),
    "withdraw louisbourg remove militia": act.Withdraw("louisbourg", "militia"),
    "end": act.End(),
    "block rangers": act.Block("rangers"),
    "allow": act.Allow(),
    "lose militia": act.Lose("militia", "hand"),
    "lose militia from reserve": act.Lose("militia", "reserve"),
    "lose militia at louisbourg": act.Lose("militia", "louisbourg"),
    "show-hand": act.ShowHand(),
    "occupy louisbourg": act.Occupy("louisbourg"),
    "occupy louisbourg settler boston": act.Occupy("louisbourg", "boston"),
    "leave louisbourg": act.Leave("louisbourg"),
}


def read(line, state=None, seat="british"):
    return ACRES.read(state if state is not None else acres(), seat, line)


@pytest.mark.parametrize("line", LINES)
def test_every_kind_of_line_is_read_and_written(line):
    assert read(line) == LINES[line]
    assert ACRES.write(acres(), LINES[line]) == line


def test_every_action_has_a_line():
    assert {type(action) for action in LINES.values()} == set(act.ACTIONS)


@pytest.mark.parametrize("line", LINES)
def test_case_and_spaces_do_not_matter(line):
    assert read(f"   {line.upper()}  ") == LINES[line]
    assert read(line.title().replace(" ", "   ").replace(",", " , ")) == LINES[line]


def test_the_order_of_cards_has_no_meaning():
    assert read("discard militia, boston, militia") == read("discard boston, militia, militia")
    assert ACRES.write(acres(), read("raid quebec with rangers, native-americans")) == (
        "raid quebec with native-americans, rangers"
    )


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("leave Québec", "leave quebec"),
        ("leave Trois-Rivières", "leave trois-rivieres"),
        ("leave Trois Rivieres", "leave trois-rivieres"),
        ("leave Fort St. John", "leave fort-st-john"),
        ("leave fort st john", "leave fort-st-john"),
        ("leave St. Mary’s", "leave st-marys"),
        ("leave st marys", "leave st-marys"),
        ("leave Fort Presqu’Isle", "leave fort-presqu-isle"),
        ("leave FORT BEAUSÉJOUR", "leave fort-beausejour"),
        ("leave Nueva York", "leave new-york"),
        ("leave Filadelfia", "leave philadelphia"),
        ("leave louis", "leave louisbourg"),
        ("leave duquesne", "leave fort-duquesne"),
        ("leave william henry", "leave fort-william-henry"),
        ("leave mich", "leave michillimackinac"),
        ("reserve Artillerie de siège", "reserve siege-artillery"),
        ("reserve infantería regular", "reserve regular-infantry"),
        ("reserve Fanteria regolare", "reserve regular-infantry"),
        ("reserve Leader indiano", "reserve indian-leader"),
        ("reserve Chef militaire", "reserve military-leader"),
        ("reserve barche", "reserve bateaux"),
        ("reserve Milices", "reserve militia"),
        ("reserve artillery", "reserve siege-artillery"),
        ("reserve infantry", "reserve regular-infantry"),
        ("reserve rang", "reserve rangers"),
        ("discard Siège Artillery, Boston; militia", "discard boston, militia, siege-artillery"),
        ("home support", "home-support"),
        ("show hand", "show-hand"),
        ("Home Support", "home-support"),
        ("merchant ships : boston", "merchant ships: boston"),
        ("merch ships: boston", "merchant ships: boston"),
        ("money from Boston", "money boston"),
        ("block with native-americans", "block native-americans"),
        ("besiege Louisbourg FROM Halifax WITH Navires FORCE Milicia",
         "besiege louisbourg from halifax with ships force militia"),
    ],
)  # fmt: skip
def test_people_are_understood(typed, meant):
    state = acres()
    assert ACRES.write(state, read(typed, state)) == meant


def test_a_name_that_fits_several_cards_is_the_one_at_hand():
    state = acres(british_hand=["neutral-fortification"])
    assert read("discard fort-niagara", state) == act.Discard(("fort-niagara",))
    assert read("develop boston with settlers", acres(british_hand=["settlers"])) == act.Develop("boston", "settlers")
    assert read("reserve mil", acres(british_hand=["militia"])) == act.Reserve("militia")


def test_the_initial_infantry_is_told_from_the_others():
    state = acres("french")
    assert read("discard regular-infantry", state, "french") == act.Discard(("regular-infantry",))
    assert read("discard initial-infantry", state, "french") == act.Discard(("initial-infantry",))
    assert read("discard Regular Infantry (initial)", state, "french") == act.Discard(("initial-infantry",))


def test_a_colour_means_its_own_cards():
    state = acres("french")
    with pytest.raises(Unreadable, match="others"):
        read("discard rangers", state, "french")
    assert read("ambush with french native-americans", state, "french") == act.Ambush("french-native-americans")


@pytest.mark.parametrize(
    ("line", "code", "word"),
    [
        ("raid bostn with rangers", "name.unknown", "bostn"),
        ("raid boston with rangrs", "name.unknown", "rangrs"),
        ("discard fortification boston", "name.comma", "fortification boston"),
        ("raid boston with rangers, millitia", "name.unknown", "millitia"),
        ("settle fort from boston with ships", "name.ambiguous", "fort"),
        ("reserve m", "name.ambiguous", "m"),
        ("rade boston with rangers", "line.verb", "rade"),
        ("re boston", "line.verb", "re"),
        ("xyzzy", "line.verb", "xyzzy"),
        ("draft intendant", "name.others", "intendant"),
        ("raid boston", "line.shape", ""),
        ("raid boston with", "line.shape", ""),
        ("raid with rangers", "line.shape", ""),
        ("pass boston", "line.shape", "boston"),
        ("ambush rangers", "line.shape", "rangers"),
        ("merchant ships boston", "line.shape", ""),
        ("settle albany from new-york with bateaux with ships", "line.shape", "with"),
        ("settle albany from with bateaux", "line.shape", "with"),
        ("lose militia from deck", "line.shape", "deck"),
        ("block with", "line.shape", ""),
        ("discard boston,, militia", "line.shape", ","),
        ("discard ,", "line.shape", ","),
    ],
)
def test_an_error_points_at_the_word(line, code, word):
    with pytest.raises(Unreadable) as caught:
        read(line)
    assert caught.value.code == code
    start, end = caught.value.word
    assert line[start:end] == word


@pytest.mark.parametrize(
    ("line", "proposed"),
    [
        ("leave bostn", "Boston"),
        ("leave luisbourg", "Louisbourg"),
        ("reserve millitia", "Militia"),
        ("rade boston with rangers", "raid"),
        ("raid boston", "raid PLACE with CARD[, CARD...]"),
        ("leave fort", "Fort Niagara"),
        ("reserve governer", "Governor"),
        ("draft intendant", "Intendant is a card of the other side"),
        ("attack boston", "perhaps besiege?"),
        ("colonise halifax", "perhaps settle?"),
        ("take money from boston", "perhaps money?"),
    ],
)
def test_an_error_says_what_would_be_right(line, proposed):
    with pytest.raises(Unreadable) as caught:
        read(line)
    assert proposed in say(caught.value.why, ENGLISH)


def test_a_wrong_form_is_answered_with_a_line_that_can_be_played_now():
    state = acres(british_hand=["boston", "ships", "settlers"])
    for line in ("settle halifax", "money", "merchant ships"):
        example = next(legal for legal in legal_lines(state) if legal.startswith(line.split()[0]))
        with pytest.raises(Unreadable) as caught:
            read(line, state)
        assert f"for example “{example}”." in say(caught.value.why, ENGLISH)
    for line, seat in [("develop", "british"), ("money", "french")]:
        with pytest.raises(Unreadable) as caught:
            read(line, state, seat)
        assert "for example" not in say(caught.value.why, ENGLISH)


@pytest.mark.parametrize("line", ["", "   ", "\t\n"])
def test_an_empty_line_is_refused(line):
    with pytest.raises(Unreadable, match="empty"):
        read(line)


def test_an_endless_line_is_refused():
    with pytest.raises(Unreadable, match="too_long"):
        read("discard " + "boston, " * 100)


def test_a_seat_that_does_not_exist_is_refused():
    with pytest.raises(Unreadable, match="unknown"):
        read("pass", seat="red")


def test_two_sieges_that_end_together_name_the_place():
    """acres R9.2"""
    sieges = {
        "british": siege("louisbourg", 2, ["rangers"], ["militia"]),
        "french": siege("pemaquid", -1, ["priest"]),
    }
    state = play(acres("french", actions=0, sieges=sieges), "end")
    assert legal_lines(state) == ["lose priest at pemaquid"]
    assert read("lose priest", state, "french") == act.Lose("priest", "pemaquid")
    state = play(state, "lose priest at pemaquid")
    assert legal_lines(state) == ["lose militia at louisbourg"]


def test_two_sieges_name_the_place_even_if_only_one_needs_the_line():
    """acres R9.2"""
    sieges = {"british": siege("louisbourg", 2, ["rangers"], ["militia"]), "french": siege("pemaquid", -1, ["quebec"])}
    state = play(acres("french", actions=0, sieges=sieges), "end")
    assert legal_lines(state) == ["lose militia at louisbourg"]


def test_one_siege_does_not_name_the_place():
    """acres R9.6"""
    state = play(
        acres("french", actions=0, sieges={"british": siege("louisbourg", 2, ["rangers"], ["militia"])}), "end"
    )
    assert legal_lines(state) == ["lose militia"]
    assert read("lose militia at louisbourg", state, "french") == read("lose militia", state, "french")
