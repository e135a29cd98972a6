"""Mails to the address of reports: whether they say that a mail does not arrive, and whose fault that is.

All hosts, people and texts are made up, after real ones (RFC 3462 to 3464, RFC 6533).
"""

from __future__ import annotations

import base64
import quopri
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.base.stored.database import Database
from app.post.inbound import reports
from app.post.inbound.incoming import Incoming
from app.post.route.faults import Fault
from tests.support.inbound import WayIn, way_in
from tests.support.tables import NOW, start

ALICE, SENDER = "alice@example.org", "post@example.org"
RFC822, HEADERS = "message/rfc822", "text/rfc822-headers"
DAEMON = "Mail Delivery System <MAILER-DAEMON@mx.example.net>"
ADDRESS, FULL, MAIL, POLICY = Fault.ADDRESS, Fault.FULL, Fault.MAIL, Fault.POLICY
NO_REPORT = "no report"
OURS = (
    "Received: from post.example.org by mx.example.net\r\nX-Filter: 2.10.1 (Mailer 4.94.2)\r\n"
    "Message-ID: <1.0123456789abcdef@post.example.org>\r\nFrom: Post Road <post@example.org>\r\nSubject: Your turn\r\n"
    "MIME-Version: 1.0\r\n\r\nalice, it is your turn.\r\n"
)
Part = tuple[str, str]


def mail(
    *parts: Part, author: str = DAEMON, subject: str = "failure notice", kind: str = "report", more: str = ""
) -> bytes:
    """Return a mail of one part, or of several: each its header lines and its content."""
    head = f"Message-ID: <r@mx.example.net>\r\nFrom: {author}\r\nTo: <{SENDER}>\r\nSubject: {subject}\r\n{more}"
    if len(parts) == 1:
        return f"{head}MIME-Version: 1.0\r\n{parts[0][0]}\r\n\r\n{parts[0][1]}".encode()
    kinds = {"mixed": "multipart/mixed", "report": "multipart/report; report-type=delivery-status"}
    body = "".join(f"--=b\r\n{lines}\r\n\r\n{text}\r\n" for lines, text in parts)
    head += f'MIME-Version: 1.0\r\nContent-Type: {kinds.get(kind, kind)}; boundary="=b"\r\n\r\n'
    return f"{head}{body}--=b--\r\n".encode()


def text(words: str, lines: str = "Content-Type: text/plain; charset=utf-8") -> Part:
    return lines, words


def fields(status: str = "5.1.1", words: str = "", action: str = "failed", to: str = ALICE, **more: str) -> str:
    """The fields about one recipient; without a value a field is left out."""
    named = {"Final-Recipient": f"rfc822; {to}", "Action": action, "Status": status, "Diagnostic-Code": words}
    named |= {name.replace("_", "-"): value for name, value in more.items()}
    return "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)


def dsn(
    *blocks: str, note: str = "Your mail is returned.", kind: str = "report", part: str = "message/delivery-status"
) -> bytes:
    status = "\r\n".join(("Reporting-MTA: dns; mx.example.net\r\n", *blocks))
    return mail(text(note), (f"Content-Type: {part}", status), ("Content-Type: message/rfc822", OURS), kind=kind)


def packed(part: str, encoding: str) -> bytes:
    plain = f"Reporting-MTA: dns; mx.example.net\r\n\r\n{fields()}".encode()
    body = base64.encodebytes(plain) if encoding == "base64" else quopri.encodestring(plain)
    lines = f"Content-Type: {part}\r\nContent-Transfer-Encoding: {encoding}"
    return mail(text("See the details."), (lines, body.decode()))


def html(words: str) -> bytes:
    return mail(text(f"<html><body><p>{words}</p></body></html>", "Content-Type: text/html; charset=utf-8"))


def wide(words: str) -> bytes:
    """In UTF-16."""
    body = base64.encodebytes(words.encode("utf-16")).decode()
    return mail(text(body, "Content-Type: text/plain; charset=utf-16\r\nContent-Transfer-Encoding: base64"))


def said(words: str, **how: str) -> bytes:
    return mail(text(words), **how)


