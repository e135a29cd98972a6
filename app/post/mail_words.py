"""Mails in words: what they are about, and what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.kernel.text import N_

if TYPE_CHECKING:
    from app.base.speech import Voice

MAIL_KINDS = {
    "turn": N_("the mail that asks for the move"),
    "reminder": N_("a reminder"),
    "nudge": N_("a nudge"),
    "extension": N_("a mail about more time"),
    "overdue": N_("a mail about the passed deadline"),
    "auto_leave": N_("a mail about a day of leave"),
    "desk_act": N_("a mail from this desk"),
    "event_round": N_("the mail about the round"),
    "over": N_("the mail at the end of the game"),
    "time_out": N_("the mail at the end of the game"),
}
ANOTHER = N_("another mail")


def mail_kind(voice: Voice, kind: str) -> str:
    """What a mail is about."""
    return voice.gettext(MAIL_KINDS.get(kind, ANOTHER))


def mail_states(voice: Voice) -> dict[str, str]:
    """What can become of a mail."""
    return {
        "waiting": voice.gettext("waits"),
        "sent": voice.gettext("accepted by the mail host"),
        "kept": voice.gettext("in the mailbox"),
        "dropped": voice.gettext("not sent: no longer true or not wanted"),
        "failed": voice.gettext("refused for good"),
    }
