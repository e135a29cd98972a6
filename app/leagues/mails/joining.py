"""The mails about requests to join a club: to those who run it, and the answer."""

from __future__ import annotations

from sqlmodel import Session, col, select

from app.base.links import Links
from app.base.words.speech import Voice
from app.leagues.clubs import club_rights, joining
from app.leagues.tables import Club
from app.people.tables import Player
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail, finish, mail, reader_of
from engine.kernel.text import N_


def _club_of(session: Session, mail: QueuedMail) -> Club | None:
    try:
        return club_rights.get(session, mail.details["club"])
    except club_rights.NoSuchClub:
        return None


@mail(joining.REQUEST, words=N_("a request to join a club"))
def _join_request(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell those who run a club of a request to join; None if it was decided or withdrawn.

    Readers who want no news get it too, because it asks something.
    """
    reader, club = reader_of(session, mail), _club_of(session, mail)
    if (
        reader is None
        or club is None
        or not club_rights.may(club_rights.role_of(session, club.id, reader.id), joining.NEEDED)
    ):
        return None
    there = joining.of_player(session, club.id, mail.details["player"])
    if there is None or there.declined_at is not None:
        return None
    voice = Voice(reader.language, reader.zone)
    context = {
        "club": club.name,
        "who": voice.person(there.name),
        "paragraphs": there.text.split("\n") if there.text else [],
        "link": f"{links.base_url}/clubs/{club.slug}/requests",
    }
    return finish(joining.REQUEST, context, reader, links, mail, group=None)


@mail(joining.ANSWER, words=N_("the answer to a request to join a club"))
def _join_answer(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell the reader how their request to join a club was decided."""
    reader, club, given = reader_of(session, mail), _club_of(session, mail), mail.details
    if reader is None or club is None:
        return None
    voice = Voice(reader.language, reader.zone)
    by = session.scalar(select(col(Player.name)).where(col(Player.id) == given["by"]))
    context = {
        "club": club.name,
        "admits": given["admits"],
        "by": voice.person(by),
        "paragraphs": given["words"].split("\n") if given["words"] else [],
        "link": f"{links.base_url}/clubs/{club.slug}",
    }
    return finish(joining.ANSWER, context, reader, links, mail, group=None)
