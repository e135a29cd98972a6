"""The mails in the embedded mailbox."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy

import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from tests.support.people import text_of


@dataclass(frozen=True)
class Kept:
    """A mail as its reader sees it."""

    to: str
    subject: str
    text: str
    kind: str
    at: datetime
    headers: dict[str, str]

    @property
    def words(self) -> str:
        """Return the text without line breaks."""
        return " ".join(self.text.split())


def kept(database: Database, kind: str | None = None) -> list[Kept]:
    """Return the mails in the order in which they came."""
    asked = sa.select(OutboxMail.message, OutboxMail.address, OutboxMail.kind, OutboxMail.sent_at)
    asked = asked.where(OutboxMail.state == "kept").order_by(OutboxMail.sent_at, OutboxMail.id)
    with database.read() as session:
        rows = session.execute(asked if kind is None else asked.where(OutboxMail.kind == kind)).all()
    found = []
    for row in rows:
        mail = message_from_bytes(row.message, policy=policy.default)
        headers = {name: str(value) for name, value in mail.items()}
        found.append(Kept(row.address, str(mail["Subject"]), text_of(mail), row.kind, row.sent_at, headers))  # type: ignore[arg-type]
    return found
