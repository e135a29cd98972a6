"""The mails of a ladder: a challenge, and its refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlmodel import col

from app.base.mail_tables import MailGroup
from app.base.speech import Voice
from app.leagues.mails.events import pace_of, reader_and_event
from app.leagues.rounds import ladder
from app.people.tables import Player
from app.post.message import WrittenMail
from app.post.writing import QueuedMail, finish, mail, reader_of
from engine.kernel.text import N_

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.links import Links


@mail("challenge", words=N_("a challenge"))
def _challenge(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell a player of a challenge, with a link for the answer."""
    reader = reader_of(session, mail)
    if reader is None or not mail.is_wanted(reader):
        return None
    round_id, made = mail.details["round"], mail.details["made"]
    assert mail.handed_over_at is not None
    found = ladder.waiting(session, round_id, made, mail.handed_over_at)
    if found is None:
        return None
    there, one = found
    if there.people[one.opponent].player_id != reader.id:
        return None
    event = there.event
    voice = Voice(reader.language, reader.zone, event.title)
    context = {
        "event": event.name,
        "title": voice.gettext(event.title.name),
        "challenger": voice.person(there.people[one.challenger].name),
        "until": one.answer_by,
        "places": (there.ladder.place(one.challenger), there.ladder.place(one.opponent)),
        "pace": pace_of(session, event, voice),
        "link": f"{links.base_url}/challenge/{links.sign('challenge', [round_id, made, reader.id])}",
    }
    return finish("challenge", context, reader, links, mail, group="news")


@mail("challenge_declined", words=N_("the answer to a challenge"), group=MailGroup.NEWS)
def _declined(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell the challenger that there will be no game."""
    told = reader_and_event(session, mail, is_news=True)
    if told is None:
        return None
    reader, event = told
    voice = Voice(reader.language, reader.zone, event.title)
    opponent = session.scalar(select(col(Player.name)).where(col(Player.id) == mail.details["by"]))
    context = {
        "event": event.name,
        "opponent": voice.person(opponent),
        "link": f"{links.base_url}/events/{event.id}",
    }
    return finish("challenge_declined", context, reader, links, mail, group="news")
