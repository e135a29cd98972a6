"""The mail that tells organisers that an event waits for them: its autopilot has stopped, or its finals no longer
follow from its groups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.base.speech import Voice
from app.leagues.clubs import clubs
from app.leagues.desk import autopilot, week
from app.leagues.mails.events import reader_and_event
from app.leagues.rounds import finals
from app.leagues.tables import Role
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
    """Say what organisers must do before the event goes on; None once it is done or if the reader no longer runs the
    event.
    """
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
    if found is None or not clubs.may(clubs.role_in(session, event, reader.id), Role.DEPUTY):
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
    if found is None or not clubs.may(clubs.role_in(session, event, reader.id), Role.DEPUTY):
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
