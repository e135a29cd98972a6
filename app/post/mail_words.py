"""Mails in words: what they are about, and their fate."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from app.base.mail_tables import MailState
from engine.kernel.text import N_

if TYPE_CHECKING:
    from app.base.speech import Voice
    from app.post.ledger import MailOnRecord

MAIL_KINDS = {
    # about a game: what is asked, and what others did
    "turn": N_("the mail that asks for the move"),
    "digest": N_("the mail with all games that wait"),
    "echo": N_("what came of orders sent by mail"),
    "invitation": N_("an invitation to a game"),
    "invitation_answer": N_("the answer to an invitation"),
    "begun": N_("the mail at the start of the game"),
    "proposal": N_("a proposal"),
    "proposal_declined": N_("the answer to a proposal"),
    "over": N_("the mail at the end of the game"),
    "time_out": N_("the mail at the end of the game"),
    "cancelled": N_("a mail about a cancelled game"),
    "talk_report": N_("a report of chat or of a player"),
    # about time
    "reminder": N_("a reminder"),
    "nudge": N_("a nudge"),
    "extension": N_("a mail about more time"),
    "auto_leave": N_("a mail about a day of leave"),
    "leave": N_("a mail about the leave of another player"),
    "overdue": N_("a mail about the passed deadline"),
    "late": N_("a mail about a player who is late"),
    "case": N_("a mail about a case"),
    "ruled": N_("a mail about a ruling"),
    # about clubs and events
    "club_invitation": N_("an invitation to a club"),
    "join_request": N_("a request to join a club"),
    "join_answer": N_("the answer to a request to join a club"),
    "club_match": N_("a mail about a match of two clubs"),
    "announcement": N_("an announcement of a club"),
    "club_week": N_("the mail about the week of the clubs"),
    "sign_up_open": N_("a mail about an open sign-up"),
    "event_entered": N_("the mail about a place in an event"),
    "event_late": N_("a mail about a new player in an event"),
    "event_left": N_("a mail about a player who left an event"),
    "event_cancelled": N_("the mail about a cancelled event"),
    "event_message": N_("a message of the organisers"),
    "event_round": N_("the mail about the round"),
    "round_end": N_("a mail about the end of a round"),
    "event_asks": N_("a mail about an event that waits for its organisers"),
    "team_line_up": N_("a mail about the line-up of a team"),
    "team_match": N_("a mail about a match of teams"),
    "follows": N_("a mail about a new captain or owner"),
    "team_substitute": N_("a mail about a substitute in a team"),
    "challenge": N_("a challenge"),
    "challenge_declined": N_("the answer to a challenge"),
    "desk_act": N_("a mail from the desk of an event"),
    "ruling": N_("a mail about a ruling"),
    "ruling_asked": N_("a mail about a ruling"),
    "reserve_call": N_("a call to a reserve"),
    "reserve": N_("a mail about a reserve"),
    # about accounts
    "sign_in": N_("a link to sign in"),
    "new_address": N_("a link to confirm an address"),
    "second_address": N_("a link to confirm an address"),
    "old_address": N_("a mail about a changed address"),
    "erase": N_("a link to erase the account"),
    # about the server
    "alarm": N_("an alarm about the server"),
    "bounces": N_("a mail about mails that came back"),
    "mail_pause": N_("a mail about the mail host"),
    "mail_answer": N_("an answer to a mail"),
    "webhook_off": N_("a mail about a webhook"),
}
ANOTHER = N_("another mail")
"""Of a kind that an older version wrote."""


def mail_kind(voice: Voice, kind: str) -> str:
    """Return what a mail is about."""
    return voice.gettext(MAIL_KINDS.get(kind, ANOTHER))


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


def fate(voice: Voice, mail: MailOnRecord, *, to_reader: bool = False) -> list[tuple[datetime | None, str]]:
    """Return the fate of a mail, one thing after another: when, and what. `mail` is a row of `app.post.ledger`; its
    reader is told less of what hosts said (`to_reader`)."""
    told: list[tuple[datetime | None, str]] = [(mail.made_at, voice.gettext("made"))]
    if mail.state == MailState.SENT or mail.bounced_at is not None:
        said = f" ({mail.answer[:LONGEST_ANSWER]})" if mail.answer and not to_reader else ""
        told.append((mail.sent_at, mail_states(voice)["sent"] + said))
    elif mail.state != MailState.WAITING:
        told.append((mail.sent_at, mail_states(voice)[mail.state]))
    elif mail.attempts > 1 or mail.last_error:
        told.append((None, voice.gettext("tried in vain so far")))
    else:
        told.append((None, mail_states(voice)["waiting"]))
    if mail.seen_at is not None:
        told.append((mail.seen_at, voice.gettext("its reader did something on its page")))
    if mail.answered_at is not None:
        by_mail = mail.answered_by == "mail"
        told.append((mail.answered_at, voice.gettext("answered by mail") if by_mail else voice.gettext("answered")))
    if mail.bounced_at is not None:
        told.append((mail.bounced_at, mail_states(voice)["bounced"]))
    if mail.again_at is not None:
        by = "" if to_reader else mail.again_by
        said = voice.gettext("sent once more by {name}").format(name=by) if by else voice.gettext("sent once more")
        told.append((mail.again_at, said))
    return told


LONGEST_ANSWER = 120
