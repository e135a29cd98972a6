"""The mails of the autopilot to organisers: an event waits for them, a draft goes out by itself, or its finals no
longer follow from its groups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.base.speech import Voice
from app.leagues.clubs import clubs
from app.leagues.desk import autopilot, week
from app.leagues.events import entries
from app.leagues.mails.events import asked_link, reader_and_event
from app.leagues.rounds import finals
from app.leagues.tables import Role
from app.post.message import WrittenMail
from app.post.writing import QueuedMail, finish, mail
from engine.kernel.text import N_

if TYPE_CHECKING:
    from collections.abc import Collection

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


@mail("event_draft", words=N_("a mail about a round that will be published"))
def _event_draft(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Show organisers the pairings that go out by themselves, with the hour, while they can still be held."""
    told = reader_and_event(session, mail)
    if told is None:
        return None
    reader, event = told
    voice = Voice(reader.language, reader.zone, event.title)
    which = {(round, version) for round, version in mail.details["rounds"]}
    drafts = drafts_in_words(session, event, voice, which)
    if not drafts or not clubs.may(clubs.role_in(session, event, reader.id), Role.ORGANISER):
        return None
    context = {
        "event": event.name,
        "at": min(one["at"] for one in drafts),
        "drafts": drafts,
        "link": asked_link(links, "event_draft", event, reader) + "?answer=no",
    }
    return finish("event_draft", context, reader, links, mail, group=None)


def drafts_in_words(
    session: Session, event: Competition, voice: Voice, which: Collection[tuple[int, int]] | None = None
) -> list[dict[str, Any]]:
    """Return the drafts of an event that go out by themselves, or only those of these rounds and versions: `head`,
    `pairs` and the hour."""
    names = {one.id: voice.person(one.name) for one in entries.entrants(session, event.id)}
    found = []
    for act in autopilot.waiting_drafts(session, event):
        draft = act.round
        if draft is None or (which is not None and (draft.id, draft.version) not in which):
            continue
        part = act.division.name if act.division is not None and len(event.divisions) > 1 else ""
        at = voice.moment(act.at) if act.at else ""
        head = voice.gettext("Round {n}, published on {moment}", n=act.number, moment=at)
        once = [match for match in draft.matches if match.leg == 1]
        pairs = [" – ".join(names.get(seat.entry_id, "") for seat in match.seats) for match in once]
        found.append({"head": " · ".join(filter(None, (part, head))), "pairs": pairs, "at": act.at})
    return found


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
