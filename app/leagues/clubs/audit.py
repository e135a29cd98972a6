"""The audit trail of a club: every act of an organiser or of the system, with who, when, why, before and after."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.words.refusals import FormExpired, NotAccepted
from app.leagues.tables import About, Audit, ClubMatch, InvitationStatus
from engine.kernel.text import Text

LONGEST_REASON = 1000
TEAMS = "teams"
"""The key under which final standings keep the teams of an event, beside the divisions under their numbers."""
IS_FINAL = sa.and_(col(Audit.act) == "event.standings", col(Audit.undone_by).is_(None))
"""Of the act that keeps the final standings of an event."""
PAGE = 20


class Subject(NamedTuple):
    """The object of an act: its kind, number (0 where it has none), the division of a round, or a name."""

    kind: About | None = None
    number: int = 0
    division: int = 0
    name: str = ""


NOTHING = Subject()
"""The subject of acts on a club or an event as a whole."""


def player(number: int | None) -> Subject:
    """Name a player as the subject of an act."""
    return Subject(About.PLAYER, number or 0)


def entrant(number: int) -> Subject:
    """Name an entrant's place in an event as the subject."""
    return Subject(About.ENTRY, number)


def match(number: int) -> Subject:
    """Name a match as the subject."""
    return Subject(About.MATCH, number)


def game(number: int) -> Subject:
    """Name the game of a match as the subject."""
    return Subject(About.GAME, number)


def round_of(number: int, division_id: int) -> Subject:
    """Name a round of a division as the subject."""
    return Subject(About.ROUND, number, division_id)


def named(name: str) -> Subject:
    """Name a subject that has no row of its own, or none yet."""
    return Subject(About.NAME, name=name)


def was_done(session: Session, once: str | None) -> bool:
    """Whether an act with this `once` has been recorded."""
    return once is not None and session.scalar(sa.select(col(Audit.id)).where(col(Audit.once) == once)) is not None


def find(session: Session, act_id: int) -> Audit | None:
    """Return the row of an act, locked so that it is undone only once; None if it does not exist."""
    return session.exec(select(Audit).where(col(Audit.id) == act_id).with_for_update()).first()


def read_token(given: str) -> str:
    """Return the one-time token of a form. Raises NotAccepted for one that our pages did not make."""
    if not (given.isascii() and given.isalnum() and 8 <= len(given) <= 40):
        raise FormExpired("form.token", Text("This form is not complete; open the page once more."))
    return f"form:{given}"


def read_reason(given: str, *, needed: bool = True) -> str:
    """Return a reason as it is stored. Raises NotAccepted if it is required and missing, or too long."""
    reason = given.replace("\r\n", "\n").strip()
    if needed and not reason:
        raise NotAccepted("reason.empty", Text("Give a reason; it stands in the audit trail and in the mails."))
    if len(reason) > LONGEST_REASON:
        raise NotAccepted(
            "reason.long",
            Text("Your text has {n} characters; the limit is {most}.", n=len(reason), most=LONGEST_REASON),
        )
    return reason


def mark_undone(session: Session, act_id: int, by_act: int) -> None:
    """Record that a later act has undone this one, unless another one already had."""
    free = sa.and_(col(Audit.id) == act_id, col(Audit.undone_by).is_(None))
    session.exec(sa.update(Audit).where(free).values(undone_by=by_act))


def trail(
    session: Session, club_id: int, *, event_id: int | None = None, before: int | None = None, most: int = PAGE
) -> list[Audit]:
    """Return the acts of a club or of one of its events, newest first, including matches in which it is another club's
    guest.

    `before` is the number of the last act already shown.
    """
    guest = col(ClubMatch.guest_id) == club_id, col(ClubMatch.status) == InvitationStatus.ACCEPTED
    matches = sa.select(col(ClubMatch.event_id)).where(*guest)
    wanted = [sa.or_(col(Audit.club_id) == club_id, col(Audit.event_id).in_(matches))]
    if event_id is not None:
        wanted.append(col(Audit.event_id) == event_id)
    if before is not None:
        wanted.append(col(Audit.id) < before)
    return list(session.exec(select(Audit).where(*wanted).order_by(col(Audit.id).desc()).limit(most)))
