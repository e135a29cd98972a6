"""Tables: games that wait for their players. Created by a host, filled seat by seat, started with the last one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col, select

from app.base import limits
from app.base.outbox import PlannedMail
from app.base.refusals import NotAccepted
from app.clocks.pace import DEFAULT, Pace, write_pace
from app.games import seeds
from app.games.tables import Game, GameSeat, GameStatus, SeatOffer
from app.games.work import Work
from app.lobby import listing
from app.people import blocks, sanctions, unasked
from app.people.accounts import find_or_add, read_address
from app.people.tables import Player
from app.play.lists.reliability import reliability_of
from app.play.tables import AnswerStatus, Invitation
from app.play.turn import starting
from app.time import calendars
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database

OFFERS = tuple(SeatOffer)
HOST = "me"
"""The offer of a seat that its host takes."""
TAKEN = Text("This seat is not free any more.")
PRIVATE = Text("A private game has no open seats: invite players by mail, or give them a private link.")


@dataclass(frozen=True, slots=True)
class OpenTableTerms:
    """What a table says besides its rules: a note by the host, the lowest share of games finished on time (in percent)
    for players who take an open seat, and whether its game is rated."""

    note: str = ""
    least_reliability: int | None = None
    is_rated: bool = False


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat as its host wants it: taken by the host (`me`), or offered by `mail`, `open`, or by a private `link`."""

    seat: str
    offer: str
    """HOST, or one of OFFERS."""
    address: str = ""


# -- making a table -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDraft:
    """What is said of a table that is made."""

    title_id: str
    chairs: Sequence[Chair]
    options: Mapping[str, Any] = field(default_factory=dict)
    pace: Pace = DEFAULT
    drawn: bool = False
    calendar: str = ""
    """The number or the name of the calendar whose days are free."""
    is_private: bool = False
    """It is seen by nobody but those who play in it."""
    terms: OpenTableTerms = OpenTableTerms()


def create(database: Database, host_id: int, draft: TableDraft, *, now: datetime) -> int:
    """Make a table, seat the host, mail the invitations; the game's number.

    Raises TooOften; NotAccepted and `Unreadable` say what is wrong with the form.
    """
    title, chairs, terms = starting.find_title(draft.title_id), draft.chairs, draft.terms
    read = title.read_options(draft.options)
    title.check_seats([chair.seat for chair in chairs])
    _judge(chairs, is_private=draft.is_private, is_rated=terms.is_rated)
    addresses = _invited(chairs)
    limits.count(database, [(limits.TABLES, str(host_id))], now)
    with Work(database) as work:
        sanctions.need_free(work.session, host_id, now)
        host = work.session.get_one(Player, host_id)
        if any(address.lower() == host.address_key for address in addresses):
            raise NotAccepted("table.own_address", Text("This is your own address; choose to sit there yourself."))
        game = Game(
            title=title.id,
            options=title.keep_options(read),
            pace=write_pace(draft.pace),
            calendar_id=calendars.find(work.session, draft.calendar),
            drawn=draft.drawn,
            is_private=draft.is_private,
            note=terms.note,
            least_reliability=terms.least_reliability,
            is_rated=terms.is_rated,
            made_by=host_id,
            created_at=now,
        )
        game_id = work.store.make(game, [(chair.seat, host_id if chair.offer == HOST else None) for chair in chairs])
        for place, chair in enumerate(chairs):
            if chair.offer != HOST:
                put_on_offer(work, game_id, place, chair.offer, chair.address, host, now)
        seeds.bind(work.session, game_id, now)
        return game_id


def _judge(chairs: Sequence[Chair], *, is_private: bool, is_rated: bool) -> None:
    """Raise NotAccepted if the seats of a table do not fit together, or do not fit the kind of table."""
    if sum(chair.offer == HOST for chair in chairs) > 1:
        raise NotAccepted("table.two_seats", Text("You can take one seat yourself."))
    if not any(chair.offer in OFFERS for chair in chairs):
        raise NotAccepted("table.nobody", Text("A game needs somebody else; invite a player or leave a seat open."))
    if is_private and any(chair.offer == SeatOffer.OPEN for chair in chairs):
        raise NotAccepted("table.private", PRIVATE)
    if is_private and is_rated:
        raise NotAccepted("table.private_rated", Text("A private game cannot be rated: everybody sees ratings."))


def _invited(chairs: Sequence[Chair]) -> list[str]:
    """Return the invited addresses, each for one seat. Raises NotAccepted."""
    addresses = [read_address(chair.address) for chair in chairs if chair.offer == SeatOffer.MAIL]
    if len({address.lower() for address in addresses}) < len(addresses):
        raise NotAccepted("table.address_twice", Text("Each address can be invited to one seat only."))
    return addresses


