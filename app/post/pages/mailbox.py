"""The embedded mailbox: what would have been mailed, on a server without a mail host that only its own machine sees.

It shows everybody's mails, links included. So it exists only while the server listens on loopback and the request comes
directly from this machine: no proxy in between, no foreign name in the Host header.
"""

from __future__ import annotations

from base64 import b64encode
from email import message_from_bytes, policy
from email.message import EmailMessage

from flask import Blueprint, Response, abort, request
from sqlalchemy import select
from sqlmodel import col

from app.base.stored.mail_tables import MailState, OutboxMail
from app.base.words.numbers import whole
from app.web import visit
from app.web.local_mailbox import has_mailbox
from app.web.page_cache import POLICY
from app.web.reader import STRICT, server

blueprint = Blueprint("mailbox", __name__)
NEWEST = 100
FRAMES = f"{STRICT}; frame-src 'self'"
"""As everywhere, but the page shows the mail in a frame."""


@blueprint.before_request
def only_here() -> None:
    """404 unless this is a newcomer's own machine."""
    if not has_mailbox():
        abort(404)


@blueprint.get("/mailbox")
def index() -> Response:
    """Show everybody's newest mails, or with `?before=NUMBER` those older than that one."""
    before = whole(request.args.get("before", ""))
    asked = (
        select(col(OutboxMail.id), col(OutboxMail.address), col(OutboxMail.message), col(OutboxMail.sent_at))
        .where(col(OutboxMail.state) == MailState.KEPT)
        .order_by(col(OutboxMail.id).desc())
        .limit(NEWEST + 1)
    )
    if before is not None:
        asked = asked.where(col(OutboxMail.id) < before)
    with server().database.read() as session:
        mails = [
            {"id": row.id, "to": row.address, "at": row.sent_at, "subject": _read(row.message)["Subject"]}
            for row in session.execute(asked)
        ]
    older = mails[NEWEST - 1]["id"] if len(mails) > NEWEST else None
    return visit.show("post/mailbox.html", mails=mails[:NEWEST], older=older)


@blueprint.get("/mailbox/<number:mail_id>")
def mail(mail_id: int) -> Response:
    """One mail as a mail program shows it, and its text part with links that can be followed."""
    message = _message(mail_id)
    part = message.get_body(("plain",))
    text = part.get_content() if part else ""
    lines = [(line, line.startswith(("http://", "https://"))) for line in text.splitlines()]
    response = visit.show("post/mailbox_mail.html", message=message, lines=lines, mail_id=mail_id)
    response.headers[POLICY] = FRAMES
    return response


@blueprint.get("/mailbox/<number:mail_id>/html")
def html(mail_id: int) -> Response:
    """Show the HTML part, as a mail program would show it, with its pictures."""
    shown = with_pictures(_message(mail_id)).replace("<head>", '<head><base target="_top">', 1)
    response = Response(shown, mimetype="text/html")
    # A mail has its own style and pictures; nothing else in it may do anything here.
    response.headers[POLICY] = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self';"
        " sandbox allow-top-navigation-by-user-activation"
    )
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


def with_pictures(message: EmailMessage) -> str:
    """Return the HTML part of a mail with its pictures embedded."""
    part = message.get_body(("html",))
    shown: str = part.get_content() if part else ""
    for picture in message.walk():
        if picture.get_content_type() == "image/png":
            cid = f'cid:{str(picture["Content-ID"]).strip("<>")}"'
            shown = shown.replace(cid, f'data:image/png;base64,{b64encode(picture.get_content()).decode()}"')
    return shown


def _message(mail_id: int) -> EmailMessage:
    asked = select(col(OutboxMail.message)).where(
        col(OutboxMail.id) == mail_id, col(OutboxMail.state) == MailState.KEPT
    )
    with server().database.read() as session:
        found = session.scalar(asked)
    return _read(visit.there(found))


def _read(message: bytes) -> EmailMessage:
    read = message_from_bytes(message, policy=policy.default)
    assert isinstance(read, EmailMessage)
    return read
