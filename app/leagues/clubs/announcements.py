"""Announcements of a club, written by those who run it, read by members or everybody: on a page, by feed or mail."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict, Unpack

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored import limits
from app.base.stored.database import Database
from app.base.words.refusals import NoSuch, NotAccepted
from app.games.work import Work
from app.leagues.clubs import club_rights
from app.leagues.tables import Announcement, Member, Role
from app.people.tables import Player
from engine.kernel.text import Text

KIND = "announcement"
NEEDED = Role.DEPUTY
LISTED = 50


class NoSuchAnnouncement(NoSuch):
    """The club has no announcement with this number, or it was taken down."""

    sentence = club_rights.NoSuchClub.sentence


# -- reading ------------------------------------------------------------------------------------------


def of_club(
    session: Session, club_id: int, *, is_member: bool, most: int = LISTED
) -> Sequence[tuple[Announcement, str]]:
    """Return the current announcements, newest first, each with its author's name (empty for an erased account).

    Non-members get only the public ones.
    """
    asked = (
        select(Announcement, sa.func.coalesce(col(Player.name), ""))
        .outerjoin(Player, col(Player.id) == col(Announcement.by_id))
        .where(col(Announcement.club_id) == club_id, col(Announcement.taken_down_at).is_(None))
        .order_by(col(Announcement.id).desc())
        .limit(most)
    )
    if not is_member:
        asked = asked.where(col(Announcement.is_public))
    return session.exec(asked).all()


def get(session: Session, announcement_id: int, *, lock: bool = False) -> Announcement:
    """Return a current announcement. Raises NoSuchAnnouncement."""
    asked = select(Announcement).where(
        col(Announcement.id) == announcement_id, col(Announcement.taken_down_at).is_(None)
    )
    found = session.exec(asked.with_for_update() if lock else asked).first()
    if found is None:
        raise NoSuchAnnouncement(announcement_id)
    return found


def recipients(session: Session, club_id: int, by_id: int) -> list[tuple[int, str]]:
    """Return the members who would get the mail, with their addresses: those who want news, without the author."""
    wants = col(Player.mail_news).is_(True), col(Player.id) != by_id
    asked = club_rights.addressed(col(Member.club_id) == club_id, *wants)
    return [(row.id, row.address) for row in session.execute(asked)]


# -- writing ------------------------------------------------------------------------------------------


class AnnouncementDraft(TypedDict):
    """What is announced, and to whom."""

    subject: str
    text: str
    is_public: bool
    mails: bool


def announce(
    database: Database, club_id: int, by_id: int, *, token: str, now: datetime, **draft: Unpack[AnnouncementDraft]
) -> tuple[int, int]:
    """Announce something to the members, and to everybody where it `is_public`; with `mails` the members who want news
    get a mail. Its number, and how many mails. The same form sent twice announces once. NotAllowed, NotAccepted,
    TooOften."""
    subject, text = read_message(draft["subject"], draft["text"])
    with database.read() as session:
        sent = _written(session, club_id, token)
    if sent is not None:
        return sent
    limits.count(database, [(limits.INVITATIONS, str(by_id))], now)
    with Work(database) as work:
        session = work.session
        club_rights.lock(session, club_id)
        acting = club_rights.allowed(work, club_id, by_id, NEEDED, now)
        sent = _written(session, club_id, token)
        if sent is not None:
            return sent
        people = recipients(session, club_id, by_id) if draft["mails"] else []
        row = Announcement(
            club_id=club_id,
            by_id=by_id,
            subject=subject,
            text=text,
            is_public=draft["is_public"],
            mails=len(people),
            once=f"{club_id}:{token}",
            at=now,
        )
        session.add(row)
        session.flush()
        work.outbox.tell(people, KIND, f"{KIND}:{row.id}", {"announcement": row.id}, now)
        acting.write("club.announced", after={"subject": subject, "recipients": len(people)})
        return row.id, len(people)


def _written(session: Session, club_id: int, token: str) -> tuple[int, int] | None:
    found = session.exec(select(Announcement).where(col(Announcement.once) == f"{club_id}:{token}")).first()
    return None if found is None else (found.id, found.mails)


def take_down(database: Database, club_id: int, by_id: int, announcement_id: int, *, now: datetime) -> None:
    """Remove an announcement from the page and the feed; waiting mails are not sent.

    Raises NoSuchAnnouncement, NotAllowed.
    """
    with Work(database) as work:
        session = work.session
        acting = club_rights.allowed(work, club_id, by_id, NEEDED, now)
        there = get(session, announcement_id, lock=True)
        if there.club_id != club_id:
            raise NoSuchAnnouncement(announcement_id)
        there.taken_down_at = now
        session.add(there)
        acting.write("club.announcement_down", before={"subject": there.subject})


LONGEST_SUBJECT, LONGEST_TEXT = 120, 5_000


def read_message(subject: str, text: str) -> tuple[str, str]:
    """Return a subject and a text as they are sent. Raises NotAccepted if one is missing or too long."""
    subject, text = " ".join(subject.split()), text.replace("\r\n", "\n").strip()
    if not subject or not text:
        raise NotAccepted("message.empty", Text("Write a subject and a text."))
    for given, most in ((subject, LONGEST_SUBJECT), (text, LONGEST_TEXT)):
        if len(given) > most:
            raise NotAccepted(
                "message.long", Text("Your text has {n} characters; the limit is {most}.", n=len(given), most=most)
            )
    return subject, text
