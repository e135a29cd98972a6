"""The text part of a mail, from the markup of its letter.

Known are paragraphs, headings, lists (an item with `class="order"` is a line to copy, which is not wrapped), tables
(with `class="lines"` the rows stand apart), `pre`, `br` and links. Of all other markup only the words are kept.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from html import unescape

COLUMNS = 72
_BLOCKS = frozenset({"blockquote", "div", "h1", "h2", "ol", "p", "pre", "table", "ul"})
_PARTS = re.compile(r"([^<]+)|<(/?)(\w+)([^>]*)>")
_ATTRIBUTES = re.compile(r'(\w+)="([^"]*)"')
"""What is filled in is escaped, so that no other angle bracket or quotation mark stands there."""
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_ORDER = "    "


def wrap(text: str, bullet: str = "") -> str:
    """Return a sentence in lines of at most 72 columns; what follows a bullet is indented. Words are never split."""
    return textwrap.fill(
        text,
        COLUMNS,
        initial_indent=bullet,
        subsequent_indent=" " * len(bullet),
        break_long_words=False,
        break_on_hyphens=False,
    )


def in_words(markup: str, called: Callable[[str], str]) -> str:
    """Return a template's markup as text, which ends with a line break. The address of a link stands below its words,
    which `called` ends with the colon of their language; in a table of lines it stands below the row."""
    reader = _Reader(called)
    for said, closes, tag, more in _PARTS.findall(markup):
        if said:
            reader.says(unescape(said))
        elif closes:
            reader.closes(tag)
        else:
            reader.opens(tag, dict(_ATTRIBUTES.findall(more)))
    return "\n".join(reader.lines) + "\n"


class _Reader:
    def __init__(self, called: Callable[[str], str]) -> None:
        self.lines: list[str] = []
        self._called = called
        self._said = self._bullet = ""
        """Of the block that is being read."""
        self._parted = self._is_raw = self._of_lines = False
        """Whether an empty line comes next; whether each line stays as it is; whether this is a table of lines."""
        self._links: list[tuple[int, str]] = []
        """Where the words of each link begin, and its address, until it is written."""

    def says(self, said: str) -> None:
        if self._is_raw:
            self._add(*said.rstrip("\n").split("\n"))
        else:
            said = _BLANKS.sub(" ", said)
            self._said += said.lstrip(" ·") if self._said.endswith("\n") else said

    def opens(self, tag: str, known: dict[str, str]) -> None:
        if tag in _BLOCKS or tag == "li":
            self._end(parts=tag != "li")
            self._is_raw, self._of_lines = tag == "pre", tag == "table" and known.get("class") == "lines"
            self._bullet = "" if tag != "li" else _ORDER if known.get("class") == "order" else "- "
        elif tag == "td" and self._said.strip():
            self._said = self._called(self._said.strip(" ")) + " "
        elif tag == "a":
            self._links.append((len(self._said), unescape(known["href"])))
        elif tag == "br":
            self._said += "\n"

    def closes(self, tag: str) -> None:
        if tag in _BLOCKS or tag == "li":
            self._end(parts=tag != "li")
            self._is_raw = False
        elif tag == "tr":
            self._said = "\n".join([self._said, *dict.fromkeys(address for _, address in self._links)])
            self._links.clear()
            self._end(parts=self._of_lines)
        elif tag == "a" and not self._of_lines:
            begins, address = self._links.pop()
            words = self._said[begins:].rstrip(" ")
            needs_colon = words[-1:].isalnum() and ":" not in words
            self._said = f"{self._said[:begins]}{self._called(words) if needs_colon else words}\n{address}\n"

    def _end(self, parts: bool) -> None:
        """End a block, row or item; `parts` if an empty line follows."""
        for line in filter(None, [one.strip(" ") for one in self._said.split("\n")]):
            self._add(self._bullet + line if self._bullet == _ORDER else wrap(line, self._bullet))
            self._bullet = " " * len(self._bullet)
        self._said = self._bullet = ""
        self._parted |= parts

    def _add(self, *lines: str) -> None:
        if self._parted and self.lines:
            self.lines.append("")
        self._parted = False
        self.lines += lines
