"""What waits for a player and by when, for programs that read feeds and calendars. Nothing secret: no links that
answer anything, no cards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from app.games.store import GameStore, Seated
from app.games.tables import Game, GameSeat
from app.people.tables import Player
from app.play import results
from app.play.tables import Invitation, Proposal
from app.titles.registry import TITLES

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.base.database import Database

KINDS = ("atom", "ical")
_GAME, _SEAT, _PLAYER = Game.__table__, GameSeat.__table__, Player.__table__  # type: ignore[attr-defined]
_INVITATION, _PROPOSAL = Invitation.__table__, Proposal.__table__  # type: ignore[attr-defined]
_HOST = _PLAYER.alias("host")


@dataclass(frozen=True, slots=True)
class Reader:
    """Whose feed it is, and how they want it."""

    id: int
    language: str
    zone: str


@dataclass(frozen=True, slots=True)
class Owed:
    """A decision of a running game: `decides` owes it, `seat` is the reader's own seat."""

    game: int
    number: int
    title: Any
    turn: int
    seat: Seated
    decides: Seated
    others: tuple[Seated, ...]
    asked_at: datetime
    deadline_at: datetime | None
    is_provisional: bool
    """The clock has not started: the mail has not been handed over yet."""

    @property
    def is_mine(self) -> bool:
        """Whether it waits for the reader."""
        return self.decides.seat == self.seat.seat


@dataclass(frozen=True, slots=True)
class Asked:
    """An `invitation` to a table, or a `proposal` about a game, that waits for the reader's answer."""

    kind: str
    id: int
    game: int
    title: Any
    by: str
    asked_at: datetime


def reader(connection: Connection, player_id: int, version: int) -> Reader | None:
    """Whose feed a key opens; None for a key that has been changed, or an account that is gone."""
    row = connection.execute(
        sa.select(_PLAYER.c.id, _PLAYER.c.language, _PLAYER.c.zone).where(
            _PLAYER.c.id == player_id, _PLAYER.c.feed_version == version, _PLAYER.c.erased_at.is_(None)
        )
    ).first()
    return None if row is None else Reader(*row)


def version_of(connection: Connection, player_id: int) -> int:
    """The number in the player's keys."""
    return int(connection.execute(sa.select(_PLAYER.c.feed_version).where(_PLAYER.c.id == player_id)).scalar_one())


def change_keys(database: Database, player_id: int) -> None:
    """All addresses of the player's feeds so far are dead."""
    with database.write() as connection:
        mine = sa.update(_PLAYER).where(_PLAYER.c.id == player_id)
        connection.execute(mine.values(feed_version=_PLAYER.c.feed_version + 1))
        connection.commit()


def owed(connection: Connection, player_id: int) -> list[Owed]:
    """The decisions of all running games of a player, the reader's own first, each by its deadline. One statement."""
    own = _SEAT.alias("own")
    asked = (
        sa.select(
            _GAME.c.id, _GAME.c.title, _GAME.c.number, _GAME.c.turn, _GAME.c.decides, _GAME.c.asked_at,
            _GAME.c.mailed_at, _GAME.c.deadline_at, own.c.seat.label("own"), _SEAT.c.seat, _SEAT.c.place,
            _SEAT.c.player_id, _PLAYER.c.name,
        )
        .select_from(own)
        .join(_GAME, _GAME.c.id == own.c.game_id)
        .join(_SEAT, _SEAT.c.game_id == _GAME.c.id)
        .outerjoin(_PLAYER, _PLAYER.c.id == _SEAT.c.player_id)
        .where(own.c.player_id == player_id, _GAME.c.status == "running")
        .order_by(_GAME.c.id, _SEAT.c.place)
    )  # fmt: skip
    by_game: dict[int, list[Any]] = {}
    for row in connection.execute(asked):
        if row.title in TITLES:
            by_game.setdefault(row.id, []).append(row)
    found = [_owed(rows) for rows in by_game.values()]
    return sorted(found, key=lambda one: (not one.is_mine, one.deadline_at or one.asked_at, one.game))


def _owed(rows: list[Any]) -> Owed:
    first = rows[0]
    seats = {row.seat: Seated(row.seat, row.place, row.player_id, row.name or "", "", "en", "UTC", ()) for row in rows}
    others = tuple(seated for seat, seated in seats.items() if seat != first.own)
    return Owed(
        first.id, first.number, TITLES[first.title], first.turn, seats[first.own], seats[first.decides], others,
        first.asked_at, first.deadline_at, first.mailed_at is None,
    )  # fmt: skip


def asked(connection: Connection, player_id: int) -> list[Asked]:
    """Invitations and proposals that wait for a player, the oldest first."""
    invitations = (
        sa.select(_INVITATION.c.id, _GAME.c.id.label("game"), _GAME.c.title, _HOST.c.name, _INVITATION.c.made_at)
        .join(_GAME, _GAME.c.id == _INVITATION.c.game_id)
        .outerjoin(_HOST, _HOST.c.id == _GAME.c.made_by)
        .where(
            _INVITATION.c.player_id == player_id, _INVITATION.c.status == "waiting",
            _INVITATION.c.kept_back_at.is_(None), _GAME.c.status == sa.literal_column("'open'"),
        )
    )  # fmt: skip
    waiting = [
        Asked("invitation", row.id, row.game, TITLES[row.title], row.name or "", row.made_at)
        for row in connection.execute(invitations)
        if row.title in TITLES
    ]
    proposed = (
        sa.select(_PROPOSAL.c.game_id, _SEAT.c.seat)
        .join(_SEAT, _SEAT.c.game_id == _PROPOSAL.c.game_id)
        .where(_SEAT.c.player_id == player_id, _PROPOSAL.c.status == "waiting")
    )
    store = GameStore(connection)
    for row in connection.execute(proposed).all():
        game = store.load(row.game_id)
        made = results.waiting(connection, game)
        if made is not None and made.answers.get(row.seat, False) is None:
            by = game.seated(made.seat)
            waiting.append(Asked("proposal", made.id, game.id, game.title, by.name or by.seat, made.made_at))
    return sorted(waiting, key=lambda one: (one.asked_at, one.kind, one.id))
