"""Sentences of a log run on as long as they are about one actor."""

from __future__ import annotations

import pytest

from app.base.speech import Voice
from app.play.sentences import MOST, run_on, sentence_of
from engine.acres import ACRES
from engine.acres import events as ev

PEOPLE = (("british", "Ann"), ("french", "Ben"))
PASSED = ev.Passed("british")
DREW = ev.Drew("british", 2)


def told(lang: str, *events: object) -> list[str]:
    voice = Voice(lang, "UTC", ACRES, PEOPLE)
    texts = [ACRES.sentence(event) for event in events]
    return run_on([sentence_of(text, voice) for text in texts if text is not None], voice)


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "Ann passed; drew 2 cards."),
        ("fr", "Ann a passé\u00a0; a pioché 2 cartes."),
        ("es", "Ann pasó; robó 2 cartas."),
        ("it", "Ann ha passato; ha pescato 2 carte."),
    ],
)
def test_the_name_of_whoever_acts_again_stands_once(lang: str, said: str) -> None:
    assert told(lang, PASSED, DREW) == [said]


def test_another_actor_and_what_tells_of_nobody_begin_a_sentence() -> None:
    assert told("en", PASSED, ev.Passed("french"), PASSED) == ["Ann passed.", "Ben passed.", "Ann passed."]
    begins = ev.TurnBegan("british", 7, 2)
    assert told("en", DREW, begins, DREW) == ["Ann drew 2 cards.", "Turn 7: Ann.", "Ann drew 2 cards."]


def test_a_sentence_with_parts_stands_alone_and_none_grows_without_end() -> None:
    won = ev.SiegeWon("british", "halifax", "british", "militia")
    assert told("en", PASSED, won, PASSED)[1:] == ["Ann won the siege of Halifax; Militia is given up.", "Ann passed."]
    assert told("en", *[PASSED] * (MOST + 1)) == ["Ann " + "; ".join(["passed"] * MOST) + ".", "Ann passed."]
