"""What waits for a player and by when, for programs that read feeds and calendars. Nothing secret: no links that
answer anything, no cards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from app.games.store import GameStore, Seated
from app.games.tables import Game, GameSeat
from app.people.tables import Player
from app.play import results
from app.play.tables import Invitation, Proposal
from app.titles.registry import TITLES

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database

KINDS = ("atom", "ical")
_HOST = aliased(Player, name="host")


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


def reader(session: Session, player_id: int, version: int) -> Reader | None:
    """Whose feed a key opens; None for a key that has been changed, or an account that is gone."""
    row = session.execute(
        sa.select(col(Player.id), col(Player.language), col(Player.zone)).where(
            col(Player.id) == player_id, col(Player.feed_version) == version, col(Player.erased_at).is_(None)
        )
    ).first()
    return None if row is None else Reader(*row)


def version_of(session: Session, player_id: int) -> int:
    """The number in the player's keys."""
    return int(session.execute(sa.select(col(Player.feed_version)).where(col(Player.id) == player_id)).scalar_one())


def change_keys(database: Database, player_id: int) -> None:
    """All addresses of the player's feeds so far are dead."""
    with database.write() as session:
        mine = sa.update(Player).where(col(Player.id) == player_id)
        session.execute(mine.values(feed_version=col(Player.feed_version) + 1))
        session.commit()


def owed(session: Session, player_id: int) -> list[Owed]:
    """The decisions of all running games of a player, the reader's own first, each by its deadline. One statement."""
    own = aliased(GameSeat, name="own")
    asked = (
        sa.select(
            col(Game.id),
            col(Game.title),
            col(Game.number),
            col(Game.turn),
            col(Game.decides),
            col(Game.asked_at),
            col(Game.mailed_at),
            col(Game.deadline_at),
            col(own.seat).label("own"),
            col(GameSeat.seat),
            col(GameSeat.place),
            col(GameSeat.player_id),
            col(Player.name),
        )
        .select_from(own)
        .join(Game, col(Game.id) == col(own.game_id))
        .join(GameSeat, col(GameSeat.game_id) == col(Game.id))
        .outerjoin(Player, col(Player.id) == col(GameSeat.player_id))
        .where(col(own.player_id) == player_id, col(Game.status) == "running")
        .order_by(col(Game.id), col(GameSeat.place))
    )
    by_game: dict[int, list[Any]] = {}
    for row in session.execute(asked):
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


def asked(session: Session, player_id: int) -> list[Asked]:
    """Invitations and proposals that wait for a player, the oldest first."""
    invitations = (
        sa.select(
            col(Invitation.id), col(Game.id).label("game"), col(Game.title), col(_HOST.name), col(Invitation.made_at)
        )
        .join(Game, col(Game.id) == col(Invitation.game_id))
        .outerjoin(_HOST, col(_HOST.id) == col(Game.made_by))
        .where(
            col(Invitation.player_id) == player_id,
            col(Invitation.status) == "waiting",
            col(Invitation.kept_back_at).is_(None),
            col(Game.status) == sa.literal_column("'open'"),
        )
    )
    waiting = [
        Asked("invitation", row.id, row.game, TITLES[row.title], row.name or "", row.made_at)
        for row in session.execute(invitations)
        if row.title in TITLES
    ]
    proposed = (
        sa.select(col(Proposal.game_id), col(GameSeat.seat))
        .join(GameSeat, col(GameSeat.game_id) == col(Proposal.game_id))
        .where(col(GameSeat.player_id) == player_id, col(Proposal.status) == "waiting")
    )
    store = GameStore(session)
    for row in session.execute(proposed).all():
        game = store.load(row.game_id)
        made = results.waiting(session, game)
        if made is not None and made.answers.get(row.seat, False) is None:
            by = game.seated(made.seat)
            waiting.append(Asked("proposal", made.id, game.id, game.title, by.name or by.seat, made.made_at))
    return sorted(waiting, key=lambda one: (one.asked_at, one.kind, one.id))
