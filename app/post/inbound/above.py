"""The lines of a mail that its author has written: what ends them, and what programs put around them. Pure.

Every mail of ours that can be answered has a line, with an invisible sign in it, above which the answer is written. If
it is gone, quotes are recognised by their shape: a sign before each line, a block of headers, a rule, a sentence that
ends with our name or address. No words of any language are used, and a line that can be read as an order is its
author's, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

TOKEN = "\u2063\u2064\u2063\u2062\u2064\u2062"
"""Stands before the line above which the answer is written. Nobody sees it, and nothing else is spelled like this."""
MOST_LINES, LONGEST_LINE = 400, 2_000
WRAPS_FROM = 55
"""A line with fewer characters was not broken by a program."""
MOST_WRAPPED = 4
"""Lines of a sentence that a program has broken."""
MOST_SIGNED = 12
"""Lines of a paragraph below the answer."""
MOST_HEADERS = 8
UNREADABLE = ">"
"""Not an order in any title, so that nothing is played from the lines around it."""
LONG_RULE = 20

_UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u034f\u202a\u202c\u2066\u2069"))
_SPACES = dict.fromkeys(map(ord, "\xa0\u2007\u202f\u2009\t"), " ")
_QUOTE_SIGNS = (">", "|", "»")
_HEADER = re.compile(r"\*?[^\W\d_][^:：\d]{0,30}[:：](?!//).*")
_DRAWN = "_=—–─━-"
_RULE = re.compile(rf"[*~{_DRAWN}]{{2,}}|—|\W?[{_DRAWN}]{{2,}}[^{_DRAWN}].*?[{_DRAWN}]{{2,}}\W?|-{{5,}}.*")
_DATE = re.compile(r"\b\d{4}\b|\d{4}[年년.]|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")
_MOMENT = re.compile(rf"\d{{1,2}}[:.h時] ?\d\d|{_DATE.pattern}")
_PRODUCT = re.compile(
    r"iphon|ipad|ipod|android|blackberry|outlook|yahoo|icloud|proton|thunderbird|samsung|galaxy|huawei|xiaomi|redmi"
    r"|oneplus|realme|motorola|nokia|xperia|lenovo|macbook|superhuman|missive|mimestream|web\.de|t-online|telekom|libero"
    r"|virgilio|tiscali|yandex|яндекс|naver|foxmail|网易|em client|roundcube|postbox|shortwave|tutanota|zimbra"
    r"|boxer|typeapp|seznam|kindle|fairphone|smartphone|laptop|téléphone|ordinateur|portable|tel[eé]fono|telefo"
    r"|telemóvel|celular|cellulare|móvil|mobil(?:[ea]|telefon|gerät)?\b|tablet|puhelin|телефон|смартфон|κινητό|手机|手機"
    r"|携帯|スマ(ホ|ートフォン)|휴대|\b(ios|aol|tuta|honor|oppo|vivo|htc|zte|k-?9|gmx|qq|163|phone|handy|(?!e-?mail\b)\w+mail)\b"
    r"|(?-i:\b(Sony|Pixel|LG|Windows|Mac|Linux|Nexus|Surface|Spark|Spike|Edison|Nine|Newton|Canary|Zoho|HEY|Front|Orange"
    r"|SFR|Daum|Evolution|Horde|Mutt|Apple|\w*Mail\w*)\b)"
    r"|^\W*(?:sent|gesendet|envoyé|enviado|inviato) (?:from|with|via|using|mit|von|avec|depuis|con|desde|com|da)\b",
    re.IGNORECASE,
)
"""Programs and devices that sign mails: names, which are the same in every language, or what stands before any name."""
_LINK = re.compile(r"\w+://\S+|www\.\S+")
_TALKS = re.compile(r"[?!]|\b(I|[Nn]ot|[Pp]as|[Nn]on|[Nn]icht|[Nn]o|[Ww]ait)\b|n[’']t\b")
"""What a person says in a last sentence but no program does."""
_BANNER = re.compile(
    r"extern|estern|outside|außerhalb|zewn|vněj|внешн|外部|외부|caution|attachment|organi[sz]ation"
    r"|LearnAboutSender",
    re.IGNORECASE,
)
"""What hosts put above a mail that came from outside, or from a stranger."""
FEWEST_OF_BANNER = 5
"""Words."""
_FOOTER = re.compile(
    r"confiden|vertraulich|riserva|intended|destinat|privileged|disclaimer|virus|unsubscribe|environment|\bprint|sender"
    r"|absender|adressat|expéditeur|mittente|remitente",
    re.IGNORECASE,
)
"""Topics of an office's or a host's footer; two of these, or one beside a link."""


@dataclass(frozen=True, slots=True)
class OurMarkers:
    """What distinguishes our own mails from what is written above them."""

    is_ours: Callable[[str], bool]
    """Whether an address is one of ours."""
    name: str
    """The name that our mails are from."""
    markers: tuple[str, ...]
    """The line above which the answer is written, in every language."""
    subject: str = ""
    """The subject of the answered mail, as far as the answer's own contains it."""
    says: Callable[[str], bool] = lambda line: False
    """Whether a line can be read: an order in the title, or one of this server's words."""
    author: str = ""
    """The name in the answer's From header."""


