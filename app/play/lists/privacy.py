"""Private games: who may see one. Set when the table is created; never changes, so a process asks once."""

from __future__ import annotations

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.process.recent import Recent
from app.base.stored.database import Database
from app.games.tables import Game, GameSeat
from app.people.signin import Person
from app.people.tables import PlayerRole
from app.play.tables import AnswerStatus, Invitation

IS_PUBLIC = sa.and_(col(Game.is_private).is_(False), col(Game.has_computer).is_(False))
"""The condition for every list of games that others than their players read."""


_known = Recent[bool](20_000)


def is_private(database: Database, game_id: int) -> bool:
    """Return whether a game is private; False if it does not exist."""
    key = (database.url, game_id)
    known = _known.find(key)
    if known is not None:
        return known
    with database.read() as session:
        found = session.exec(select(Game.is_private).where(col(Game.id) == game_id)).first()
    if found is not None:  # nothing is kept for a number that does not exist yet
        _known.keep(key, bool(found))
    return bool(found)


def may_see(session: Session, game_id: int, person: Person) -> bool:
    """Return whether a person may see a private game: its players, its host, invited players, and operators."""
    if person.role == PlayerRole.OPERATOR:
        return True
    sits = sa.exists().where(col(GameSeat.game_id) == game_id, col(GameSeat.player_id) == person.id)
    hosts = sa.exists().where(col(Game.id) == game_id, col(Game.made_by) == person.id)
    invited = sa.exists().where(
        col(Invitation.game_id) == game_id,
        col(Invitation.player_id) == person.id,
        col(Invitation.status) == AnswerStatus.WAITING,
        col(Invitation.kept_back_at).is_(None),
    )
    return bool(session.scalar(sa.select(sa.or_(sits, hosts, invited))))
