"""What a player has in hand: one row for each game, in one statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from app.base.prepared import Prepared
from app.games.tables import Game, GameSeat
from app.people.tables import Player
from app.play.tables import Invitation
from app.titles.registry import TITLES

if TYPE_CHECKING:
    from sqlalchemy import Connection

JUST_ENDED = timedelta(days=14)
"""Games that are over stay among the others for so long; older ones have a page of their own."""
ON_A_PAGE = 50

_GAME, _SEAT = Game.__table__, GameSeat.__table__  # type: ignore[attr-defined]
_PLAYER, _INVITATION = Player.__table__, Invitation.__table__  # type: ignore[attr-defined]
_FIELD, _SEAT_END = "\x1f", "\x1e"
# The seats come as one text: a row less is a step of the database less, and there are as many rows as games.
_SEATS = sa.func.aggregate_strings(
    sa.cast(_SEAT.c.place, sa.String)
    + _FIELD
    + _SEAT.c.seat
    + _FIELD
    + sa.case((_SEAT.c.player_id == sa.bindparam("me"), "me"), else_="")
    + _FIELD
    + sa.func.coalesce(_PLAYER.c.name, ""),
    _SEAT_END,
).label("seats")
_COLUMNS = (
    _GAME.c.id, _GAME.c.title, _GAME.c.status, _GAME.c.turn, _GAME.c.decides, _GAME.c.deadline_at, _GAME.c.ended_at,
    _GAME.c.result,
)  # fmt: skip
_SITS = sa.select(_SEAT.c.game_id).where(_SEAT.c.player_id == sa.bindparam("me"))
# Written out, not parameters: only so SQLite sees whether the partial index fits, and does not plan anew each time.
_IS_OPEN = _GAME.c.status == sa.literal_column("'open'")
_IS_RUNNING = _GAME.c.status == sa.literal_column("'running'")
_HOSTS = sa.select(_GAME.c.id).where(_GAME.c.made_by == sa.bindparam("me"), _IS_OPEN)
_INVITED = sa.select(_INVITATION.c.game_id).where(
    _INVITATION.c.player_id == sa.bindparam("me"), _INVITATION.c.status == "waiting",
    _INVITATION.c.kept_back_at.is_(None),
)  # fmt: skip
_TABLES = _GAME.join(_SEAT, _SEAT.c.game_id == _GAME.c.id).outerjoin(_PLAYER, _PLAYER.c.id == _SEAT.c.player_id)
_ROWS = sa.select(*_COLUMNS, _SEATS).select_from(_TABLES).group_by(*_COLUMNS).order_by(_GAME.c.id.desc())
_IS_CURRENT = sa.and_(
    _GAME.c.id.in_(sa.union(_SITS, _HOSTS, _INVITED)),
    sa.or_(_IS_OPEN, _IS_RUNNING, _GAME.c.ended_at > sa.bindparam("since")),
)
_CURRENT = _ROWS.where(_IS_CURRENT)
CURRENT = Prepared(
    sa.select(*_COLUMNS, _SEAT.c.place, _SEAT.c.seat, _SEAT.c.player_id, _PLAYER.c.name)
    .select_from(_TABLES)
    .where(_IS_CURRENT)
    .order_by(_GAME.c.id, _SEAT.c.place)
)
"""What `current` makes its games of, for `me` and `since`: to see whether anything has changed."""
_PAST_IDS = (
    sa.select(_GAME.c.id)
    .join(_SEAT, _SEAT.c.game_id == _GAME.c.id)
    .where(
        _SEAT.c.player_id == sa.bindparam("me"),
        _GAME.c.status.in_(["over", "cancelled"]),
        _GAME.c.id < sa.bindparam("before"),
    )
    .order_by(_GAME.c.id.desc())
    .limit(ON_A_PAGE)
)
_PAST = _ROWS.where(_GAME.c.id.in_(_PAST_IDS.scalar_subquery()))


@dataclass(frozen=True, slots=True)
class MyGame:
    """A game as one player has it in hand. `seat` is None where the player is invited, or only the host."""

    id: int
    title: Any
    status: str
    turn: int
    seat: str | None
    decides: str | None
    decider: str
    """The name of who decides; empty where nobody does."""
    deadline_at: datetime | None
    ended_at: datetime | None
    result: Any
    opponents: tuple[tuple[str, str], ...]
    """Seat and name of the others; the name is empty while the seat is."""

    @property
    def is_mine_to_decide(self) -> bool:
        return self.decides is not None and self.decides == self.seat

    @property
    def urgency(self) -> tuple[int, float]:
        """Sorts what is to be done first to the top: mine by deadline, tables, others' by deadline, what is over."""
        if self.status in ("over", "cancelled"):
            return 3, -self.ended_at.timestamp() if self.ended_at else 0.0
        if self.status == "open":
            return 1, -self.id
        return (0 if self.is_mine_to_decide else 2), self.deadline_at.timestamp() if self.deadline_at else 0.0


