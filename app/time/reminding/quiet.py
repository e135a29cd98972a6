"""Quiet hours: mails that are due in a player's night wait for the morning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.database import Database
from app.base.stored.outbox import MailInfo, is_asked_for
from app.base.words.refusals import NotAccepted
from app.clocks.quiet import QuietHours
from app.games.tables import Game
from app.people.tables import Player
from app.time import pending
from app.time.reminding.reminders import told_by
from engine.kernel.text import Text

_QUIET = sa.select(col(Player.id), col(Player.quiet_from), col(Player.quiet_to), col(Player.zone)).where(
    col(Player.id).in_(sa.bindparam("players", expanding=True)), col(Player.quiet_from).is_not(None)
)
_MOMENTS = sa.select(col(Game.deadline_at), col(Game.check_at)).where(col(Game.id) == sa.bindparam("game"))


def held(session: Session, mails: Sequence[Any], now: datetime) -> dict[int, datetime]:
    """Return which of the mails wait, by number, and until when: their reader has quiet hours now, did not just ask for
    them, and nothing that they are about ends before the morning."""
    about = [mail for mail in mails if not is_asked_for(mail)]
    players = {mail.player_id for mail in about if mail.player_id is not None}
    if not players:
        return {}
    rows = session.execute(_QUIET, {"players": sorted(players)}).all()
    nights = {row.id: QuietHours(row.quiet_from, row.quiet_to, row.zone).night(now) for row in rows}
    waiting = {}
    for mail in about:
        night = nights.get(mail.player_id)
        if night is not None and not _ends_before(session, mail, night.end):
            waiting[mail.id] = night.end
    return waiting


def _ends_before(session: Session, mail: MailInfo, morning: datetime) -> bool:
    for rung in told_by(mail) if mail.kind == "reminder" else [mail]:
        if rung.number is None or rung.game_id is None:
            continue
        row = session.execute(_MOMENTS, {"game": rung.game_id}).first()
        if row is not None and any(at is not None and at <= morning for at in row):
            return True
    return False


# -- setting ----------------------------------------------------------------------------------------


def settle(database: Database, player_id: int, start: str, end: str, *, now: datetime) -> None:
    """Set the quiet hours of a player from two times of day such as `22:30`; two empty ones switch them off.
    NotAccepted if one is not a time of day, only one is given, or both are the same."""
    if not start.strip() and not end.strip():
        minutes: tuple[int | None, int | None] = None, None
    else:
        minutes = _minutes(start), _minutes(end)
        if minutes[0] == minutes[1]:
            raise NotAccepted("quiet.all", Text("Quiet hours end at another time than they begin."))
    with database.write() as session:
        pending.lock_games_of(session, player_id)
        hours = dict(zip(("quiet_from", "quiet_to"), minutes, strict=True))
        session.exec(sa.update(Player).where(col(Player.id) == player_id).values(**hours))
        pending.refresh_player(session, player_id, now)


def _minutes(given: str) -> int:
    found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", given.strip())
    if found is None:
        raise NotAccepted(
            "quiet.time",
            Text("“{given}” is not a time of day such as 22:30. Give both times, or neither.", given=given[:20]),
        )
    return int(found[1]) * 60 + int(found[2])


def time_of_day(minutes: int | None) -> str:
    """Return minutes after midnight as `22:30`; nothing for none."""
    return "" if minutes is None else f"{minutes // 60:02}:{minutes % 60:02}"