def above(text: str, ours: OurMarkers) -> str:
    """Return the lines of a text that its author has written; if unsure, more of them than can be read."""
    lines = [line[:LONGEST_LINE] for line in _without_armour(text.splitlines())[:MOST_LINES]]
    return "\n".join(_TextLines(lines, ours).of_author()).strip()


def _without_armour(lines: Sequence[str]) -> list[str]:
    """Return the lines that a signature in the text covers, as they were written (RFC 9580, 7)."""
    out: list[str] = []
    within = ""
    for line in lines:
        if line.startswith("-----BEGIN PGP SIGN"):
            within = "head" if "MESSAGE" in line else "signature"
        elif within == "head":
            within = "text" if not line.strip() else within
        elif within == "signature":
            within = "" if line.startswith("-----END PGP SIGN") else within
        else:
            out.append(line.removeprefix("- ") if within == "text" else line)
    return out


class _TextLines:
    """The lines of one text."""

    def __init__(self, lines: Sequence[str], ours: OurMarkers) -> None:
        self.raw = lines
        self.ours = ours
        self.shown = [line.translate(_SPACES).translate(_UNSEEN).rstrip() for line in lines]
        self.bare = [line.strip() for line in self.shown]
        self.count = len(lines)

    def of_author(self) -> list[str]:
        """Return the lines that the author has written."""
        end = next((n for n in range(self.count) if self._ends(n)), self.count)
        start = self._after_banners(end)
        last = self._above_attribution(end) if end < self.count and not self._is_rule(end) else end
        last = self._above_signature(start, last)
        below = self._own_below(end)
        if not any(self.bare[start:last]):
            # An answer below a quote that its program has marked: the lines above it were the program's.
            is_marked = end < self.count and self._is_left_out(end) and bool(below)
            rest = next((n for n in range(end, self.count) if self.bare[n] and not self._is_quoted(n)), self.count)
            return _TextLines(self.raw[rest:], self.ours).of_author() if is_marked else []
        return [*self.shown[start:last], *([UNREADABLE, *below] if below else [])]

    # -- what ends them ---------------------------------------------------------------------------

    def _ends(self, n: int) -> bool:
        return self._is_quoted(n) or self._begins_ours(n) or self._is_rule(n)

    def _is_quoted(self, n: int) -> bool:
        return self.bare[n].startswith(_QUOTE_SIGNS)

    def _is_left_out(self, n: int) -> bool:
        return self.bare[n] == ">\u2063"

    def _begins_ours(self, n: int) -> bool:
        """Return whether our mail, or what a program writes about it, certainly begins in this line."""
        if TOKEN in self.raw[n]:
            return True
        line, following = self.bare[n], self.bare[n + 1] if n + 1 < self.count else ""
        if not line:
            return False
        if any(_has(line + following, marker) and not _has(following, marker) for marker in self.ours.markers):
            return True
        return (self._is_about_us(line, by_name=False) or self._begins_headers(n)) and not self.ours.says(line)

    def _is_rule(self, n: int) -> bool:
        found = _RULE.fullmatch(self.bare[n])
        title = self.bare[n].strip(f"*~ {_DRAWN}")
        return found is not None and not (title and (self.ours.says(title) or not any(self.bare[n + 1 :])))

    def _is_firm(self, n: int) -> bool:
        """Return whether it is a rule that no person draws: one with words in it, or a very long one."""
        line = self.bare[n]
        return self._is_rule(n) and (bool(line.strip(f"*~ {_DRAWN}")) or len(line) >= LONG_RULE)

    def _is_about_us(self, line: str, *, by_name: bool = True) -> bool:
        words = re.split(r"[\s<>\[\]()\"',;*:：]+|mailto:", line)
        if any("@" in word and self.ours.is_ours(word) for word in words):
            return True
        return by_name and any(_has(line, ours) for ours in (self.ours.name, self.ours.subject) if ours)

    def _is_header(self, n: int) -> bool:
        return bool(_HEADER.fullmatch(self.bare[n])) and not self.ours.says(self.bare[n])

    def _begins_headers(self, n: int) -> bool:
        """Return whether a block of headers begins here, as some programs put it above what they quote: three lines
        with a word and a colon, one of which names us, an address or a moment. One of them may be broken."""
        if not self._is_header(n):
            return False
        block = [m for m in range(n, min(n + MOST_HEADERS, self.count)) if self.bare[m]]
        named = [m for m in block[:5] if self._is_header(m)]
        said = " ".join(self.bare[m] for m in named)
        if len(named) < 3 or any(self.ours.says(self.bare[m]) for m in block[: block.index(named[2])]):
            return False
        return "@" in said or self._is_about_us(said) or bool(_MOMENT.search(said))

    # -- what a program puts between -----------------------------------------------------------------

    def _above_attribution(self, end: int) -> int:
        """Return where the cut begins, including the sentence above it that says who wrote it and when."""
        last = end if self._is_about_us(self.bare[end], by_name=False) and not self._is_quoted(end) else end - 1
        while last >= 0 and not self.bare[last]:
            last -= 1
        first = self._sentence_to(last)
        said = " ".join(self.bare[first : last + 1])
        if last < 0 or any(self.ours.says(line) for line in self.bare[first : last + 1]):
            return end
        if last == end:
            return first if _MOMENT.search(said) else end
        if self._is_header(last) and last and self._is_header(last - 1):
            return last - 1 if self._is_about_us(f"{self.bare[last - 1]} {self.bare[last]}") else end
        return first if self._is_attribution(said) else end

    def _sentence_to(self, last: int) -> int:
        """Return where the sentence begins that ends in this line: programs break it after its date, or after our
        name."""
        first = last
        for n in range(last - 1, max(-1, last - MOST_WRAPPED), -1):
            line = self.bare[n]
            if not (_MOMENT.search(line) or self._is_about_us(line)) or self.ours.says(line):
                break
            first = n
        return first

    def _is_attribution(self, said: str) -> bool:
        ends = said.endswith((":", "：", "<", "﹕"))
        name = self.ours.name.casefold()
        at = said.casefold().rfind(name) if name else -1
        is_named = at == 0 or (at > 0 and len(said[at + len(name) :].split()) <= 2)
        is_named = is_named or self._is_about_us(said, by_name=False)
        if is_named:
            return ends or bool(_MOMENT.search(said))
        return ends and bool(_DATE.search(said))

    def _above_signature(self, start: int, last: int) -> int:
        """Strip what stands below the answer: a program's or the author's name, with a line or two, or an office's
        paragraph. Nothing of it can be read as an order, and no person speaks in it."""
        while last > start and not self.bare[last - 1]:
            last -= 1
        for first in range(last - 1, max(start, last - MOST_SIGNED) - 1, -1):
            if not self.bare[first] or self.ours.says(self.bare[first]):
                break
            if self._is_sign_off(first, last):
                return self._above_signature(start, first)
        return last

    def _is_sign_off(self, first: int, last: int) -> bool:
        lines = self.bare[first:last]
        said, name = " ".join(lines), _words(lines[0])
        above = self.bare[first - 1] if first else ""
        if len(set(_FOOTER.findall(said.lower()))) + bool(_LINK.search(said)) > 1:
            return not above
        if len(lines) > MOST_WRAPPED or len(above) >= WRAPS_FROM:
            return False  # it continues with a person's words
        if (name and set(name) <= set(_words(self.ours.author))) or self._is_signature(lines[0]):
            return not (above and lines[1:]) and not any(map(_TALKS.search, lines[1:]))
        return all(len(line) >= WRAPS_FROM for line in lines[:-1]) and self._is_signature(said)

    def _is_signature(self, said: str) -> bool:
        if not _PRODUCT.search(said) or _TALKS.search(_LINK.sub("", said)):
            return False
        return not any(map(self.ours.says, re.findall(r"[^\W\d_]+", said)))

    def _after_banners(self, end: int) -> int:
        """Return where the author begins: a host may have put a warning above, in a paragraph or two."""
        first = next((n for n in range(end) if self.ours.says(self.bare[n])), 0)
        lines = [line for line in self.bare[:first] if line]
        paragraphs = [part for part in "\n".join(self.bare[:first]).split("\n\n") if part]
        are_whole = all(len(line.split()) >= FEWEST_OF_BANNER or _BANNER.search(line) for line in lines)
        return first if are_whole and all(map(_BANNER.search, paragraphs)) else 0

    # -- what stands below -------------------------------------------------------------------------------

    def _own_below(self, end: int) -> list[str]:
        """Return the lines below a quote or a rule that may be the author's: those that can be read, and below a quote
        paragraphs that begin there and are neither signed nor a list's."""
        if end >= self.count or self._is_firm(end) or (self._begins_ours(end) and not self._is_quoted(end)):
            return []
        own, is_own, may_be = [], False, self._is_quoted(end)
        for n in range(end + 1, self.count):
            if self._is_quoted(n):
                is_own = False
            elif self._begins_ours(n):
                break
            elif self._is_rule(n):
                may_be = is_own = False
            elif self.bare[n]:
                begins = not self.bare[n - 1] or self._is_left_out(n - 1)
                is_own = may_be and (is_own or (begins and not self._is_signature(self.bare[n])))
                if is_own or self.ours.says(self.bare[n]):
                    own.append(self.bare[n])
        return own


def _has(line: str, marker: str) -> bool:
    return bool(_letters(marker)) and _letters(marker) in _letters(line)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())
