"""What can be done with a table before its game begins: seats are offered again, it is cancelled, guests leave."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col

from app.base.outbox import PlannedMail
from app.base.refusals import NotAccepted
from app.games.tables import Game, GameSeat, GameStatus, SeatOffer
from app.games.work import Work
from app.lobby import open_games
from app.people.accounts import read_address
from app.people.tables import Player
from app.play.tables import AnswerStatus, Invitation
from engine.kernel.text import Text

if TYPE_CHECKING:
    from app.base.database import Database


# -- what the host can do before the start ------------------------------------------------------------


def _of_host(work: Work, game_id: int, host_id: int) -> Game:
    game = open_games.lock(work, game_id)
    if game.made_by != host_id:
        raise NotAccepted("table.not_host", Text("Only the host of this table can do that."))
    return game


def offer(
    database: Database, host_id: int, game_id: int, place: int, how: str, address: str = "", *, now: datetime
) -> None:
    """Offer an empty seat in another way. Raises NoSuchTable, NotAccepted, TooOften."""
    if how not in open_games.OFFERS:
        raise NotAccepted("seat.offer", Text("Choose how the seat is offered."))
    if how == "mail":
        address = read_address(address)
    with Work(database) as work:
        if _of_host(work, game_id, host_id).is_private and how == SeatOffer.OPEN:
            raise NotAccepted("table.private", open_games.PRIVATE)
        free = sa.and_(
            col(GameSeat.game_id) == game_id, col(GameSeat.place) == place, col(GameSeat.player_id).is_(None)
        )
        if work.session.execute(sa.select(col(GameSeat.id)).where(free)).first() is None:
            raise NotAccepted("seat.taken", open_games.TAKEN)
        host = work.session.get_one(Player, host_id)
        if how == "mail":
            _refuse_second_invitation(work, game_id, place, address, host)
        open_games.put_on_offer(work, game_id, place, how, address, host, now)


def _refuse_second_invitation(work: Work, game_id: int, place: int, address: str, host: Player) -> None:
    key = address.lower()
    at_table = (
        sa.select(col(Player.id))
        .join(GameSeat, col(GameSeat.player_id) == col(Player.id))
        .where(col(GameSeat.game_id) == game_id, col(Player.address_key) == key)
    )
    invited = (
        sa.select(col(Player.id))
        .join(Invitation, col(Invitation.player_id) == col(Player.id))
        .where(
            col(Invitation.game_id) == game_id,
            col(Invitation.status) == AnswerStatus.WAITING,
            col(Player.address_key) == key,
            col(Invitation.seat_place) != place,
        )
    )
    if work.session.execute(invited).first():
        raise NotAccepted("table.address_twice", Text("Each address can be invited to one seat only."))
    # A player who joined without an invitation did not show the host an address; only the host's own is named here.
    if key == host.address_key and work.session.execute(at_table).first():
        raise NotAccepted("table.own_address", Text("This is your own address; choose to sit there yourself."))


def cancel(database: Database, host_id: int, game_id: int, *, now: datetime) -> None:
    """Cancel the table before it starts; players who sit there or were invited are told. Raises NoSuchTable,
    NotAccepted."""
    with Work(database) as work:
        cancel_within(work, host_id, game_id, now)


def cancel_within(work: Work, host_id: int, game_id: int, now: datetime) -> None:
    """Do the same as `cancel` in the caller's transaction."""
    _of_host(work, game_id, host_id)
    there = sa.select(col(GameSeat.player_id)).where(
        col(GameSeat.game_id) == game_id, col(GameSeat.player_id).is_not(None)
    )
    invited = sa.select(col(Invitation.player_id)).where(
        col(Invitation.game_id) == game_id,
        col(Invitation.status) == AnswerStatus.WAITING,
        col(Invitation.player_id).is_not(None),
        col(Invitation.kept_back_at).is_(None),
    )
    people = work.session.execute(
        sa.select(col(Player.id), col(Player.address))
        .where(sa.or_(col(Player.id).in_(there), col(Player.id).in_(invited)), col(Player.id) != host_id)
        .order_by(col(Player.id))
    ).all()
    work.session.exec(sa.update(Game).where(col(Game.id) == game_id).values(status=GameStatus.CANCELLED, ended_at=now))
    waiting = sa.and_(col(Invitation.game_id) == game_id, col(Invitation.status) == AnswerStatus.WAITING)
    work.session.exec(sa.update(Invitation).where(waiting).values(status=AnswerStatus.WITHDRAWN, answered_at=now))
    work.outbox.add(
        [PlannedMail(f"cancelled:{game_id}:{row.id}", "cancelled", row.address, row.id, game_id) for row in people], now
    )


def leave(database: Database, player_id: int, game_id: int) -> None:
    """Leave a table that has not started; the seat is offered as before, or by the host again if it was taken by
    invitation. Raises NoSuchTable, NotAccepted."""
    with Work(database) as work:
        leave_within(work, player_id, game_id)


def leave_within(work: Work, player_id: int, game_id: int) -> None:
    """Do the same as `leave` in the caller's transaction."""
    game = open_games.lock(work, game_id)
    if game.made_by == player_id:
        raise NotAccepted("table.host_leaves", Text("You are the host; cancel the table instead."))
    mine = sa.and_(col(GameSeat.game_id) == game_id, col(GameSeat.player_id) == player_id)
    how = sa.case((col(GameSeat.offer) == SeatOffer.OPEN, "open"), else_=None)
    if work.session.exec(sa.update(GameSeat).where(mine).values(player_id=None, offer=how, salt=None)).rowcount != 1:
        raise NotAccepted("seat.none", Text("You do not sit at this table."))
