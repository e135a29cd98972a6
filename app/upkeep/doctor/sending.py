"""Whether the SPF record of the sender's domain lets the sending host's address send (RFC 7208)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from email.utils import parseaddr
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

from app.base.process.config import Config
from app.upkeep.doctor.finding import Finding, ill, unknown, well

if TYPE_CHECKING:
    from app.upkeep.doctor.names import Names

CHECK = "SPF of the sending address"
MOST_LOOK_UPS = 10
VERDICTS = {"+": "pass", "-": "fail", "~": "softfail", "?": "neutral"}


class CannotFollow(Exception):
    """A record that mail hosts cannot follow."""


def look(config: Config, names: Names, host: str, addresses: Sequence[str], *, here: bool) -> Iterator[Finding]:
    """Judge each public address of the sending host as a mail host would; `here` if mails leave from this machine. A
    relay may send from other addresses than the one that takes our mails: then only a prohibition stays unknown."""
    domain = parseaddr(config.mail_from)[1].rpartition("@")[2]
    if not addresses:
        yield unknown(CHECK, f"{host} has no public address")
    for address in addresses:
        whose = f"{address} ({host})"
        try:
            said = _verdict(names, domain, address, [])
        except CannotFollow:
            do = "See that it is written well, and needs at most ten look-ups."
            yield ill(CHECK, f"the record of {domain} cannot be followed", do)
            continue
        if said == "pass":
            yield well(CHECK, f"{domain} lets {whose} send")
        elif not said:
            yield unknown(CHECK, f"{domain}: no answer about {whose}")
        elif here:
            yield ill(CHECK, f"{domain} does not let {whose} send ({said})", f"Add ip4:{address} or mx to the record.")
        else:
            do = "See which addresses your mail host sends from, and that the record names them."
            yield unknown(CHECK, f"{domain} does not name {whose} ({said}); a relay may send from others", do)


def records(names: Names, domain: str) -> list[str]:
    """Return the SPF records of a domain: one, as a rule."""
    return [text for text in names.ask(domain, "TXT") if text.lower().split(" ")[0] == "v=spf1"]


def _verdict(names: Names, domain: str, address: str, asked: list[str]) -> str:
    """Return what the record says about an address, or "" without one; `asked` counts the look-ups."""
    found = records(names, domain)
    if len(found) > 1:
        raise CannotFollow
    if not found:
        return ""
    words = found[0].lower().split()[1:]
    for word in (one for one in words if not re.match(r"[a-z][a-z0-9_.-]*=", one)):
        if _matches(names, domain, word.lstrip("+-~?"), address, asked):
            return VERDICTS.get(word[0], "pass")
    for word in words:
        if word.startswith("redirect="):
            _count(asked, word)
            return _verdict(names, word.removeprefix("redirect="), address, asked)
    return "neutral"


def _matches(names: Names, domain: str, word: str, address: str, asked: list[str]) -> bool:
    kind, _, value = word.replace("/", ":/", 1).partition(":") if re.match(r"(a|mx)/", word) else word.partition(":")
    if kind == "all":
        return True
    if kind in ("ip4", "ip6"):
        return _is_in(address, value)
    _count(asked, word)
    if kind == "include":
        return _verdict(names, value, address, asked) == "pass"
    if kind in ("a", "mx"):
        host, _, prefix = value.partition("/")
        hosts = [host or domain] if kind == "a" else names.ask(host or domain, "MX")
        width = f"/{prefix.partition('//')[0]}" if prefix and ":" not in address else ""
        return any(_is_in(address, one + width) for name in hosts for one in names.addresses(name))
    if kind in ("exists", "ptr"):
        return False  # for nobody who sends mails of ours alone
    raise CannotFollow


def _count(asked: list[str], word: str) -> None:
    asked.append(word)
    if len(asked) > MOST_LOOK_UPS:
        raise CannotFollow


def _is_in(address: str, network: str) -> bool:
    try:
        return ip_address(address) in ip_network(network, strict=False)
    except (ValueError, TypeError):
        return False
