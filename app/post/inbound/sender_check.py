"""Whether a mail is from the address that it claims.

The operator's own host may have checked already and says so in `Authentication-Results` (RFC 8601); otherwise the
signature of the author's domain (DKIM, RFC 6376) is checked here. Nothing else proves anything.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.base.addresses import key_of
from app.base.lent import nothing_open

if TYPE_CHECKING:
    from app.base.mail_settings import MailIn
    from app.post.inbound.incoming import Incoming

_MOST_SIGNATURES = 3
_COMMENT = re.compile(r"\([^()]*\)")
_WORD = re.compile(r'([\w.-]+)\s*=\s*("[^"]*"|[^\s;]+)')


def is_proven(mail: Incoming, settings: MailIn) -> bool:
    """Return whether something proves that its author sent it. Queries name servers."""
    nothing_open("who wrote a mail is proven")
    domain = (mail.author or "").rpartition("@")[2].lower()
    if not domain:
        return False
    said = _said_by_host(mail, settings.authserv, domain) if settings.authserv else None
    return _is_signed(mail, settings, domain) if said is None else said


def signatures(mail: Incoming) -> list[list[str]]:
    """Return for each signature the domain, the selector, and the headers that it covers; not whether it is good."""
    found = []
    for line in mail.headers("DKIM-Signature")[:_MOST_SIGNATURES]:
        fields = {name.strip(): "".join(value.split()) for name, _, value in map(_taken_apart, line.split(";"))}
        found.append([fields.get(name, "").lower()[:1000] for name in ("d", "s", "h")])
    return found


def _taken_apart(field: str) -> tuple[str, str, str]:
    return field.partition("=")


def _is_aligned(domain: str, author: str) -> bool:
    """Return whether a domain speaks for an author's: it is that one, or one that contains it."""
    domain = key_of(domain.strip('"').rpartition("@")[2].rstrip("."))
    return "." in domain and (author == domain or author.endswith(f".{domain}"))


def _said_by_host(mail: Incoming, host: str, domain: str) -> bool | None:
    """Return what the operator's host has found out; None if it says nothing. Only the topmost line counts: hosts put
    theirs above all others, and remove those that claim to be theirs."""
    server, _, results = _COMMENT.sub(" ", mail.header("Authentication-Results")).partition(";")
    if (server.split() or [""])[0].lower() != host:
        return None
    for result in results.split(";"):
        words = {name.lower(): value for name, value in _WORD.findall(result)}
        dkim_passes = words.get("dkim", "").lower() == "pass"
        spf_passes = words.get("spf", "").lower() == "pass"
        dmarc_passes = words.get("dmarc", "").lower() == "pass"
        if dkim_passes and _is_aligned(words.get("header.d", "") or words.get("header.i", ""), domain):
            return True
        if spf_passes and _is_aligned(words.get("smtp.mailfrom", ""), domain):
            return True
        if dmarc_passes and key_of(words.get("header.from", "")) == domain:
            return True
    return False


def _is_signed(mail: Incoming, settings: MailIn, domain: str) -> bool:
    from app.post.inbound import dkim_check  # noqa: PLC0415  4 MiB that most processes never use

    return any(_is_aligned(of, domain) for of in dkim_check.good_domains(mail, settings, _MOST_SIGNATURES))
