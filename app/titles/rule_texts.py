"""The rules of a title as a page: a text file per language beside the title, `rules/en.md`, read once.

The files are Markdown. The rule number (`R5`, `R5.2`) with which a heading or a paragraph begins is its anchor, and
every other number in the text links there. `## Heading {name}` names an anchor without a number, `[second]` marks what
holds in one edition, and `{draw NAME}` is a drawing of the title (`PlainPages.rule_drawing`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from app.titles.registry import PAGES

if TYPE_CHECKING:
    from markdown_it.token import Token

ENGLISH = "en"
MOST_CITED = 2000
"""Cached sentences with linked rule numbers; pages say the same ones again and again."""
_NUMBER = re.compile(r"\bR\d+(?:\.\d+)?\b")
_NUMBERED = re.compile(r"^(?:## )?(R\d+(?:\.\d+)?) ", re.M)
_FIRST_NUMBER = re.compile(r"(R\d+(?:\.\d+)?) ")
_NAMED = re.compile(r" \{([a-z-]+)\}$")
_DRAWING = re.compile(r"\{draw ([a-z-]+)\}$")
_TAG = re.compile(r"\[([a-z]+)\]")


@dataclass(frozen=True)
class RulesText:
    """The rules of a title in one language."""

    lang: str
    """English if nobody has translated them."""
    body: Markup
    contents: tuple[tuple[str, str, str], ...]
    """The anchor, the number (`R5`, or nothing) and the words of each heading."""
    anchors: frozenset[str]


def file_of(title_id: str, lang: str) -> Path | None:
    """Return the file with the rules of a title in a language, or else in English; None if the title has none."""
    pages = PAGES.get(title_id)
    if pages is None or pages.folder is None:
        return None
    files = (pages.folder / "rules" / f"{one}.md" for one in (lang, ENGLISH))
    return next((file for file in files if file.exists()), None)


def read(title_id: str, lang: str, tags: dict[str, str], draw: Callable[[str], str]) -> RulesText | None:
    """Return the rules of a title. `tags` gives the names of `[second]` and the like, `draw` gives a drawing by its
    name."""
    file = file_of(title_id, lang)
    if file is None:
        return None
    from markdown_it import MarkdownIt  # noqa: PLC0415  only this page needs it, and only once

    page = _Page(file.stem, tags, draw)
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = page.marked(markdown.parse(file.read_text(encoding="utf-8")))
    body = Markup(markdown.renderer.render(tokens, markdown.options, {}))
    return RulesText(file.stem, body, tuple(page.contents), frozenset(page.anchors))


class _Page:
    """Turns the tokens of a text into those of the page: anchors, links, marks, drawings."""

    def __init__(self, lang: str, tags: dict[str, str], draw: Callable[[str], str]) -> None:
        self._lang = lang
        self._tags = tags
        self._draw = draw
        self.anchors: set[str] = set()
        self.contents: list[tuple[str, str, str]] = []

    def marked(self, tokens: list[Token]) -> list[Token]:
        """Return the tokens with what this page adds to them."""
        for opening, inline in pairwise(tokens):
            if inline.type != "inline" or not inline.children:
                continue
            if opening.type == "heading_open":
                self._heading(opening, inline)
                continue
            drawing = _DRAWING.match(inline.content)
            if drawing:
                opening.attrSet("class", "drawn")
                inline.children = [_raw(inline, self._draw(drawing[1]))]
                continue
            own = self._rule(opening, inline) if opening.type == "paragraph_open" else ""
            inline.children = [part for child in inline.children for part in self._parts(child)]
            if own:
                inline.children.insert(0, _raw(inline, f'<a class="number" href="#{own}">{own}</a> '))
        return tokens

    def _heading(self, opening: Token, inline: Token) -> None:
        """Set its anchor, which is its number or its name."""
        text, number = inline.content, _FIRST_NUMBER.match(inline.content)
        if number:
            anchor, words = number[1], text[number.end() :]
            shown = f'<a class="number" href="#{anchor}">{anchor}</a> {escape(words)}'
        else:
            named = _NAMED.search(text)
            anchor, words = (named[1], text[: named.start()]) if named else ("", text)
            shown = escape(words)
        inline.children = [_raw(inline, shown)]
        if anchor:
            opening.attrSet("id", self._new(anchor))
            self.contents.append((anchor, number[1] if number else "", words))

    def _rule(self, opening: Token, inline: Token) -> str:
        """Take off and return the number with which a paragraph begins; nothing for others."""
        first = inline.children[0] if inline.children else None
        number = _FIRST_NUMBER.match(first.content) if first is not None else None
        if first is None or number is None:
            return ""
        opening.attrSet("id", self._new(number[1]))
        opening.attrSet("class", "by-number")
        first.content = first.content[number.end() :]
        return number[1]

    def _new(self, anchor: str) -> str:
        if anchor in self.anchors:
            raise ValueError(f"two paragraphs have the anchor {anchor}")
        self.anchors.add(anchor)
        return anchor

    def _parts(self, child: Token) -> Iterator[Token]:
        """Yield a piece of text with its numbers as links and its marks; other pieces as they are."""
        if child.type == "link_open" and str(child.attrGet("href")).startswith("/"):
            child.attrSet("href", f"{child.attrGet('href')}?lang={self._lang}")
        if child.type != "text":
            yield child
            return
        shown = _NUMBER.sub(lambda found: f'<a href="#{found[0]}">{found[0]}</a>', escape(child.content, quote=False))
        yield _raw(child, _TAG.sub(self._tag, shown))

    def _tag(self, found: re.Match[str]) -> str:
        return f'<span class="edition edition-{found[1]}">{escape(self._tags[found[1]])}</span>'


def _raw(like: Token, html: str) -> Token:
    return like.copy(type="html_inline", tag="", nesting=0, content=html, children=None)


@cache
def anchors(title_id: str) -> frozenset[str]:
    """Return the numbers of all rules and chapters of a title; none if it has no text."""
    file = file_of(title_id, ENGLISH)
    return frozenset(_NUMBERED.findall(file.read_text(encoding="utf-8"))) if file else frozenset()


def cited(title_id: str, lang: str, said: str) -> Markup:
    """Return a sentence whose rule numbers link to the rules; what is not markup yet is escaped."""
    return _cited(title_id, lang, said, isinstance(said, Markup))


@lru_cache(maxsize=MOST_CITED)
def _cited(title_id: str, lang: str, said: str, is_markup: bool) -> Markup:
    known = anchors(title_id)

    def link(found: re.Match[str]) -> str:
        number = found[0]
        if number not in known:
            return number
        return f'<a href="/rules/{title_id}?lang={lang}#{number}">{number}</a>'

    return Markup(_NUMBER.sub(link, said if is_markup else escape(said)))