UNTIL = "Thu, 26 Nov 2026 20:00:00 +0000"
COPY = f"\n\n--- Below this line is a copy of the message.\n\n{OURS}"
MORE = "Final-Recipient: rfc822; archive@elsewhere.example\r\nAction: %s\r\nStatus: %s\r\n"
AWAY = {"author": f"Alice <{ALICE}>", "subject": "Out of office"}
ROBOT = {"author": "Alexandra <a.b@elsewhere.example>", "more": "Auto-Submitted: auto-replied\r\n"}

CASES: dict[str, tuple[bytes, Fault | str | None]] = {
    # The action says whether, the status why (RFC 3464, 2.3.3 and 2.3.4).
    "gone": (dsn(fields("5.1.1", "smtp; 550 no such user")), ADDRESS),
    "given up": (dsn(fields("4.4.1", "x-host; connect to mx.example.org: timed out")), MAIL),
    "blanks before the colon": (dsn(fields("5.1.1", "smtp; 550 no such user").replace(":", " :")), ADDRESS),
    "nothing after the colon": (dsn(fields("5.1.1", "smtp; 550 no such user").replace(": ", ":")), ADDRESS),
    "given up, nothing said": (dsn(fields("4.4.7")), MAIL),
    "given up, 550": (dsn(fields("4.4.7", "smtp; 550 4.4.7 QUEUE.Expired")), MAIL),
    "no such domain, 4.0.0": (dsn(fields("4.0.0", "smtp; lookup of example.org: NXDOMAIN")), ADDRESS),
    "a comment": (dsn(fields("5.1.1", action="(sorry) failed (no such mailbox)")), ADDRESS),
    "expired": (dsn(fields("5.4.7", action="expired")), MAIL),
    "failure": (dsn(fields("5.0.0", action="Failure")), MAIL),
    "no action, 5": (dsn(fields("5.1.1", action="")), ADDRESS),
    "no action, 4": (dsn(fields("4.4.7", action="")), MAIL),
    "no action, still tried": (dsn(fields("4.4.7", action="", Will_Retry_Until=UNTIL)), None),
    "delayed": (dsn(fields("4.4.1", action="delayed")), None),
    "delayed, 5": (dsn(fields("5.4.7", action="Delayed (for a day)")), None),
    "delivered": (dsn(fields("2.0.0", action="delivered")), None),
    "relayed": (dsn(fields("2.1.5", action="relayed")), None),
    "status without words, text with": (dsn(fields("5.0.0"), note=f"<{ALICE}>: 550 unknown user"), ADDRESS),
    "status with a comment": (dsn(fields("5.4.4 (Illegal host name found)")), ADDRESS),
    # In whatever part and encoding.
    "base64": (packed("message/delivery-status", "base64"), ADDRESS),
    "quoted-printable": (packed("message/delivery-status", "quoted-printable"), ADDRESS),
    "international": (dsn(fields(), part="message/global-delivery-status"), ADDRESS),
    "international, base64": (packed("message/global-delivery-status", "base64"), ADDRESS),
    "in multipart/mixed": (dsn(fields(), kind="mixed"), ADDRESS),
    "as an attached text": (dsn(fields(), kind="mixed", part="text/plain; name=details.txt"), ADDRESS),
    "as text": (said(f"Details:\n\nReporting-MTA: dsn; x\n\n{fields('5.1.1', 'smtp; 550 unknown')}"), ADDRESS),
    "as indented text": (said("Details:\n\n   Action: failed\n   Status: 5.1.1\n   Final-Recipient: x\n"), ADDRESS),
    "in a returned report": (
        mail(text("Returned."), (f"Content-Type: {RFC822}", dsn(fields()).decode().replace("=b", "=c")), kind="mixed"),
        ADDRESS,
    ),
    # Of several recipients ours counts; where none is ours, it may have another name now.
    "ours delivered": (dsn(fields("2.0.0", action="delivered"), MORE % ("failed", "5.1.1")), None),
    "ours failed": (dsn(MORE % ("delivered", "2.0.0"), fields()), ADDRESS),
    "ours before it was rewritten": (
        dsn(MORE % ("delivered", "2.0.0"), fields(to="a@new.example", Original_Recipient=f"rfc822;{ALICE}")), ADDRESS
    ),
    "rewritten": (dsn(fields(to="a@new.example")), ADDRESS),
    "rewritten to two": (dsn(fields(to="a@new.example"), MORE % ("relayed", "2.0.0")), None),
    "ours delivered, as text": (said(f"{ALICE}: delivered\narchive@elsewhere.example: 550 no such user{COPY}"), None),
    "ours failed, as text": (said(f"archive@elsewhere.example: delivered\n{ALICE}: 550 no such user{COPY}"), ADDRESS),
    # Text: what precedes the copy, a code before all else.
    "code above the copy": (said(f"  {ALICE}\n    host mx [192.0.2.1]: 550 no such user{COPY}"), ADDRESS),
    "headers without a line": (said(f"<{ALICE}>:\n550 full of spam\n\n{OURS}550 5.1.1 no such user"), POLICY),
    "quoted headers": (said(f"<{ALICE}>: (#5.7.1)\n\n> {OURS}".replace("\r\n", "\n> ")), POLICY),
    "telephone": (said(f"Not delivered. Call 480-555-0100 or 550 1234.\n\n<{ALICE}>:\nno such user"), ADDRESS),
    "queue time over": (said(f"<{ALICE}>:\n(#4.4.1)\nI'm not going to try again; too long in the queue.{COPY}"), MAIL),
    "transcript": (said("  --- Transcript of session follows ---\n>>> RCPT\n<<< 550 5.1.1 User unknown"), ADDRESS),
    "deferred and returned": (
        said(f"-- Transcript of session follows --\n421 Deferred: timed out\n\n-- Unsent message follows --\n{OURS}",
             subject="Returned mail: cannot send for 4 days"), MAIL,
    ),
    "X-Failed-Recipients": (said("Sorry.", author="x@mx.example.net", more=f"X-Failed-Recipients: {ALICE}\r\n"), MAIL),
    "subject": (said("Sorry.", author="ndr@gate.example", subject="Mail could not be delivered"), MAIL),
    "a gateway": (said("Error\n550 - Not taken: no such user\n", author="g@gate.example", subject="Re: x"), ADDRESS),
    "one of two codes": (said(f'"{ALICE}":\n5.2.1 User unknown\n"b@elsewhere.example":\n5.2.2 Full{COPY}'), ADDRESS),
    "French": (said(f"Votre message n’a pas pu être remis :\n{ALICE}\n550 5.1.1 utilisateur inconnu"), ADDRESS),
    "Polish, by its place": (said(f"Nie można dostarczyć:\n\n{ALICE}", subject="Zwrot"), MAIL),
    "Russian": (said(f"Не доставлено: {ALICE}\n550 пользователь неизвестен", subject="Возврат"), ADDRESS),
    "German, without a code": (said(f"{ALICE} ist auf diesem Server nicht bekannt.", subject="x"), ADDRESS),
    "Italian, without a code": (said(f"Per {ALICE}: indirizzo inesistente.", subject="x"), ADDRESS),
    "HTML": (html(f"Failed: {ALICE}, 550 5.1.1 no such user."), ADDRESS),
    "UTF-16": (wide(f"<{ALICE}>: 550 5.1.1 no such user"), ADDRESS),
    # What may still arrive.
    "warning": (said(f"Not yet been delivered to:\n\n {ALICE}\n\nNo action is required: undelivered."), None),
    "warning with 4xx": (said(f"<{ALICE}>: 451 4.4.1 no answer\nWill keep trying{COPY}", subject="x"), None),
    "warning, German": (said(f"{ALICE} konnte noch nicht erreicht werden.", subject="x"), None),
    "warning, Russian": (said(f"Сообщение для {ALICE} пока не доставлено.", subject="x"), None),
    "warning, Japanese": (said(f"{ALICE} 宛のメールはまだ配信されていません。", subject="x"), None),
    "warning, Turkish": (said(f"{ALICE} adresine iletiniz henüz teslim edilemedi.", subject="x"), None),
    "in quarantine": (said(f"Your message to {ALICE} has been placed in quarantine.", subject="x"), None),
    "4xx alone": (said(f"<{ALICE}>: 451 4.4.1 no answer", subject="mail status"), None),
    "arrived": (said(f"Your message to {ALICE} was successfully delivered.", subject="status"), None),
    # No reports of deliveries.
    "away": (said("The account is closed: mails to me will not be delivered.\n\n550 Market Street", **AWAY), NO_REPORT),
    "away, by its headers": (said("This account is closed; 550 5.1.1 no such user.", **ROBOT), NO_REPORT),
    "away, nothing says so": (
        said("Mails will not be delivered to me.\n550 Market Street", author="A <a@b.example>", subject="Away"), None
    ),
    "confirm first": (said("Or it will not be delivered.", author="x@box.example", subject="Confirm"), NO_REPORT),
    "abuse": (
        mail(text("Such mails are undeliverable from now on."),
             ("Content-Type: message/feedback-report", "Feedback-Type: abuse"),
             kind="multipart/report; report-type=feedback-report"), NO_REPORT,
    ),
    "receipt": (
        mail(text("Deleted: it was not delivered to a person."),
             ("Content-Type: message/disposition-notification", f"Final-Recipient: rfc822; {ALICE}"), kind="mixed"),
        NO_REPORT,
    ),
    "refused in the form of a receipt": (
        mail(text(f"Your message to <{ALICE}> was automatically rejected: Quota exceeded"),
             ("Content-Type: message/disposition-notification", f"Final-Recipient: rfc822; {ALICE}"), kind="mixed",
             more="Auto-Submitted: auto-replied (rejected)\r\n"), FULL,
    ),
}  # fmt: skip


