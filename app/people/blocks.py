"""Players whom a player does not want to meet (`block`) or to read (`mute`)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.games.tables import Game, GameSeat
from app.people.tables import Block, BlockKind, Player
from app.play.tables import AnswerStatus, Invitation
from engine.kernel.text import Text

KINDS = ("block", "mute")
LISTED = 100


def among(session: Session, players: Iterable[int | None]) -> set[frozenset[int]]:
    """Return the pairs of these players of whom one has blocked the other."""
    ids = {one for one in players if one is not None}
    rows = session.execute(
        sa.select(col(Block.player_id), col(Block.other_id)).where(
            col(Block.kind) == BlockKind.BLOCK, col(Block.player_id).in_(ids), col(Block.other_id).in_(ids)
        )
    )
    return {frozenset(row) for row in rows}


def settle(database: Database, player_id: int, other_id: int, kinds: Iterable[str], *, now: datetime) -> None:
    """Set exactly these kinds about the other player. NotAccepted for oneself or an unknown player."""
    wanted = set(kinds)
    if not wanted <= set(KINDS):
        raise NotAccepted("block.kind", Text("Choose one of what is offered."))
    if other_id == player_id:
        raise NotAccepted("block.self", Text("This is you."))
    with database.write() as session:
        there = sa.select(col(Player.id)).where(col(Player.id) == other_id, col(Player.erased_at).is_(None))
        if session.execute(there.with_for_update()).first() is None:
            raise NotAccepted("player.unknown", Text("There is no such player."))
        about = sa.and_(col(Block.player_id) == player_id, col(Block.other_id) == other_id)
        has = kinds_about(session, player_id, other_id)
        session.exec(sa.delete(Block).where(about, col(Block.kind).not_in(wanted)))
        for kind in sorted(wanted - has):
            session.add(Block(player_id=player_id, other_id=other_id, kind=BlockKind(kind), made_at=now))
        if "block" in wanted:
            keep_back(session, player_id, other_id, now)
            keep_back(session, other_id, player_id, now)


def kinds_about(session: Session, player_id: int, other_id: int) -> set[str]:
    """Return what a player has set about another."""
    about = sa.and_(col(Block.player_id) == player_id, col(Block.other_id) == other_id)
    return set(session.scalars(sa.select(col(Block.kind)).where(about)))


def are_apart(session: Session, one_id: int | None, others: Iterable[int | None]) -> bool:
    """Return whether this player has blocked one of the others, or the other way round. Nobody is told which."""
    ids = [other for other in others if other is not None and other != one_id]
    if one_id is None or not ids:
        return False
    between = sa.or_(
        sa.and_(col(Block.player_id) == one_id, col(Block.other_id).in_(ids)),
        sa.and_(col(Block.other_id) == one_id, col(Block.player_id).in_(ids)),
    )
    asked = sa.select(col(Block.id)).where(col(Block.kind) == BlockKind.BLOCK, between).limit(1)
    return session.execute(asked).first() is not None


def is_apart_from_table(session: Session, game_id: int, player_id: int) -> bool:
    """Return whether a block stands between a player and anyone at the table, or its host."""
    there = sa.select(col(GameSeat.player_id)).where(
        col(GameSeat.game_id) == game_id, col(GameSeat.player_id).is_not(None)
    )
    host = sa.select(col(Game.made_by)).where(col(Game.id) == game_id, col(Game.made_by).is_not(None))
    return are_apart(session, player_id, session.scalars(sa.union(there, host)).all())


def tables_apart(player_id: int) -> sa.CompoundSelect[int]:
    """Return the statement for the numbers of the open tables between which and a player a block stands."""
    other = sa.case((col(Block.player_id) == player_id, col(Block.other_id)), else_=col(Block.player_id))
    between = sa.select(other).where(
        col(Block.kind) == BlockKind.BLOCK, sa.or_(col(Block.player_id) == player_id, col(Block.other_id) == player_id)
    )
    is_open = col(Game.status) == sa.literal_column("'open'")
    seated = (
        sa.select(col(GameSeat.game_id))
        .join(Game, col(Game.id) == col(GameSeat.game_id))
        .where(is_open, col(GameSeat.player_id).in_(between))
    )
    return sa.union(seated, sa.select(col(Game.id)).where(is_open, col(Game.made_by).in_(between)))


def keep_back(session: Session, there_id: int, guest_id: int, now: datetime) -> None:
    """Withhold from a player the invitations to open tables where another sits or is the host. Those who made them see
    them wait."""
    sits = sa.select(col(GameSeat.game_id)).where(col(GameSeat.player_id) == there_id)
    tables = sa.select(col(Game.id)).where(
        col(Game.status) == sa.literal_column("'open'"), sa.or_(col(Game.made_by) == there_id, col(Game.id).in_(sits))
    )
    waits = sa.and_(
        col(Invitation.player_id) == guest_id,
        col(Invitation.status) == AnswerStatus.WAITING,
        col(Invitation.kept_back_at).is_(None),
        col(Invitation.game_id).in_(tables),
    )
    session.exec(sa.update(Invitation).where(waits).values(kept_back_at=now))


def keep_back_at(session: Session, game_id: int, there_id: int, now: datetime) -> None:
    """Do the same for one table, for all whom it invites, when a player sits down there."""
    invited = sa.select(col(Invitation.player_id)).where(
        col(Invitation.game_id) == game_id,
        col(Invitation.status) == AnswerStatus.WAITING,
        col(Invitation.kept_back_at).is_(None),
    )
    for guest_id in session.scalars(invited).all():
        if guest_id is not None and are_apart(session, guest_id, [there_id]):
            keep_back(session, there_id, guest_id, now)


def met(session: Session, player_id: int) -> list[tuple[int, str, set[str]]]:
    """Return players with settings by the player, then the people of the newest games, tables and invitations: each
    with the name and the settings."""
    set_about = session.execute(
        sa.select(col(Block.other_id), col(Player.name), col(Block.kind))
        .join(Player, col(Player.id) == col(Block.other_id))
        .where(col(Block.player_id) == player_id)
        .order_by(col(Player.name), col(Block.other_id))
    ).all()
    kinds: dict[int, set[str]] = {}
    names: dict[int, str] = {}
    for row in set_about:
        kinds.setdefault(row.other_id, set()).add(row.kind)
        names[row.other_id] = row.name
    sits = sa.select(col(GameSeat.game_id)).where(col(GameSeat.player_id) == player_id)
    # Without those that were never mailed.
    was_told = sa.or_(col(Invitation.kept_back_at).is_(None), col(Invitation.kept_back_at) > col(Invitation.made_at))
    invited = sa.select(col(Invitation.game_id)).where(col(Invitation.player_id) == player_id, was_told)
    hosts = sa.select(col(Game.made_by)).where(col(Game.id).in_(sa.union(sits, invited)))
    beside = sa.select(col(GameSeat.player_id)).where(col(GameSeat.game_id).in_(sits))
    newest = (
        sa.select(col(Player.id), col(Player.name))
        .where(
            col(Player.id).in_(sa.union(beside, hosts)), col(Player.id) != player_id, col(Player.erased_at).is_(None)
        )
        .order_by(col(Player.name), col(Player.id))
        .limit(LISTED)
    )
    for row in session.execute(newest):
        names.setdefault(row.id, row.name)
    return [(one, name, kinds.get(one, set())) for one, name in names.items()]
