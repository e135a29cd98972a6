"""What operators impose on players, until a day or until it is lifted: a mute (no chat), a ban (no sign-in, no
seats)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted, NotAllowed
from app.people.tables import Player, PlayerRole, Sanction, SanctionKind
from engine.kernel.text import N_, Text

LISTED = 100
_BY, _LIFTED = aliased(Player, name="by"), aliased(Player, name="lifted")


def _holding(kind: SanctionKind, now: datetime) -> sa.ColumnElement[bool]:
    ends = sa.or_(col(Sanction.until).is_(None), col(Sanction.until) > now)
    return sa.and_(col(Sanction.kind) == kind, col(Sanction.lifted_at).is_(None), ends)


def in_force(session: Session, player_id: int | None, kind: SanctionKind, now: datetime) -> Sanction | None:
    """Return the sanction of this kind that a player is under."""
    if player_id is None:
        return None
    about = col(Sanction.player_id) == player_id, _holding(kind, now)
    return session.exec(select(Sanction).where(*about).order_by(col(Sanction.id).desc())).first()


_REFUSED = {
    SanctionKind.MUTE: (
        "talk.muted",
        N_("Operators of this server have muted you, until they lift it. Their reason: {why}"),
        N_("Operators of this server have muted you until {day} (UTC). Their reason: {why}"),
    ),
    SanctionKind.BAN: (
        "sign_in.banned",
        N_("Operators of this server have banned this account. Their reason: {why}"),
        N_("Operators of this server have banned this account until {day} (UTC). Their reason: {why}"),
    ),
}
"""The heading of a refusal, and its text without and with an end."""


def need_none(session: Session, player_id: int | None, kind: SanctionKind, now: datetime) -> None:
    """Raise NotAllowed, with the reason, for a muted player who speaks, or a banned one who signs in."""
    found = in_force(session, player_id, kind, now)
    if found is None:
        return
    code, for_good, until = _REFUSED[kind]
    if found.until is None:
        raise NotAllowed(code, Text(for_good, why=found.reason))
    raise NotAllowed(code, Text(until, day=f"{found.until:%Y-%m-%d %H:%M}", why=found.reason))


def need_free(session: Session, player_id: int, now: datetime) -> None:
    """Raise NotAllowed for a banned player, before they create, join or are entered anywhere; does not give the reason,
    which is for them alone."""
    if in_force(session, player_id, SanctionKind.BAN, now) is not None:
        why = Text("Operators of this server have banned this account; it cannot make or join anything.")
        raise NotAllowed("player.banned", why)


def read_reason(given: str) -> str:
    """Return a reason on one line. NotAccepted without one."""
    reason = " ".join(given.split())[:500]
    if not reason:
        raise NotAccepted("reason.empty", Text("Say why; the reason is kept in the trail."))
    return reason


def end_of(day: date | None, now: datetime) -> datetime | None:
    """Return the end of a day in UTC; None for no day. NotAccepted for one that is past."""
    if day is None:
        return None
    until = datetime.combine(day, time(), UTC) + timedelta(days=1)
    if until <= now:
        raise NotAccepted("until.past", Text("This day is over; choose a later one, or none."))
    return until


def impose(
    session: Session,
    player_id: int,
    kind: SanctionKind,
    *,
    reason: str,
    until: datetime | None,
    by_id: int | None,
    now: datetime,
) -> None:
    """Impose it on a player in the caller's transaction, replacing one of the kind that holds. NotAccepted for an
    operator, an unknown player, and without a reason."""
    reason = read_reason(reason)
    asked = sa.select(col(Player.role)).where(col(Player.id) == player_id, col(Player.erased_at).is_(None))
    role = session.scalar(asked.with_for_update(key_share=True))
    if role is None:
        raise NotAccepted("player.unknown", Text("There is no such player."))
    if role == PlayerRole.OPERATOR:
        raise NotAccepted("sanction.operator", Text("This is an operator; make them a player first."))
    over = sa.update(Sanction).where(col(Sanction.player_id) == player_id, _holding(kind, now))
    session.execute(over.values(lifted_by=by_id, lifted_at=now, lifted_why=reason))
    session.add(Sanction(player_id=player_id, kind=kind, reason=reason, until=until, made_by=by_id, made_at=now))
    session.flush()


def lift(
    database: Database, player_id: int, kind: SanctionKind, *, reason: str, by_id: int | None, now: datetime
) -> None:
    """End a sanction in force. NotAccepted if there is none, and without a reason."""
    reason = read_reason(reason)
    with database.write() as session:
        over = sa.update(Sanction).where(col(Sanction.player_id) == player_id, _holding(kind, now))
        if session.exec(over.values(lifted_by=by_id, lifted_at=now, lifted_why=reason)).rowcount == 0:
            raise NotAccepted("sanction.none", Text("Nothing of the kind holds for this player any more."))


def trail(session: Session, player_id: int | None = None) -> list[tuple[Sanction, str, str | None, str | None]]:
    """What was done, the newest first; of one player where one is named. Each with the names of the player, of who did
    it and of who lifted it: None or empty for a command, and for an account that is gone."""
    asked = (
        select(Sanction, Player.name, _BY.name, _LIFTED.name)
        .join(Player, col(Player.id) == col(Sanction.player_id))
        .outerjoin(_BY, col(_BY.id) == col(Sanction.made_by))
        .outerjoin(_LIFTED, col(_LIFTED.id) == col(Sanction.lifted_by))
        .order_by(col(Sanction.id).desc())
        .limit(LISTED)
    )
    if player_id is not None:
        asked = asked.where(col(Sanction.player_id) == player_id)
    return list(session.exec(asked))
