"""Answers to invitations: from the mail without a login, and by anyone with a private link."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.words.refusals import LinkExpired
from app.games.tables import GameSeat
from app.games.work import Work
from app.lobby import listing, open_games
from app.people import blocks, unasked
from app.people.tables import Player
from app.play.tables import AnswerStatus, Invitation
from engine.kernel.text import Text

_BECAME = {
    "accepted": Text("This invitation has been accepted already."),
    "declined": Text("This invitation has been declined already."),
}


class InvitationOver(LinkExpired):
    """The invitation has been answered or withdrawn, or its table is gone; `game_id` is the game, if there is one."""

    def __init__(self, game_id: int | None = None, became: str = "withdrawn") -> None:
        super().__init__("invitation.over", _BECAME.get(became, Text("This does not wait for your answer any more.")))
        self.game_id = game_id
        self.became = became


@dataclass(frozen=True, slots=True)
class OfferedSeat:
    """An invitation waiting for an answer: the table, the seat, and who is asked (None: anyone with the link)."""

    id: int
    table: listing.OpenGame
    seat: listing.OpenSeat
    player: Player | None


def find(session: Session, invitation_id: int, player_id: int | None, reader_id: int | None = None) -> OfferedSeat:
    """Find an invitation of this player, or a private link held by `reader_id`, who may be anybody.

    Raises InvitationOver when it no longer waits, or a block keeps them from the table. Changes nothing.
    """
    row = session.exec(select(Invitation).where(col(Invitation.id) == invitation_id)).first()
    if row is None or row.player_id != player_id:
        raise InvitationOver
    if row.status != AnswerStatus.WAITING or row.kept_back_at is not None:
        raise InvitationOver(row.game_id, "withdrawn" if row.kept_back_at is not None else row.status)
    try:
        table = listing.find(session, row.game_id)
    except listing.NoSuchTable:
        raise InvitationOver(row.game_id) from None
    seat = next(seat for seat in table.seats if seat.place == row.seat_place)
    who = reader_id if player_id is None else player_id
    is_apart = who is not None and table.seat_of(who) is None and blocks.is_apart_from_table(session, table.id, who)
    if seat.player_id is not None or is_apart:
        raise InvitationOver(row.game_id)
    player = None if player_id is None else session.get_one(Player, player_id)
    return OfferedSeat(row.id, table, seat, player)


def accept(work: Work, invitation_id: int, player_id: int | None, *, sits: int | None = None, now: datetime) -> bool:
    """Take the seat; return whether the game has started with it. `sits` is who takes a seat by a private link. Raises
    InvitationOver, and NotAccepted for a player who already sits there."""
    offered = _held(work, invitation_id, player_id, sits)
    who = sits if player_id is None else player_id
    assert who is not None
    open_games.sit(work, offered.table.id, offered.seat.place, who, ("mail", "link"), now=now)
    _answer(work, offered, "accepted", now)
    started = open_games.start_if_full(work, offered.table.id, now)
    if not started:
        open_games.tell_host(work, offered.table.id, who, f"invitation_accepted:{offered.id}", now)
    return started


def decline(work: Work, invitation_id: int, player_id: int, *, now: datetime) -> None:
    """Decline; the host is told and can offer the seat again. Raises InvitationOver."""
    offered = _held(work, invitation_id, player_id)
    _answer(work, offered, "declined", now)
    unasked.refused(work.session, player_id, now, f"invitation:{invitation_id}:")
    seat = sa.and_(col(GameSeat.game_id) == offered.table.id, col(GameSeat.place) == offered.seat.place)
    work.session.exec(sa.update(GameSeat).where(seat).values(offer=None))
    about = f"invitation_declined:{offered.id}"
    open_games.tell_host(work, offered.table.id, player_id, about, now, answer="declined")


def _held(work: Work, invitation_id: int, player_id: int | None, sits: int | None = None) -> OfferedSeat:
    """Read the invitation again with its table locked: the faster request has won."""
    game_id = work.session.scalar(sa.select(col(Invitation.game_id)).where(col(Invitation.id) == invitation_id))
    if game_id is not None:
        with suppress(listing.NoSuchTable):  # `find` says what has become of it
            open_games.lock(work, game_id)
    return find(work.session, invitation_id, player_id, sits)


def _answer(work: Work, offered: OfferedSeat, status: str, now: datetime) -> None:
    mine = col(Invitation.id) == offered.id
    work.session.exec(sa.update(Invitation).where(mine).values(status=status, answered_at=now))