def judged(raw: bytes) -> Fault | str | None:
    report = reports.read(Incoming(raw, "MAILER-DAEMON@mx.example.net"), ALICE)
    return NO_REPORT if report is None else report.fault


@pytest.mark.parametrize("ends", ["\r\n", "\n", "\r"], ids=["CRLF", "LF", "CR"])
@pytest.mark.parametrize("case", CASES)
def test_reports_are_read(case: str, ends: str) -> None:
    raw, expected = CASES[case]
    assert judged(raw.replace(b"\r\n", b"\n").replace(b"\n", ends.encode())) is expected


@pytest.mark.parametrize(
    ("status", "words", "fault"),
    [
        ("5.5.0", "550 5.5.0 Requested action not taken: mailbox unavailable", ADDRESS),
        ("5.3.0", "553 5.3.0 ... Addressee unknown", ADDRESS),
        ("5.7.1", "550 5.7.1 No such user", ADDRESS),
        ("5.0.0", "554 This user doesn't have a yahoo.example account", ADDRESS),
        ("5.0.0", "550 the address could not be found, or was misspelled", ADDRESS),
        ("5.0.0", "550 That account has been deactivated", ADDRESS),
        ("5.4.1", "550 5.4.1 Recipient address rejected: Access denied", ADDRESS),
        ("5.2.1", "550 5.2.1 mailbox disabled", ADDRESS),
        ("5.1.0", "550 #5.1.0 Address rejected.", ADDRESS),
        ("5.4.4", "unable to route: no mail hosts for domain", ADDRESS),
        ("5.4.4", "Name service error: malformed reply of the name server", MAIL),
        ("5.1.2", "Host not found, try again", MAIL),
        ("5.2.2", "552 5.2.2 over quota", FULL),
        ("5.1.1", "550 user is over quota", FULL),
        ("5.2.1", "The user is receiving mail at a rate that prevents additional messages", POLICY),
        ("5.1.0", "550 5.1.0 sender rejected", POLICY),
        ("5.1.0", "550 SPF: your host may not send for this domain", POLICY),
        ("5.0.0", "550-No Such User Here 550 Sender verify failed", POLICY),
        ("5.1.1", "550 too many recipients this hour", POLICY),
        ("5.1.1", "550 5.7.1 IP address blacklisted by recipient", POLICY),
        ("5.0.0", "550 Recipient address rejected: sender is on hold", POLICY),
        ("5.0.0", "550 Recipient address rejected: Greylisted", POLICY),
        ("5.7.1", "554 listed", POLICY),
        ("5.2.0", "550 5.2.0 Mail rejected", MAIL),
        ("5.2.0", "cannot get the lock of the mailbox", MAIL),
        ("5.2.1", "mailbox temporarily not in use", MAIL),
        ("5.3.4", "552 5.3.4 too big", MAIL),
        ("5.1.1", "550 max message size exceeded", MAIL),
        ("5.0.0", "554 transaction failed", MAIL),
    ],
)
def test_what_the_words_say_goes_before_the_status(status: str, words: str, fault: Fault) -> None:
    for field in ("Diagnostic-Code", "X-Supplementary-Info"):
        assert judged(dsn(fields(status).rstrip() + f"\r\n{field}: smtp; {words}\r\n")) is fault
    assert judged(said(f"<{ALICE}>:\n550 {status} {words}{COPY}")) is fault


