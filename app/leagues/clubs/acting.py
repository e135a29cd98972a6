"""Who does something in a club or one of its events, when, and in whose transaction; each act goes into the audit
trail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypedDict, Unpack

from sqlmodel import Session, col

from app.base.stored.database import insert_into
from app.games.work import Work
from app.leagues.clubs.audit import NOTHING, Subject
from app.leagues.tables import Audit, Competition
from app.post import owed

CHANNEL, PUBLISHED, CLOSED, OVER, ENDED = "club", "round.published", "round.closed", "match.over", "event.over"
TOLD_IN_CHANNELS = (PUBLISHED, CLOSED, OVER, ENDED)
"""What `app.leagues.mails.channel` tells the channel of a club; rounds of the same moment go together."""


class Kept(TypedDict, total=False):
    """What the trail keeps of an act beside its subject."""

    reason: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    once: str | None
    """Of two acts with the same text here only the first is written."""


@dataclass(frozen=True, slots=True)
class ActRequest:
    """Who asks for an act that stands in the trail, and why."""

    by_id: int
    reason: str
    token: str = ""
    """The one-time token of the form: pressed twice, it acts once."""
    sure: bool = field(default=True, kw_only=True)
    """Whether it may end games that only an earlier result has brought about."""


@dataclass(frozen=True, slots=True)
class ClubActing:
    """A person, or the server, who does something in a club."""

    work: Work
    club_id: int
    by_id: int | None
    """None for the server."""
    now: datetime
    event_id: int | None = None
    """The event of the club that it concerns."""

    @property
    def session(self) -> Session:
        """The session of the transaction."""
        return self.work.session

    def write(self, act: str, subject: Subject = NOTHING, **kept: Unpack[Kept]) -> int | None:
        """Write an act into the trail; its number. None, and nothing is written, when an act with the same `once` is
        there already: the button was pressed twice, and the caller must do nothing more."""
        before, after = kept.get("before"), kept.get("after")
        statement = (
            insert_into(self.session, Audit)
            .values(
                club_id=self.club_id,
                event_id=self.event_id,
                at=self.now,
                by_id=self.by_id,
                act=act,
                about=subject.kind,
                about_number=subject.number or None,
                about_division=subject.division or None,
                subject=subject.name[:80],
                reason=kept.get("reason", ""),
                before=None if before is None else dict(before),
                after=None if after is None else dict(after),
                once=kept.get("once"),
            )
            .on_conflict_do_nothing(index_elements=["once"])
            .returning(col(Audit.id))
        )
        number: int | None = self.session.scalar(statement)
        if number is not None and act in TOLD_IN_CHANNELS:
            key = f"{act}:{self.event_id}:{self.now:%Y%m%dT%H%M%S}" + (f":{subject.number}" if act == OVER else "")
            owed.plan_for_club(self.session, self.club_id, key, {"event": CHANNEL, "act": number}, self.now)
        return number


@dataclass(frozen=True, slots=True)
class Acting:
    """A person, or the server, who does something in an event."""

    work: Work
    event: Competition
    by_id: int | None
    """None for the server."""
    now: datetime

    @property
    def session(self) -> Session:
        """The session of the transaction."""
        return self.work.session

    def write(self, act: str, subject: Subject = NOTHING, **kept: Unpack[Kept]) -> int | None:
        """As `ClubActing.write`, for the event."""
        there = ClubActing(self.work, self.event.club_id, self.by_id, self.now, self.event.id)
        return there.write(act, subject, **kept)
