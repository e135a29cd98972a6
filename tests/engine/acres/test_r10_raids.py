"""R10.1-R10.12 Raid."""

from dataclasses import replace
from itertools import combinations

import pytest

from engine.acres import ACRES, raids
from engine.acres import actions as act
from engine.acres.position import Position
from engine.kernel.chance import ScriptedChance
from engine.kernel.refusals import IllegalAction
from tests.support.acres import (
    EARLIER,
    acres,
    allowed,
    due,
    editions,
    happen,
    legal_lines,
    play,
    refused,
    siege,
    start_places,
    why_not,
)

COUREURS = ["coureurs-de-bois"]


def raider(hand=COUREURS, british=("fort-halifax", "boston"), french=("kennebec",), edition="second", **zones):
    return acres("french", edition, french_places=french, british_places=british, french_hand=hand, **zones)


def targets(state):
    """The places that can be raided, with the number of cards that each takes."""
    return {entry.about: entry.least for entry in ACRES.legal(state) if getattr(entry, "kind", "") == "raid"}


@editions
def test_a_raid_needs_a_card_that_can_raid(edition):
    """acres R10.1"""
    refused(raider(["militia"], edition=edition), "raid fort-halifax with militia", "raid.no_power", "R10.1")
    assert why_not(raider(["militia"]), "raid") == "raid.no_card"
    with pytest.raises(IllegalAction, match="no_card"):
        ACRES.check(raider(edition=edition), "french", act.Raid("fort-halifax", ()))


def test_the_listing_counts_what_raiders_really_cost():
    """acres R10.3: whatever the table says a card costs, what is listed is what is accepted."""
    hand = ["coureurs-de-bois", "native-americans", "native-americans", "priest"]
    for prices in ((0, 1), (1, 1), (2, 3), (3, 1), (0, 4), (4, 0)):
        for money in range(9):
            p = Position(raider(hand, french_money=money), "french")
            costs = dict(zip(("coureurs-de-bois", "native-americans"), prices, strict=True))
            p.kinds = {c: replace(kind, warpath_cost=costs.get(c, kind.warpath_cost)) for c, kind in p.kinds.items()}
            listed = {choice.action(some) for choice in raids.legal(p) for some in some_of(hand) if choice.allows(some)}
            assert listed == {raid for raid in all_raids(p, hand) if is_accepted(p, raid)}
            assert all(choice.smallest() for choice in raids.legal(p))
            assert listed or raids.why_not(p).code == "raid.no_money"


def some_of(cards):
    return {tuple(sorted(some)) for n in range(1, len(cards) + 1) for some in combinations(cards, n)}


def all_raids(p, hand):
    return [act.Raid(place, some) for place in p.state.board.holdings for some in some_of(hand)]


def is_accepted(p, action):
    try:
        raids.judge(p, action)
    except IllegalAction:
        return False
    return True


@editions
def test_a_priest_starts_no_raid_but_adds_range(edition):
    """acres R10.1, D5"""
    state = raider(["priest", "priest", *COUREURS], ["fort-halifax", "boston", "new-haven"], edition=edition)
    refused(state, "raid fort-halifax with priest, priest", "raid.range_only", "R10.1")
    assert allowed(state, "raid new-haven with coureurs-de-bois, priest, priest")
    assert targets(raider(["priest"], edition=edition)) == {}


@editions
def test_an_indian_leader_adds_range_to_a_british_raid(edition):
    """acres R10.1"""
    state = acres(
        edition=edition,
        british_places=["boston", "fort-halifax"],
        french_places=["quebec"],
        british_hand=["rangers", "indian-leader"],
    )
    assert allowed(state, "raid quebec with indian-leader, rangers")


@pytest.mark.parametrize(("edition", "bonus"), [("first", 0), ("first-revised", 0), ("second", 1)])
def test_range_is_the_number_of_cards_and_one_more_in_the_second_edition(edition, bonus):
    """acres R10.2"""
    state = raider([*COUREURS, "priest"], ["fort-halifax", "deerfield", "new-haven", "albany"], edition=edition)
    assert targets(state) == {"fort-halifax": 1, "deerfield": 2 - bonus} | ({"new-haven": 2} if bonus else {})
    refused(state, "raid albany with coureurs-de-bois, priest", "raid.out_of_range", "R10.2")


