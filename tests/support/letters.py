"""The table of incoming mails: what each is, how it must be classified, and the orders to be read from it."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from typing import NamedTuple

from tests.support.inbound import PROVEN, report, written
from tests.support.quoting import LANGUAGES, STYLES, Quoted, composed

ORDERS = ("drop elm-1", "rob blue", "end")
SAID = "drop elm-1\nrob blue\nend"
FRENCH = ("drop île-à-la-crosse", "end")


class Letter(NamedTuple):
    """A row of the table. `to` and `sender` are those of its envelope; None for the usual ones."""

    what: str
    raw: bytes
    verdict: str
    orders: tuple[str, ...] | None = None
    """None if nothing in it may be read."""
    to: str | None = None
    sender: str | None = None


class Writer:
    """Makes rows, each with its own number."""

    def __init__(self, first: int) -> None:
        self.number = first

    def proven(self, mail: EmailMessage, **headers: str) -> bytes:
        """Return a mail with the headers added on its way to us."""
        self.number += 1
        mail["Authentication-Results"] = PROVEN
        mail["From"], mail["Message-ID"] = "Alice <alice@example.org>", f"<letter{self.number}@mail.example.com>"
        for name, value in headers.items():
            mail[name.replace("_", "-")] = value
        return mail.as_bytes()

    def raw(self, kind: str, encoding: str, body: bytes, *more: str) -> bytes:
        """Return a mail of one part, byte by byte."""
        self.number += 1
        lines = [
            f"Authentication-Results: {PROVEN}", "From: Alice <alice@example.org>", "Subject: Re: turn",
            f"Message-ID: <letter{self.number}@mail.example.com>", "MIME-Version: 1.0", *more,
            f"Content-Type: {kind}", f"Content-Transfer-Encoding: {encoding}", "", "",
        ]  # fmt: skip
        return "\r\n".join(lines).encode() + body

    def text(self, text: str = SAID, proof: str = PROVEN, author: str = "Alice <alice@example.org>", **h: str) -> bytes:
        """Return a plain mail."""
        self.number += 1
        return written(self.number, text, author, proof, **h).as_bytes()


def quotes(write: Writer, ours: Quoted) -> Iterator[Letter]:
    """Yield every style in four languages."""
    for style in STYLES:
        for lang in LANGUAGES:
            quoted = Quoted(ours.text, ours.html, ours.address, lang)
            yield Letter(f"{style.__name__} {lang}", write.proven(composed(style(SAID, quoted))), "reply", ORDERS)


def encodings(write: Writer) -> Iterator[Letter]:
    """Yield the same orders in many encodings."""
    accents = "drop île-à-la-crosse\r\nend\r\n"
    for charset in ("utf-8", "latin-1", "windows-1252", "iso-8859-15", "utf-16", "macroman"):
        packed = base64.encodebytes(accents.encode(charset))
        yield Letter(
            f"base64 {charset}", write.raw(f"text/plain; charset={charset}", "base64", packed), "reply", FRENCH
        )
    body = accents.encode("latin-1")
    yield Letter("8bit latin-1", write.raw("text/plain; charset=iso-8859-1", "8bit", body), "reply", FRENCH)
    yield Letter("no charset", write.raw("text/plain", "8bit", accents.encode()), "reply", FRENCH)
    yield Letter("unknown charset", write.raw("text/plain; charset=x-none", "8bit", accents.encode()), "reply", FRENCH)
    qp = b"drop =C3=AEle-=C3=A0-la-cros=\r\nse\r\nend\r\n"
    yield Letter("quoted-printable", write.raw("text/plain; charset=utf-8", "quoted-printable", qp), "reply", FRENCH)
    flowed = b"drop \r\nelm-1\r\nrob blue\r\nend\r\n-- \r\nAlice\r\n"
    yield Letter("flowed", write.raw("text/plain; format=flowed", "7bit", flowed), "reply", ORDERS)
    joined = b"drop elm- \r\n1\r\nrob blue\r\nend\r\n"
    yield Letter("flowed, delsp", write.raw('text/plain; format="flowed"; delsp=yes', "7bit", joined), "reply", ORDERS)
    odd = {
        "no-break spaces": "drop\u00a0elm-1\r\nrob\u202fblue\r\nend",
        "direction marks": "\u200edrop elm-1\u200f\r\n\u202arob blue\u202c\r\nend",
        "byte order mark": "\ufeffdrop elm-1\r\nrob blue\r\nend",
        "soft hyphens and joiners": "drop elm\u00ad-1\r\nrob b\u200dlue\r\nend",
        "old Macintosh line ends": "drop elm-1\rrob blue\rend",
        "many empty lines": "\r\n\r\n  drop elm-1 \r\n\r\n\r\n rob   blue\r\n\t\r\nend\r\n\r\n",
        "bullets": "- drop elm-1\r\n* rob blue\r\n3. end",
        "a dot": "drop elm-1\r\nrob blue\r\nend\r\n.\r\nand thanks for the fish",
        "a wish and a name": "drop elm-1\r\nrob blue\r\nend\r\n\r\nBest wishes,\r\nalice",
    }
    for what, text in odd.items():
        body = text.encode()
        yield Letter(what, write.raw("text/plain; charset=utf-8", "8bit", body), "reply", ORDERS)
    html = {
        "paragraphs": "<p>drop elm-1</p><p>rob blue</p><p>end</p>",
        "breaks": "drop elm-1<br>rob blue<br/>end<br>",
        "nested divs": "<div><div><span>drop</span> elm-1</div><div>rob blue<div>end</div></div></div>",
        "a list": "<ul><li>drop elm-1<li>rob blue<li>end</ul>",
        "a table of Word": "<table><tr><td><p class=MsoNormal>drop elm-1<o:p></o:p></p><p>rob blue</p>end</table>",
        "set text": "<pre>drop elm-1\nrob blue\nend</pre>",
        "entities": "drop&nbsp;elm&#45;1<br>rob&#32;blue<br>&#101;nd",
        "unclosed": "<div>drop elm-1<div>rob blue<div>end",
        "style and script": "<style>p{}</style><script>rob red</script>drop elm-1<br>rob blue<br>end",
        "a comment": "<!-- pass -->drop elm-1<br>rob blue<br>end<!-- rob red -->",
        "hidden words": '<div style="display:none">pass</div>drop elm-1<br>rob blue<br>end',
    }
    for what, body_of in html.items():
        yield Letter(f"HTML: {what}", write.raw("text/html; charset=utf-8", "8bit", body_of.encode()), "reply", ORDERS)


def with_files(write: Writer) -> Iterator[Letter]:
    """Yield mails with parts besides the text."""
    mail = EmailMessage()
    mail.set_content(SAID)
    mail.add_attachment("pass\n", filename="orders.txt")
    yield Letter("a text attached", write.proven(mail), "reply", ORDERS)
    mail = EmailMessage()
    mail.set_content(SAID)
    mail.add_attachment(b"\x89PNG" * 300, "image", "png", filename="map.png")
    yield Letter("a picture attached", write.proven(mail), "reply", ORDERS)
    mail, within = EmailMessage(), EmailMessage()
    within.set_content("pass\n")
    mail.set_content("\n")
    mail.add_attachment(within)
    yield Letter("only a mail attached", write.proven(mail), "reply", ())
    mail = EmailMessage()
    mail.add_attachment("pass\n", filename="orders.txt")
    yield Letter("only a file attached", write.proven(mail), "reply", ())
    mail = EmailMessage()
    mail.set_content(" \n")
    mail.add_alternative("<p>drop elm-1<p>rob blue<p>end", subtype="html")
    yield Letter("an empty text part", write.proven(mail), "reply", ORDERS)
    yield Letter("nothing", write.text(""), "reply", ())
    yield Letter("orders in the subject", write.text("", Comments="end"), "reply", ())


def automatic(write: Writer) -> Iterator[Letter]:
    """Yield automatic answers of programs."""
    away = {
        "en": "I am out of the office until Monday.", "fr": "Je suis absent jusqu’à lundi.",
        "es": "Estoy fuera de la oficina hasta el lunes.", "it": "Sono fuori ufficio fino a lunedì.",
    }  # fmt: skip
    for lang, words in away.items():
        yield Letter(f"vacation {lang}", write.text(words, Auto_Submitted="auto-replied"), "automatic")
        yield Letter(f"Exchange {lang}", write.text(words, Auto_Submitted="auto-generated; type=OOF"), "automatic")
        yield Letter(f"X-Autoreply {lang}", write.text(words, X_Autoreply="yes"), "automatic")
        yield Letter(f"X-Autorespond {lang}", write.text(words, X_Autorespond="away"), "automatic")
        yield Letter(f"Precedence {lang}", write.text(words, Precedence="junk"), "bulk")
    yield Letter("a list", write.text(List_Id="<games.example.org>"), "bulk")
    yield Letter("bulk mail", write.text(Precedence="Bulk"), "bulk")
    yield Letter("a program that says no", write.text(Auto_Submitted="No"), "reply", ORDERS)


def reports(write: Writer, bounces: str) -> Iterator[Letter]:
    """Yield the reports of mail hosts."""
    for status, action, verdict in (
        ("4.2.2", "delayed", "report"), ("2.0.0", "delivered", "report"), ("2.0.0", "relayed", "report"),
    ):  # fmt: skip
        write.number += 1
        raw = report(write.number, bounces, status, f"smtp; {status}", action)
        yield Letter(f"a report: {action}", raw, verdict, None, bounces, "")
    yield Letter("no sender, no report", write.text("I am away."), "automatic", None, bounces, "")
    yield Letter("to the address of reports", write.text(), "automatic", None, bounces)


def hostile(write: Writer, address: str) -> Iterator[Letter]:
    """Yield forged, altered, misdirected or malformed mails: none of these may ever be a move."""
    local, _, host = address.partition("@")
    changed = f"{local[:-1]}{'a' if local[-1] != 'a' else 'b'}@{host}"
    yield Letter("another signature", write.text(), "no_tag", None, changed)
    yield Letter("another mail's number", write.text(), "no_tag", None, address.replace("+r.1.", "+r.2."))
    yield Letter("another purpose", write.text(), "no_tag", None, address.replace("+r.", "+n."))
    yield Letter("another host", write.text(), "no_tag", None, f"{local}@example.net")
    yield Letter("no tag", write.text(), "no_tag", None, "post@example.org")
    yield Letter("two tags", write.text(), "no_tag", None, address.replace("+r.", "+r.+r."))
    for author in (
        "Mallory <mallory@example.org>", "alice@example.org <mallory@example.org>", "Alice <alice@example.com>",
        "alice@example.org, bob@example.org", "undisclosed:;", "<>", "Bob <bob@example.org>",
        "alice@example.org.evil.net", "=?utf-8?q?alice=40example.org?= <m@evil.net>", "alice\u0430@example.org",
    ):  # fmt: skip
        yield Letter(f"from {author}", write.text(author=author), "stranger")
    yield Letter("two authors", b"From: bob@example.org\r\n" + write.text(), "stranger")
    yield Letter("our own address", write.text(author="Post Road <post@example.org>"), "own")
    yield Letter("our own reply", write.text(author=f"x <{address}>"), "own")
    for proof in (
        "", "mail.example.org; dkim=fail header.d=example.org", "mail.evil.net; dkim=pass header.d=example.org",
        "mail.example.org; none", "mail.example.org; dkim=pass header.d=evil.net", "mail.example.org; spf=softfail",
        "mail.example.org.evil.net; dmarc=pass header.from=example.org", "; dkim=pass header.d=example.org",
    ):  # fmt: skip
        yield Letter(f"proof {proof or 'none'}", write.text(proof=proof), "unproven", ORDERS)
    yield Letter("no mail", b"\xff\xfe\x00\x01", "stranger")
    yield Letter("no headers", b"\r\n\r\ndrop elm-1\r\n", "stranger")
    deep = b"".join(b"--b%d\r\nContent-Type: multipart/mixed; boundary=b%d\r\n\r\n" % (n, n + 1) for n in range(60))
    nested = write.raw("multipart/mixed; boundary=b0", "7bit", deep + b"--b60\r\n\r\nend\r\n")
    yield Letter("nested without end", nested, "reply", ())
    yield Letter("a wall of elements", write.raw("text/html", "8bit", b"<div>" * 3000 + b"end"), "reply", ("end",))
    yield Letter("a wall of quotes", write.text("> end\n" * 3000), "reply", ())
    yield Letter("not base64", write.raw("text/plain", "base64", b"!!! end !!!"), "reply", None)
    yield Letter("null bytes", write.raw("text/plain", "8bit", b"en\0d\r\n"), "reply", ("en\0d",))
    yield Letter("too large", write.text("x" * 2_000_000), "too_large")


def table(ours: Quoted, bounces: str, first: int = 1000) -> list[Letter]:
    """Return all of them, as answers to one of our mails."""
    write = Writer(first)
    parts: tuple[Callable[[], Iterator[Letter]], ...] = (
        lambda: quotes(write, ours),
        lambda: encodings(write),
        lambda: with_files(write),
        lambda: automatic(write),
        lambda: reports(write, bounces),
        lambda: hostile(write, ours.address),
    )
    return [letter for part in parts for letter in part()]