def put_on_offer(work: Work, game_id: int, place: int, offer: str, address: str, host: Player, now: datetime) -> None:
    """Offer an empty seat, ending any earlier offer of it. The invited player gets a mail."""
    seat = sa.and_(col(GameSeat.game_id) == game_id, col(GameSeat.place) == place)
    waiting = sa.and_(
        col(Invitation.game_id) == game_id,
        col(Invitation.seat_place) == place,
        col(Invitation.status) == AnswerStatus.WAITING,
    )
    work.session.exec(sa.update(Invitation).where(waiting).values(status=AnswerStatus.WITHDRAWN, answered_at=now))
    work.session.exec(sa.update(GameSeat).where(seat).values(offer=offer))
    if offer == SeatOffer.OPEN:
        return
    guest = find_or_add(work.session, address, now=now, language=host.language) if offer == SeatOffer.MAIL else None
    guest_id = guest.id if guest else None
    # An invitation across a block looks like any other to its host, but is never mailed.
    there = work.session.scalars(sa.select(col(GameSeat.player_id)).where(col(GameSeat.game_id) == game_id)).all()
    kept_back_at = now if blocks.are_apart(work.session, guest_id, [host.id, *there]) else None
    again = sa.and_(
        col(Invitation.game_id) == game_id,
        col(Invitation.seat_place) == place,
        col(Invitation.player_id) == guest_id if guest else sa.false(),
    )
    # A private link is always a new row: the old one stays ended.
    invitation_id = work.session.scalar(
        sa.update(Invitation)
        .where(again)
        .values(status=AnswerStatus.WAITING, made_at=now, answered_at=None, kept_back_at=kept_back_at)
        .returning(col(Invitation.id))
    )
    if invitation_id is None:
        row = {
            "game_id": game_id,
            "seat_place": place,
            "player_id": guest_id,
            "status": AnswerStatus.WAITING,
            "made_at": now,
        }
        row["kept_back_at"] = kept_back_at
        invitation_id = work.session.scalar(sa.insert(Invitation).values(**row).returning(col(Invitation.id)))
    if guest is not None and kept_back_at is None:
        key = f"invitation:{invitation_id}:{host.id}:{now:%Y%m%dT%H%M%S}"
        wait = unasked.wait_of_invitation(work.session, guest.address, host.id, now)
        details = {"invitation": invitation_id, "by": host.id}
        mail = PlannedMail(key, "invitation", guest.address, guest.id, game_id, details=details, wait=wait)
        work.outbox.add([mail], now)


# -- filling it ---------------------------------------------------------------------------------------


def lock(work: Work, game_id: int) -> Game:
    """Lock the row of an open table until the end of the transaction and return it; NoSuchTable when it is not open."""
    row = work.session.exec(
        select(Game).where(col(Game.id) == game_id, col(Game.status) == GameStatus.OPEN).with_for_update()
    ).first()
    if row is None:
        raise listing.NoSuchTable(game_id)
    return row


def join(database: Database, game_id: int, place: int, player_id: int, *, now: datetime) -> bool:
    """Take an open seat; return whether the game has started with it. Raises NoSuchTable, and NotAccepted if the seat
    is not free."""
    with Work(database) as work:
        least = lock(work, game_id).least_reliability
        if least is not None:
            _need_reliability(work.session, player_id, least)
        sit(work, game_id, place, player_id, ("open",), now=now)
        started = start_if_full(work, game_id, now)
        if not started:
            _tell_host(work, game_id, player_id, now)
        return started


def _need_reliability(session: Session, player_id: int, least: int) -> None:
    """Refuse unreliable players. Those who have played too little yet may sit anywhere, as may those invited by the
    host."""
    has = reliability_of(session, player_id).percent
    if has is not None and has < least:
        why = Text(
            "The host wants {least} of 100 games without a time-out, and you have {has}. "
            "With an invitation you can sit down.",
            least=least,
            has=has,
        )
        raise NotAccepted("seat.reliability", why)


def _tell_host(work: Work, game_id: int, guest_id: int, now: datetime) -> None:
    asked = sa.select(col(Player.id), col(Player.address)).join(Game, col(Game.made_by) == col(Player.id))
    host = work.session.execute(asked.where(col(Game.id) == game_id)).first()
    if host is not None and host.id != guest_id:
        key = f"seat_taken:{game_id}:{guest_id}:{now:%Y%m%dT%H%M%S}"
        details = {"guest": guest_id, "answer": "accepted"}
        work.outbox.add([PlannedMail(key, "invitation_answer", host.address, host.id, game_id, details=details)], now)


def sit(work: Work, game_id: int, place: int, player_id: int, offers: tuple[str, ...], *, now: datetime) -> None:
    """Put a player into an empty seat that is offered in one of these ways. The table is locked. A seat at a table from
    which a block keeps the player is refused as if it were gone. Raises NotAllowed for banned players."""
    sanctions.need_free(work.session, player_id, now)
    if work.session.execute(
        sa.select(col(GameSeat.id)).where(col(GameSeat.game_id) == game_id, col(GameSeat.player_id) == player_id)
    ).first():
        raise NotAccepted("seat.twice", Text("You sit at this table already."))
    if blocks.is_apart_from_table(work.session, game_id, player_id):
        raise NotAccepted("seat.taken", TAKEN)
    taken = work.session.exec(
        sa.update(GameSeat)
        .where(
            col(GameSeat.game_id) == game_id,
            col(GameSeat.place) == place,
            col(GameSeat.player_id).is_(None),
            col(GameSeat.offer).in_(offers),
        )
        .values(player_id=player_id)
    )
    if taken.rowcount != 1:
        raise NotAccepted("seat.taken", TAKEN)
    blocks.keep_back_at(work.session, game_id, player_id, now)


def start_if_full(work: Work, game_id: int, now: datetime, *, of_offers: bool = False) -> bool:
    """Start the game when every seat is taken. The table is locked, or its game was just made `of_offers`."""
    players = work.session.scalars(sa.select(col(GameSeat.player_id)).where(col(GameSeat.game_id) == game_id)).all()
    if None in players:
        return False
    begun = starting.start(work, game_id, now=now)
    details = {"of_offer": True} if of_offers else {}
    mails = [
        PlannedMail(
            f"begun:{game_id}:{seated.seat}",
            "begun",
            seated.address,
            seated.player_id,
            game_id,
            seated.seat,
            details=details,
        )
        for seated in begun.seats
        if seated.player_id is not None and seated.seat != begun.decides
    ]
    work.outbox.add(mails, now)
    return True
