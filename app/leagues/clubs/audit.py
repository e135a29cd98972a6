"""The audit trail of a club: every act of an organiser or of the system, with who, when, why, before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col, select

from app.base.refusals import FormExpired, NotAccepted
from app.leagues.tables import About, Audit, ClubMatch, InvitationStatus
from app.people.tables import Player
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

LONGEST_REASON = 1000
TEAMS = "teams"
"""Under this key final standings keep the teams of an event, beside the divisions under their numbers."""
PAGE = 50


class Subject(NamedTuple):
    """What an act was done to: which kind, which number (0 where there is none), the division of a round, or a name."""

    kind: About | None = None
    number: int = 0
    division: int = 0
    name: str = ""


NOTHING = Subject()
"""The subject of what is done to a club or an event as a whole."""


@dataclass(frozen=True, slots=True)
class Act:
    """One line of the trail. `by` is empty for the server."""

    id: int
    event_id: int | None
    at: datetime
    by_id: int | None
    by: str
    act: str
    subject: Subject
    reason: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    undone_by: int | None


def player(number: int | None) -> Subject:
    """An act on a player."""
    return Subject(About.PLAYER, number or 0)


def entrant(number: int) -> Subject:
    """An act on somebody's place in an event."""
    return Subject(About.ENTRY, number)


def match(number: int) -> Subject:
    """An act on a match."""
    return Subject(About.MATCH, number)


def game(number: int) -> Subject:
    """An act on the game of a match."""
    return Subject(About.GAME, number)


def round_of(number: int, division_id: int) -> Subject:
    """An act on a round of a division."""
    return Subject(About.ROUND, number, division_id)


def named(name: str) -> Subject:
    """An act on something that has no row of its own, or none yet."""
    return Subject(About.NAME, name=name)


def was_done(session: Session, once: str | None) -> bool:
    """Whether an act with this `once` has been written."""
    return once is not None and session.scalar(sa.select(col(Audit.id)).where(col(Audit.once) == once)) is not None


def find(session: Session, act_id: int) -> Audit | None:
    """The row of an act, locked against being undone twice; None when there is none."""
    return session.exec(select(Audit).where(col(Audit.id) == act_id).with_for_update()).first()


def read_token(given: str) -> str:
    """The token of a form whose button acts once. NotAccepted for one that no page of ours made."""
    if not (given.isascii() and given.isalnum() and 8 <= len(given) <= 40):
        raise FormExpired("form.token", Text("This form is not complete; open the page once more."))
    return f"form:{given}"


def read_reason(given: str, *, needed: bool = True) -> str:
    """A reason as it is kept. NotAccepted when one is needed and missing, or when it is too long."""
    reason = given.replace("\r\n", "\n").strip()
    if needed and not reason:
        raise NotAccepted("reason.empty", Text("Give a reason; it stands in the audit trail and in the mails."))
    if len(reason) > LONGEST_REASON:
        raise NotAccepted(
            "reason.long",
            Text("The reason has {n} characters; the limit is {most}.", n=len(reason), most=LONGEST_REASON),
        )
    return reason


def mark_undone(session: Session, act_id: int, by_act: int) -> bool:
    """Note that a later act has undone this one; False when another has done so before."""
    free = sa.and_(col(Audit.id) == act_id, col(Audit.undone_by).is_(None))
    return session.exec(sa.update(Audit).where(free).values(undone_by=by_act)).rowcount == 1


def trail(
    session: Session, club_id: int, *, event_id: int | None = None, before: int | None = None, most: int = PAGE
) -> list[Act]:
    """The newest acts of a club (or of one of its events) first, with those of the matches in which it is the guest of
    another one; `before` is the number of the last one seen."""
    guest = col(ClubMatch.guest_id) == club_id, col(ClubMatch.status) == InvitationStatus.ACCEPTED
    matches = sa.select(col(ClubMatch.event_id)).where(*guest)
    wanted = [sa.or_(col(Audit.club_id) == club_id, col(Audit.event_id).in_(matches))]
    if event_id is not None:
        wanted.append(col(Audit.event_id) == event_id)
    if before is not None:
        wanted.append(col(Audit.id) < before)
    asked = (
        select(Audit, Player.name)
        .outerjoin(Player, col(Player.id) == col(Audit.by_id))
        .where(*wanted)
        .order_by(col(Audit.id).desc())
        .limit(most)
    )
    return [
        Act(
            row.id,
            row.event_id,
            row.at,
            row.by_id,
            name or "",
            row.act,
            subject_of(row),
            row.reason,
            row.before,
            row.after,
            row.undone_by,
        )
        for row, name in session.exec(asked)
    ]


def subject_of(row: Audit) -> Subject:
    """What the act of a row was done to."""
    return Subject(row.about, row.about_number or 0, row.about_division or 0, row.subject)
