"""The mails of clubs: invitations, requests to join and their answers, announcements, the week of organisers."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, select

from app.base.links import Links
from app.base.stored.mail_tables import MailGroup
from app.base.words.speech import Voice
from app.leagues.clubs import announcements, club_rights, joining, members
from app.leagues.desk import weekly_mail
from app.leagues.mails.of_events import ClubMail, club_mail
from app.people import unasked
from app.people.tables import Player
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail, finish, mail, reader_of
from engine.kernel.text import N_


@club_mail("club_invitation", words=N_("an invitation to a club"), news=True)
def _club_invitation(told: ClubMail) -> dict[str, Any] | None:
    """Invite a person to a club."""
    session, reader, club = told.session, told.reader, told.club
    if not members.is_invited(session, club.id, reader.id) or not unasked.may_go_out(session, reader, told.mail):
        return None
    return {
        "club": unasked.said_to(reader, club.name),
        "about": unasked.said_to(reader, club.about),
        "by": unasked.said_to(reader, told.who(told.given["by"])),
        "link": told.signed("clubs/invitation", "club_invitation", club.id),
    }


@club_mail(joining.REQUEST, words=N_("a request to join a club"))
def _join_request(told: ClubMail) -> dict[str, Any] | None:
    """Tell those who run a club of a request to join; None if it was decided or withdrawn.

    Readers who want no news get it too, because it asks something.
    """
    there = joining.of_player(told.session, told.club.id, told.given["player"])
    role = club_rights.role_of(told.session, told.club.id, told.reader.id)
    if there is None or there.declined_at is not None or not club_rights.may(role, joining.NEEDED):
        return None
    return {
        "who": told.voice.person(there.name),
        "paragraphs": there.text.split("\n") if there.text else [],
        "link": f"{told.page}/members",
    }


@club_mail(joining.ANSWER, words=N_("the answer to a request to join a club"))
def _join_answer(told: ClubMail) -> dict[str, Any]:
    """Tell the reader how their request to join a club was decided, or that they were taken out."""
    given = {"out": False, "banned": False} | told.given
    paragraphs = given["words"].split("\n") if given["words"] else []
    return {**given, "club": told.club.name, "by": told.who(given["by"]), "paragraphs": paragraphs}


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
    by = session.scalar(select(col(Player.name)).where(col(Player.id) == row.by_id))
    club = club_rights.get(session, row.club_id)
    said = " ".join(row.text.split())
    context = {
        "club": club.name,
        "headline": row.subject,
        "paragraphs": row.text.split("\n"),
        "by": Voice(reader.language, reader.zone).person(by),
        "short": said if len(said) <= LONGEST_GIST else f"{said[:LONGEST_GIST].rsplit(' ', 1)[0]} …",
        "link": f"{links.base_url}/clubs/{club.slug}/news#n{row.id}",
    }
    return finish(announcements.KIND, context, reader, links, mail, group="news")


@mail(weekly_mail.KIND, words=N_("the mail about the week of the clubs"))
def _club_week(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Say what needs attention in the reader's clubs; None if nothing does or the reader no longer helps to run any."""
    reader = reader_of(session, mail)
    if reader is None or reader.id is None or not mail.is_wanted(reader):
        return None
    assert mail.handed_over_at is not None
    found = weekly_mail.read(session, reader.id, mail.handed_over_at)
    if not found:
        return None
    context = {
        "clubs": [{"now": one, "link": f"{links.base_url}/clubs/{one.club.slug}/week"} for one in found],
        "ready": sum(one.ready + len(one.ended) for one in found),
        "late": sum(one.late for one in found),
    }
    return finish(weekly_mail.KIND, context, reader, links, mail, group="news")
