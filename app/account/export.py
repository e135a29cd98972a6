"""Everything stored about a player, as one file."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.account import kept, memberships
from app.account.my_data import Gone
from app.base.stored import limits
from app.base.stored.columns import columns_of, table_of
from app.base.stored.database import Database
from app.base.words.speech import Voice
from app.games.store import GameStore
from app.games.tables import DecisionMade, Draft, Game, GameSeat, GameStatus
from app.people.tables import Block, Player
from app.play.past.records import record_of
from app.play.tables import AnalysisBranch, ChatMessage, Consent, Invitation, Note, Proposal
from app.titles.registry import TITLES

FORMAT, VERSION = "postroad-my-data", 1

NOT_OF_PROFILE = {
    "id",
    "address_key",
    "name_key",
    "zone_chosen",
    "has_device",
    "digest_at",
    "feed_version",
    "erased_at",
    "changed_at",
}
"""The columns of a player that are not for people: numbers, keys, and what only helps the server to find something."""
_OF_A_SEAT: tuple[tuple[str, Any, tuple[str, ...]], ...] = (
    ("notes", Note, ("entry", "text", "changed_at")),
    ("planned_lines", AnalysisBranch, ("entry", "name", "lines", "changed_at")),
    ("drafts", Draft, ("number", "lines", "changed_at", "sealed_at", "held_until", "ahead")),
    ("proposals", Proposal, ("kind", "winners", "status", "made_at", "settled_at")),
    (
        "answers",
        DecisionMade,
        ("number", "turn", "kind", "asked_at", "mailed_at", "deadline_at", "made_at", "used_seconds", "orders"),
    ),
)


def export(database: Database, player_id: int, *, now: datetime) -> bytes:
    """Return a zip: `my-data.json`, and for each game what the player did, said, wrote and knew, with the game's
    record.

    Of other people it has only names and what was said at the table, and nothing that the player does not know. Raises
    TooOften.
    """
    limits.count(database, [(limits.EXPORTS, str(player_id))], now)
    with database.read() as session:
        games = _games_of(session, player_id)
        about = _about(session, player_id, games, now)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        _write(archive, "my-data.json", about, now)
        for game, seat in games:
            has_begun = game.status in (GameStatus.RUNNING, GameStatus.OVER) or game.started_at is not None
            if game.title not in TITLES or not has_begun:
                continue
            with database.read() as session:  # one transaction per game, so that none is long and holds others up
                known = _game(session, seat, session.get_one(Player, player_id))
            known["record"] = record_of(database, game.id)
            _write(archive, f"games/{game.id}.json", known, now)
    return packed.getvalue()


def _write(archive: zipfile.ZipFile, name: str, data: object, now: datetime) -> None:
    info = zipfile.ZipInfo(name, now.timetuple()[:6])
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, json.dumps(data, ensure_ascii=False, indent=1, default=_as_text))


def _as_text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _games_of(session: Session, player_id: int) -> Sequence[tuple[Game, GameSeat]]:
    """Return the games in which the player sits, oldest first, each with the player's seat."""
    asked = select(Game, GameSeat).join(GameSeat, col(GameSeat.game_id) == col(Game.id))
    return session.exec(asked.where(col(GameSeat.player_id) == player_id).order_by(col(Game.id))).all()


def _rows(
    session: Session, table: sa.Table, columns: Sequence[str], *where: sa.ColumnElement[bool]
) -> list[dict[str, Any]]:
    asked = sa.select(*[table.c[name] for name in columns]).where(*where).order_by(table.c.id)
    return [dict(row._mapping) for row in session.execute(asked)]


def _about(session: Session, player_id: int, games: Sequence[tuple[Game, GameSeat]], now: datetime) -> dict[str, Any]:
    of_profile = [column.name for column in columns_of(Player) if column.name not in NOT_OF_PROFILE]
    profile = _rows(session, table_of(Player), of_profile, col(Player.id) == player_id)
    if not profile:
        raise Gone
    about: dict[str, Any] = {"format": FORMAT, "version": VERSION, "made_at": now, "profile": profile[0]}
    for name, model, owner, columns in (*kept.DELETED, *kept.STAYING, *kept.UNNAMED, *memberships.there().KEPT):
        table = table_of(model)
        about[name] = _rows(session, table, columns, table.c[owner] == player_id)
    about["invitations"] = _invitations(session, player_id)
    block = table_of(Block)
    about["blocked_and_muted"] = [
        dict(row._mapping)
        for row in session.execute(
            sa.select(block.c.kind, col(Player.name), block.c.made_at)
            .join(Player, col(Player.id) == block.c.other_id)
            .where(block.c.player_id == player_id)
            .order_by(block.c.id)
        )
    ]
    about["games"] = [
        {
            "id": game.id,
            "title": game.title,
            "seat": seat.seat,
            "status": game.status,
            "started_at": game.started_at,
            "ended_at": game.ended_at,
            "result": game.result,
            "file": f"games/{game.id}.json" if game.started_at else None,
        }
        for game, seat in games
    ]
    return about


def _invitations(session: Session, player_id: int) -> list[dict[str, Any]]:
    """Return the invitations as the player knows them: a withheld one looks withdrawn, and one that was never mailed is
    missing."""
    invitation = table_of(Invitation)
    kept_back_at = invitation.c.kept_back_at
    told = sa.and_(
        invitation.c.player_id == player_id, sa.or_(kept_back_at.is_(None), kept_back_at > invitation.c.made_at)
    )
    asked = sa.select(
        invitation.c.game_id,
        invitation.c.seat_place,
        sa.case((kept_back_at.is_not(None), "withdrawn"), else_=invitation.c.status).label("status"),
        invitation.c.made_at,
        sa.func.coalesce(kept_back_at, invitation.c.answered_at).label("answered_at"),
    )
    return [dict(row._mapping) for row in session.execute(asked.where(told).order_by(invitation.c.id))]


def _game(session: Session, own: GameSeat, player: Player) -> dict[str, Any]:
    """Return a game as its player knows it."""
    game = GameStore(session).load(own.game_id)
    voice = Voice(player.language, player.zone, game.title)
    known: dict[str, Any] = {
        "game": game.id,
        "title": game.title.id,
        "seat": own.seat,
        "options": dict(game.options),
        "players": {seated.seat: voice.who(seated) for seated in game.seats},
        "standing_orders": own.standing.splitlines(),
        "salt": own.salt,
        "ends_turn": own.ends_turn,
        "mails_of_turns": own.mailed,
        "view": game.view(own.seat),
        "talk": _rows(session, table_of(ChatMessage), ("seat", "text", "at"), col(ChatMessage.game_id) == game.id),
    }
    for name, model, columns in _OF_A_SEAT:
        table = table_of(model)
        known[name] = _rows(session, table, columns, table.c.game_id == game.id, table.c.seat == own.seat)
    consent, proposal = table_of(Consent), table_of(Proposal)
    about_game = sa.select(proposal.c.id).where(proposal.c.game_id == game.id)
    known["consents"] = _rows(
        session, consent, ("agrees", "at"), consent.c.proposal_id.in_(about_game), consent.c.seat == own.seat
    )
    return known
