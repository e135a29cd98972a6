"""What happens to each incoming mail: the gate, its order, and the answers to people."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from email.message import EmailMessage
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from app.base.process.mail_settings import MailIn
from app.base.stored.database import Database
from app.base.stored.mail_tables import InboundMail
from app.people.tables import Player
from app.play.replies import taking
from app.post.inbound import port, reading, reports, sender_check
from app.post.inbound.incoming import MOST_BYTES
from app.post.letters.reply_addresses import NEVER, Tags
from app.upkeep import condition
from tests.support.inbound import PROVEN, Lmtp, WayIn, addressed, report, serving, way_in, written
from tests.support.sink import text_of
from tests.support.tables import LINKS, NOW, link_to, load, say, start, write

MINUTE = timedelta(minutes=1)


@pytest.fixture
def way(sqlite_database: Database) -> Iterator[WayIn]:
    """A server with a game, whose first mail has gone out."""
    start(sqlite_database)
    with way_in(sqlite_database) as way:
        way.send(NOW)
        yield way


def verdicts(way: WayIn, mails: dict[str, EmailMessage], to: str) -> dict[str, str]:
    return {what: str(way.take(mail, to, NOW)) for what, mail in mails.items()}


def test_a_proper_answer_is_answered_from_nobody_and_can_be_answered_again(way: WayIn) -> None:
    game = load(way.database, 1)
    before = game.number
    assert way.take(written(1), way.reply_address(), NOW) == "reply"
    way.send(NOW)
    mail = way.sink.mails()[-1]
    assert mail["To"] == "alice <alice@example.org>" and way.sink.senders[-1] == "<>"
    assert str(mail["Auto-Submitted"]).startswith("auto-") and "+r.2." in str(mail["Reply-To"])
    words = " ".join(text_of(mail).split())
    assert "Nothing was played" in words and LINKS.turn(link_to(game)) in words
    assert load(way.database, 1).number == before
    [row] = way.rows()
    assert (row.verdict, row.about) == ("reply", f"game:1:{before}:red") and row.answered_to


def test_the_gate_says_of_each_mail_what_it_is(way: WayIn) -> None:
    tags = Tags(way.server.config.mail_from, way.server.config.secret_keys)
    reply, bounce = way.reply_address(), way.bounce_address()
    two = b"From: b@example.org\r\n" + written(20).as_bytes()
    expected = {
        "automatic": [written(2, Auto_Submitted="auto-replied"), written(3, Auto_Submitted="auto-generated; x=y")],
        "bulk": [
            written(4, Precedence="bulk"),
            written(5, List_Id="<l.example.org>"),
            written(6, List_Post="<x>"),
            with_headers(21, {"List_Unsubscribe": "<mailto:out@x.example>", "Subject": "News"}),
        ],
        "own": [written(7, author="Post Road <post@example.org>"), written(8, author=f"x <{bounce}>")],
        "stranger": [written(9, author="Mallory <mallory@example.org>"), written(10, author="a@b, c@d"), two],
        "unproven": [written(11, proof=""), written(12, proof="mail.example.org; dkim=fail header.d=example.org")],
    }
    assert written(2, Auto_Submitted="no")["Auto-Submitted"] == "no"
    for verdict, mails in expected.items():
        assert [way.take(mail, reply, NOW) for mail in mails] == [verdict] * len(mails), verdict
    assert way.take(written(13), tags.address(NEVER, 1), NOW) == "no_tag"
    assert way.take(written(14), "post@example.org", NOW) == "no_tag"
    assert way.take(written(15), reply.replace("+r.1.", "+r.2."), NOW) == "no_tag"
    assert way.take(written(16), bounce, NOW) == "automatic"
    assert way.take(b"\xff\xfe\x00 not a mail", reply, NOW) == "stranger"
    assert way.take(written(17, text="x" * MOST_BYTES), reply, NOW) == "too_large"
    assert way.take(written(18, Auto_Submitted="no"), reply, NOW + MINUTE) == "reply"


def test_what_the_operators_host_says_counts_only_from_it_on_top_and_for_the_authors_domain(way: WayIn) -> None:
    lines = {
        "reply": [
            "mail.example.org; spf=pass smtp.mailfrom=alice@example.org",
            "MAIL.example.org 1; spf=fail; dmarc=pass (p=none) header.from=example.org",
            'mail.example.org; dkim=pass (1024-bit key; x) header.i="@example.org"',
        ],
        "unproven": [
            "mail.elsewhere.org; dkim=pass header.d=example.org",
            "mail.example.org; dkim=pass header.d=example.com",
            "mail.example.org; dkim=pass header.d=org",
            "mail.example.org; dkim=pass header.d=ample.org",
            "mail.example.org; spf=pass smtp.mailfrom=alice@not-example.org",
            "mail.example.org; none",
        ],
    }  # fmt: skip
    reply, number = way.reply_address(), 30
    for verdict, said in lines.items():
        for line in said:
            number += 1
            assert way.take(written(number, proof=line), reply, NOW) == verdict, line
    below = written(50, proof="mail.example.org; dkim=fail header.d=example.org")
    below["Authentication-Results"] = PROVEN  # the author's own line is below that of the host
    assert way.take(below, reply, NOW) == "unproven"


BY_PROGRAMS = (
    {"X_Autoresponder": "Will not send another"}, {"X_Auto_Reply": "yes"}, {"X_AutoReply_From": "a@example.org"},
    {"X_Autogenerated": "Reply"}, {"X_MS_Exchange_Generated_Message_Source": "Mailbox Rules Agent"},
    {"X_Vacation": "1"}, {"X_Mail_Autoreply": "on"}, {"X_FC_MachineGenerated": "true"}, {"Precedence": "auto_reply"},
    {"X_Precedence": "auto-reply"}, {"X_POST_MessageClass": "9; Autoresponder"}, {"Delivered_To": "Autoresponder"},
    {"Preference": "auto_reply"}, {"X_Auto_Response_Suppress": "All"},
    {"X_Auto_Response_Suppress": "OOF", "In_Reply_To": "<1@x>", "Subject": "Automatic reply: It is your turn"},
    {"X_Auto_Response_Suppress": "All", "In_Reply_To": "<1@x>", "Subject": "=?utf-8?q?R=C3=A9ponse_automatique?= : x"},
    {"Content_Type": "text/calendar; charset=utf-8; METHOD=REPLY"},
)  # fmt: skip
BY_PEOPLE = (
    {"Auto_Submitted": "no"}, {"X_Autoreply": "no"}, {"Delivered_To": "automation@example.org"},
    {"X_Auto_Response_Suppress": "None"},
    {"X_Auto_Response_Suppress": "DR, OOF", "In_Reply_To": "<1@x>"},
    {"X_Auto_Response_Suppress": "All", "References": "<1@x>", "Subject": "AW: It is your turn"},
    {"Content_Type": "text/plain; method=REPLY"},
    {"List_Unsubscribe": "<mailto:out@crm.example>", "In_Reply_To": "<1@x>", "Subject": "Re: It is your turn"},
)  # fmt: skip


def with_headers(number: int, given: dict[str, str]) -> EmailMessage:
    mail = written(number)
    for name, value in given.items():
        del mail[name.replace("_", "-")]
        mail[name.replace("_", "-")] = value
    return mail


def test_programs_are_known_by_the_headers_that_they_use(way: WayIn) -> None:
    """RFC 3834 has one; the others are written by common programs.

    `X-Auto-Response-Suppress` asks for silence and occurs on people's mails, too: an answer with the subject of one is
    a person's.
    """
    reply = way.reply_address()
    for number, given in enumerate(BY_PROGRAMS):
        assert way.take(with_headers(number, given), reply, NOW) == "automatic", given
    assert way.mails("echo") == way.mails("mail_answer") == []
    for number, given in enumerate(BY_PEOPLE, 100):
        assert way.take(with_headers(number, given), reply, NOW + number * MINUTE) == "reply", given


@pytest.mark.parametrize("own", ["alice@xn--mnchen-3ya.example", "alice+games@xn--mnchen-3ya.example"])
def test_an_address_is_the_reader_s_however_it_is_spelled(way: WayIn, own: str) -> None:
    """IDNA 2008 (RFC 5891), headers in UTF-8 (RFC 6532), details (RFC 5233): with the right tag and proof."""
    write(way.database, sa.update(Player).where(col(Player.id) == 1).values(address=own, address_key=own))
    spelled = ("alice@münchen.example", "Alice@MÜNCHEN.example", "alice+mail@xn--mnchen-3ya.EXAMPLE")
    for number, author in enumerate(spelled):
        for domain in ("münchen.example", "xn--mnchen-3ya.example"):
            head = f"Authentication-Results: mail.example.org; dkim=pass header.d={domain}\r\nFrom: A <{author}>\r\n"
            raw = f"{head}Message-ID: <{number}.{domain.isascii()}@x>\r\n\r\npass\r\n".encode()
            assert way.take(raw, way.reply_address(), NOW) == "reply", (author, domain)
    other = b"From: A <alice@muenchen.example>\r\nMessage-ID: <x@x>\r\n\r\npass\r\n"
    assert way.take(other, way.reply_address(), NOW) == "stranger"


def test_whoever_answers_is_told_and_no_stranger_gets_a_link(way: WayIn) -> None:
    """Always with a right tag; to the plain address if the answered mail is named and its author proven."""
    game, reply = load(way.database, 1), way.reply_address()
    named = str(way.sink.mails()[-1]["Message-ID"])
    mallory = "Mallory <mallory@example.org>"
    rows = (
        ("stranger", mallory, PROVEN, reply, "mallory@example.org"),
        ("stranger", "m@elsewhere.example", PROVEN, reply, "alice@example.org"),  # perhaps they have sent nothing
        ("no_tag", "Alice <alice@example.org>", PROVEN, "post@example.org", "alice@example.org"),
        ("no_tag", mallory, PROVEN, "post@example.org", "mallory@example.org"),
        ("no_tag", "Alice <alice@example.org>", "", "post@example.org", None),
        ("no_tag", "Alice <alice@example.org>", PROVEN, "else@example.org", None),
    )
    for number, (verdict, author, proof, to, told) in enumerate(rows):
        at, before = NOW + (number + 1) * 10 * MINUTE, len(way.sink.taken)
        mail = written(number, "rob blue\nyes", author, proof, In_Reply_To=named)
        assert way.take(mail, to, at, "") == "automatic", "nobody is told of a mail without a sender"
        mail.replace_header("Message-ID", f"<again{number}@x>")
        assert way.take(mail, to, at) == verdict
        way.send(at)
        sent = way.sink.taken[before:]
        assert [who for who, _ in sent] == ([told] if told else []), (verdict, author)
        if told and verdict == "stranger":
            assert b"/t/" not in sent[0][1] and LINKS.turn(link_to(game)).encode() not in sent[0][1]
    assert load(way.database, 1).number == game.number
    answered = str(way.sink.mails()[-1]["Message-ID"])  # what answers a mail is not answered in turn
    assert way.take(written(90, In_Reply_To=answered), "post@example.org", NOW + 90 * MINUTE) == "no_tag"
    before = len(way.sink.taken)
    way.send(NOW + 90 * MINUTE)
    assert len(way.sink.taken) == before


def test_a_mail_that_comes_again_is_known(way: WayIn) -> None:
    reply = way.reply_address()
    assert [way.take(written(1), reply, NOW) for _ in range(3)] == ["reply", None, None]
    assert len(way.rows()) == len(way.mails("echo")) == 1
    copy = addressed(written(1).as_bytes(), reply, NOW)
    assert way.take(copy.replace(b"<1@", b"<2@"), reply, NOW) is None, "what is proven counts once, whatever its number"
    bare = b"From: alice@example.org\r\n\r\npass\r\n"  # without a Message-ID it is known by all that it holds
    assert [way.take(bare, reply, NOW) for _ in range(2)] == ["unproven", None]


def test_a_decision_that_has_been_made_is_not_owed(way: WayIn) -> None:
    reply = way.reply_address()
    say(way.database, 1, "rob blue")
    assert way.take(written(1), reply, NOW) == "not_owed"
    way.send(NOW)
    assert "answers nothing that still waits" in " ".join(text_of(way.sink.mails("alice@example.org")[-1]).split())


def test_one_answer_a_minute_to_an_address_and_ten_to_a_decision(way: WayIn) -> None:
    """The player's mail is answered a little later; an unproven one, not at all."""
    reply = way.reply_address()
    for number in range(4):
        way.take(written(number), reply, NOW + timedelta(seconds=number))
    way.take(written(4, proof=""), reply, NOW + timedelta(seconds=4))
    assert [mail.due_at for mail in way.mails("echo")] == [NOW + number * MINUTE for number in range(4)]
    for number in range(5, 30):
        way.take(written(number), reply, NOW + number * MINUTE)
    assert len(way.mails("echo")) == 10 and len(way.rows()) == 30


