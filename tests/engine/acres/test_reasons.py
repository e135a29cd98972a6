"""Why a place, or a card, cannot be used."""

from __future__ import annotations

from engine.acres import ACRES, reasons
from engine.acres.data import PLACES
from tests.support.acres import EDITIONS, acres, siege
from tests.support.acres_games import random_game


def codes(found: reasons.Reasons) -> dict[str, str]:
    return {kind: bar.code for kind, bar in found.cannot}


def test_a_place_says_what_can_be_done_there_and_why_not_the_rest() -> None:
    """acres R5.1, R6.1, R7.1"""
    state = acres(british_hand=["new-york", "st-marys", "boston", "militia"])
    albany = reasons.of_place(state, "albany")
    assert albany.can == ("settle",)
    assert codes(albany) == {
        "develop": "develop.not_yours",
        "fortify": "fortify.not_yours",
        "besiege": "besiege.not_enemy",
        "reinforce": "reinforce.no_siege",
        "raid": "raid.not_enemy",
    }
    assert codes(reasons.of_place(state, "detroit"))["settle"] == "settle.no_connection"
    assert codes(reasons.of_place(state, "quebec"))["settle"] == "settle.enemy_place"
    assert codes(reasons.of_place(state, "norfolk"))["develop"] == "card.not_in_hand"


def test_a_card_says_what_it_is_good_for_and_why_not_for_the_rest() -> None:
    """acres R4.1, R11.1"""
    besieged = acres(
        british_places=["boston", "halifax"],
        british_hand=["boston", "halifax"],
        sieges={"french": siege("halifax", 1, ["regular-infantry"], ["militia"])},
    )
    halifax = reasons.of_card(besieged, "halifax")
    assert halifax.can == ("discard",)
    assert {codes(halifax)[kind] for kind in ("settle", "develop", "merchant", "trade")} == {"card.besieged"}
    assert "piracy" not in codes(halifax), "only the French"
    boston = reasons.of_card(besieged, "boston")
    assert "money" in boston.can and "reinforce" in boston.can
    assert codes(boston)["develop"] == "develop.no_place"
    assert reasons.of_card(besieged, "militia") == reasons.NO_REASONS


def test_every_legal_action_is_told_and_every_reason_is_one() -> None:
    """Of played positions: a kind is possible at a place or not, never both; to an answer places have no part."""
    looked = 0

    def look(state: object, action: object) -> None:
        nonlocal looked
        looked += 1
        if looked % 9:
            return
        due = ACRES.decision(state)  # type: ignore[arg-type]
        assert due is not None
        at_places = [reasons.of_place(state, place) for place in PLACES]  # type: ignore[arg-type]
        assert due.kind == "action" or set(at_places) == {reasons.NO_REASONS}
        of_cards = [reasons.of_card(state, card) for card in set(state.players[due.seat].hand)]  # type: ignore
        assert all(found.can or found.cannot for found in of_cards)
        for found in (*at_places, *of_cards):
            assert not set(found.can) & {kind for kind, _ in found.cannot}
            assert all(bar.rule for _, bar in found.cannot)

    random_game(7, look=look, edition=EDITIONS[-1])
    assert looked > 50
