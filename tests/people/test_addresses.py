"""One way of reading addresses for every input: domains by IDNA 2008 (RFC 5891, UTS 46)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.base.stored.database import Database
from app.base.words.addresses import are_of_one, ascii_domain, key_of
from app.base.words.refusals import NotAccepted
from app.games.work import Work
from app.people import accounts
from tests.support.tables import NOW

SPELLED = {
    "Anna@Faß.example": "Anna@xn--fa-hia.example",
    "anna@STRASSE.example": "anna@strasse.example",
    "kostas@βόλος.example": "kostas@xn--nxasmm1c.example",
    "anna@müller。EXAMPLE": "anna@xn--mller-kva.example",
    "anna@xn--mller-KVA.Example": "anna@xn--mller-kva.example",
    "anna@نامه‌ای.example": "anna@xn--mgba3gch31f060k.example",
}
NONE = (
    "anna@☃.example",
    "änna@müller.example",
    "anna@mül ler.example",
    "anna@-ü.example",
    "anna@ü..example",
    "a\x07@ü.de",
)


def test_domains_are_those_that_mail_hosts_look_up() -> None:
    for typed, kept in SPELLED.items():
        assert accounts.read_address(f" {typed} ") == kept, typed
        assert key_of(typed) == kept.lower() and are_of_one(typed, kept) and are_of_one(typed, kept.replace("@", "+a@"))
    for typed in NONE:
        with pytest.raises(NotAccepted):
            accounts.read_address(typed)
    assert not are_of_one("anna@faß.example", "anna@fass.example")


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_what_is_read_is_kept_when_it_is_read_again(domain: str) -> None:
    try:
        kept = ascii_domain(domain)
    except ValueError:
        return
    assert kept.isascii() and ascii_domain(kept) == kept == kept.lower()


def test_an_account_of_before_is_found_and_no_stranger_s_is(database: Database) -> None:
    """IDNA 2003 wrote a final sigma as the other one; mails go on to the address that has always worked.

    Its result for ß is a domain of its own, which can be anybody's.
    """
    with Work(database) as work:
        for typed in ("kostas@βόλος.example", "anna@faß.example"):
            local, _, domain = typed.partition("@")
            old = f"{local}@{domain.encode('idna').decode()}"
            accounts.find_or_add(work.session, old, now=NOW)
        kostas = accounts.find_or_add(work.session, "kostas@βόλος.example", now=NOW)
        assert (kostas.id, kostas.address) == (1, "kostas@xn--nxasmq6b.example")
        anna = accounts.find_or_add(work.session, "anna@faß.example", now=NOW)
        assert (anna.id, anna.address) == (3, "anna@xn--fa-hia.example")
        assert accounts.find(work.session, "ANNA@FASS.example").id == 2  # type: ignore[union-attr]