def test_whoever_plays_what_is_answered_is_given_it_and_what_is_not_proven_is_marked(way: WayIn) -> None:
    given: list[Any] = []

    def take(work: Any, reply: port.Reply, key: str, now: Any) -> None:
        given.append((reply.asked.game_id, reply.is_owed, reply.is_proven))

    port.register(take)
    try:
        way.take(written(1), way.reply_address(), NOW)
        way.take(written(2, proof=""), way.reply_address(), NOW)
    finally:
        port.register(taking.take)
    assert given == [(1, True, True), (1, True, False)] and way.mails("echo") == []


def test_a_signature_of_the_authors_domain_proves_it(way: WayIn, name_server: Any) -> None:
    import dkim

    key, public = name_server.key()
    name_server.texts["s._domainkey.example.org"] = f"v=DKIM1; p={public}"
    mail_in = MailIn(tags=True, resolver=name_server.address)
    with way_in(way.database, mail_in) as other:
        reply = way.reply_address()

        def signed(number: int, domain: bytes, **more: Any) -> bytes:
            raw = addressed(written(number, proof="").as_bytes(), reply, NOW + number * MINUTE).replace(b"\n", b"\r\n")
            return bytes(dkim.sign(raw, b"s", domain, key, **more)) + raw

        assert other.take(signed(1, b"example.org"), reply, NOW) == "reply"
        assert other.take(signed(2, b"example.org").replace(b"pass", b"play"), reply, NOW) == "unproven"
        assert other.take(signed(3, b"example.org", length=True), reply, NOW) == "unproven"
        assert other.take(signed(4, b"example.com"), reply, NOW) == "unproven"


