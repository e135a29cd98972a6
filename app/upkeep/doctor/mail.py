"""The mail host, and a test mail that must come back by the way in."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parseaddr
from uuid import uuid4

import sqlalchemy as sa
from sqlmodel import col

from app.base.process.config import Config
from app.base.server import Server
from app.base.stored.mail_tables import InboundMail
from app.post.inbound.incoming import key_of
from app.post.letters.reply_addresses import NEVER, Tags
from app.post.route.host import Connection, NotTaken, plain_mail
from app.upkeep.doctor import names
from app.upkeep.doctor.finding import Finding, ill, unknown, well

LOOK_EVERY_SECONDS = 0.2
_STAGES = {
    "connect": "See that POSTROAD_SMTP_URL names host and port, and that no firewall stands between.",
    "login": "See user and password in POSTROAD_SMTP_URL, and that the host offers encryption.",
    "mail": "Let the host take mails from POSTROAD_MAIL_FROM, plus signs included (or POSTROAD_MAIL_TAGS=none).",
    "rcpt": "The host takes no mail for the server's own address: give it that mailbox, plus signs included.",
}


def look(server: Server, wait: float) -> Iterator[Finding]:
    """Check whether the host lets us in, and whether a mail comes back within so many seconds."""
    config = server.config
    assert config.mail_host is not None
    connection = Connection(config.mail_host, config.mail_from, config.host)
    try:
        connection.greet()
    except NotTaken as trouble:
        yield ill("mail host", f"{config.mail_host.route}, {trouble.stage}: {trouble}", _STAGES.get(trouble.stage, ""))
        return
    user = "logged in" if config.mail_host.user else "without a login"
    if connection.is_encrypted:
        yield well("mail host", f"{config.mail_host.route}, encrypted, {user}")
    elif connection.is_here:
        yield well("mail host", f"{config.mail_host.route}, on this machine, {user}")
    else:
        yield ill("mail host", f"{config.mail_host.route} is not encrypted", "Use smtps://, or ?tls=required.")
    try:
        yield from _come_back(server, connection, config.host, wait)
    finally:
        connection.close()


def _come_back(server: Server, connection: Connection, our_host: str, wait: float) -> Iterator[Finding]:
    config = server.config
    if not config.mail_in.is_open:
        yield unknown("test mail", "there is no way in by which it could come back")
        return
    mail_id = f"doctor.{uuid4().hex}@{our_host}"
    to = parseaddr(config.mail_from)[1]
    if config.mail_in.tags:  # as sender, too: some hosts accept only mails from the very address that logs in
        to = Tags(config.mail_from, config.secret_keys).address(NEVER, 1)
    try:
        connection.hand_over(to, _written(config, to, mail_id), to)
    except NotTaken as trouble:
        yield ill(
            "test mail", f"to {to}, {trouble.stage}: {trouble}", _STAGES.get(trouble.stage, "See what the host says.")
        )
        return
    began = time.monotonic()
    known = sa.select(col(InboundMail.details)).where(col(InboundMail.message_key) == key_of(mail_id))
    while True:
        try:
            with server.database.read() as session:
                found = session.execute(known).first()
        except sa.exc.DBAPIError:
            yield unknown("test mail", "the host took it; the database does not say whether it has come back")
            return
        if found is not None or time.monotonic() - began > wait:
            break
        time.sleep(LOOK_EVERY_SECONDS)
    if found is None:
        yield ill(
            "test mail",
            f"the host took it, and it has not come back in {wait:.0f} s",
            "See that postroad@mail runs (in containers: `mail`), and that the host hands mails for this address, with "
            "a tag after a plus sign, to it (or POSTROAD_MAIL_TAGS=none).",
        )
        return
    yield well("test mail", f"came back after {time.monotonic() - began:.1f} s")
    yield from _signed(config, found.details.get("signed", []))


def _written(config: Config, to: str, mail_id: str) -> bytes:
    text = "This mail has to come back by the way in. Nobody needs to read it.\n"
    mail = plain_mail(config, to, "Post Road: a test mail of postroad doctor", text, datetime.now(UTC))
    mail.replace_header("Message-ID", f"<{mail_id}>")
    mail["List-Unsubscribe"] = f"<{config.base_url}/>"
    mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return mail.as_bytes()


def _signed(config: Config, signed: list[list[str]]) -> Iterator[Finding]:
    domain = parseaddr(config.mail_from)[1].rpartition("@")[2].lower()
    own = [one for one in signed if one[0] == domain or domain.endswith(f".{one[0]}")]
    if not own:
        yield ill(
            "DKIM",
            f"the test mail came back without a signature of {domain}",
            "Let your mail host sign what comes from this server.",
        )
        return
    of, selector, covered = own[0]
    if not {"list-unsubscribe", "list-unsubscribe-post"} <= set(covered.split(":")):
        yield ill(
            "DKIM",
            "the signature leaves List-Unsubscribe and List-Unsubscribe-Post out",
            "Let the signature cover both (RFC 8058, 4), else large providers show no button to unsubscribe.",
        )
    yield names.key_of(config, selector, of)
