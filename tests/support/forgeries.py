"""Answers by mail as large hosts sign them, and what others make of such mails."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime
from functools import lru_cache
from itertools import count

import dkim

VICTIM, FOE, FRIEND = "victim@provider.example", "foe@provider.example", "friend@else.example"
TO = "games+r.12.abcdefghijklmnop@games.example.org"
QUOTED = "WyJ0dXJuIiwxLCJyZWQiLDEsMV0.8cH1Zl"
NOW = datetime.fromisoformat("2026-11-28T10:00:00+00:00")
HOST = "mx.example.org"

HEADERS = {
    "gmail": "to:subject:message-id:date:from:in-reply-to:references:mime-version:from:to:cc:subject:date:message-id",
    "outlook": "from:date:subject:message-id:content-type:mime-version:x-ms-exchange-senderadcheck",
    "apple": "from:to:subject:date:message-id:mime-version:content-type:x-icloud-hme",
    "yahoo": "date:from:to:in-reply-to:references:subject:from:subject:reply-to",
}
"""Which headers the signatures of some hosts cover."""
_numbers = count(1)


@dataclass(frozen=True)
class Signer:
    """A host that signs for the victim and for the foe alike, each with their own From."""

    shape: str
    private: bytes

    def mail(self, author: str = VICTIM, to: str = TO, at: datetime = NOW, words: str = "pass", **more: str) -> bytes:
        """Return a signed mail that answers ours; `more` are other headers, or other values of these."""
        number = next(_numbers)
        heads = {
            "From": f"Somebody <{author}>", "To": to, "Subject": "Re: It is your turn", "Date": format_datetime(at),
            "Message-ID": f"<{number}@provider.example>", "MIME-Version": "1.0", "In-Reply-To": "<1@games.example.org>",
            "Content-Type": "text/plain; charset=utf-8", **{name.replace("_", "-"): v for name, v in more.items()},
        }  # fmt: skip
        lines = [f"{name}: {value}" for name, value in heads.items()]
        # Whoever quotes the link hands on the right to answer by it, so mails to others quote something else.
        token = QUOTED if TO in to + more.get("Cc", "") else QUOTED[::-1]
        quote = f"\r\n\r\nOn Saturday, Post Road wrote:\r\n> https://games.example.org/t/{token}\r\n"
        return self.signed("\r\n".join([*lines, "", words + f" {number}" + quote]).encode())

    def signed(self, raw: bytes, without: str = "", **more: object) -> bytes:
        """Return a mail with the signature above it, which may leave out a header."""
        covered = [name.encode() for name in HEADERS[self.shape].split(":") if name != without]
        sign = _sign_anything() if without == "from" else dkim.sign
        given = {"include_headers": covered, "canonicalize": (b"relaxed", b"relaxed"), **more}
        return bytes(sign(raw, b"s1", b"provider.example", self.private, **given)) + raw


@lru_cache(1)
def _sign_anything() -> Callable[..., bytes]:
    """Return the library's function without its demand that From is covered (RFC 6376, 5.4)."""
    import inspect
    import textwrap

    source = textwrap.dedent(inspect.getsource(dkim.DKIM.sign)).replace("b'from' not in include_headers", "False")
    space = vars(dkim).copy()
    exec(source, space)

    def sign(raw: bytes, selector: bytes, domain: bytes, key: bytes, **given: object) -> bytes:
        return bytes(space["sign"](dkim.DKIM(raw), selector, domain, key, **given))

    return sign


# -- what others make of them ---------------------------------------------------------------------------------------


def smuggled(by: Signer, chooser: random.Random) -> bytes:
    """The foe's own mail below a header that some programs take for several."""
    end = chooser.choice(
        ["\r", "\r\r", "\0\r", "\n", "\n\n", "\r\r\n", "\r\n \r\n", "\v\r", "\x85\r", "\f\n", "\r\n\t \r\n"]
    )
    fake = [
        "X-A: b",
        f"From: {VICTIM}",
        f"To: {TO}",
        f"Date: {format_datetime(NOW)}",
        "DKIM-Signature: v=1",
        "Subject: Re: t",
    ]
    kept = [fake[0], *chooser.sample(fake[1:], chooser.randint(1, 5))]
    own = by.mail(FOE, chooser.choice([TO, FRIEND]))
    return (end.join(kept) + chooser.choice([end, ""]) + "pass\r\n").encode("latin-1") + own


def doubled(by: Signer, chooser: random.Random) -> bytes:
    """A mail of the foe, or one of the victim to somebody else, with a header twice."""
    own = chooser.choice([lambda: by.mail(FOE), lambda: by.mail(to=FRIEND), lambda: by.mail(at=NOW - timedelta(9))])()
    heads = {"From": VICTIM, "To": TO, "Date": format_datetime(NOW), "Cc": TO, "Subject": "Re: It is your turn"}
    colons = [":", " :", ":  ", ":\r\n "]
    more = "".join(
        f"{chooser.choice([name, name.upper()])}{chooser.choice(colons)}{heads[name]}\r\n"
        for name in chooser.sample(sorted(heads), chooser.randint(1, 4))
    )
    if chooser.random() < 0.5:
        return more.encode() + own
    head, _, body = own.partition(b"\r\n\r\n")
    return head + b"\r\n" + more.encode().rstrip() + b"\r\n\r\n" + body