def test_a_mail_that_breaks_a_reader_is_an_alarm_for_a_day(way: WayIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever reader: of reports, of proofs, of what people write. None of them stops what comes after it."""

    def unread(now: datetime) -> str | None:
        with way.database.read() as session:
            signs = condition.signs(session, way.server.config, now)
        return condition.ills(signs, way.server.config, now, set()).get("unreadable")

    assert way.take(written(1), way.reply_address(), NOW) == "reply" and unread(NOW) is None
    monkeypatch.setattr(reports, "read", lambda *_: next(iter(())))
    assert way.take(report(2, "x"), way.bounce_address(), NOW, "") == "unreadable"
    monkeypatch.setattr(reading, "read", lambda *_: 1 / 0)
    way.take(written(3), way.reply_address(), NOW)
    monkeypatch.setattr(sender_check, "is_proven", lambda *_, **__: [][0])
    assert way.take(written(4), way.reply_address(), NOW) == "unreadable"
    assert [row.details["error"] for row in way.rows()[1:]] == ["StopIteration", "ZeroDivisionError", "IndexError"]
    assert (unread(NOW), unread(NOW + timedelta(days=1))) == ("3", None)


def test_lmtp_takes_one_recipient_a_mail_and_answers_when_it_is_written_down(way: WayIn, tmp_path: Any) -> None:
    raw, to = written(1).as_bytes(), way.reply_address()
    with serving(way, tmp_path) as place, Lmtp(place) as host:
        said = host.hand("alice@example.org", [to, "post@example.org"], raw)
        assert [code for code, _ in said] == [250, 452, 250]
        assert [row.verdict for row in way.rows(InboundMail)] == ["reply"]
        assert host.hand("", [way.bounce_address()], report(2, "x"))[-1][0] == 250
    assert [row.verdict for row in way.rows(InboundMail)] == ["reply", "bounce"]