# -- any of our mails, in any form --------------------------------------------------------------------

Form = Callable[[bool, str, str], bytes]
"""Makes a report: whether it is final, the content of the returned mail, and the language of its note."""
NOTES = {
    "en": "Your mail is returned.",
    "de": "Ihre Nachricht kam zurück.",
    "ja": "メールを返送します。",
    "pl": "Zwrot wiadomości.",
}
CODES = {True: "550 5.1.1 no such user", False: "451 4.4.1 no answer"}
SUBJECTS = {True: "Undelivered Mail Returned to Sender", False: "Delayed: Your turn"}


def _in_fields(kind: str, part: str, copy: str, encoding: str = "", to: str = ALICE, stated: bool = True) -> Form:
    def form(is_final: bool, ours: str, language: str) -> bytes:
        status, action = ("5.1.1", "failed") if is_final else ("4.4.1", "delayed")
        more = {} if is_final else {"Will_Retry_Until": UNTIL}
        block = fields(status, f"smtp; {CODES[is_final]}", action if stated else "", to, **more)
        block = f"Reporting-MTA: dns; x\r\n\r\n{block}"
        lines = f"Content-Type: {part}"
        if encoding:
            lines += f"\r\nContent-Transfer-Encoding: {encoding}"
            block = (base64.encodebytes if encoding == "base64" else quopri.encodestring)(block.encode()).decode()
        return mail(
            text(NOTES[language]), (lines, block), (f"Content-Type: {copy}", ours), kind=kind, subject="Re: mail"
        )

    return form


