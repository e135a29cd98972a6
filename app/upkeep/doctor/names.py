"""What name servers say about the domain of our mails, and about the host that sends them; and what they should say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from email.utils import parseaddr
from ipaddress import ip_address
from urllib.parse import urlsplit

import dns.exception
import dns.resolver
import dns.reversename

from app.base.process.config import Config
from app.base.process.networks import is_loopback
from app.post.inbound.dkim_check import resolver_of
from app.upkeep.doctor import sending
from app.upkeep.doctor.finding import Finding, ill, unknown, well

LONGEST = 255
"""Of one string of a TXT record (RFC 1035, 3.3.14); a longer key is several."""
_KEY_FILE = re.compile(r"^([\w-]+)\._domainkey\b.*?\((.*?)\)", re.S | re.M)


class NoAnswer(Exception):
    """No name server has answered."""


class Names:
    """Looks names up."""

    def __init__(self, config: Config) -> None:
        self.resolver = resolver_of(config.mail_in)

    def ask(self, name: str, kind: str) -> list[str]:
        """Return the records of one kind; NoAnswer when that cannot be determined."""
        try:
            answer = self.resolver.resolve(name, kind, search=False)
        except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
            return []
        except dns.exception.DNSException as error:
            raise NoAnswer(f"no name server answers about {name} ({type(error).__name__})") from None
        if kind == "TXT":
            return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]
        return [(record.exchange if kind == "MX" else record).to_text().rstrip(".") for record in answer]

    def addresses(self, host: str) -> list[str]:
        """Return the addresses of a host; itself if it is one."""
        try:
            return [str(ip_address(host.strip("[]")))]
        except ValueError:
            return [*self.ask(host, "A"), *self.ask(host, "AAAA")]

    def name_of(self, address: str) -> str | None:
        """Return the name of an address."""
        found = self.ask(dns.reversename.from_address(address).to_text(), "PTR")
        return found[0] if found else None


def look(config: Config) -> Iterator[Finding]:
    """Check SPF, DMARC, whether the sending address is allowed, and the reverse name."""
    names, domain = Names(config), parseaddr(config.mail_from)[1].rpartition("@")[2]
    for check, found in (("SPF", _spf), ("DMARC", _dmarc)):
        try:
            yield found(names, domain)
        except NoAnswer as error:
            yield unknown(check, str(error), "See that the machine can look names up, or set POSTROAD_RESOLVER.")
    try:
        host, addresses, here = sending_host(names, config)
        yield from sending.look(config, names, host, addresses, here=here)
        yield from _reverse(names, host, addresses)
    except NoAnswer as error:
        yield unknown("reverse name", str(error))


def _spf(names: Names, domain: str) -> Finding:
    found = sending.records(names, domain)
    if len(found) != 1:
        why = (
            f"{domain} has no SPF record" if not found else f"{domain} has {len(found)} SPF records, and one is allowed"
        )
        return ill("SPF", why, f"One TXT record at {domain} that names your mail host, such as: v=spf1 mx -all")
    words = found[0].lower().split()
    if "+all" in words or "all" in words:
        return ill("SPF", f"{found[0]!r} lets everybody send", "End it with -all or ~all.")
    if not any(word in ("-all", "~all", "?all") or word.startswith("redirect=") for word in words):
        return ill("SPF", f"{found[0]!r} says nothing about others", "End it with -all or ~all.")
    return well("SPF", f"{domain}: {found[0]}")


def _dmarc(names: Names, domain: str) -> Finding:
    parts = domain.split(".")
    for at in range(max(1, len(parts) - 1)):  # the domain itself, else the one it belongs to
        name = ".".join(parts[at:])
        found = [text for text in names.ask(f"_dmarc.{name}", "TXT") if text.replace(" ", "").startswith("v=DMARC1")]
        if found:
            return well("DMARC", f"{name}: {found[0]}")
    return ill("DMARC", f"{domain} has no DMARC record", f"A TXT record at _dmarc.{domain}, such as: v=DMARC1; p=none")


def key_of(config: Config, selector: str, domain: str) -> Finding:
    """Return the public key of a signature that was seen on a mail of ours."""
    name = f"{selector}._domainkey.{domain}"
    try:
        found = Names(config).ask(name, "TXT")
    except NoAnswer as error:
        return unknown("DKIM", str(error))
    if not any("p=" in text and not text.replace(" ", "").rstrip(";").endswith("p=") for text in found):
        return ill("DKIM", f"{name} has no key", "Publish the key that your mail host signs with.")
    return well("DKIM", f"mails are signed, with the key at {name}")


def sending_host(names: Names, config: Config) -> tuple[str, list[str], bool]:
    """Return the host that mails leave from, as far as can be determined, its public addresses, and whether it is this
    machine."""
    assert config.mail_host is not None
    host = config.mail_host.host
    here = is_loopback(host)
    if here:  # mails leave from this machine, whose address is most likely that of its pages
        host = urlsplit(config.base_url).hostname or host
    return host, [one for one in names.addresses(host) if not ip_address(one).is_private], here


def _reverse(names: Names, host: str, addresses: Sequence[str]) -> Iterator[Finding]:
    if not addresses:
        yield unknown("reverse name", f"{host} has no public address")
    for address in addresses:
        name = names.name_of(address)
        if name is None:
            yield ill("reverse name", f"{address} ({host}) has none", "Have whoever gave you the address set one.")
        elif address not in names.addresses(name):
            yield ill(
                "reverse name", f"{address} is {name}, which is another address", f"Let {name} lead to {address}."
            )
        else:
            yield well("reverse name", f"{address} is {name}, and back")


# -- the records to publish ---------------------------------------------------------------------------


class NoKey(Exception):
    """The file does not hold a key as `opendkim-genkey` and `rspamadm dkim_keygen` write it."""


def records(config: Config, key_file: str | None) -> Iterator[str]:
    """Yield SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 7489) as lines of a zone; what is not known is said in a
    comment. `key_file` is the text of a public key. Raises NoKey, and NoAnswer of the names."""
    domain = parseaddr(config.mail_from)[1].rpartition("@")[2]
    yield from _spf_line(config, domain)
    if key_file is None:
        yield "; DKIM: the record that your provider shows, or of your own key: --dkim-key FILE"
    else:
        found = _KEY_FILE.search(key_file)
        value = "".join(re.findall(r'"([^"]*)"', found[2])) if found else ""
        if found is None or "p=" not in value:
            raise NoKey
        yield _line(f"{found[1]}._domainkey.{domain}", value)
    yield _line(f"_dmarc.{domain}", "v=DMARC1; p=none")


def _spf_line(config: Config, domain: str) -> Iterator[str]:
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
