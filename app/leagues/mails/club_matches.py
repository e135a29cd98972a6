"""The mails about a match of two clubs: the invitation and its answer, the referee, teams that are ready."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlmodel import col, select

from app.base.speech import Voice
from app.leagues.clubs import clubs
from app.leagues.events import two_clubs
from app.leagues.mails.events import event_of
from app.leagues.seasons import club_matches
from app.leagues.tables import InvitationStatus
from app.people.tables import Player
from app.post.message import WrittenMail
from app.post.render import fill
from app.post.writing import QueuedMail, finish, mail, reader_of
from engine.kernel.text import N_

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.links import Links


@mail(club_matches.MAIL, words=N_("a mail about a match of two clubs"))
def _club_match(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell the organisers of a club, or the referee, how a match of two clubs stands; None for an invitation that has
    ended.

    Players who want no news get it too, because it asks something.
    """
    reader, given = reader_of(session, mail), mail.details
    event = None if reader is None else event_of(session, given["event"])
    match = None if event is None else two_clubs.of_event(session, event.id)
    if reader is None or event is None or match is None:
        return None
    if given["what"] == "invited" and match.status != InvitationStatus.INVITED:
        return None
    if given["what"] == "referee" and match.referee_id != reader.id:
        return None
    voice = Voice(reader.language, reader.zone, event.title)
    by = session.scalar(select(col(Player.name)).where(col(Player.id) == given["by"]))
    words = given["words"] or (match.words if given["what"] == "invited" else "")
    context = {
        "voice": voice,
        "what": given["what"],
        "event": event.name,
        "host": clubs.get(session, event.club_id).name,
        "guest": clubs.get(session, match.guest_id).name,
        "title": voice.gettext(event.title.name),
        "boards": event.boards,
        "by": voice.person(by),
        "paragraphs": words.split("\n") if words else [],
        "link": f"{links.base_url}/events/{event.id}/clubs",
    }
    context["said"] = fill("club_match/said.txt", reader.language, context)
    return finish(club_matches.MAIL, context, reader, links, mail, group=None)
