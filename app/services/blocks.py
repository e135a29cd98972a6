"""People whom a player does not want to meet (`block`) or to read (`mute`)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa

from app.models import Block, Game, GameSeat, Invitation, Player
from app.services.people import NotAccepted
from engine.kernel.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

    from app.db import Database
    from app.work import Work

KINDS = ("block", "mute")
LISTED = 100
_BLOCK, _PLAYER = Block.__table__, Player.__table__  # type: ignore[attr-defined]
_GAME, _SEAT, _INVITATION = Game.__table__, GameSeat.__table__, Invitation.__table__  # type: ignore[attr-defined]
APART = Text("The people at this table and the one for this seat do not all want to play together.")
"""The same for whoever has blocked and whoever is blocked: nobody learns which of them it was."""


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
        connection.commit()


def kinds_about(connection: Connection, player_id: int, other_id: int) -> set[str]:
    """What a player has set about another."""
    about = sa.and_(_BLOCK.c.player_id == player_id, _BLOCK.c.other_id == other_id)
    return set(connection.scalars(sa.select(_BLOCK.c.kind).where(about)))


def refuse_apart(work: Work, one_id: int | None, others: Iterable[int | None]) -> None:
    """NotAccepted when one of the others has blocked this player, or the other way round."""
    ids = [other for other in others if other is not None and other != one_id]
    if one_id is None or not ids:
        return
    between = sa.or_(
        sa.and_(_BLOCK.c.player_id == one_id, _BLOCK.c.other_id.in_(ids)),
        sa.and_(_BLOCK.c.other_id == one_id, _BLOCK.c.player_id.in_(ids)),
    )
    if work.connection.execute(sa.select(_BLOCK.c.id).where(_BLOCK.c.kind == "block", between).limit(1)).first():
        raise NotAccepted("seat.apart", APART)


def refuse_at_table(work: Work, game_id: int, player_id: int) -> None:
    """NotAccepted when a player and somebody at the table, or its host, do not want to meet."""
    there = sa.select(_SEAT.c.player_id).where(_SEAT.c.game_id == game_id, _SEAT.c.player_id.is_not(None))
    host = sa.select(_GAME.c.made_by).where(_GAME.c.id == game_id, _GAME.c.made_by.is_not(None))
    refuse_apart(work, player_id, work.connection.scalars(sa.union(there, host)))


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
    invited = sa.select(_INVITATION.c.game_id).where(_INVITATION.c.player_id == player_id)
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
