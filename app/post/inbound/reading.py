"""What the author of an answer has written, without what stands below it: our mail, quoted in one way or another, and
the program's or the author's signature. Pure: a mail and what marks our own mails in, lines out.

Every mail that can be answered has a line, with a sign in it that nobody sees, above which the answer is written. Most
programs quote it; what they put above it (an attribution, a block of headers) is cut too, and so is everything from the
first quoted line on, wherever somebody has deleted the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from email.message import Message

from app.post.inbound.html_text import text_of_html

TOKEN = "\u2063\u2064\u2063\u2062\u2064\u2062"
"""Stands before the line above which is written. Nobody sees it, and nothing else is spelled like this."""
LONGEST_PART, MOST_LINES, LONGEST_LINE = 200_000, 400, 2_000
MOST_PARTS = 40
WRAPPED_AT = 66
"""Some programs break longer lines of their text part where nobody has; that of HTML has them whole."""

_UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u034f\u202a\u202c\u2066\u2069"))
_SPACES = dict.fromkeys(map(ord, "\xa0\u2007\u202f\u2009\t"), " ")
_HEADS = (
    r"from|sent|date|to|cc|subject|reply-to"
    r"|de|envoyé|date|à|a|objet|répondre à"
    r"|de|enviado(?: el)?|fecha|para|asunto"
    r"|da|inviato|data|oggetto"
    r"|von|gesendet|datum|an|betreff|van|verzonden|aan|onderwerp|fra|från|skickat|til|till|ämne"
)
_HEADER = re.compile(rf"\*?(?:{_HEADS}) ?\*? ?:\*? *\S.*", re.IGNORECASE)
_ATTRIBUTION = re.compile(
    r"\b(wrote|writes|a écrit|écrit|écrivait|escribió|escribía|ha scritto|scrive|schrieb|schreef|skrev|escreveu|napisał"
    r"|napsal|írta|kirjoitti|yazdı|написал)\b",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"(?:-{2,} ?(?:original message|message d’origine|message d'origine|mensaje original|messaggio originale"
    r"|ursprüngliche nachricht|forwarded message|message transféré|mensaje reenviado|messaggio inoltrato"
    r"|oorspronkelijk bericht|reply message|reply above|in reply to) ?-{0,}.*|_{10,}|-{10,}|={10,}|\*{10,})",
    re.IGNORECASE,
)
_SIGNED_BY_PROGRAM = re.compile(
    r"(?:sent from (?:my|mail for|outlook|yahoo|proton|samsung|tutanota|the)|get outlook for|sent with|sent via"
    r"|envoyé (?:de|depuis|à partir|avec)|téléchargez outlook|obtenez outlook"
    r"|enviado (?:desde|con)|obtener outlook|descargar outlook"
    r"|inviato (?:da|dal|con)|scarica outlook|ottieni outlook"
    r"|von meinem .{1,40} gesendet|gesendet (?:von|mit)|verzonden vanaf)\b",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"(--|—|––) ?")


@dataclass(frozen=True, slots=True)
class Ours:
    """What tells our own mails from what is written above them."""

    is_ours: Callable[[str], bool]
    """Whether an address is one of ours."""
    name: str
    """The name that our mails are from."""
    markers: tuple[str, ...]
    """The line above which is written, in every language."""


def read(message: Message, ours: Ours) -> str:
    """What somebody has written in a mail, as lines; empty for nothing."""
    plain, html = _bodies(message)
    if plain.strip() and not (html and max(map(len, above(plain, ours).splitlines()), default=0) >= WRAPPED_AT):
        return above(plain, ours)
    return above(text_of_html(html), ours)


def _bodies(message: Message) -> tuple[str, str]:
    """The first text and the first HTML that are no attachments."""
    found = {"text/plain": "", "text/html": ""}
    for number, part in enumerate(message.walk()):
        if number >= MOST_PARTS or part.get_content_type() == "message/rfc822":
            break  # what follows is a mail within the mail
        kind = part.get_content_type()
        if part.is_multipart() or kind not in found or found[kind].strip():
            continue
        if str(part.get("Content-Disposition", "")).lower().startswith("attachment"):
            continue
        found[kind] = _unflowed(part, _decoded(part))
    return found["text/plain"], found["text/html"]


def _decoded(part: Message) -> str:
    raw = part.get_payload(decode=True)
    raw = raw if isinstance(raw, bytes) else b""
    raw = raw[:LONGEST_PART]
    for charset in (str(part.get_content_charset() or "utf-8"), "utf-8"):
        try:
            return raw.decode(charset)
        except (LookupError, ValueError):
            continue
    return raw.decode("latin-1")


def _unflowed(part: Message, text: str) -> str:
    """Lines that a program has broken softly are one again (RFC 3676)."""
    if part.get_content_type() != "text/plain" or str(part.get_param("format", "")).lower() != "flowed":
        return text
    glue = "" if str(part.get_param("delsp", "")).lower() == "yes" else " "
    out: list[str] = []
    goes_on = False
    for line in text.splitlines():
        is_quoted = line.startswith(">")
        line = line[1:] if line.startswith(" ") else line
        if goes_on and not is_quoted and line != "-- ":
            out[-1] = out[-1].rstrip(" ") + glue + line
        else:
            out.append(line)
        goes_on = line.endswith(" ") and line != "-- " and not is_quoted
    return "\n".join(out)


# -- what stands above --------------------------------------------------------------------------------


def above(text: str, ours: Ours) -> str:
    """The lines of a text that its author has written."""
    lines = [line[:LONGEST_LINE] for line in text.splitlines()[:MOST_LINES]]
    shown = [_plain(line) for line in lines]
    end = next((n for n in range(len(lines)) if _ends_at(lines, shown, n, ours)), len(lines))
    if end < len(lines):
        end = _without_attribution(shown, end, ours)
    return "\n".join(shown[:end]).strip()


def _plain(line: str) -> str:
    return line.translate(_SPACES).translate(_UNSEEN).rstrip()


def _ends_at(lines: Sequence[str], shown: Sequence[str], n: int, ours: Ours) -> bool:
    """Whether what is quoted, or a signature, begins in this line."""
    line = shown[n].strip()
    if TOKEN in lines[n] or line.startswith((">", "|", "»")):
        return True
    if not line:
        return False
    following = shown[n + 1].strip() if n + 1 < len(shown) else ""
    if any(_has_marker(line + following, marker) and not _has_marker(following, marker) for marker in ours.markers):
        return True
    if _SIGNATURE.fullmatch(line) or _RULE.fullmatch(line) or _SIGNED_BY_PROGRAM.match(line):
        return True
    return _holds_our_address(line, ours) or _begins_headers(shown, n)


def _has_marker(line: str, marker: str) -> bool:
    return _letters(marker) in _letters(line)


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _holds_our_address(line: str, ours: Ours) -> bool:
    return any(ours.is_ours(word.strip("<>[]()\"',;:*")) for word in _words_with_at(line))


def _words_with_at(line: str) -> Iterable[str]:
    parts = re.split(r"[\s<>\[\]()\"',;*]+|mailto:", line)
    return [part for part in parts if "@" in part]


def _begins_headers(shown: Sequence[str], n: int) -> bool:
    """Whether a block of headers begins here, as some programs put it above what they quote."""
    if not _HEADER.fullmatch(shown[n].strip()):
        return False
    following = [line.strip() for line in shown[n + 1 : n + 5] if line.strip()]
    return len([line for line in following if _HEADER.fullmatch(line)]) >= 2


def _without_attribution(shown: Sequence[str], end: int, ours: Ours) -> int:
    """Where what is cut begins, with the sentence above it that says who has written it, on up to three lines."""
    last = end - 1
    while last >= 0 and not shown[last].strip():
        last -= 1
    for first in range(last, max(-1, last - 3), -1):
        said = " ".join(line.strip() for line in shown[first : last + 1])
        if not shown[first].strip():
            break
        is_about_us = ours.name.casefold() in said.casefold() or bool(_ATTRIBUTION.search(said))
        if is_about_us and (said.endswith(":") or _begins_with_a_date(said)):
            return _from_its_start(shown, first)
    # The address alone can stand on the line that ends it.
    return _from_its_start(shown, end) if end < len(shown) and _holds_our_address(shown[end], ours) else end


_BEGINS = re.compile(
    r"(?:on|le|el|il|am|op|den|dne|w dniu|em|a|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4})\b", re.IGNORECASE
)
_DATE = re.compile(r"\d{1,2}[:.h]\d\d|\b\d{4}\b")


def _begins_with_a_date(said: str) -> bool:
    return bool(_BEGINS.match(said) and _DATE.search(said))


def _from_its_start(shown: Sequence[str], first: int) -> int:
    """An attribution may begin on one of the two lines above, with a word such as `On` and a year or an hour."""
    for earlier in range(max(0, first - 2), first):
        above_it = shown[earlier:first]
        if all(line.strip() for line in above_it) and _begins_with_a_date(" ".join(above_it).strip()):
            return earlier
    return first