def _in_words(above: str, begins: str, kind: str = "", **how: str) -> Form:
    def form(is_final: bool, ours: str, language: str) -> bytes:
        still = "" if is_final else "\nDelivery attempts will continue.\n"
        words = f"{NOTES[language]}\n\n{above.format(address=ALICE, code=CODES[is_final])}\n{still}"
        said_as = {"subject": SUBJECTS[is_final]} | how
        if begins == "part":
            return mail(text(words), (f"Content-Type: {RFC822}", ours), kind="mixed", **said_as)
        if kind == "html":
            return mail(text(f"<p>{words}</p>".replace("\n", "<br>"), "Content-Type: text/html"), **said_as)
        if kind:
            body = base64.encodebytes(f"{words}\n{begins}\n{ours}".encode(kind)).decode()
            lines = f"Content-Type: text/plain; charset={kind}\r\nContent-Transfer-Encoding: base64"
            return mail(text(body, lines), **said_as)
        return mail(text(f"{words}\n{begins}\n{ours}"), **said_as)

    return form


BESIDE, BELOW, SMTP = "{address}: {code}", "<{address}>:\n{code}", ">>> RCPT TO:<{address}>\n<<< {code}"
LINE, LINES = "--- Below this line is a copy of the message.\n", "------ This is a copy of all headers. ------\n"
FORMS: list[Form] = [
    *(_in_fields(kind, part, copy) for kind in ("report", "mixed")
      for part in ("message/delivery-status", "message/global-delivery-status") for copy in (RFC822, HEADERS)),
    *(_in_fields("report", f"message/{part}delivery-status", RFC822, encoding)
      for part in ("", "global-") for encoding in ("base64", "quoted-printable")),
    _in_fields("report", "message/delivery-status", RFC822, to="a@new.example"),
    _in_fields("report", "message/delivery-status", RFC822, stated=False),
    _in_fields("mixed", "text/plain; name=details.txt", RFC822),
    *(_in_words(above, begins) for above in (BESIDE, BELOW, SMTP) for begins in (LINE, LINES, "", "part")),
    _in_words(BELOW, LINE, kind="html"),
    *(_in_words(BESIDE, LINE, kind=charset) for charset in ("utf-16", "utf-8")),
    _in_words(BESIDE, LINE, author="postmaster@mx.example.net", subject="mail"),
    _in_words(BESIDE, LINE, author="gate@mx.example.net"),
    _in_words(BELOW, "part", author="<>", subject="mail"),
]  # fmt: skip


