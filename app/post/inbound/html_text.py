"""The words of an HTML mail as lines, as they are shown: without what it hides, strikes through or was signed with.
Quotes leave a line with a mark."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import NamedTuple

QUOTED = ">\u2063"
"""Stands where a quote was left out; nobody writes this."""
MOST_DEPTH = 400
"""Nesting depth of elements; what is deeper was not written by a mail program."""
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_UNREAD = frozenset(("head", "style", "script", "title", "template", "select", "textarea", "object", "svg"))
_STRUCK = frozenset(("s", "strike", "del"))
_LINES = frozenset(
    ("p", "div", "li", "ul", "ol", "tr", "td", "table", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "section", "article")
) | {"header", "footer", "hr", "dl", "dt", "dd", "body", "blockquote"}
_QUOTES = re.compile(
    r"\b(gmail_quote\w*|gmail_attr|yahoo_quoted|moz-cite-prefix|moz-forward-container|protonmail_quote|tutanota_quote"
    r"|divRplyFwdMsg|appendonsend|mail-editor-reference-message-container|x_gmail_quote|OutlookMessageHeader"
    r"|zmail_extra)\b"
)
_SIGNATURES = re.compile(r"\b(gmail_signature|moz-signature|ms-outlook-mobile-signature|AppleMailSignature)\b")
_AFTER_ALL = re.compile(r"\b(divRplyFwdMsg|appendonsend|OutlookMessageHeader)\b")
"""What follows these is quoted, too."""
_HIDDEN = re.compile(
    r"display:none|visibility:hidden|mso-hide:all|opacity:0(?!\.)|font-size:0(?![\d.])|max-height:0(?![\d.])"
)
_STRUCK_OUT = re.compile(r"text-decoration[\w-]*:[^;]*line-through")
_INDENT = re.compile(r"border:(none|0)")
"""An editor's automatic indentation is a `blockquote`, too, but without the line beside it."""
_SPACES = re.compile(r"[ \t\r\n\f]+")


class ShownHtml(NamedTuple):
    """What an HTML mail shows, and whether it strikes words through, which the plain text part cannot say."""

    text: str
    has_struck: bool


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.has_struck = False
        self._open: list[tuple[str, bool]] = []
        self._unread = 0
        self._is_over = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "body":
            self.handle_endtag("head")  # many leave that out
        if tag == "br":
            self._break()
        elif tag in _LINES:
            self._break(soft=True)
        if tag in _VOID or len(self._open) >= MOST_DEPTH:
            return
        given = {name: value or "" for name, value in attrs}
        named = f"{given.get('class', '')} {given.get('id', '')}"
        style = "".join(given.get("style", "").lower().split())
        is_quote = bool(_QUOTES.search(named)) or (tag == "blockquote" and not _INDENT.search(style))
        is_struck = tag in _STRUCK or bool(_STRUCK_OUT.search(style))
        unread = is_quote or is_struck or tag in _UNREAD or "hidden" in given
        unread = unread or bool(_SIGNATURES.search(named) or _HIDDEN.search(style))
        if is_quote and not self._unread and not self._is_over:
            self.parts.append(f"\n{QUOTED}\n")
        self.has_struck |= is_struck and not self._unread and not self._is_over
        self._is_over |= bool(_AFTER_ALL.search(named))
        self._open.append((tag, unread))
        self._unread += unread

    def handle_endtag(self, tag: str) -> None:
        if tag in _LINES:
            self._break(soft=True)
        at = next((n for n in range(len(self._open) - 1, -1, -1) if self._open[n][0] == tag), None)
        if at is not None:
            self._unread -= sum(unread for _, unread in self._open[at:])
            del self._open[at:]

    def handle_data(self, data: str) -> None:
        if not self._unread and not self._is_over:
            is_set = any(tag == "pre" for tag, _ in self._open)
            self.parts.append(data if is_set else _SPACES.sub(" ", data))

    def _break(self, soft: bool = False) -> None:
        """Begin a new line; a `soft` one only if the line that ends has something on it."""
        if self._unread or self._is_over or (soft and (not self.parts or self.parts[-1].endswith("\n"))):
            return
        self.parts.append("\n")


def shown_by(html: str) -> ShownHtml:
    """Return the words as lines."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = "".join(reader.parts).replace("\xa0", " ").split("\n")
    return ShownHtml("\n".join(line.strip() for line in lines), reader.has_struck)
