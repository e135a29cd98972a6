"""The words of an HTML mail as lines, without what it quotes, hides or was signed with."""

from __future__ import annotations

import re
from html.parser import HTMLParser

MOST_DEPTH = 400
"""Elements within each other; what is deeper was not written by a mail program."""
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_UNREAD = frozenset(
    ("head", "style", "script", "title", "template", "blockquote", "select", "textarea", "object", "svg")
)
_LINES = frozenset(
    ("p", "div", "li", "ul", "ol", "tr", "td", "table", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "section", "article")
) | {"header", "footer", "hr", "dl", "dt", "dd", "body"}
_QUOTES = re.compile(
    r"\b(gmail_quote\w*|gmail_signature|gmail_attr|yahoo_quoted|moz-cite-prefix|moz-signature|moz-forward-container"
    r"|protonmail_quote|tutanota_quote|divRplyFwdMsg|appendonsend|mail-editor-reference-message-container"
    r"|x_gmail_quote|OutlookMessageHeader|zmail_extra|ms-outlook-mobile-signature|AppleMailSignature)\b"
)
_AFTER_ALL = re.compile(r"\b(divRplyFwdMsg|appendonsend|moz-cite-prefix|OutlookMessageHeader)\b")
"""What follows these is quoted, too."""
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\r\n\f]+")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self._unread = 0
        self._is_over = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self._break()
        elif tag in _LINES:
            self._break(soft=True)
        if tag in _VOID or len(self._open) >= MOST_DEPTH:
            return
        given = {name: value or "" for name, value in attrs}
        named = f"{given.get('class', '')} {given.get('id', '')}"
        if _AFTER_ALL.search(named):
            self._is_over = True
        unread = tag in _UNREAD or bool(_QUOTES.search(named)) or bool(_HIDDEN.search(given.get("style", "")))
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
        """A new line; a `soft` one only where the line that ends has something on it."""
        if self._unread or self._is_over or (soft and (not self.parts or self.parts[-1].endswith("\n"))):
            return
        self.parts.append("\n")


def text_of_html(html: str) -> str:
    """The words as lines."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = "".join(reader.parts).replace("\xa0", " ").split("\n")
    return "\n".join(line.strip() for line in lines)
