"""The mail to organisers of an event that runs itself, or whose finals do not follow from its groups any more, when it
waits for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.base.speech import Voice
from app.leagues.clubs import clubs
from app.leagues.desk import autopilot, week
from app.leagues.mails.events import reader_and_event
from app.leagues.rounds import finals
from app.post.message import WrittenMail
from app.post.writing import QueuedMail, finish, mail
from engine.kernel.text import N_

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.links import Links
    from app.leagues.tables import Competition
    from app.people.tables import Player


@mail("event_asks", words=N_("a mail about an event that waits for its organisers"))
def _event_asks(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """The event goes on when an organiser has done what the server left to them. Nothing is said once that is done, nor
    to whoever organises it no more."""
    told = reader_and_event(session, mail)
    if told is None:
        return None
    reader, event = told
    given = mail.details
    if given["act"] == finals.FINALS:
        return _finals_stay(session, links, mail, reader, event)
    if not autopilot.runs_itself(event):
        return None
    key = given["act"], given["division"], given["number"], given["version"]
    found = next((act for act in autopilot.next_acts(session, event) if act.key == key), None)
    if found is None or not clubs.may(clubs.role_in(session, event, reader.id), "deputy"):
        return None
    page = "manage"
    if found.kind == week.PUBLISH and found.round is not None:
        page = found.round.place
    context = _context(links, reader, event, found.kind, page) | {"number": found.number, "why": found.why}
    return finish("event_asks", context, reader, links, mail, group=None)


def _finals_stay(
    session: Session, links: Links, mail: QueuedMail, reader: Player, event: Competition
) -> WrittenMail | None:
    found = finals.behind(session, event)
    if found is None or not clubs.may(clubs.role_in(session, event, reader.id), "deputy"):
        return None
    why = finals.in_words(session, event, found)
    context = _context(links, reader, event, finals.FINALS, "manage") | {"number": 0, "why": why}
    return finish("event_asks", context, reader, links, mail, group=None)


def _context(links: Links, reader: Player, event: Competition, act: str, page: str) -> dict[str, Any]:
    return {
        "voice": Voice(reader.language, reader.zone, event.title),
        "event": event.name,
        "act": act,
        "link": f"{links.base_url}/events/{event.id}/{page}",
    }
