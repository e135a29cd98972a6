"""The mail with an announcement of a club to its members."""

from __future__ import annotations

from sqlmodel import Session, col, select

from app.base.links import Links
from app.base.stored.mail_tables import MailGroup
from app.base.words.speech import Voice
from app.leagues.clubs import announcements, club_rights
from app.people.tables import Player
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail, finish, mail, reader_of
from engine.kernel.text import N_

LONGEST_GIST = 200
"""Characters of the text in a digest."""


@mail(announcements.KIND, words=N_("an announcement of a club"), group=MailGroup.NEWS)
def _announcement(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Write a club's announcement; None if it was taken down or the reader has left the club."""
    reader = reader_of(session, mail)
    if reader is None or not mail.is_wanted(reader):
        return None
    try:
        row = announcements.get(session, mail.details["announcement"])
    except announcements.NoSuchAnnouncement:
        return None
    if club_rights.role_of(session, row.club_id, reader.id) is None:
        return None
    voice = Voice(reader.language, reader.zone)
    by = session.scalar(select(col(Player.name)).where(col(Player.id) == row.by_id))
    club = club_rights.get(session, row.club_id)
    said = " ".join(row.text.split())
    context = {
        "club": club.name,
        "headline": row.subject,
        "paragraphs": row.text.split("\n"),
        "by": voice.person(by),
        "short": said if len(said) <= LONGEST_GIST else f"{said[:LONGEST_GIST].rsplit(' ', 1)[0]} …",
        "link": f"{links.base_url}/clubs/{club.slug}/news#n{row.id}",
    }
    return finish(announcements.KIND, context, reader, links, mail, group="news")