NASTY = (
    "550 5.1.1 no such user", "mailbox full", "Action: failed", "Status: 5.1.1", "Action: delayed", "421 4.4.1 later",
    "", "delivery attempts will continue", f"{ALICE}: 550 gone", "(#5.7.1)", "chat: I could not be delivered",
)  # fmt: skip


@st.composite
def our_mails(draw: st.DrawFn) -> str:
    """Draw a mail of ours, whatever its readers have written to each other in it."""
    lines = st.sampled_from(NASTY) | st.text("abc xyz.:<>@0123456789", max_size=40)
    head, _, body = OURS.partition("\r\n\r\n")
    body += "\r\n".join(draw(st.lists(lines, max_size=6)))
    return f"{head}\r\nX-Said: {draw(st.sampled_from(['5.1.1', '4.4.7', '2.0.0 fine']))}\r\n\r\n{body}\r\n"


@given(
    form=st.sampled_from(FORMS), is_final=st.booleans(), ours=our_mails(), language=st.sampled_from(sorted(NOTES)),
    ends=st.sampled_from([b"\r\n", b"\n", b"\r"]), sender=st.sampled_from(["", "MAILER-DAEMON", "x@mx.example", None]),
)  # fmt: skip
def test_any_of_our_mails_comes_back_in_any_form(
    form: Form, is_final: bool, ours: str, language: str, ends: bytes, sender: str | None
) -> None:
    raw = form(is_final, ours, language).replace(b"\r\n", b"\n").replace(b"\n", ends)
    report = reports.read(Incoming(raw, sender), ALICE)
    assert report is not None and report.fault is (ADDRESS if is_final else None), raw.decode()
    assert "@" not in report.words


def test_there_are_thirty_forms() -> None:
    assert len(FORMS) >= 30


# -- where it arrives ---------------------------------------------------------------------------------


@pytest.fixture
def way(sqlite_database: Database) -> Iterator[WayIn]:
    start(sqlite_database)
    with way_in(sqlite_database) as way:
        way.send(NOW)
        yield way


@pytest.mark.parametrize("sender", ["", "MAILER-DAEMON@mx.example.net", "someone@mx.example.net", None])
def test_what_comes_to_the_address_of_reports_is_one_whoever_sends_it(way: WayIn, sender: str | None) -> None:
    assert way.take(CASES["code above the copy"][0], way.bounce_address(), NOW, sender) == "bounce"  # type: ignore[arg-type]


@pytest.mark.parametrize("case", ["away", "abuse", "receipt"])
def test_what_is_no_report_changes_nothing_there(way: WayIn, case: str) -> None:
    assert way.take(CASES[case][0], way.bounce_address(), NOW, "") == "automatic"
    assert [mail.state for mail in way.mails("turn")] == ["sent"]


def test_a_host_that_writes_to_the_other_address_is_understood(way: WayIn) -> None:
    assert way.take(CASES["gone"][0], way.reply_address(), NOW, "MAILER-DAEMON@mx.example.net") == "bounce"


@given(raw=st.binary(max_size=400))
def test_nothing_that_comes_there_is_an_error(raw: bytes) -> None:
    head = b'From: MAILER-DAEMON@x\r\nContent-Type: multipart/report; boundary="=b"\r\n\r\n--=b\r\n'
    for part in (
        b"message/delivery-status",
        b"message/global-delivery-status",
        b"text/html; charset=hex",
        b"text/plain",
    ):
        reports.read(Incoming(head + b"Content-Type: " + part + b"\r\n" + raw, None), ALICE)
