"""The three DNS records that mails of this server need, to be copied into the zone of their domain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.utils import parseaddr
from ipaddress import ip_address

from app.base.process.config import Config
from app.upkeep.doctor.names import Names, sending_host

LONGEST = 255
"""Of one string of a TXT record (RFC 1035, 3.3.14); a longer key is several."""
_KEY_FILE = re.compile(r"^([\w-]+)\._domainkey\b.*?\((.*?)\)", re.S | re.M)


class NoKey(Exception):
    """The file does not hold a key as `opendkim-genkey` and `rspamadm dkim_keygen` write it."""


def records(config: Config, key_file: str | None) -> Iterator[str]:
    """Yield SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 7489) as lines of a zone; what is not known is said in a
    comment. `key_file` is the text of a public key. Raises NoKey, and NoAnswer of the names."""
    domain = parseaddr(config.mail_from)[1].rpartition("@")[2]
    yield from _spf(config, domain)
    if key_file is None:
        yield "; DKIM: the record that your provider shows, or of your own key: --dkim-key FILE"
    else:
        found = _KEY_FILE.search(key_file)
        value = "".join(re.findall(r'"([^"]*)"', found[2])) if found else ""
        if found is None or "p=" not in value:
            raise NoKey
        yield _line(f"{found[1]}._domainkey.{domain}", value)
    yield _line(f"_dmarc.{domain}", "v=DMARC1; p=none")


def _spf(config: Config, domain: str) -> Iterator[str]:
    names = Names(config)
    host, addresses, here = sending_host(names, config)
    if here and addresses:
        sources = " ".join(f"ip{ip_address(one).version}:{one}" for one in addresses)
    elif here:
        yield f"; SPF: {host} has no public address yet; these are the hosts that the MX records name"
        sources = "mx"
    else:
        yield f"; SPF: your provider may want `include:...` instead of the address of {host}"
        sources = f"a:{host}"
    yield _line(domain, f"v=spf1 {sources} -all")


def _line(name: str, value: str) -> str:
    pieces = [value[at : at + LONGEST] for at in range(0, len(value), LONGEST)]
    return f"{name}. IN TXT " + " ".join(f'"{piece}"' for piece in pieces)