@editions
def test_native_americans_are_paid_for(edition):
    """acres R10.3"""
    hand = ["native-americans", "french-native-americans", *COUREURS]
    state = raider(hand, edition=edition, french_money=2)
    after = play(state, "raid fort-halifax with coureurs-de-bois, french-native-americans, native-americans")
    assert after.players["french"].money == 0
    poor = raider(hand, edition=edition, french_money=1)
    refused(poor, "raid fort-halifax with french-native-americans, native-americans", "raid.no_money", "R10.3")
    assert why_not(raider(["native-americans"], french_money=0), "raid") == "raid.no_money"


@editions
def test_a_raid_takes_indian_trails_but_never_the_sea(edition):
    """acres R10.4"""
    by_trail = raider(COUREURS, ["boston"], ["deerfield"], edition)
    assert set(targets(by_trail)) == {"boston"}
    by_sea = raider([*COUREURS, "priest", "priest"], ["boston"], ["louisbourg", "gaspe"], edition)
    assert targets(by_sea) == {}
    assert why_not(by_sea, "raid") == "raid.no_target"


@editions
@pytest.mark.parametrize(("place", "code"), [("deerfield", "raid.not_enemy"), ("kennebec", "raid.not_enemy")])
def test_only_an_enemy_place_is_raided(edition, place, code):
    """acres R10.5"""
    refused(raider(edition=edition), f"raid {place} with coureurs-de-bois", code, "R10.5")


@editions
def test_a_path_passes_neutral_own_and_open_enemy_places(edition):
    """acres R10.6"""
    hand = [*COUREURS, "priest", "priest"]
    for british in (["boston"], ["boston", "deerfield"], ["boston", "fort-halifax", "deerfield"]):
        assert "boston" in targets(raider(hand, british, edition=edition))
    assert "boston" in targets(raider(hand, ["boston"], ["kennebec", "fort-halifax"], edition))


@editions
def test_a_path_never_passes_a_fort(edition):
    """acres R10.6"""
    hand = [*COUREURS, "priest", "priest"]
    assert targets(raider(hand, ["boston", "fort-halifax fort"], edition=edition)) == {}


@pytest.mark.parametrize(("edition", "limited"), [("first", False), ("first-revised", False), ("second", True)])
def test_a_besieged_place_is_not_raided_in_the_second_edition(edition, limited):
    """acres R10.7"""
    state = raider(edition=edition, sieges={"french": siege("fort-halifax", 0, ["militia"])})
    assert allowed(state, "raid fort-halifax with coureurs-de-bois") != limited
    if limited:
        refused(state, "raid fort-halifax with coureurs-de-bois", "raid.besieged", "R10.7")


@pytest.mark.parametrize(("edition", "limited"), [("first", False), ("first-revised", False), ("second", True)])
def test_no_raid_starts_in_a_besieged_place_in_the_second_edition(edition, limited):
    """acres R10.7"""
    state = raider(edition=edition, sieges={"british": siege("kennebec", 0, ["militia"])})
    assert ("fort-halifax" in targets(state)) != limited


@editions
def test_the_besieger_passes_an_open_place_that_he_besieges(edition):
    """acres R10.7"""
    hand = [*COUREURS, "priest"]
    sieges = {"french": siege("fort-halifax", 0, ["militia"])}
    assert "pemaquid" in targets(raider(hand, ["fort-halifax", "pemaquid"], edition=edition, sieges=sieges))
    fort = raider(hand, ["fort-halifax fort", "pemaquid"], edition=edition, sieges=sieges)
    assert targets(fort) == {}


@pytest.mark.parametrize(("edition", "limited"), [("first", False), ("first-revised", False), ("second", True)])
def test_no_raid_passes_an_own_besieged_place_in_the_second_edition(edition, limited):
    """acres R10.7"""
    sieges = {"british": siege("fort-halifax", 0, ["rangers"])}
    hand = [*COUREURS, "priest"]
    state = raider(hand, ["pemaquid"], ["kennebec", "fort-halifax"], edition, sieges=sieges)
    assert ("pemaquid" in targets(state)) != limited


@editions
def test_a_raid_may_start_out_of_supply(edition):
    """acres R10.8"""
    state = raider(edition=edition, french=["kennebec"], british=["fort-halifax", "boston", "quebec"])
    assert "fort-halifax" in targets(state)


