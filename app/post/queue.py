"""The mails that wait and those that were given up, for operators; what was given up is sent again when they say so."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from app.base.mail_tables import OutboxMail
from app.base.outbox import ASKED_FOR
from app.games.tables import Game
from app.games.work import Work
from app.people.tables import Player
from app.time import open_cases, pending

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.base.database import Database

CAN_BE_SENT_FOR = timedelta(days=30)
"""A mail that was given up can be sent again for so long; then what it would say is forgotten."""
AT_ONCE = 100

_MAIL, _GAME, _PLAYER = OutboxMail.__table__, Game.__table__, Player.__table__  # type: ignore[attr-defined]
# Written out, not parameters: only so SQLite sees that the partial indexes fit.
_IS_FAILED = _MAIL.c.state == sa.literal_column("'failed'")
_IS_WAITING = _MAIL.c.state == sa.literal_column("'waiting'")
_SHOWN = (
    _MAIL.c.id, _MAIL.c.state, _MAIL.c.kind, _MAIL.c.address, _MAIL.c.game_id, _MAIL.c.made_at, _MAIL.c.sent_at,
    _MAIL.c.due_at, _MAIL.c.attempts, _MAIL.c.claimed_by, _MAIL.c.last_error,
)  # fmt: skip


def waiting(connection: Connection, most: int | None = None) -> Sequence[Any]:
    """The mails that wait, the oldest first; `attempts` are the tries that count."""
    return connection.execute(sa.select(*_SHOWN).where(_IS_WAITING).order_by(_MAIL.c.id).limit(most)).all()


def given_up(connection: Connection, most: int | None = None) -> Sequence[Any]:
    """The mails that were given up, the newest first; `sent_at` is when that was."""
    asked = sa.select(*_SHOWN).where(_IS_FAILED).order_by(_MAIL.c.sent_at.desc(), _MAIL.c.id.desc())
    return connection.execute(asked.limit(most)).all()


def send_again(
    database: Database, *, now: datetime, ids: Sequence[int] = (), address: str | None = None,
    since: datetime | None = None,
) -> int:  # fmt: skip
    """Send what was given up once more: all of the last 30 days, or those with these numbers, to this address, or given
    up since a moment; how many.

    They go to the address that the player has now. A turn's mail has the whole time to arrive again; its clock starts
    when it is accepted, and its case is closed then.
    """
    wanted = [_IS_FAILED, _MAIL.c.sent_at > now - CAN_BE_SENT_FOR]
    if ids:
        wanted.append(_MAIL.c.id.in_(ids))
    if address is not None:
        about = sa.select(_PLAYER.c.id).where(sa.func.lower(_PLAYER.c.address) == address.lower())
        wanted.append(sa.or_(sa.func.lower(_MAIL.c.address) == address.lower(), _MAIL.c.player_id.in_(about)))
    if since is not None:
        wanted.append(_MAIL.c.sent_at >= since)
    asked = sa.select(_MAIL.c.id, _MAIL.c.kind, _MAIL.c.player_id, _MAIL.c.game_id, _MAIL.c.number)
    asked = asked.where(*wanted).order_by(_MAIL.c.game_id, _MAIL.c.id).limit(AT_ONCE)
    sent = 0
    while True:
        with Work(database) as work:
            rows = work.connection.execute(asked).all()
            sent += sum(_send_again(work.connection, row, now) for row in rows)
            work.commit()
        if len(rows) < AT_ONCE:
            return sent


def _send_again(connection: Connection, row: Any, now: datetime) -> bool:
    # The game first, as whoever plays in it locks it.
    if row.kind == "turn" and row.game_id is not None:
        connection.execute(sa.select(_GAME.c.id).where(_GAME.c.id == row.game_id).with_for_update())
        _give_time_to_arrive(connection, row.game_id, row.number, now)
    values: dict[str, Any] = {
        "state": "waiting", "due_at": now, "attempts": 0, "tried_at": None, "sent_at": None, "claimed_by": None,
        "message": None, "rendered_at": None,
    }  # fmt: skip
    if row.player_id is not None and row.kind not in ASKED_FOR:
        own = sa.select(_PLAYER.c.address).where(_PLAYER.c.id == row.player_id).scalar_subquery()
        values["address"] = sa.func.coalesce(own, _MAIL.c.address)
    return connection.execute(sa.update(_MAIL).where(_MAIL.c.id == row.id, _IS_FAILED).values(**values)).rowcount == 1


def _give_time_to_arrive(connection: Connection, game_id: int, number: int | None, now: datetime) -> None:
    decision = pending.owed(connection, game_id)
    if decision is None or decision.number != number or decision.mailed_at is not None:
        return
    if open_cases.running(connection, game_id) is None:
        connection.execute(sa.update(_GAME).where(_GAME.c.id == game_id).values(asked_at=now))
        pending.refresh_game(connection, game_id, now)


def forget(connection: Connection, now: datetime) -> int:
    """Delete what mails would say that were given up too long ago; how many."""
    old = sa.and_(_IS_FAILED, _MAIL.c.sent_at <= now - CAN_BE_SENT_FOR, _MAIL.c.details != {})
    return connection.execute(sa.update(_MAIL).where(old).values(details={})).rowcount
