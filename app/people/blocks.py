"""People whom a player does not want to meet (`block`) or to read (`mute`)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from app.base.refusals import NotAccepted
from app.games.tables import Game, GameSeat
from app.people.tables import Block, Player
from app.play.tables import Invitation
from engine.kernel.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

    from app.base.database import Database

KINDS = ("block", "mute")
LISTED = 100
_BLOCK, _PLAYER = Block.__table__, Player.__table__  # type: ignore[attr-defined]
_GAME, _SEAT, _INVITATION = Game.__table__, GameSeat.__table__, Invitation.__table__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Met:
    """Somebody whom a player has met, and what the player has set about them."""

    id: int
    name: str
    blocked: bool
    muted: bool


def settle(database: Database, player_id: int, other_id: int, kinds: Iterable[str], *, now: datetime) -> None:
    """From now on these kinds hold about the other player, and no more. NotAccepted for oneself or nobody."""
    wanted = set(kinds)
    if not wanted <= set(KINDS):
        raise NotAccepted("block.kind", Text("Choose whether to block or to mute."))
    if other_id == player_id:
        raise NotAccepted("block.self", Text("This is you."))
    with database.write() as connection:
        there = sa.select(_PLAYER.c.id).where(_PLAYER.c.id == other_id, _PLAYER.c.erased_at.is_(None))
        if connection.execute(there.with_for_update()).first() is None:
            raise NotAccepted("player.unknown", Text("There is no such player."))
        about = sa.and_(_BLOCK.c.player_id == player_id, _BLOCK.c.other_id == other_id)
        has = set(connection.scalars(sa.select(_BLOCK.c.kind).where(about)))
        connection.execute(sa.delete(_BLOCK).where(about, _BLOCK.c.kind.not_in(wanted)))
        for kind in sorted(wanted - has):
            row = {"player_id": player_id, "other_id": other_id, "kind": kind, "made_at": now}
            connection.execute(sa.insert(_BLOCK).values(**row))
        if "block" in wanted:
            keep_back(connection, player_id, other_id, now)
            keep_back(connection, other_id, player_id, now)
        connection.commit()


def kinds_about(connection: Connection, player_id: int, other_id: int) -> set[str]:
    """What a player has set about another."""
    about = sa.and_(_BLOCK.c.player_id == player_id, _BLOCK.c.other_id == other_id)
    return set(connection.scalars(sa.select(_BLOCK.c.kind).where(about)))


def are_apart(connection: Connection, one_id: int | None, others: Iterable[int | None]) -> bool:
    """Whether this player has blocked one of the others, or the other way round. Nobody is told which."""
    ids = [other for other in others if other is not None and other != one_id]
    if one_id is None or not ids:
        return False
    between = sa.or_(
        sa.and_(_BLOCK.c.player_id == one_id, _BLOCK.c.other_id.in_(ids)),
        sa.and_(_BLOCK.c.other_id == one_id, _BLOCK.c.player_id.in_(ids)),
    )
    asked = sa.select(_BLOCK.c.id).where(_BLOCK.c.kind == "block", between).limit(1)
    return connection.execute(asked).first() is not None


def is_apart_from_table(connection: Connection, game_id: int, player_id: int) -> bool:
    """Whether a block stands between a player and somebody at the table, or its host."""
    there = sa.select(_SEAT.c.player_id).where(_SEAT.c.game_id == game_id, _SEAT.c.player_id.is_not(None))
    host = sa.select(_GAME.c.made_by).where(_GAME.c.id == game_id, _GAME.c.made_by.is_not(None))
    return are_apart(connection, player_id, connection.scalars(sa.union(there, host)).all())


def tables_apart(player_id: int) -> Any:
    """The numbers of the open tables between which and a player a block stands, as a statement."""
    other = sa.case((_BLOCK.c.player_id == player_id, _BLOCK.c.other_id), else_=_BLOCK.c.player_id)
    between = sa.select(other).where(
        _BLOCK.c.kind == "block", sa.or_(_BLOCK.c.player_id == player_id, _BLOCK.c.other_id == player_id)
    )
    is_open = _GAME.c.status == sa.literal_column("'open'")
    seated = (
        sa.select(_SEAT.c.game_id)
        .join(_GAME, _GAME.c.id == _SEAT.c.game_id)
        .where(is_open, _SEAT.c.player_id.in_(between))
    )
    return sa.union(seated, sa.select(_GAME.c.id).where(is_open, _GAME.c.made_by.in_(between)))


def keep_back(connection: Connection, there_id: int, guest_id: int, now: datetime) -> None:
    """From now on the invitations of a player to the open tables where another sits or is the host are kept from the
    player. Whoever made them sees them wait."""
    sits = sa.select(_SEAT.c.game_id).where(_SEAT.c.player_id == there_id)
    tables = sa.select(_GAME.c.id).where(
        _GAME.c.status == sa.literal_column("'open'"), sa.or_(_GAME.c.made_by == there_id, _GAME.c.id.in_(sits))
    )
    waits = sa.and_(
        _INVITATION.c.player_id == guest_id, _INVITATION.c.status == "waiting", _INVITATION.c.kept_back_at.is_(None),
        _INVITATION.c.game_id.in_(tables),
    )  # fmt: skip
    connection.execute(sa.update(_INVITATION).where(waits).values(kept_back_at=now))


def keep_back_at(connection: Connection, game_id: int, there_id: int, now: datetime) -> None:
    """The same for one table, of all whom it invites: somebody sits down there now."""
    invited = sa.select(_INVITATION.c.player_id).where(
        _INVITATION.c.game_id == game_id, _INVITATION.c.status == "waiting", _INVITATION.c.kept_back_at.is_(None)
    )
    for guest_id in connection.scalars(invited).all():
        if are_apart(connection, guest_id, [there_id]):
            keep_back(connection, there_id, guest_id, now)


def met(connection: Connection, player_id: int) -> list[Met]:
    """Whom the player has set something about, then the people of the newest games, tables and invitations."""
    set_about = connection.execute(
        sa.select(_BLOCK.c.other_id, _PLAYER.c.name, _BLOCK.c.kind)
        .join(_PLAYER, _PLAYER.c.id == _BLOCK.c.other_id)
        .where(_BLOCK.c.player_id == player_id)
        .order_by(_PLAYER.c.name, _BLOCK.c.other_id)
    ).all()
    kinds: dict[int, set[str]] = {}
    names: dict[int, str] = {}
    for row in set_about:
        kinds.setdefault(row.other_id, set()).add(row.kind)
        names[row.other_id] = row.name
    sits = sa.select(_SEAT.c.game_id).where(_SEAT.c.player_id == player_id)
    # Not those that were never mailed.
    was_told = sa.or_(_INVITATION.c.kept_back_at.is_(None), _INVITATION.c.kept_back_at > _INVITATION.c.made_at)
    invited = sa.select(_INVITATION.c.game_id).where(_INVITATION.c.player_id == player_id, was_told)
    hosts = sa.select(_GAME.c.made_by).where(_GAME.c.id.in_(sa.union(sits, invited)))
    beside = sa.select(_SEAT.c.player_id).where(_SEAT.c.game_id.in_(sits))
    newest = (
        sa.select(_PLAYER.c.id, _PLAYER.c.name)
        .where(
            _PLAYER.c.id.in_(sa.union(beside, hosts)), _PLAYER.c.id != player_id, _PLAYER.c.erased_at.is_(None)
        )
        .order_by(_PLAYER.c.name, _PLAYER.c.id)
        .limit(LISTED)
    )  # fmt: skip
    for row in connection.execute(newest):
        names.setdefault(row.id, row.name)
    return [Met(one, name, "block" in kinds.get(one, ()), "mute" in kinds.get(one, ())) for one, name in names.items()]
