"""Whether the SPF record of the sender's domain lets the sending host's address send (RFC 7208)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from email.utils import parseaddr

import dns.exception
import dns.resolver
import spftrace
from dns.rdatatype import RdataType
from spftrace.resolver import NOERROR, NXDOMAIN, SERVFAIL, TIMEOUT

from app.base.process.config import Config
from app.upkeep.doctor.finding import Finding, ill, unknown, well

CHECK = "SPF of the sending address"


def texts_of(answer: dns.resolver.Answer) -> list[str]:
    """Return the records of an answer as texts; of an MX the host."""
    if answer.rdtype == RdataType.TXT:
        return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]
    if answer.rdtype == RdataType.MX:
        return [record.exchange.to_text().rstrip(".") for record in answer]
    return [record.to_text().rstrip(".") for record in answer]


class _OwnResolver(spftrace.BaseResolver):
    """Looks names up as the rest of the doctor does, POSTROAD_RESOLVER included."""

    def __init__(self, resolver: dns.resolver.Resolver) -> None:
        self._resolver = resolver

    async def _lookup(self, name: str, rtype: str) -> tuple[str, list[str]]:
        try:
            answer = self._resolver.resolve(name, rtype, search=False, raise_on_no_answer=False)
        except dns.resolver.NXDOMAIN:
            return NXDOMAIN, []
        except dns.exception.Timeout:
            return TIMEOUT, []
        except dns.exception.DNSException:
            return SERVFAIL, []
        return NOERROR, texts_of(answer)


def look(
    config: Config, resolver: dns.resolver.Resolver, host: str, addresses: Sequence[str], *, here: bool
) -> Iterator[Finding]:
    """Judge each public address of the sending host as a mail host would; `here` if mails leave from this machine. A
    relay may send from other addresses than the one that takes our mails: then only a prohibition stays unknown."""
    sender = parseaddr(config.mail_from)[1]
    domain = sender.rpartition("@")[2]
    if not addresses:
        yield unknown(CHECK, f"{host} has no public address")
    for address in addresses:
        verdict = spftrace.check(address, sender, host, resolver=_OwnResolver(resolver)).verdict
        whose = f"{address} ({host})"
        if verdict == "pass":
            yield well(CHECK, f"{domain} lets {whose} send")
        elif verdict == "permerror":
            do = "See that it is written well, and needs at most ten look-ups."
            yield ill(CHECK, f"the record of {domain} cannot be followed", do)
        elif verdict in ("temperror", "none"):
            yield unknown(CHECK, f"{domain}: no answer about {whose} ({verdict})")
        elif here:
            yield ill(
                CHECK, f"{domain} does not let {whose} send ({verdict})", f"Add ip4:{address} or mx to the record."
            )
        else:
            do = "See which addresses your mail host sends from, and that the record names them."
            yield unknown(CHECK, f"{domain} does not name {whose} ({verdict}); a relay may send from others", do)