def current(connection: Connection, player_id: int, now: datetime) -> list[MyGame]:
    """Running games, tables, invitations and what ended lately, the most urgent first."""
    rows = connection.execute(_CURRENT, {"me": player_id, "since": now - JUST_ENDED}).all()
    return sorted(_games(rows), key=lambda game: game.urgency)


@dataclass(frozen=True, slots=True)
class Waiting:
    """The decision of a player that is due first."""

    game_id: int
    title: Any
    number: int
    seat: str
    deadline_at: datetime | None
    opponents: tuple[tuple[str, str], ...]
    """Seat and name of the others."""
    more: int
    """So many other games wait for the player, too."""


def next_waiting(connection: Connection, player_id: int, but: int) -> Waiting | None:
    """The game that waits for this player and is due first, other than the game `but`; those without a deadline come
    last."""
    first = connection.execute(
        sa.select(
            _GAME.c.id, _GAME.c.title, _GAME.c.number, _GAME.c.deadline_at, _SEAT.c.seat, sa.func.count().over()
        )
        .join(_SEAT, _SEAT.c.game_id == _GAME.c.id)
        .where(
            _SEAT.c.player_id == player_id, _SEAT.c.seat == _GAME.c.decides, _IS_RUNNING, _GAME.c.id != but,
            _GAME.c.title.in_(list(TITLES)),
        )
        .order_by(_GAME.c.deadline_at.is_(None), _GAME.c.deadline_at, _GAME.c.id)
        .limit(1)
    ).first()  # fmt: skip
    if first is None:
        return None
    game_id, title, number, deadline_at, mine, waiting = first
    seats = connection.execute(
        sa.select(_SEAT.c.seat, sa.func.coalesce(_PLAYER.c.name, ""))
        .outerjoin(_PLAYER, _PLAYER.c.id == _SEAT.c.player_id)
        .where(_SEAT.c.game_id == game_id, _SEAT.c.seat != mine)
        .order_by(_SEAT.c.place)
    )
    others = tuple((seat, name) for seat, name in seats)
    return Waiting(game_id, TITLES[title], number, mine, deadline_at, others, waiting - 1)


def past(connection: Connection, player_id: int, before: int) -> list[MyGame]:
    """Games that are over with a smaller number than `before`, the newest first."""
    return _games(connection.execute(_PAST, {"me": player_id, "before": before}).all())


def _games(rows: Sequence[Any]) -> list[MyGame]:
    return [_game(*row) for row in rows if row.title in TITLES]


def _game(
    game_id: int, title: str, status: str, turn: int, decides: str | None, deadline_at: datetime | None,
    ended_at: datetime | None, result: Any, seats: str,
) -> MyGame:  # fmt: skip
    mine, decider, others = None, "", []
    for _, seat, me, name in sorted([one.split(_FIELD) for one in seats.split(_SEAT_END)], key=_place):
        if seat == decides:
            decider = name
        if me:
            mine = seat
        else:
            others.append((seat, name))
    return MyGame(
        game_id, TITLES[title], status, turn, mine, decides, decider, deadline_at, ended_at, result, tuple(others)
    )


def _place(seat: list[str]) -> int:
    return int(seat[0])
