"""Finds English left in pages and mails of another language."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from app.base.words import i18n
from tests.support.people import text_of

ROOT = Path(__file__).resolve().parents[2]

NAMES = {title: ROOT / "engine" / title.replace("-", "_") / "data" / "names.csv" for title in ("acres", "new-world")}

FOREIGN = ("fr", "es", "it")

UNSEEN = {"code", "textarea", "style", "script", "option"}

SAID_ASIDE = ("aria-label", "title", "alt", "placeholder")

_SHAPES = re.compile(r"</?(?:path|circle|rect|use|line)\b[^<>]*>")

LONG = 14
"""A sentence with at least this many letters is searched for within others; a shorter one must be the whole text."""


class Seen(HTMLParser):
    """What can be read or heard of a page, piece by piece, and its language."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.language = ""
        self._within: list[str] = []
        self.feed(_SHAPES.sub(lambda tag: tag[0] if "aria-label" in tag[0] else "", text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "html":
            self.language = given.get("lang") or ""
        self.pieces += [plain(given[name] or "") for name in SAID_ASIDE if given.get(name)]
        if tag in UNSEEN:
            self._within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._within:
            self._within.remove(tag)

    def handle_data(self, data: str) -> None:
        if not self._within and data.strip():
            self.pieces.append(plain(data))


def plain(text: str) -> str:
    return " ".join(text.split())


@cache
def sentences(language: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return English that is translated in this language: whole sentences and labels, and long pieces of them."""
    whole, parts = set(), set()
    translations = []
    for message in i18n.read_catalogue(language):
        if not message.id:
            continue
        english = (message.id,) if isinstance(message.id, str) else tuple(message.id)
        said = (message.string,) if isinstance(message.string, str) else tuple(message.string)
        translations += [plain(one) for one in said]
        for one in english:
            for piece in re.split(r"\{\w+\}|%\(\w+\)s|%%", one):
                piece = plain(piece)
                if not any(piece.lower() in plain(other).lower() for other in said):
                    whole |= {piece} if piece == plain(one) and len(piece) > 2 else set()  # cells have letters too
                    parts |= {piece} if len(piece) >= LONG else set()
    everything = "\n".join(translations)
    begun = {everything[at : at + LONG] for at in range(len(everything))}
    return (
        frozenset(whole - set(translations)),
        tuple(sorted(part for part in parts if part[:LONG] not in begun or part not in everything)),
    )


@cache
def _by_beginning(language: str) -> dict[str, list[str]]:
    """Return the long pieces of `sentences` by their first letters: thousands are looked for in thousands."""
    found: dict[str, list[str]] = {}
    for part in sentences(language)[1]:
        found.setdefault(part[:LONG], []).append(part)
    return found


@cache
def names(title: str, language: str) -> re.Pattern[str]:
    """Return the English names that are printed differently in this language."""
    with NAMES[title].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    printed = "\n".join(row[language] or row["en"] for row in rows)
    english = {row["en"] for row in rows if row[language] and row["en"] not in printed and row["en"][0].isupper()}
    assert len(english) > 5
    return re.compile(r"\b(" + "|".join(sorted(map(re.escape, english), key=len, reverse=True)) + r")\b")


def english_in(pieces: Iterable[str], title: str, language: str) -> set[str]:
    return {one for piece in set(pieces) for one in _english_of(piece, title, language)}


@lru_cache(maxsize=10_000)
def _english_of(piece: str, title: str, language: str) -> frozenset[str]:
    begun = _by_beginning(language)
    parts = [
        part
        for at in range(len(piece) - LONG + 1)
        for part in begun.get(piece[at : at + LONG], ())
        if piece.startswith(part, at)
    ]
    found = {piece} & sentences(language)[0] | {f"{part} … in: {piece}" for part in parts}
    return frozenset(found | {f"{name} … in: {piece}" for name in names(title, language).findall(piece)})


def pieces_of_mail(mail: Any, language: str) -> list[str]:
    """Return subject, text and HTML."""
    html = Seen(mail.get_body(("html",)).get_content())
    assert html.language == language
    text = "\n".join(line for line in text_of(mail).splitlines() if not line.startswith("http"))
    paragraphs = [plain(paragraph) for paragraph in re.split(r"\n\s*\n", text)]
    lines = [plain(line) for line in text.splitlines() if line.strip()]
    return [plain(mail["Subject"]), *paragraphs, *lines, *html.pieces]


def pieces_of_page(answer: Any, language: str, status: int = 200) -> list[str]:
    assert answer.status_code == status, answer.text
    seen = Seen(answer.text)
    assert seen.language == language
    return seen.pieces
