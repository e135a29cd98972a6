"""The latest signs of players in an event, each kind on its own: a mail that bounced, an action on a
page, a move.

Fetching a page does not count: programs fetch pages too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.mail_tables import OutboxMail
from app.games.tables import LogCause, LogEntry
from app.leagues.tables import Competition, Match
from app.play.tables import ChatMessage


@dataclass(frozen=True, slots=True)
class LastSigns:
    """When each kind of sign last occurred; None: not in this event so far."""

    bounced_at: datetime | None = None
    """A mail that had been accepted bounced."""
    acted_at: datetime | None = None
    """The player acted on a page of a decision, or wrote at a table."""
    moved_at: datetime | None = None
    """The player made a decision; neither standing orders nor a previous holder of the seat count."""


NO_SIGNS = LastSigns()


def last(
    session: Session, event: Competition, matches: Sequence[Match], players: Collection[int | None]
) -> dict[int, LastSigns]:
    """Return the latest signs of these players in the matches of an event, by player; two statements, or none without
    players.
    """
    mine = {player for player in players if player is not None}
    games = {match.game_id for match in matches for seat in match.seats if match.game_id and seat.player_id in mine}
    if not games:
        return {}
    said, moved = _at_tables(session, event, matches, mine)
    mails = _mails(session, games, mine)
    found = {}
    for player in mine:
        mail = mails.get(player)
        acts = [at for at in (said.get(player), mail.seen if mail else None) if at is not None]
        found[player] = LastSigns(mail.bounced if mail else None, max(acts, default=None), moved.get(player))
    return found


def _mails(session: Session, games: Collection[int], players: Collection[int]) -> dict[int, Any]:
    asked = (
        sa.select(
            col(OutboxMail.player_id),
            sa.func.max(col(OutboxMail.bounced_at)).label("bounced"),
            sa.func.max(col(OutboxMail.seen_at)).label("seen"),
        )
        .where(col(OutboxMail.game_id).in_(games), col(OutboxMail.player_id).in_(players))
        .group_by(col(OutboxMail.player_id))
    )
    return {row.player_id: row for row in session.execute(asked)}


def _at_tables(
    session: Session, event: Competition, matches: Sequence[Match], players: Collection[int]
) -> tuple[dict[int, datetime], dict[int, datetime]]:
    """Return when each of these players last wrote at a table, and last moved."""
    theirs: dict[tuple[int, str], int] = {}
    before: list[Any] = []
    for match in matches:
        for seat in match.seats:
            if match.game_id is not None and seat.player_id in players:
                name = event.title.seats[seat.place]
                theirs[match.game_id, name] = seat.player_id
                before += [
                    sa.and_(
                        col(LogEntry.game_id) == match.game_id,
                        col(LogEntry.seat) == name,
                        col(LogEntry.decision) <= up_to,
                    )
                    for _, up_to in seat.played_by[-1:]
                    if up_to is not None
                ]
    games = {game for game, _ in theirs}
    moves = (
        sa.select(
            sa.literal("move").label("kind"),
            col(LogEntry.game_id),
            col(LogEntry.seat),
            sa.func.max(col(LogEntry.at)).label("at"),
        )
        .where(col(LogEntry.game_id).in_(games), col(LogEntry.cause) == LogCause.SEAT)
        .where(*(sa.not_(one) for one in before))
        .group_by(col(LogEntry.game_id), col(LogEntry.seat))
    )
    words = (
        sa.select(sa.literal("word"), col(ChatMessage.game_id), col(ChatMessage.seat), sa.func.max(col(ChatMessage.at)))
        .where(col(ChatMessage.game_id).in_(games))
        .group_by(col(ChatMessage.game_id), col(ChatMessage.seat))
    )
    found: dict[str, dict[int, datetime]] = {"move": {}, "word": {}}
    for kind, game, name, at in session.execute(moves.union_all(words)).all():
        player = theirs.get((game, name))
        if player is not None:
            found[kind][player] = max(at, found[kind].get(player, at))
    return found["word"], found["move"]
