"""The mails of a ladder: a challenge, and its refusal."""

from __future__ import annotations

from typing import Any

from app.base.stored.mail_tables import MailGroup
from app.leagues.mails.of_events import EventMail, event_mail
from app.leagues.rounds import ladder
from engine.kernel.text import N_


@event_mail("challenge", words=N_("a challenge"), news=True)
def _challenge(told: EventMail) -> dict[str, Any] | None:
    """Tell a player of a challenge, with a link for the answer."""
    round_id, made = told.given["round"], told.given["made"]
    assert told.mail.handed_over_at is not None
    found = ladder.waiting(told.session, round_id, made, told.mail.handed_over_at)
    if found is None:
        return None
    there, one = found
    if there.people[one.opponent].player_id != told.reader.id:
        return None
    return {
        "title": told.title,
        "challenger": told.voice.person(there.people[one.challenger].name),
        "until": one.answer_by,
        "places": (there.ladder.place(one.challenger), there.ladder.place(one.opponent)),
        "pace": told.pace,
        "link": told.signed("challenge", "challenge", round_id, made),
    }


@event_mail("challenge_declined", words=N_("the answer to a challenge"), group=MailGroup.NEWS, news=True)
def _declined(told: EventMail) -> dict[str, Any]:
    """Tell the challenger that there will be no game."""
    return {"opponent": told.who(told.given["by"])}
