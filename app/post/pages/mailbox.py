"""The embedded mailbox: what would have been mailed, on a server that has no mail host and only its own machine sees.

It shows everybody's mails, links included. So it is there only while the server listens on loopback and the request
comes from this machine directly: no proxy in between, no foreign name in the Host header.
"""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage
from ipaddress import ip_address
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, request
from sqlalchemy import select
from sqlmodel import col

from app.base.mail_tables import MailState, OutboxMail
from app.base.numbers import whole
from app.web.reader import house, page, voice_of_request

blueprint = Blueprint("mailbox", __name__)
NEWEST = 100
_FORWARDING = ("Forwarded", "Via", "X-Real-Ip", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto")


@blueprint.before_request
def only_here() -> None:
    """404 unless this is a newcomer's own machine."""
    if house().config.mail_host is not None or not is_direct_and_local():
        abort(404)


def is_direct_and_local() -> bool:
    """Whether the server listens on loopback and nothing stands between it and whoever asks."""
    named = urlsplit(f"//{request.host}").hostname or ""
    ends = (request.environ.get("SERVER_NAME", ""), request.remote_addr or "", named)
    return all(map(is_loopback, ends)) and not any(name in request.headers for name in _FORWARDING)


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


@blueprint.get("/mailbox")
def index() -> Response:
    """The newest mails of everybody, or with `?before=NUMBER` those older than that one."""
    before = whole(request.args.get("before", ""))
    asked = (
        select(col(OutboxMail.id), col(OutboxMail.address), col(OutboxMail.message), col(OutboxMail.sent_at))
        .where(col(OutboxMail.state) == MailState.KEPT)
        .order_by(col(OutboxMail.id).desc())
        .limit(NEWEST + 1)
    )
    if before is not None:
        asked = asked.where(col(OutboxMail.id) < before)
    with house().database.read() as session:
        mails = [
            {"id": row.id, "to": row.address, "at": row.sent_at, "subject": _read(row.message)["Subject"]}
            for row in session.execute(asked)
        ]
    older = mails[NEWEST - 1]["id"] if len(mails) > NEWEST else None
    return page("post/mailbox.html", voice_of_request(), mails=mails[:NEWEST], older=older)


@blueprint.get("/mailbox/<number:mail_id>")
def mail(mail_id: int) -> Response:
    """One mail: its text part with links that can be followed."""
    message = _message(mail_id)
    part = message.get_body(("plain",))
    text = part.get_content() if part else ""
    lines = [(line, line.startswith(("http://", "https://"))) for line in text.splitlines()]
    return page("post/mailbox_mail.html", voice_of_request(), message=message, lines=lines, mail_id=mail_id)


@blueprint.get("/mailbox/<number:mail_id>/html")
def html(mail_id: int) -> Response:
    """The HTML part, as a mail program would show it."""
    part = _message(mail_id).get_body(("html",))
    response = Response(part.get_content() if part else "", mimetype="text/html")
    # A mail brings its own style; nothing else of it may do anything here.
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    return response


def _message(mail_id: int) -> EmailMessage:
    asked = select(col(OutboxMail.message)).where(
        col(OutboxMail.id) == mail_id, col(OutboxMail.state) == MailState.KEPT
    )
    with house().database.read() as session:
        found = session.scalar(asked)
    return _read(found) if found is not None else abort(404)


def _read(message: bytes) -> EmailMessage:
    read = message_from_bytes(message, policy=policy.default)
    assert isinstance(read, EmailMessage)
    return read
