"""The statements that read and write a game, built once, and the rows that they give; `store` runs them."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import sqlmodel
from sqlalchemy import Select, bindparam, func, insert, literal_column, select, update
from sqlalchemy.orm import Mapped
from sqlmodel import col

from app.base.stored.prepared import PreparedRead, PreparedWrite
from app.games.tables import DecisionMade, Game, GameSeat, GameState, LogEntry
from app.people.tables import Player


@dataclass(frozen=True, kw_only=True)
class GameColumns:
    """What is known of a game as it stands in its row: each field is a column of `Game`, and is read with it."""

    id: int
    options: Mapping[str, Any]
    status: str
    source: str
    number: int
    entries: int
    chance_used: int
    seed: str | None = None
    seed_number: int | None = None
    decides: str | None
    kind: str | None
    on_turn: str | None
    turn: int
    asked_at: datetime | None = None
    mailed_at: datetime | None = None
    deadline_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    result: Mapping[str, Any] | None = None
    is_private: bool = False
    """Whether only its players see it."""
    is_rated: bool = False
    """Whether it counts for casual ratings; events have their own."""
    has_computer: bool = False
    rules: int = 1
    """The number of the rules with which it began."""


GAME_COLUMNS = tuple(one.name for one in fields(GameColumns))
_row: Any = namedtuple
GameRow = _row("GameRow", (*GAME_COLUMNS, "title", "pace", "state"))


class EventsRow(NamedTuple):
    number: int
    events: list[Any]
    back_to: int | None
    seat: str | None
    kind: str | None
    cause: str


class OwnAnswer(NamedTuple):
    """A decision that a seat answered itself: the log's last entry at that point, and the turn."""

    last_entry: int
    turn: int


class _OneNumber(NamedTuple):
    number: int | None


# Written out, not a parameter: with one, SQLite would plan the statement again each time, for the sake of an index of
# open games.
_IS_RUNNING = col(Game.status) == literal_column("'running'")
# Built once: building a statement costs more than running it.
_SELECT_GAME = (
    select(*[getattr(Game, name) for name in (*GAME_COLUMNS, "title", "pace")], col(GameState.state))
    .join(GameState, col(GameState.game_id) == col(Game.id))
    .where(col(Game.id) == bindparam("game_id"))
)
READ_GAME = PreparedRead(_SELECT_GAME, GameRow)
LOCK_GAME = PreparedRead(_SELECT_GAME.with_for_update(), GameRow)
_SELECT_SEATS = (
    select(
        col(GameSeat.seat),
        col(GameSeat.place),
        col(GameSeat.player_id),
        func.coalesce(col(Player.name), col(GameSeat.named)).label("name"),
        col(Player.address),
        col(Player.language),
        col(Player.zone),
        col(Player.zone_chosen),
        col(GameSeat.standing),
        col(GameSeat.salt),
        col(GameSeat.bank_seconds).label("bank"),
        col(Player.mail_turns).label("wants_turns"),
        col(GameSeat.ends_turn),
        col(Player.hold_minutes),
        col(Player.sign),
        col(GameSeat.held_by),
    )
    .outerjoin(Player, col(Player.id) == col(GameSeat.player_id))
    .where(col(GameSeat.game_id) == bindparam("game_id"))
    .order_by(col(GameSeat.place))
)
READ_SEATS = PreparedRead(_SELECT_SEATS, _row("SeatRow", _SELECT_SEATS.selected_columns.keys()))
MOVE_STATE = PreparedWrite(
    update(GameState)
    .where(col(GameState.game_id) == bindparam("game"))
    .values(entry=bindparam("entry"), state=bindparam("state"))
)
READ_MADE = PreparedRead(
    sqlmodel.select(DecisionMade).where(
        col(DecisionMade.game_id) == bindparam("game_id"), col(DecisionMade.number) == bindparam("number")
    )
)
_WHY = (col(LogEntry.kind), col(LogEntry.cause))
_ENTRY = (col(LogEntry.number), col(LogEntry.events), col(LogEntry.back_to), col(LogEntry.seat), *_WHY)
READ_EVENTS = PreparedRead(
    select(*_ENTRY)
    .where(
        col(LogEntry.game_id) == bindparam("game_id"),
        col(LogEntry.number) > bindparam("after"),
        col(LogEntry.number) <= bindparam("until"),
    )
    .order_by(col(LogEntry.number)),
    EventsRow,
)


def sent_by_seat(*columns: Mapped[Any]) -> Select[*tuple[Any, ...]]:
    """Return the query for the decisions of `game_id` for which `seat` has sent orders, newest first."""
    return (
        select(*columns)
        .where(
            col(DecisionMade.game_id) == bindparam("game_id"),
            col(DecisionMade.seat) == bindparam("seat"),
            col(DecisionMade.orders).is_not(None),
        )
        .order_by(col(DecisionMade.number).desc())
    )


READ_OWN = PreparedRead(
    sent_by_seat(col(DecisionMade.last_entry), col(DecisionMade.turn)).limit(bindparam("most")), OwnAnswer
)
_ANSWERED_LAST = select(func.max(col(DecisionMade.last_entry))).where(
    col(DecisionMade.game_id) == col(Game.id),
    col(DecisionMade.seat) == col(Game.decides),
    col(DecisionMade.orders).is_not(None),
)
SELECT_NEWS = (
    select(col(Game.id), *_ENTRY)
    .join(LogEntry, col(LogEntry.game_id) == col(Game.id))
    .where(col(LogEntry.number) > func.coalesce(_ANSWERED_LAST.scalar_subquery(), 0))
    .order_by(col(Game.id), col(LogEntry.number))
)
_LAST_OWN = sent_by_seat(col(DecisionMade.number)).limit(1).scalar_subquery()
READ_FIRST_OF_OWN = PreparedRead(
    select(func.min(col(LogEntry.number)).label("number")).where(
        col(LogEntry.game_id) == bindparam("game_id"), col(LogEntry.decision) == _LAST_OWN
    ),
    _OneNumber,
)
READ_LAST_OF_SEAT = PreparedRead(
    select(func.max(col(DecisionMade.number)).label("number")).where(
        col(DecisionMade.game_id) == bindparam("game_id"), col(DecisionMade.seat) == bindparam("seat")
    ),
    _OneNumber,
)
READ_LAST_BEFORE = PreparedRead(
    select(func.max(col(LogEntry.number)).label("number")).where(
        col(LogEntry.game_id) == bindparam("game_id"), col(LogEntry.decision) < bindparam("number")
    ),
    _OneNumber,
)
READ_LOG = PreparedRead(
    sqlmodel.select(LogEntry)
    .where(col(LogEntry.game_id) == bindparam("game_id"), col(LogEntry.number) > bindparam("after"))
    .order_by(col(LogEntry.number))
)

WRITE_ENTRY = PreparedWrite(insert(LogEntry))
WRITE_MADE = PreparedWrite(insert(DecisionMade))


@cache
def move_game(columns: tuple[str, ...]) -> PreparedWrite:
    """Return the guarded update of these columns of a game; there are only a few sets of columns."""
    return PreparedWrite(
        update(Game)
        .where(col(Game.id) == bindparam("game_id"), col(Game.number) == bindparam("was"), _IS_RUNNING)
        .values({name: bindparam(name) for name in columns})
    )
