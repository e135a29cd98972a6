"""Turns that a native would not write (docs/house-style.md): in no sentence for people, in no text of the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.base import i18n

ROOT = Path(__file__).resolve().parents[2]
BANNED = {
    "en": (
        r"(?<!here )\b(is|are) no\b(?! longer| more\b)",  # "there is no" is fine
        r"\bThe most \w+s\b",
        r"\bthe own\b",
        r"\banew\b",
        r"\b[Ss]omebody who\b",
        r"\bthereby\b",
        r"\b(informations|feedbacks|advices)\b",
        r"\w'\w",  # a straight apostrophe
    ),
    "fr": (
        r"\w'\w",
        r"\b[Vv]ous (êtes|avez|pouvez|devez)\b",
        r"\b[Vv]euillez\b",
        r"\beffectu(er|é|ée)\b",
        r"\bau niveau de\b",
    ),
    "es": (r"\b[Uu]sted(es)?\b", r"\ba nivel de\b", r"\brealizar\b"),
    "it": (r"\w'\w", r"\bLei\b", r"\beffettuare\b", r"\ba livello di\b", r"\bsuddett[oaie]\b"),
}


def sentences(language: str) -> Iterator[str]:
    """All that is said in a language: the catalogue (English by its keys), and the rules, a line each."""
    for message in i18n.read_catalogue("fr" if language == "en" else language):
        said = message.id if language == "en" else message.string
        yield from [said] if isinstance(said, str) else said or ()
    for text in sorted((ROOT / "app" / "titles").glob(f"*/rules/{language}.md")):
        yield from text.read_text(encoding="utf-8").splitlines()


def turns_in(sentence: str, language: str) -> list[str]:
    return [turn for turn in BANNED[language] if re.search(turn, sentence)]


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_no_sentence_has_a_turn_that_a_native_would_not_write(language: str) -> None:
    said = list(sentences(language))
    assert len(said) > 2500
    assert [sentence for sentence in said if turns_in(sentence, language)] == []


@pytest.mark.parametrize(
    ("sentence", "is_bad"),
    [
        ("“{word}” is no step.", True),
        ("There is no step.", False),
        ("There are no mails yet.", False),
        ("The game is no longer open.", False),
        ("The most players", True),
        ("Whoever has the most points wins.", False),
        ("The tiles are dealt anew.", True),
        ("The pace's days", True),
    ],
)
def test_the_list_knows_bad_from_good(sentence: str, is_bad: bool) -> None:
    assert bool(turns_in(sentence, "en")) is is_bad
