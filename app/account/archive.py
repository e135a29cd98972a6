"""Finished games, for everybody: a page of them by title, year and player.

A game is listed only if everybody who played it has a public profile. Pages follow an index, newest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from app.base.stored.columns import UTCDateTime
from app.base.stored.database import kind_of
from app.games.store import SeatHolder
from app.games.tables import Game, GameSeat, GameStatus
from app.people.tables import Player, searchable
from app.play.lists.privacy import IS_PUBLIC
from app.titles.registry import TITLES

ON_A_PAGE = 50
PEOPLE_LISTED = 20

# Written out, not a parameter: only then does SQLite see that the partial index fits.
_IS_OVER = col(Game.status) == sa.literal_column("'over'")


@dataclass(frozen=True, slots=True)
class ArchiveFilter:
    """What to list; empty fields match everything."""

    title: str = ""
    year: int | None = None
    player_id: int | None = None


class Key(NamedTuple):
    """Where a page ends: the next one begins after this game."""

    ended_at: datetime
    id: int


class ArchivedGame(NamedTuple):
    """A finished game, with its seats in order."""

    row: Game
    seats: tuple[SeatHolder, ...]


class Page(NamedTuple):
    """Some of the games asked for, newest first, and the end of this page if there are more."""

    games: tuple[ArchivedGame, ...]
    following: Key | None


def page(session: Session, wanted: ArchiveFilter, after: Key | None = None) -> Page:
    """Return the games after a key; from the newest on if there is none."""
    rows = session.exec(_asked(wanted, after).limit(ON_A_PAGE + 1)).all()
    last = rows[ON_A_PAGE - 1] if len(rows) > ON_A_PAGE else None
    following = Key(last.ended_at, last.id) if last is not None and last.ended_at is not None else None
    rows = [row for row in rows[:ON_A_PAGE] if row.title in TITLES]
    seats = _seats(session, [row.id for row in rows])
    return Page(tuple(ArchivedGame(row, tuple(seats[row.id])) for row in rows), following)


def _asked(wanted: ArchiveFilter, after: Key | None) -> SelectOfScalar[Game]:
    hides = sa.and_(col(Player.erased_at).is_(None), col(Player.profile_is_public).is_(False))
    hidden = sa.exists().where(col(GameSeat.game_id) == col(Game.id), col(Player.id) == col(GameSeat.player_id), hides)
    asked = select(Game).where(_IS_OVER, IS_PUBLIC, ~hidden)
    if wanted.player_id is not None:
        own = sa.select(col(GameSeat.game_id)).where(col(GameSeat.player_id) == wanted.player_id)
        asked = asked.where(col(Game.id).in_(own))
    if wanted.title:
        asked = asked.where(col(Game.title) == wanted.title)
    if wanted.year is not None:
        begins, ends = (datetime(year, 1, 1, tzinfo=UTC) for year in (wanted.year, wanted.year + 1))
        asked = asked.where(col(Game.ended_at) >= begins, col(Game.ended_at) < ends)
    if after is not None:
        here = sa.tuple_(sa.literal(after.ended_at, UTCDateTime()), after.id)
        asked = asked.where(sa.tuple_(col(Game.ended_at), col(Game.id)) < here)
    # For one player all games are looked up and sorted; otherwise the order is that of the index.
    moment = (
        col(Game.ended_at) if wanted.player_id is None else sa.func.coalesce(col(Game.ended_at), col(Game.created_at))
    )
    return asked.where(col(Game.ended_at).is_not(None)).order_by(moment.desc(), col(Game.id).desc())


def _seats(session: Session, ids: Sequence[int]) -> dict[int, list[SeatHolder]]:
    """Return the seats of games, in order."""
    seats: dict[int, list[SeatHolder]] = {game_id: [] for game_id in ids}
    asked = (
        select(GameSeat, Player)
        .outerjoin(Player, col(Player.id) == col(GameSeat.player_id))
        .where(col(GameSeat.game_id).in_(ids))
        .order_by(col(GameSeat.game_id), col(GameSeat.place))
    )
    for seat, player in session.exec(asked):
        seats[seat.game_id].append(holder(seat, player.name if player is not None else seat.named or ""))
    return seats


def holder(seat: GameSeat, name: str) -> SeatHolder:
    """Return who sits in a seat, with what pages for everybody show."""
    return SeatHolder(seat.seat, seat.place, seat.player_id, name, held_by=seat.held_by or "")


# A person who was invited but never came has a row too, and has agreed to nothing: only those who play are shown.
_IS_SEEN = sa.and_(
    col(Player.profile_is_public).is_(True),
    col(Player.erased_at).is_(None),
    sa.exists().where(
        col(GameSeat.player_id) == col(Player.id),
        col(GameSeat.game_id) == col(Game.id),
        col(Game.status).in_([GameStatus.RUNNING, GameStatus.OVER]),
        IS_PUBLIC,
    ),
)


def player(session: Session, player_id: int) -> sa.Row[int, str] | None:
    """Return a player who plays or has played and has a public profile: `id` and `name`."""
    asked = sa.select(col(Player.id), col(Player.name)).where(col(Player.id) == player_id, _IS_SEEN)
    return session.execute(asked).first()


def people(session: Session, name: str) -> Sequence[sa.Row[int, str]]:
    """Return the public players whose names begin with this, ignoring case and accents, sorted by name."""
    begins = searchable(name)
    if not begins:
        return []
    if kind_of(session) == "sqlite":
        # A range finds the index; LIKE does not, with a parameter.
        like = sa.and_(col(Player.name_key) >= begins, col(Player.name_key) < begins + "\U0010ffff")
    else:
        like = col(Player.name_key).startswith(begins, autoescape=True)
    asked = (
        sa.select(col(Player.id), col(Player.name))
        .where(like, _IS_SEEN)
        .order_by(col(Player.name_key), col(Player.id))
        .limit(PEOPLE_LISTED)
    )
    return session.execute(asked).all()
