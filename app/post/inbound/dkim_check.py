"""Which signatures of a mail are good (DKIM, RFC 6376). Queries name servers.

Imported only when a mail needs it: the two libraries take 4 MiB that most processes never use.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

import dkim
import dns.exception
import dns.resolver

from app.base.process.mail_settings import MailIn
from app.post.inbound.incoming import Incoming

log = logging.getLogger("postroad.mail")

LOOK_UP_SECONDS = 5.0


def good_signatures(mail: Incoming, settings: MailIn, most: int) -> Iterator[dict[str, str]]:
    """Yield the fields of each good signature, without white space; only the first `most` signatures are checked."""
    resolver = resolver_of(settings)

    def text_of(name: bytes, timeout: int = 5) -> bytes | None:
        return _text_record(resolver, name.decode("ascii", "replace"))

    for number in range(min(len(mail.headers("DKIM-Signature")), most)):
        try:
            signed = dkim.DKIM(mail.raw, logger=log, timeout=int(LOOK_UP_SECONDS), minkey=1024)
            is_good = signed.verify(idx=number, dnsfunc=text_of)
        except Exception as error:  # a hostile signature proves nothing, whatever it breaks
            log.info("a signature could not be read: %s", type(error).__name__)
            continue
        if is_good:
            given = signed.signature_fields.items()
            yield {name.decode(): b"".join(value.split()).decode("ascii", "replace") for name, value in given}


def resolver_of(settings: MailIn) -> dns.resolver.Resolver:
    """Return the resolver for name lookups."""
    if settings.resolver is None:
        resolver = dns.resolver.Resolver()
    else:
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = [settings.resolver[0]], settings.resolver[1]
    resolver.lifetime = LOOK_UP_SECONDS
    return resolver


def _text_record(resolver: dns.resolver.Resolver, name: str) -> bytes | None:
    try:
        answer = resolver.resolve(name, "TXT", search=False)
    except dns.exception.DNSException:
        return None
    return next((b"".join(record.strings) for record in answer), None)
