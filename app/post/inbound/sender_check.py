"""Whether a mail is from the address that it claims, and meant for us. What is odd in any way is not proven.

The operator's own host may have checked already and says so in `Authentication-Results` (RFC 8601); otherwise the
signature of the author's domain (DKIM, RFC 6376) is checked here. Nothing else proves anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import getaddresses, parsedate_to_datetime

from app.base.process.lent import nothing_open
from app.base.process.mail_settings import MailIn
from app.base.words.addresses import key_of
from app.post.inbound.incoming import Incoming

FRESH_FOR = timedelta(days=2)
"""How far its date may be from now."""
_MOST_SIGNATURES = 3
_ALGORITHMS = ("rsa-sha256", "ed25519-sha256")
_LINE = re.compile(rb"(?:[!-9;-~]+:|[ \t]+(?=[^ \t]))[\t -~\x80-\xff]*")
_ONCE = ("From", "Date", "To", "Cc", "Subject", "Message-ID", "Content-Type", "Content-Transfer-Encoding")
_PIECE = re.compile(r'"[^"\\]*"|[()]|[^"()\\]+|.')
_VALUE = r'(?:"[^"\\]*"|[^\s;"]+)'
_RESULT = re.compile(
    rf"\s*([\w-]+)(?:\s*/\s*\d+)?\s*=\s*([\w-]+)((?:\s+[\w-]+(?:\s*\.\s*[\w.-]+)?\s*=\s*{_VALUE})*)\s*(?:;|$)"
)
_PROPERTY = re.compile(rf"([\w-]+(?:\s*\.\s*[\w.-]+)?)\s*=\s*({_VALUE})")


def is_proven(mail: Incoming, settings: MailIn, is_to: Callable[[str], bool], now: datetime, *, quotes: str) -> bool:
    """Return whether something proves that its author sent it lately to an address for which `is_to` is true. `quotes`
    is the token of the link in our mail: who has a mail that quotes it could answer by the link as well, so the
    signature need not say to whom it went. Queries name servers."""
    nothing_open("who wrote a mail is proven")
    domain = (mail.author or "").rpartition("@")[2].lower()
    named = {name for name in ("to", "cc") if any(is_to(each) for _, each in getaddresses(mail.headers(name)))}
    if not (domain and named and _is_plain(mail) and _is_fresh(mail, now)):
        return False

    def covers(signature: dict[str, str]) -> bool:
        """Return whether a signature of the author's domain covers everything that decides (RFC 6376, 5.4.1)."""
        covered = set(signature.get("h", "").lower().split(":"))
        if signature.get("a") not in _ALGORITHMS or "l" in signature or not {"from", "date"} <= covered:
            return False  # `l=` leaves the end open to anyone who passes it on; RFC 8301 retires SHA-1
        # One large provider leaves To and Cc out, but covers what its users quote.
        return bool(covered & named) or _quotes(mail, quotes)

    said = _said_by_host(mail, settings.authserv, domain, covers) if settings.authserv else None
    if said is not None:
        return said
    from app.post.inbound import dkim_check  # noqa: PLC0415  4 MiB that most processes never use

    good = dkim_check.good_signatures(mail, settings, _MOST_SIGNATURES)
    return any(_is_aligned(signature["d"], domain) and covers(signature) for signature in good)


def signatures(mail: Incoming) -> list[dict[str, str]]:
    """Return the fields of each signature, without white space; not whether it is good."""
    return [
        {name.strip(): "".join(value.split()) for name, _, value in (field.partition("=") for field in line.split(";"))}
        for line in mail.headers("DKIM-Signature")[:_MOST_SIGNATURES]
    ]


def _is_plain(mail: Incoming) -> bool:
    """Return whether all programs see the same headers: one kind of line end, no other control characters, and each
    header that decides only once."""
    end = b"\r\n" if mail.raw.partition(b"\n")[0].endswith(b"\r") else b"\n"
    head, blank, _ = mail.raw.partition(end + end)
    if not blank or head[:1] in b" \t" or not all(map(_LINE.fullmatch, head.split(end))):
        return False
    return all(len(mail.headers(name)) <= 1 for name in _ONCE)


def _is_fresh(mail: Incoming, now: datetime) -> bool:
    try:
        at = parsedate_to_datetime(mail.header("Date"))
        return abs(now - (at if at.tzinfo else at.replace(tzinfo=UTC))) <= FRESH_FOR
    except (ValueError, OverflowError, TypeError, IndexError):
        return False


def _quotes(mail: Incoming, quoted: str) -> bool:
    texts = (part.get_payload(decode=True) for part in mail.parts if part.get_content_maintype() == "text")
    return quoted != "" and any(isinstance(text, bytes) and quoted.encode() in text for text in texts)


def _is_aligned(domain: str, author: str) -> bool:
    """Return whether a domain speaks for an author's: it is that one, or one that contains it."""
    domain = key_of(domain.rpartition("@")[2].rstrip("."))
    return "." in domain and (author == domain or author.endswith(f".{domain}"))


def _said_by_host(mail: Incoming, host: str, domain: str, covers: Callable[[dict[str, str]], bool]) -> bool | None:
    """Return what the operator's host has found out; None if it says nothing. Only the topmost line counts: hosts put
    theirs above all others, and remove those that claim to be theirs."""
    line = mail.header("Authentication-Results")
    if re.split(r"[\s;(]", line, maxsplit=1)[0].lower() != host:
        return None
    try:
        results = list(_results(line))
    except ValueError:
        return False
    all_here = len(mail.headers("DKIM-Signature")) <= _MOST_SIGNATURES  # the one that passes may be any
    own = [each for each in signatures(mail) if _is_aligned(each.get("d", ""), domain)]
    for method, of in results:
        if method == "spf" and _is_aligned(of.get("smtp.mailfrom", ""), domain):
            return True
        signed = method == "dkim" and _is_aligned(of.get("header.d") or of.get("header.i", ""), domain)
        signed = signed or (method == "dmarc" and key_of(of.get("header.from", "")) == domain)
        if signed and all_here and all(map(covers, own)):
            return True
    return False


def _results(line: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the methods of a line that have passed, with their properties (RFC 8601, 2.2). ValueError for a line of
    which two readers could think differently: a quote or a backslash within a comment, say."""
    said, depth = "", 0
    for piece in _PIECE.findall(line):
        depth += {"(": 1, ")": -1}.get(piece, 0)
        if depth < 0 or piece in '"\\' or (depth and '"' in piece):
            raise ValueError
        said += " " if depth or piece == ")" else piece
    said = said.partition(";")[2].strip()
    if depth:
        raise ValueError
    at = len(said) if said.lower() in ("", "none") else 0
    while at < len(said):
        found = _RESULT.match(said, at)
        if found is None:
            raise ValueError
        given = [(re.sub(r"\s", "", name).lower(), value.strip('"')) for name, value in _PROPERTY.findall(found[3])]
        if len(dict(given)) < len(given):
            raise ValueError
        if found[2].lower() == "pass":
            yield found[1].lower(), dict(given)
        at = found.end()
