"""Whose answer a mail is: nobody answers for another, and who writes with an ordinary program is known.

`POSTROAD_TIMES=50` tries a thousand forgeries of each kind and host.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from app.base.process.mail_settings import MailIn
from app.post.inbound.incoming import Incoming
from app.post.inbound.sender_check import is_proven
from tests.support import forgeries
from tests.support.forgeries import FORGERIES, FRIEND, HEADERS, HOST, NOW, QUOTED, TO, VICTIM, Signer
from tests.support.name_server import NameServer
from tests.support.often import often


@pytest.fixture(scope="module")
def names() -> Iterator[tuple[NameServer, bytes]]:
    """A name server that knows the key of `provider.example`, and the key."""
    server = NameServer()
    private, public = server.key()
    server.texts["s1._domainkey.provider.example"] = f"v=DKIM1; k=rsa; p={public}"
    yield server, private
    server.close()


def proven(server: NameServer, raw: bytes, authserv: str | None = None) -> bool:
    """Whether a mail counts as the victim's answer to ours."""
    mail = Incoming(raw, "foe@evil.example", TO)
    settings = MailIn(tags=True, authserv=authserv, resolver=server.address)
    return is_proven(mail, settings, lambda each: each == TO, NOW, quotes=QUOTED) and mail.author == VICTIM


@pytest.mark.parametrize("shape", HEADERS)
def test_answers_of_ordinary_programs_are_proven(names: tuple[NameServer, bytes], shape: str) -> None:
    server, private = names
    by = Signer(shape, private)
    assert proven(server, by.mail()) and proven(server, b"Received: from x by y\r\nX-Seen: by our host\r\n" + by.mail())
    assert proven(server, by.mail().replace(b"\r\n", b"\n")), "a pipe has other line ends"
    assert proven(server, by.mail(to=f"Post Road <{TO}>, {FRIEND}", Subject="AW: Sie sind am Zug"))
    assert shape in ("apple", "yahoo") or proven(server, by.mail(to=FRIEND, Cc=TO)), "these two leave Cc out"
    said = f'{HOST} 1; spf=pass (x (y)) smtp.mailfrom={VICTIM}; dkim=pass header.d=provider.example header.b="a/b="'
    unsigned = b"From: " + by.mail().partition(b"\r\nFrom: ")[2]
    assert proven(server, f"Authentication-Results: {said}\r\n".encode() + unsigned, HOST)


@pytest.mark.parametrize("shape", HEADERS)
@pytest.mark.parametrize("forged", FORGERIES, ids=lambda kind: kind.__name__)
def test_nobody_answers_for_another(names: tuple[NameServer, bytes], forged: forgeries.Forgery, shape: str) -> None:
    server, private = names
    by, chooser = Signer(shape, private), random.Random(4)
    host = HOST if forged is forgeries.host_says else None
    played = [raw for raw in (forged(by, chooser) for _ in range(often(20))) if proven(server, raw, host)]
    assert played == []


@pytest.mark.parametrize("shape", HEADERS)
def test_the_same_signed_mail_is_known_again(names: tuple[NameServer, bytes], shape: str) -> None:
    """By what is signed: one host leaves Message-ID out."""
    server, private = names
    by, chooser = Signer(shape, private), random.Random(5)
    taken, other = by.mail(), by.mail()
    keys = {Incoming(taken).key, Incoming(taken).signed_key}
    assert proven(server, taken) and Incoming(other).signed_key not in keys
    copies = (forgeries.again(by, chooser, taken) for _ in range(often(20)))
    assert [raw for raw in copies if proven(server, raw) and Incoming(raw).signed_key not in keys] == []