@editions
@pytest.mark.parametrize(
    "card", ["rangers", "native-americans", "fortification", "neutral-fortification", "fort-halifax"]
)
def test_a_raid_is_blocked_for_nothing(edition, card):
    """acres R10.9"""
    british = ["boston", "pemaquid", "fort-halifax"]
    state = raider(["native-americans"], british, edition=edition, british_hand=[card], british_money=0)
    after = play(state, "raid fort-halifax with native-americans", f"block {card}")
    assert after.board == state.board
    assert after.players["british"].discard == (card,) and after.players["british"].money == 0
    assert (after.players["french"].money, after.players["french"].discard) == (9, ("native-americans",))
    assert after.actions_left == 1


@editions
@pytest.mark.parametrize("card", ["militia", "pemaquid", "indian-leader", "regular-infantry"])
def test_other_cards_block_no_raid(edition, card):
    """acres R10.9"""
    british = ["boston", "pemaquid", "fort-halifax"]
    state = play(
        raider(british=british, edition=edition, british_hand=[card]), "raid fort-halifax with coureurs-de-bois"
    )
    refused(state, f"block {card}", "block.no_power", "R10.9")
    assert legal_lines(state) == ["allow"]


@editions
def test_a_card_in_the_reserve_blocks_no_raid(edition):
    """acres R10.9"""
    state = play(raider(edition=edition, british_reserve=["rangers"]), "raid fort-halifax with coureurs-de-bois")
    refused(state, "block rangers", "card.not_in_hand")


def test_french_militia_block_raids_and_ambushes():
    """acres R10.9, R10.13"""
    zones = {"british_places": ["boston", "fort-halifax"], "french_places": ["quebec", "kennebec"]}
    state = acres(british_hand=["rangers", "native-americans"], french_hand=["militia", "militia"], **zones)
    state = play(state, "raid kennebec with rangers", "block militia", "ambush with native-americans", "block militia")
    assert state.board.owner("kennebec") == "french"


@editions
def test_a_raided_village_makes_the_place_neutral(edition):
    """acres R10.10"""
    before = raider(edition=edition, british_hand=["fort-halifax"])
    after = play(before, "raid fort-halifax with coureurs-de-bois", "allow")
    assert "fort-halifax" not in after.board.holdings
    assert after.players["french"].captured_villages == 1
    assert after.players["british"].villages == before.players["british"].villages
    assert after.players["british"].hand == ("fort-halifax",)


@pytest.mark.parametrize("edition", EARLIER)
def test_a_siege_of_a_place_that_becomes_neutral_ends_for_nobody(edition):
    """acres R10.11"""
    sieges = {"french": siege("fort-halifax", 1, ["militia", "priest"], ["rangers", "militia"])}
    after = play(raider(edition=edition, sieges=sieges), "raid fort-halifax with coureurs-de-bois", "allow")
    assert after.sieges == {}
    assert sorted(after.players["french"].discard) == ["coureurs-de-bois", "militia", "priest"]
    assert sorted(after.players["british"].discard) == ["militia", "rangers"]


@pytest.mark.parametrize("edition", EARLIER)
def test_a_siege_goes_on_where_a_village_is_left(edition):
    """acres R10.11"""
    sieges = {"french": siege("fort-halifax", 1, ["militia"])}
    state = raider(british=["fort-halifax town", "boston"], edition=edition, sieges=sieges)
    assert play(state, "raid fort-halifax with coureurs-de-bois", "allow").sieges == sieges


@editions
@pytest.mark.parametrize(("capital", "start"), [("boston", "deerfield"), ("new-york", "albany")])
def test_raiding_a_capital_to_neutral_wins_nothing(edition, capital, start):
    """acres R10.12"""
    british = [place for place in start_places("british") if place != capital]
    state = raider(british=[*british, f"{capital} village"], french=["quebec", start], edition=edition)
    after = play(state, f"raid {capital} with coureurs-de-bois", "allow")
    assert capital not in after.board.holdings and after.outcome is None


@editions
def test_raiding_quebec_to_neutral_wins_nothing(edition):
    """acres R10.12"""
    state = acres(edition=edition, british_places=["boston", "kennebec"], french_places=["quebec village"],
                  british_hand=["rangers"])  # fmt: skip
    after = play(state, "raid quebec with rangers", "allow")
    assert "quebec" not in after.board.holdings and after.outcome is None


def test_a_raid_always_asks_even_where_nothing_can_block():
    """acres R10.9"""
    asked = play(raider(), "raid fort-halifax with coureurs-de-bois")
    assert due(asked) == ("british", "raid")
    assert [type(e).__name__ for e, _ in happen(asked, "allow", chance=ScriptedChance())] == ["RaidSucceeded"]
