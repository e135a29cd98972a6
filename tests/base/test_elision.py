"""French: "de" and "que" before a name that begins with a vowel."""

from __future__ import annotations

from typing import Any

import pytest
from jinja2 import Environment
from markupsafe import Markup

from app.base.words.french import elide
from app.base.words.speech import Voice
from app.post.letters import render
from app.web.wording import environment_of, page_voice
from engine.kernel.text import Text


@pytest.mark.parametrize(
    ("template", "values", "said"),
    [
        ("Le temps de %(late)s est écoulé.", {"late": "Alice"}, "Le temps d’Alice est écoulé."),
        ("Le temps de {late} est écoulé.", {"late": "émile"}, "Le temps d’émile est écoulé."),
        ("Les pendules de %(who)s", {"who": "Bob"}, "Les pendules de Bob"),
        ("dès que {a} a répondu à {b}", {"a": "Olga", "b": "Alice"}, "dès qu’Olga a répondu à Alice"),
        ("dès que {a}, et de {b}", {"a": "Olga", "b": "Eve"}, "dès qu’Olga, et d’Eve"),
        ("De %(num)s à %(most)s", {"num": 1, "most": 8}, "De 1 à 8"),
        ("de {a}, de {b}", {"a": "Yves", "b": "Yann"}, "d’Yves, de Yann"),
        ("de {a}, de {b}", {"a": "Œdipe", "b": "Ángela"}, "d’Œdipe, d’Ángela"),
        ("la plaine de {at}", {"at": "A4"}, "la plaine de A4"),
        ("la plaine de {at}", {"at": "An1"}, "la plaine de An1"),
        ("une partie de {title}", {"title": "A Few Acres of Snow"}, "une partie de A Few Acres of Snow"),
        ("Le compte de %(name)s", {"name": Markup('<a href="/x">Alice</a>')}, 'Le compte d’<a href="/x">Alice</a>'),
        ("Il dit : %(chat)s", {"chat": "le tour de Alice"}, "Il dit : le tour de Alice"),
        ("le monde {a}", {"a": "Alice"}, "le monde Alice"),
    ],
)
def test_a_name_shortens_the_word_before_it(template: str, values: dict[str, Any], said: str) -> None:
    whole = elide(template, values)
    assert (whole % values if "%(" in whole else whole.format_map(values)) == said


def test_a_sentence_of_a_title_is_shortened_before_its_names_alone() -> None:
    ruled = Text("By ruling, {name} lost on time: “{reason}”", name="olga", reason="jusque-là de Anna, ou de un à dix")
    assert Voice("fr").say(ruled) == "Il a été décidé qu’olga a perdu au temps : « jusque-là de Anna, ou de un à dix »"


@pytest.mark.parametrize(("lang", "said"), [("fr", "Points d’Ann"), ("es", "Puntos de Ann"), ("it", "Punti di Ann")])
def test_whatever_fills_sentences_does_it_in_french_alone(lang: str, said: str) -> None:
    """Mails, pages, and code that joins strings; what has to be escaped still is."""
    source = '{{ _("Points of %(name)s", name=name) }}'
    for environment in (render.environment(lang), environment_of(Environment(autoescape=True), lang)):
        assert environment.from_string(source).render(name="Ann & Bo") == f"{said} &amp; Bo"
    assert page_voice("acres", lang).gettext("Points of %(name)s", name="Ann") == said


def test_a_voice_does_it() -> None:
    assert Voice("fr").gettext("The time of {name} is over.", name="Ann") == "Le temps d’Ann est écoulé."
