"""The audit trail of a club: every act of an organiser or of the system, with who, when, why, before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col, select

from app.base.columns import columns_of
from app.base.numbers import whole
from app.base.refusals import FormExpired, NotAccepted
from app.base.upserts import insert_into
from app.leagues.tables import Audit
from app.people.tables import Player
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

LONGEST_REASON = 1000
PAGE = 50


@dataclass(frozen=True, slots=True)
class Act:
    """One line of the trail. `by` is empty for the server."""

    id: int
    event_id: int | None
    at: datetime
    by_id: int | None
    by: str
    act: str
    subject: str
    reason: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    undone_by: int | None


def subject_of(act: Act) -> tuple[str, int]:
    """What an act was done to: its kind and number, such as `round` and 3; the number is 0 where there is none."""
    kind, _, number = act.subject.partition("/")[0].partition(":")
    read = whole(number)
    return (act.subject, 0) if read is None else (kind, read)


def round_of(number: int, division_id: int) -> str:
    """The subject of an act on a round: `round:3/12`."""
    return f"round:{number}/{division_id}"


def division_of(act: Act) -> int:
    """The division of the round that an act was done to; 0 where there is none."""
    subject, _, division = act.subject.partition("/")
    return (whole(division) or 0) if subject.startswith("round:") else 0


def write(
    session: Session,
    club_id: int,
    act: str,
    *,
    at: datetime,
    by_id: int | None = None,
    event_id: int | None = None,
    subject: str = "",
    reason: str = "",
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    once: str | None = None,
) -> int | None:
    """Write an act down; its number. None, and nothing is written, when one with the same `once` has been done.

    Whoever gets None has been pressed twice and must do nothing more.
    """
    statement = (
        insert_into(session, Audit)
        .values(
            club_id=club_id,
            event_id=event_id,
            at=at,
            by_id=by_id,
            act=act,
            subject=subject[:80],
            reason=reason,
            before=None if before is None else dict(before),
            after=None if after is None else dict(after),
            once=once,
        )
        .on_conflict_do_nothing(index_elements=["once"])
        .returning(col(Audit.id))
    )
    number: int | None = session.scalar(statement)
    return number


def was_done(session: Session, once: str | None) -> bool:
    """Whether an act with this `once` has been written."""
    return once is not None and session.scalar(sa.select(col(Audit.id)).where(col(Audit.once) == once)) is not None


def find(session: Session, act_id: int) -> Any | None:
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
    """The newest acts of a club (or of one of its events) first; `before` is the number of the last one seen."""
    wanted = [col(Audit.club_id) == club_id]
    if event_id is not None:
        wanted.append(col(Audit.event_id) == event_id)
    if before is not None:
        wanted.append(col(Audit.id) < before)
    rows: Sequence[Any] = session.execute(
        sa.select(*columns_of(Audit), col(Player.name))
        .outerjoin(Player, col(Player.id) == col(Audit.by_id))
        .where(*wanted)
        .order_by(col(Audit.id).desc())
        .limit(most)
    ).all()
    return [
        Act(
            row.id,
            row.event_id,
            row.at,
            row.by_id,
            row.name or "",
            row.act,
            row.subject,
            row.reason,
            row.before,
            row.after,
            row.undone_by,
        )
        for row in rows
    ]