def to_somebody_else(by: Signer, chooser: random.Random) -> bytes:
    """A mail of the victim to somebody else, sent on to our address."""
    subject = chooser.choice(
        ["Fwd: It is your turn", "WG: Sie sind am Zug", "RV: turn", "I: turno", "cards tonight", "TR: tour"]
    )
    own = by.mail(to=FRIEND, Subject=subject)
    above = chooser.choice(
        [
            "",
            f"Delivered-To: {TO}\r\n",
            f"X-Original-To: {TO}\r\n",
            f"Resent-To: {TO}\r\n",
            f"Cc: {TO}\r\n",
            f"Bcc: {TO}\r\n",
        ]
    )
    if chooser.random() < 0.4:
        own = re.sub(rb"(?m)^To:.*\r\n", f"To: {TO}\r\n".encode(), own)
    return above.encode() + own


def old(by: Signer, chooser: random.Random) -> bytes:
    """An answer of the victim from another time, perhaps with another date."""
    at = NOW + timedelta(hours=chooser.choice([-1, 1]) * chooser.randint(49, 9000))
    own = by.mail(at=at)
    today = f"Date: {format_datetime(NOW)}\r\n".encode()
    altered = re.sub(rb"(?m)^Date:.*\r\n", chooser.choice([today, b"", b"Date: never\r\n", b"Date:\r\n"]), own)
    return chooser.choice([own, altered, today + own, b"Resent-" + today + own])


def again(by: Signer, chooser: random.Random, taken: bytes) -> bytes:
    """What has been taken, with more above it and, where the signature allows it, another Message-ID."""
    more = [
        f"Received: from x{chooser.random()}",
        "X-Spam: no",
        "Reply-To: x@y.example",
        f"Comments: {chooser.random()}",
        "X-Date: 1",
    ]
    raw = "".join(f"{line}\r\n" for line in chooser.sample(more, chooser.randint(0, 4))).encode() + taken
    if chooser.random() < 0.7:
        raw = re.sub(rb"(?m)^Message-ID: <", f"Message-ID: <{chooser.randrange(10**9)}".encode(), raw)
    return raw.replace(b"\r\n", b"\n") if chooser.random() < 0.2 else raw


def weak(by: Signer, chooser: random.Random) -> bytes:
    """A mail whose signature covers too little, is of a retired kind, of another domain, or altered."""
    plain = by.mail().partition(b"\r\nFrom: ")[2]
    plain = b"From: " + plain
    kind = chooser.randrange(6)
    if kind == 0:
        raw = by.signed(plain, "from")
    elif kind == 1:
        raw = by.signed(plain, signature_algorithm=b"rsa-sha1")
    elif kind == 2:
        raw = by.signed(plain, length=True) + chooser.choice([b"", b"pass\r\n"])
    elif kind == 3:
        raw = by.signed(plain, "date")
    elif kind == 4:
        raw = bytearray(by.signed(plain))
        start = raw.index(b"From: ")
        at = chooser.choice(
            [
                found.start()
                for found in re.finditer(rb"[a-z0-9]", raw)
                if found.start() > start and _counts(raw, found.start())
            ]
        )
        raw[at] = raw[at] ^ 1
    else:
        given = chooser.choice([b"provider.example.evil.example", b"ider.example", b"example", b"x.provider.example"])
        raw = by.signed(plain).replace(b"d=provider.example", b"d=" + given, 1)
    return bytes(raw)


def _counts(raw: bytearray, at: int) -> bool:
    """Return whether a byte stands in From, Date or Subject, or in the text: all hosts sign these."""
    line = raw[raw.rfind(b"\n", 0, at) + 1 : at]
    return at > raw.index(b"\r\n\r\n") or re.match(rb"(From|Date|Subject): ", line) is not None


def host_says(by: Signer, chooser: random.Random) -> bytes:
    """A mail of which the host says that nothing passes, in words of the foe, or passes what proves nothing."""
    truth = chooser.choice(["dkim=pass header.d={0}", "dmarc=pass header.from={0}", "spf=pass smtp.mailfrom={0}"])
    said = chooser.choice(LINES).replace("{}", truth.replace("{0}", "provider.example"))
    plain = b"From: " + by.mail().partition(b"\r\nFrom: ")[2]
    if chooser.random() < 0.3:  # a good signature that covers too little, below some of others
        said, plain = "dkim=pass header.d=provider.example", by.signed(plain, "date")
        plain = b"DKIM-Signature: v=1; d=evil.example\r\n" * chooser.randint(0, 5) + plain
    head = f"Authentication-Results: {HOST}{chooser.choice(['', ' 1'])}; {said}\r\n"
    return head.encode() + plain


LINES = (
    'spf=pass smtp.mailfrom="x; {} "@evil.example',
    'spf=pass (domain of "x); {} ("@evil.example) smtp.mailfrom=evil.example',
    "spf=none smtp.helo=x;{};y",
    'dkim=fail reason="bad; {}" header.d=evil.example',
    "spf=fail (a (b) ; {} ) smtp.mailfrom=evil.example",
    "spf=fail (a (b (c)) ; {}) smtp.mailfrom=evil.example",
    "spf=fail (x\\); {} (\\) smtp.mailfrom=evil.example",
    "spf=fail ; ( {}",
    'dkim=fail header.i="@x;{}',
    "spf=fail smtp.mailfrom=a) ; {}",
    "dkim=none; x={}; none",
    'dkim=fail reason="a\\"; {}"',
    "dkim=fail header.d={}",
)
Forgery = Callable[[Signer, random.Random], bytes]
FORGERIES: tuple[Forgery, ...] = (smuggled, doubled, to_somebody_else, old, weak, host_says)
