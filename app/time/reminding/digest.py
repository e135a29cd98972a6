"""One mail with all games that wait for a player, at hours of the player's day; in addition to the mails about single
turns, or instead of them.

A decision that would have less than a day left when it comes is told at once all the same (`covers`). The mail is
rendered when it is handed over, so it names what waits then. If it replaces single mails, it also brings news of
events, even if there is nothing else to say (`app.post.out.news_in_digests`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.process.jobs import job
from app.base.stored import failing
from app.base.stored.database import Database
from app.base.stored.mail_tables import MailState, OutboxMail
from app.base.stored.outbox import PlannedMail
from app.base.words.numbers import whole
from app.base.words.refusals import NotAccepted
from app.clocks.clock import ONE_DAY, moment
from app.clocks.zones import zone_of
from app.people.tables import Player
from app.time import pending
from app.time.decisions import PendingDecision
from app.time.reminding.batches import AT_ONCE, Sparing, plan_due
from app.titles.registry import TITLES
from engine.kernel.text import Text

URGENT = timedelta(days=1)
MOST_HOURS = 4
USUAL_HOUR = 8
"""For players who choose it with one click."""

_JOB = "digests", "player"
_IS_DUE = sa.and_(col(Player.digest_at) <= sa.bindparam("now"), ~failing.rests(*_JOB, col(Player.id)))
_ANY_DUE = sa.select(col(Player.id)).where(_IS_DUE).limit(1)
_DUE = (
    sa.select(
        col(Player.id),
        col(Player.address),
        col(Player.digest_hours),
        col(Player.digest_instead),
        col(Player.digest_at),
        col(Player.zone),
    )
    .where(_IS_DUE)
    .order_by(col(Player.digest_at))
    .limit(AT_ONCE)
    .with_for_update(skip_locked=True)
)


def waiting(session: Session, player_id: int) -> list[PendingDecision]:
    """Return the decisions that a player owes, the most urgent first; without suspended games, whose title is not
    installed."""
    owed = [one for one in pending.owed_by(session, player_id) if one.title in TITLES]
    return sorted(owed, key=lambda one: (one.deadline_at is None, one.deadline_at or one.asked_at, one.game_id))


def _has_news(session: Session, player_id: int) -> bool:
    """Return whether news of events waits for a player's digest."""
    # Written out, not parameters: only then does SQLite see that the partial index fits.
    asked = sa.select(col(OutboxMail.id)).where(
        col(OutboxMail.mail_group) == sa.literal_column("'news'"),
        col(OutboxMail.player_id) == player_id,
        col(OutboxMail.sent_at).is_(None),
        col(OutboxMail.state) == sa.literal_column("'waiting'"),
    )
    return session.execute(asked.limit(1)).first() is not None


def covers(player: Player, deadline: datetime | None) -> bool:
    """Return whether a decision with this deadline needs no mail of its own, since the player has chosen one mail for
    all of them and has a day left when that comes."""
    if player.digest_at is None or (deadline is not None and deadline - player.digest_at < URGENT):
        return False
    return player.digest_instead


# -- sending ------------------------------------------------------------------------------------------


@job("digests", every=20)
def send_due(database: Database, now: datetime) -> int:
    """Put the due mails into the outbox, for players who owe something or have news waiting; return how many."""

    def plan(session: Session, row: sa.Row[Any], _: Sparing) -> PlannedMail | None:
        _set_next(session, row.id, row.digest_hours, row.zone, now)
        if not (waiting(session, row.id) or (row.digest_instead and _has_news(session, row.id))):
            return None
        _drop_waiting(session, row.id)
        return PlannedMail(f"digest:{row.id}:{row.digest_at:%Y%m%dT%H%M}", "digest", row.address, row.id)

    return plan_due(database, now, _ANY_DUE, _DUE, _JOB, plan)


def _drop_waiting(session: Session, player_id: int) -> None:
    """Drop one that has not gone out yet, for example in a quiet night: it would say the same."""
    old = sa.update(OutboxMail).where(
        col(OutboxMail.state) == sa.literal_column("'waiting'"),
        col(OutboxMail.player_id) == player_id,
        col(OutboxMail.kind) == "digest",
        col(OutboxMail.claimed_by).is_(None),
    )
    session.exec(old.values(state=MailState.DROPPED))


def _set_next(session: Session, player_id: int, hours: str, zone: str, now: datetime) -> None:
    following = next_at([int(hour) for hour in hours.split()], zone, now)
    session.exec(sa.update(Player).where(col(Player.id) == player_id).values(digest_at=following))


def next_at(hours: Sequence[int], zone: str, after: datetime) -> datetime | None:
    """Return the first of these hours of a zone's day after a moment, in UTC; None if there are no hours."""
    there = zone_of(zone)
    today = after.astimezone(there).date()
    moments = [moment(day, time(hour), there) for day in (today, today + ONE_DAY) for hour in hours]
    return min((at for at in moments if at > after), default=None)


# -- setting ------------------------------------------------------------------------------------------


def settle(session: Session, player_id: int, typed: str, instead: bool, now: datetime) -> None:
    """Store the hours, as typed (`8, 18`; nothing for no such mail), and whether it replaces those about single turns.
    NotAccepted for invalid hours."""
    hours = " ".join(map(str, _hours(typed)))
    values = {"digest_hours": hours, "digest_instead": instead and bool(hours)}
    session.exec(sa.update(Player).where(col(Player.id) == player_id).values(**values))
    refresh(session, player_id, now)


def refresh(session: Session, player_id: int, now: datetime) -> None:
    """Compute the moment of the next one, from the player's hours and zone."""
    asked = sa.select(col(Player.digest_hours), col(Player.zone)).where(col(Player.id) == player_id)
    hours, zone = session.execute(asked).one()
    _set_next(session, player_id, hours, zone, now)


def in_words(hours: str) -> str:
    """Return the hours as they are typed: `8, 18`."""
    return ", ".join(hours.split())


def _hours(typed: str) -> list[int]:
    words = [word for word in re.split(r"[\s,;]+", typed.strip()) if word]
    found = [whole(word.removesuffix(":00").removesuffix("h"), 23) for word in words]
    hours = sorted({hour for hour in found if hour is not None})
    if None in found or len(hours) > MOST_HOURS:
        raise NotAccepted(
            "digest.hours",
            Text("Write up to {most} full hours of your day, from 0 to 23, such as: 8, 18.", most=MOST_HOURS),
        )
    return hours
