"""R13 End of the game and scoring."""

import pytest

from engine.acres import ACRES
from engine.acres.ending import score
from engine.kernel.refusals import NotToDecide
from tests.support.acres import acres, due, editions, play, siege


def next_turn(edition="second", seat="british", **zones):
    other = "french" if seat == "british" else "british"
    return play(acres(other, edition, actions=0, **zones), "end")


@editions
def test_a_capital_taken_is_an_immediate_win(edition):
    """acres R13.1"""
    after = next_turn(edition, sieges={"british": siege("quebec", 2, ["militia"])})
    assert ACRES.outcome(after).reason == "home-taken"
    assert ACRES.legal(after) == [] and ACRES.impossible(after) == []


@editions
@pytest.mark.parametrize(
    ("zones", "trigger"),
    [
        ({"british_stock": (9, 0)}, ("towns-placed",)),
        ({"british_stock": (0, 9)}, ("villages-placed",)),
        ({"british_captured": (0, 3)}, ("captured-points",)),
        ({"british_stock": (0, 0), "british_captured": (6, 0)}, ("towns-placed", "villages-placed", "captured-points")),
    ],
)
def test_the_game_ends_at_the_start_of_the_turn_of_the_one_it_is_true_of(edition, zones, trigger):
    """acres R13.2"""
    after = next_turn(edition, **zones)
    assert after.outcome.detail == {"ended_by": "british", "trigger": trigger}
    assert next_turn(edition, "french", **zones).outcome is None


@editions
@pytest.mark.parametrize("captured", [(1, 2), (5, 0), (3, 1)])
def test_ten_captured_points_are_too_few(edition, captured):
    """acres R13.2"""
    assert next_turn(edition, british_captured=captured).outcome is None


@editions
@pytest.mark.parametrize("attacker", ["british", "french"])
def test_a_siege_delays_the_end(edition, attacker):
    """acres R13.2, D22"""
    place = {"british": "louisbourg", "french": "pemaquid"}[attacker]
    sieges = {attacker: siege(place, 0, ["militia"])}
    assert next_turn(edition, british_captured=(0, 3), sieges=sieges).outcome is None
    placed = next_turn(edition, british_stock=(0, 9), sieges=sieges)
    assert (placed.outcome is not None) == (edition == "first-revised")


def test_an_end_by_placed_pieces_leaves_the_siege_as_it_is():
    """acres R13.2; one that is won at that moment: E35"""
    sieges = {"british": siege("louisbourg", 1, ["militia"], ["militia"])}
    after = next_turn("first-revised", british_stock=(5, 0), british_captured=(0, 3), sieges=sieges)
    assert after.outcome.detail["trigger"] == ("towns-placed",)
    assert after.sieges == sieges and after.board.owner("louisbourg") == "french"


@editions
def test_placed_means_that_the_stock_is_empty(edition):
    """acres R13.3"""
    assert next_turn(edition, british_stock=(1, 1)).outcome is None
    assert next_turn(edition, british_stock=(1, 0)).outcome is not None


def test_a_captured_piece_does_not_come_back_to_the_stock():
    """acres R13.3"""
    state = acres("french", french_places=["kennebec"], british_places=["boston", "fort-halifax"],
                  french_hand=["coureurs-de-bois"])  # fmt: skip
    after = play(state, "raid fort-halifax with coureurs-de-bois", "allow")
    assert after.players["british"].villages == state.players["british"].villages


def test_a_town_counts_double_and_captured_pieces_count():
    """acres R13.4"""
    state = acres(
        british_places=["boston town", "albany village", "pemaquid town", "fort-halifax town"],
        french_places=["quebec town", "louisbourg village"],
        british_captured=(1, 2),
        french_captured=(2, 1),
    )
    assert score(state) == {"british": 4 + 4 + 4 + 0 + 2 + 8, "french": 12 + 4 + 4 + 4}


@editions
def test_points_decide_nothing_after_an_immediate_win(edition):
    """acres R13.4"""
    after = next_turn(edition, french_captured=(2, 2), sieges={"british": siege("quebec", 2, ["militia"])})
    assert after.outcome.scores["french"] > after.outcome.scores["british"]
    assert after.outcome.winners == ("british",)


@editions
@pytest.mark.parametrize(("captured", "winner"), [((5, 0), "british"), ((6, 0), "french"), ((7, 0), "french")])
def test_more_points_win_and_a_tie_is_french(edition, captured, winner):
    """acres R13.5"""
    after = next_turn(
        edition,
        british_places=["boston"],
        french_places=["louisbourg"],
        british_captured=(6, 0),
        french_captured=captured,
    )
    assert after.outcome.winners == (winner,)


def test_a_game_may_end_outside_its_rules():
    """acres R13.4"""
    state = acres()
    given_up = ACRES.apply(state, ACRES.resign(state, "british")[0])
    assert (given_up.outcome.winners, given_up.outcome.reason) == (("french",), "resignation")
    agreed = ACRES.apply(state, ACRES.conclude(state, "agreed", ())[0])
    assert (agreed.outcome.winners, agreed.outcome.reason, due(agreed)) == ((), "agreed", None)
    with pytest.raises(NotToDecide, match="over"):
        ACRES.resign(given_up, "french")
    with pytest.raises(NotToDecide, match="over"):
        ACRES.conclude(agreed, "time", ["french"])
    with pytest.raises(NotToDecide, match="unknown"):
        ACRES.resign(state, "red")
    with pytest.raises(NotToDecide, match="unknown"):
        ACRES.conclude(state, "time", ["red"])
    with pytest.raises(NotToDecide, match="over"):
        ACRES.check(given_up, "french", ACRES.read(given_up, "french", "pass"))
