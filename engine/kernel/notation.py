"""The common part of the text notation: words of a line with their places, and names that are only half remembered.

A title splits a line at its own keywords and looks names up with `find_name`. What a program wrote is read without
guessing, since an exact id always wins.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from engine.kernel.refusals import Unreadable
from engine.kernel.text import Name, Text, names

LONGEST_LINE = 500
"""Characters; no title has a line nearly as long."""

_WORD = re.compile(r"[^\s,:;]+|[,:;]")
_NOT_ALNUM = re.compile(r"[^0-9a-z]+")


class Phrase(NamedTuple):
    """Some words of a line: as typed, and where they stand (start, end)."""

    text: str
    start: int
    end: int

    @property
    def span(self) -> tuple[int, int]:
        return (self.start, self.end)


def fold(text: str) -> str:
    """Lower case, no accents, a hyphen for all but letters and digits: `Fort St. John` becomes `fort-st-john`."""
    if text.isascii():
        plain = text.lower()
    else:
        decomposed = unicodedata.normalize("NFKD", text.casefold())
        plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    return _NOT_ALNUM.sub("-", plain.replace("'", "").replace("’", "")).strip("-")


def words(line: str) -> list[Phrase]:
    """Return the words of a line; commas, colons and semicolons are words of their own."""
    if len(line) > LONGEST_LINE:
        raise Unreadable(
            "line.too_long", Text("The line has {n} characters; the limit is {most}.", n=len(line), most=LONGEST_LINE)
        )
    return [Phrase(match.group(), match.start(), match.end()) for match in _WORD.finditer(line)]


def join(parts: Sequence[Phrase], line: str) -> Phrase:
    """Neighbouring words as one phrase."""
    if len(parts) == 1:
        return parts[0]
    start, end = parts[0].start, parts[-1].end
    return Phrase(line[start:end], start, end)


class NameTable:
    """The names of one kind of thing (places, cards): ids and everything that people call them."""

    def __init__(self, kind: str, aliases: Mapping[str, Iterable[str]]) -> None:
        """`aliases` gives for each id its printed names in all languages. A part in brackets may be left out."""
        self.kind = kind
        self.ids = frozenset(aliases)
        self._by_alias: dict[str, set[str]] = {}
        for key, printed in aliases.items():
            for name in (key, *printed, *(name.split(" (")[0] for name in printed)):
                self._by_alias.setdefault(fold(name), set()).add(key)

    def called(self, text: str) -> set[str]:
        """Return all ids with exactly this name in any language."""
        return self._by_alias.get(fold(text), set())

    def find(self, phrase: Phrase, at_hand: Iterable[str] = (), among: frozenset[str] | None = None) -> str:
        """Return the id that the phrase means.

        An exact id wins; then a full name in any language; then an unambiguous beginning of a name or of one of its
        words. If several fit, those `at_hand` (in the hand, on offer) are preferred. `among` limits what exists.
        `Unreadable` (`name.unknown`, `name.ambiguous`, `name.comma`) points at the phrase and says what would be right.
        """
        exists = self.ids if among is None else among
        text = phrase.text
        if text in exists:
            return text
        folded = fold(text)
        if folded in exists:
            return folded
        found = self._by_alias.get(folded, set()) & exists
        if not found and folded:
            found = {
                key
                for alias, keys in self._by_alias.items()
                if alias.startswith(folded) or f"-{folded}" in alias
                for key in keys & exists
            }
        if len(found) > 1:
            found = found & set(at_hand) or found
        if len(found) == 1:
            return found.pop()
        if found:
            raise Unreadable(
                "name.ambiguous",
                Text("“{word}” can mean {names}; write more of it.", word=text, names=names(self.kind, sorted(found))),
                word=phrase.span,
            )
        self._judge_comma(phrase, exists)
        close = get_close_matches(folded, [a for a, keys in self._by_alias.items() if keys & exists], n=3, cutoff=0.6)
        meant = sorted({key for alias in close for key in self._by_alias[alias] & exists})
        raise self._unknown(phrase, meant)

    def _judge_comma(self, phrase: Phrase, exists: frozenset[str]) -> None:
        """Raise `Unreadable` for two names with nothing between them."""
        words = phrase.text.split()
        for at in range(1, len(words)):
            parts = " ".join(words[:at]), " ".join(words[at:])
            if all(self.called(part) & exists for part in parts):
                why = Text(
                    "“{word}” is more than one {kind}; write a comma between them: “{meant}”.",
                    word=phrase.text,
                    kind=Name("kind", self.kind),
                    meant=", ".join(parts),
                )
                raise Unreadable("name.comma", why, word=phrase.span)

    def _unknown(self, phrase: Phrase, meant: list[str]) -> Unreadable:
        told = Name("kind", self.kind)
        if meant:
            why = Text(
                "“{word}” is not a {kind}; perhaps {names}?", word=phrase.text, kind=told, names=names(self.kind, meant)
            )
        else:
            why = Text("“{word}” is not a {kind} of this game.", word=phrase.text, kind=told)
        return Unreadable("name.unknown", why, word=phrase.span)


def closest(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """Up to three known words that look like this one."""
    return tuple(get_close_matches(fold(word), list(known), n=3, cutoff=0.6))
