"""Mails in words: what they are about, and their fate."""

from __future__ import annotations

from datetime import datetime

from app.base.stored.mail_tables import MailState
from app.base.words.speech import Voice
from app.post.kept.ledger import MailOnRecord
from app.post.letters.writing import words_of
from engine.kernel.text import N_

ANOTHER = N_("another mail")
"""Of a kind that an older version wrote."""


def mail_kind(voice: Voice, kind: str) -> str:
    """What a mail is about."""
    return voice.gettext(words_of(kind) or ANOTHER)


def mail_states(voice: Voice) -> dict[str, str]:
    """Return the states of a mail in words."""
    return {
        "waiting": voice.gettext("waits"),
        "sent": voice.gettext("accepted by the mail host"),
        "kept": voice.gettext("in the mailbox"),
        "dropped": voice.gettext("not sent: no longer true or not wanted"),
        "failed": voice.gettext("refused for good"),
        "bounced": voice.gettext("came back: it did not arrive"),
    }


def push_states(voice: Voice) -> dict[str, str]:
    """Return the states of a notification in words."""
    return {
        "waiting": voice.gettext("wait"),
        "sent": voice.gettext("accepted by a push service"),
        "dropped": voice.gettext("not sent: no longer true or not wanted"),
        "failed": voice.gettext("refused for good"),
    }


def fate(voice: Voice, row: MailOnRecord, *, to_reader: bool = False) -> list[tuple[datetime | None, str]]:
    """Return the fate of a mail, one thing after another: when, and what. Its reader is told less of what hosts
    said (`to_reader`)."""
    mail = row.mail
    told: list[tuple[datetime | None, str]] = [(mail.made_at, voice.gettext("made"))]
    if mail.state == MailState.SENT or mail.bounced_at is not None:
        said = f" ({mail.answer[:LONGEST_ANSWER]})" if mail.answer and not to_reader else ""
        told.append((mail.sent_at, mail_states(voice)["sent"] + said))
    elif mail.state != MailState.WAITING:
        told.append((mail.sent_at, mail_states(voice)[mail.state]))
    elif mail.attempts > 1 or mail.last_error:
        told.append((None, voice.gettext("not delivered so far")))
    else:
        told.append((None, mail_states(voice)["waiting"]))
    if row.told:
        devices = voice.ngettext("told on {n} device", "told on {n} devices", row.told)
        told.append((None, devices.format(n=row.told)))
    if mail.seen_at is not None:
        told.append((mail.seen_at, voice.gettext("its reader used the page")))
    if row.answered_at is not None:
        by_mail = mail.answered_by == "mail"
        told.append((row.answered_at, voice.gettext("answered by mail") if by_mail else voice.gettext("answered")))
    if mail.bounced_at is not None:
        told.append((mail.bounced_at, mail_states(voice)["bounced"]))
    if mail.again_at is not None:
        by = "" if to_reader else row.again_by
        said = voice.gettext("sent once more by {name}").format(name=by) if by else voice.gettext("sent once more")
        told.append((mail.again_at, said))
    return told


LONGEST_ANSWER = 120
