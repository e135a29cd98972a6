"""Joining two accounts of one person: the rows of one come to the other, and it ends as an erased one does."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, SQLModel, col, select

from app.account import memberships, my_data
from app.base.process.logs import access
from app.base.stored.columns import table_of
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.games.tables import GameSeat
from app.games.work import Work
from app.people import signin
from app.people.tables import IS_COMPUTER, AddressChange, Player
from app.time import pending
from engine.kernel.text import Text

TWO = Text("Two accounts are needed, and both have to be there.")
ONE_AN_EVENT, ONE_A_CLUB = "event_entry", "club_member"


def join(database: Database, kept: int, other: int, *, now: datetime) -> None:
    """Give one account what another one of the same person has, games, clubs and ratings, and close that one. Raises
    NotAccepted if the two have met in a game or an event, or if either is gone."""
    with Work(database) as work:
        session = work.session
        pending.lock_games_of(session, kept)
        pending.lock_games_of(session, other)
        here = select(Player.id).where(col(Player.id).in_((kept, other)), col(Player.erased_at).is_(None), ~IS_COMPUTER)
        if len(session.exec(here.order_by(col(Player.id)).with_for_update(key_share=True)).all()) != 2:
            raise NotAccepted("accounts.two", TWO)
        _need_strangers(session, kept, other)
        signin.end_all(session, other)
        session.exec(sa.delete(AddressChange).where(col(AddressChange.player_id) == other))
        for table in SQLModel.metadata.sorted_tables:
            for column in table.columns:
                if any(key.column.table is table_of(Player) for key in column.foreign_keys):
                    _hand_over(session, column, kept, other)
        my_data.unname(session, other, now)
        session.expire_all()
        pending.refresh_player(session, kept, now)
        access.info("player %s is joined with player %s", other, kept)


def _need_strangers(session: Session, kept: int, other: int) -> None:
    """Raise NotAccepted if they have met: they would play against themselves."""
    sat = sa.select(col(GameSeat.game_id)).where(col(GameSeat.player_id) == kept)
    met = session.scalar(
        sa.select(col(GameSeat.game_id))
        .where(col(GameSeat.player_id) == other, col(GameSeat.game_id).in_(sat))
        .limit(1)
    )
    if met is not None:
        raise NotAccepted("accounts.met", Text("The two have met in game {n}, so they are not joined.", n=met))


def _hand_over(session: Session, column: sa.Column[int], kept: int, other: int) -> None:
    """Have rows name one player instead of another, except where that one has such a row already."""
    table = column.table
    assert isinstance(table, sa.Table)
    for unique in (
        one for one in table.constraints if isinstance(one, sa.UniqueConstraint) and column.name in one.columns
    ):
        there = table.alias()
        same = [there.c[one.name] == one for one in unique.columns if one is not column]
        twice = sa.and_(column == other, sa.exists().where(there.c[column.name] == kept, *same))
        if session.scalar(sa.select(sa.func.count()).select_from(table).where(twice)):
            if table.name == ONE_AN_EVENT:
                raise NotAccepted("accounts.event", Text("The two are in one event, so they are not joined."))
            if table.name == ONE_A_CLUB:
                memberships.there().need_owners(session, other)
            session.execute(sa.delete(table).where(twice))
    session.execute(sa.update(table).where(column == other).values({column.name: kept}))
