"""Refusals that offer words of a program explain them in the reader's language, with the word in quotes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.clocks.pace import read_pace
from app.leagues.clubs.members import read_role
from app.leagues.pure.terms import read_terms
from app.play.turn.starting import find_title
from engine.kernel.refusals import Refusal
from engine.kernel.text import Text, quoted


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "owner (“owner”), organiser (“organiser”), deputy (“deputy”)"),
        ("fr", "propriétaire (« owner »), organisateur (« organiser »)"),
        ("es", "titular («owner»), organizador («organiser»)"),
        ("it", "proprietario («owner»), organizzatore («organiser»)"),
    ],
)
def test_roles_are_named_with_the_word_of_a_list(lang: str, said: str) -> None:
    with pytest.raises(NotAccepted) as no:
        read_role("king")
    assert said in Voice(lang).say(no.value.why).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: find_title("chess"), "(« acres »)"),
        (lambda: read_terms({"drawn": ["coin"]}), "points de victoire (« score »)"),
        (lambda: read_terms({"tie_breaks": ["luck"]}), "tirage au sort (« lots »)"),
        (lambda: read_terms({"withdrawal": "stay"}), "« annul », « walkover » et « half »"),
        (lambda: read_terms({"rated": "maybe"}), "« true » ou « false »"),
        (lambda: read_pace({"days_off": ["someday"]}), "« mon », « tue »"),
    ],
)
def test_other_words_too(ask: Callable[[], object], said: str) -> None:
    with pytest.raises((NotAccepted, Refusal)) as no:
        ask()
    assert said in Voice("fr").say(no.value.why).replace("\u00a0", " ")


def test_words_without_a_name_are_quoted() -> None:
    assert Voice("en").say(Text("{known}", known=quoted(("a", "b", "c")))) == "“a”, “b”, and “c”"
