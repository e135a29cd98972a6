"""Addresses with tags: what they name, who can make them, and that mails are sent with them."""

from __future__ import annotations

import base64
from dataclasses import replace
from email.utils import parseaddr
from pathlib import Path

import pytest

from app.base.process.config import Config, load
from app.base.process.mail_settings import LONGEST_LOCAL_PART, MailIn
from app.base.process.settings import BadSetting
from app.base.server import Server
from app.base.stored.database import Database
from app.post.letters.reply_addresses import BOUNCES, NEVER, REPLIES, Tag, Tags
from app.post.out.sender import Sender
from tests.support.post_storm import IMPATIENT, server_at
from tests.support.sink import Sink
from tests.support.tables import NOW, start

OLD, NEW = "an-old-key-of-mine", "a-new-key-of-mine"
TAGS = Tags("Post Road <post@example.org>", [NEW])


def test_an_address_names_its_mail_and_its_purpose_whatever_the_case() -> None:
    for purpose in (BOUNCES, REPLIES, NEVER):
        address = TAGS.address(purpose, 4711)
        assert TAGS.read(address) == TAGS.read(address.upper()) == Tag(purpose, 4711)
    longest = Tags(f"{'x' * LONGEST_LOCAL_PART}@example.org", [NEW]).address(REPLIES, 2**31 - 1)
    assert len(longest.partition("@")[0]) < 64


def test_the_signature_has_80_bits_and_every_one_counts() -> None:
    local, _, host = TAGS.address(REPLIES, 12).partition("@")
    head, mac = local[:-16], local[-16:]
    raw = base64.b32decode(mac.upper())
    assert len(raw) * 8 == 80
    for bit in range(80):
        other = (int.from_bytes(raw) ^ (1 << bit)).to_bytes(10)
        assert TAGS.read(f"{head}{base64.b32encode(other).decode().lower()}@{host}") is None


def test_nothing_else_is_read() -> None:
    good = TAGS.address(REPLIES, 12)
    bad = [
        good.replace("+r.", "+b."), good.replace(".12.", ".13."), good.replace(".12.", ".012."), good[:-12],
        good.replace("post+", "host+"), good.replace("@example.org", "@example.com"), "post@example.org", "", "@", "+@",
        good.replace("+", "+x+"), good.replace(".12.", ".99999999999."), "post+r.1." + "é" * 16 + "@example.org",
    ]  # fmt: skip
    assert [one for one in bad if TAGS.read(one) is not None] == []


def test_an_old_key_verifies_and_the_newest_signs() -> None:
    old, both = Tags("p@example.org", [OLD]), Tags("p@example.org", [OLD, NEW])
    assert both.read(old.address(REPLIES, 3)) == Tag(REPLIES, 3)
    assert old.read(both.address(REPLIES, 3)) is None


def sent(database: Database, mail_in: MailIn) -> tuple[Sink, Config]:
    """What a mail host gets from a server with a game in it."""
    start(database)
    with Sink() as sink:
        server = server_at(database, sink.port)
        config = replace(server.config, mail_in=mail_in)
        sender = Sender(Server(config, database, server.links), IMPATIENT)
        sender.send_all(NOW)
        sender.close()
    return sink, config


def test_mails_go_out_with_tags_where_the_host_knows_them(sqlite_database: Database) -> None:
    sink, config = sent(sqlite_database, MailIn(tags=True))
    tags = Tags(config.mail_from, config.secret_keys)
    [mail], [sender] = sink.mails(), sink.senders
    name, address = parseaddr(str(mail["Reply-To"]))
    bounce, reply = tags.read(sender), tags.read(address)
    assert bounce and reply and (bounce.purpose, reply.purpose) == (BOUNCES, REPLIES)
    assert bounce.mail_id == reply.mail_id and name == "Post Road"
    assert mail["From"] == "Post Road <post@example.org>"


def test_and_without_them_where_it_does_not(sqlite_database: Database) -> None:
    sink, _ = sent(sqlite_database, MailIn(tags=False))
    [mail] = sink.mails()
    assert sink.senders == ["post@example.org"] and mail["Reply-To"] is None


def test_tags_are_used_where_there_is_a_way_in_unless_said_otherwise(tmp_path: Path) -> None:
    def tags(**settings: str) -> bool:
        return load({f"POSTROAD_{name}": value for name, value in settings.items()}, tmp_path).mail_in.tags

    assert not tags()
    assert tags(LMTP="/run/postroad/lmtp") and tags(IMAP_URL="imaps://me:secret@mail.example.org")
    assert not tags(LMTP="127.0.0.1:8024", MAIL_TAGS="none") and tags(MAIL_TAGS="plus")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAIL_TAGS", "minus"), ("LMTP", "0.0.0.0:8024"), ("LMTP", "somewhere"), ("MAIL_AUTHSERV", "two words"),
        ("IMAP_URL", "imaps://mail.example.org"), ("IMAP_URL", "pop3://me:secret@mail.example.org"),
        ("RESOLVER", "dns.example.org"), ("RESOLVER", "192.0.2.1:70000"),
    ],
)  # fmt: skip
def test_wrong_settings_of_the_way_in_stop_the_start(name: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(BadSetting) as caught:
        load({f"POSTROAD_{name}": value}, tmp_path)
    assert f"POSTROAD_{name}" in str(caught.value) and "secret" not in str(caught.value)


def test_settings_of_the_way_in_are_read(tmp_path: Path) -> None:
    given = {"IMAP_URL": "imap://me%40x:p%2Fw@127.0.0.1:1143/Post%20Road", "RESOLVER": "127.0.0.1:5353"}
    read = load({f"POSTROAD_{name}": value for name, value in given.items()}, tmp_path).mail_in
    assert read.imap is not None and read.resolver == ("127.0.0.1", 5353)
    assert (read.imap.user, read.imap.password, read.imap.folder) == ("me@x", "p/w", "Post Road")
    assert "p/w" not in repr(read)
