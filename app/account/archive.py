"""Finished games, for everybody: a page of them by title, edition, result, year and player.

A game is listed only if everybody who played it has a public profile. Pages follow an index, newest first; what no
index knows (edition, result) is checked row by row, and one page checks a bounded number of rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.columns import UTCDateTime
from app.base.stored.database import kind_of
from app.games.store import SeatHolder
from app.games.tables import Game, GameSeat, GameStatus
from app.people.tables import Player, searchable
from app.play.lists import scores
from app.play.lists.ends import winners_of
from app.play.lists.privacy import IS_PUBLIC
from app.titles.registry import TITLES

ON_A_PAGE = 50
IN_A_BATCH = 200
MOST_LOOKED_AT = 1000
"""Rows that one page checks when edition or result rule most of them out."""
PEOPLE_LISTED = 20
ENDINGS = ("rules", "resignation", "time", "agreed")
"""How a game can have ended: by its rules, or from outside."""

# Written out, not a parameter: only then does SQLite see that the partial index fits.
_IS_OVER = col(Game.status) == sa.literal_column("'over'")


@dataclass(frozen=True, slots=True)
class ArchiveFilter:
    """What to list; empty fields match everything. `result` is `won-SEAT`, `nobody`, or one of `ENDINGS`."""

    title: str = ""
    edition: str = ""
    result: str = ""
    year: int | None = None
    player_id: int | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """Where a page ends: the next one begins after this game."""

    ended_at: datetime
    id: int


@dataclass(frozen=True, slots=True)
class ArchivedGame:
    """A finished game."""

    row: Game
    seats: tuple[SeatHolder, ...]

    @property
    def result(self) -> Mapping[str, Any]:
        """How it ended."""
        return self.row.result or {}

    @property
    def winners(self) -> tuple[str, ...]:
        """The seats that have won."""
        return winners_of(self.result)

    @property
    def points(self) -> Mapping[str, int]:
        """The points of each seat at the end, if the record has them."""
        return scores.points(self.result)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of games, and where the next one begins (None on the last page)."""

    games: tuple[ArchivedGame, ...]
    following: Key | None


def ending_of(result: Mapping[str, Any]) -> str:
    """Return how the game ended."""
    reason = str(result.get("reason", ""))
    return reason if reason in ENDINGS else "rules"


def fits(wanted: ArchiveFilter, options: Mapping[str, Any], result: Mapping[str, Any]) -> bool:
    """Return whether a game has the wanted edition and result."""
    if wanted.edition and options.get("edition") != wanted.edition:
        return False
    if not wanted.result:
        return True
    if wanted.result in ENDINGS:
        return ending_of(result) == wanted.result
    winners = winners_of(result)
    return not winners if wanted.result == "nobody" else wanted.result.removeprefix("won-") in winners


def page(session: Session, wanted: ArchiveFilter, after: Key | None = None) -> Page:
    """Return the next fifty games, newest first."""
    found: list[ArchivedGame] = []
    looked_at = 0
    while looked_at < MOST_LOOKED_AT:
        rows = _batch(session, wanted, after)
        seats = _seats(session, [row.id for row in rows])
        for row in rows:
            assert row.ended_at is not None  # `_batch` asks for it
            if row.id in seats and row.title in TITLES and fits(wanted, row.options, row.result or {}):
                if len(found) == ON_A_PAGE:
                    return Page(tuple(found), after)
                found.append(ArchivedGame(row, seats[row.id]))
            after = Key(row.ended_at, row.id)
        looked_at += len(rows)
        if len(rows) < _batch_size(wanted):
            return Page(tuple(found), None)
    return Page(tuple(found), after)


def _batch_size(wanted: ArchiveFilter) -> int:
    return IN_A_BATCH if wanted.edition or wanted.result else ON_A_PAGE + 1


def _batch(session: Session, wanted: ArchiveFilter, after: Key | None) -> Sequence[Game]:
    asked = select(Game).where(_IS_OVER, IS_PUBLIC)
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
    newest = asked.where(col(Game.ended_at).is_not(None)).order_by(moment.desc(), col(Game.id).desc())
    return session.exec(newest.limit(_batch_size(wanted))).all()


def _seats(session: Session, ids: Sequence[int]) -> dict[int, tuple[SeatHolder, ...]]:
    """Return the seats of those games whose players all have public profiles."""
    seats: dict[int, list[SeatHolder]] = {}
    hidden: set[int] = set()
    asked = (
        select(GameSeat, Player)
        .outerjoin(Player, col(Player.id) == col(GameSeat.player_id))
        .where(col(GameSeat.game_id).in_(ids))
        .order_by(col(GameSeat.game_id), col(GameSeat.place))
    )
    for seat, player in session.exec(asked):
        if player is not None and player.erased_at is None and not player.profile_is_public:
            hidden.add(seat.game_id)
        name = player.name if player is not None else seat.named or ""
        seats.setdefault(seat.game_id, []).append(holder(seat, name))
    return {game_id: tuple(those) for game_id, those in seats.items() if game_id not in hidden}


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
