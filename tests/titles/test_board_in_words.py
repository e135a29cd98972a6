"""The board of A Few Acres of Snow in letters says what a person would say, in four languages."""

from __future__ import annotations

import pytest

from app.base.words.speech import Voice
from engine.acres import ACRES
from engine.acres.state import Question
from tests.support.acres import acres

PEOPLE = (("british", "Ann"), ("french", "Ben"))
HAND = ["militia", "militia", "rangers"]


def lines(lang: str, question: Question, people: tuple[tuple[str, str], ...] = PEOPLE) -> list[str]:
    state = acres("french", british_hand=HAND)._replace(question=question)
    return ACRES.board(ACRES.view(state, "british"), Voice(lang, "UTC", ACRES, people)).splitlines()


@pytest.mark.parametrize(
    ("lang", "asked", "own", "side", "hand"),
    [
        ("en", "Turn 11: Ben. Ann must answer first.", "Turn 11: Ben must answer first.", "-- British (Ann) ---",
         "Hand: Militia × 2, Rangers"),
        ("fr", "Tour 11\u00a0: Ben. Ann doit d’abord répondre.", "Tour 11\u00a0: Ben doit d’abord répondre.",
         "-- Anglais (Ann) ---", "Main\u00a0: Milices × 2, Rangers"),
        ("es", "Turno 11: Ben. Ann debe responder primero.", "Turno 11: Ben debe responder primero.",
         "-- Británico (Ann) ---", "Mano: Milicia × 2, Rangers"),
        ("it", "Turno 11: Ben. Ann deve prima rispondere.", "Turno 11: Ben deve prima rispondere.",
         "-- Inglese (Ann) ---", "Mano: Milizia × 2, Rangers"),
    ],
)  # fmt: skip
def test_who_must_answer_and_how_many_cards(lang: str, asked: str, own: str, side: str, hand: str) -> None:
    said = lines(lang, Question("raid", "british", "pemaquid"))
    assert said[0] == asked and said[2].startswith(side) and hand in said
    assert lines(lang, Question("conquest", "french", "halifax"))[0] == own


def test_without_people_the_sides_are_said() -> None:
    said = lines("en", Question("raid", "british", "pemaquid"), ())
    assert said[0] == "Turn 11: The French. The British must answer first." and said[2].startswith("-- British ---")
