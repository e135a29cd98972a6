"""Tables: games that wait for their players. Created by a host, filled seat by seat, started with the last one; until
then the host can offer seats in another way or cancel the table, and guests can leave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored import limits
from app.base.stored.database import Database
from app.base.stored.outbox import PlannedMail
from app.base.words.refusals import NotAccepted
from app.clocks.pace import DEFAULT, Pace, write_pace
from app.games import seeds
from app.games.tables import Game, GameSeat, GameStatus, SeatOffer
from app.games.work import Work
from app.lobby import listing
from app.people import blocks, sanctions, unasked
from app.people.accounts import find_or_add, is_nameless, read_address
from app.people.tables import Player
from app.play.lists.reliability import reliability_of
from app.play.tables import AnswerStatus, Invitation
from app.play.turn import starting
from engine.kernel.text import Text

OFFERS = tuple(SeatOffer)
HOST = "me"
"""The offer of a seat that its host takes."""
TAKEN = Text("This seat is not free any more.")
PRIVATE = Text("A private game has no open seats: invite players by mail, or give them a private link.")


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
    is_private: bool = False
    """It is seen by nobody but those who play in it."""
    note: str = ""
    """By the host."""
    least_reliability: int | None = None
    """The lowest share of games finished on time, in percent, of players who take an open seat."""
    is_rated: bool = False


def create(database: Database, host_id: int, draft: TableDraft, *, now: datetime) -> int:
    """Make a table, seat the host, mail the invitations; the game's number.

    Raises TooOften; NotAccepted and `Unreadable` say what is wrong with the form.
    """
    title, chairs = starting.find_title(draft.title_id), draft.chairs
    read = title.read_options(draft.options)
    title.check_seats([chair.seat for chair in chairs])
    _judge(chairs, is_private=draft.is_private, is_rated=draft.is_rated)
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
            drawn=draft.drawn,
            is_private=draft.is_private,
            note=draft.note,
            least_reliability=draft.least_reliability,
            is_rated=draft.is_rated,
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
    guest, known = None, "" if is_nameless(host.id or 0, host.name) else host.name
    if offer == SeatOffer.MAIL:
        guest = find_or_add(work.session, address, now=now, language=host.language, host=known)
    guest_id = guest.id if guest else None
    # An invitation across a block looks like any other to its host, but is never mailed.
    there = work.session.scalars(sa.select(col(GameSeat.player_id)).where(col(GameSeat.game_id) == game_id)).all()
    kept_back_at = now if blocks.are_apart(work.session, guest_id, [host.id, *there]) else None
    invitation = None
    if guest is not None:
        again = select(Invitation).where(
            Invitation.game_id == game_id, Invitation.seat_place == place, Invitation.player_id == guest_id
        )
        invitation = work.session.exec(again).first()
    if invitation is None:  # a private link is always a new row: the old one stays ended
        invitation = Invitation(game_id=game_id, seat_place=place, player_id=guest_id, made_at=now)
    invitation.status, invitation.made_at = AnswerStatus.WAITING, now
    invitation.answered_at, invitation.kept_back_at = None, kept_back_at
    work.session.add(invitation)
    work.session.flush()
    if guest is not None and kept_back_at is None:
        key = f"invitation:{invitation.id}:{host.id}:{now:%Y%m%dT%H%M%S}"
        wait = unasked.wait_of_invitation(work.session, guest.address, host.id, now)
        details = {"invitation": invitation.id, "by": host.id}
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
            tell_host(work, game_id, player_id, f"seat_taken:{game_id}", now)
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


def tell_host(work: Work, game_id: int, guest_id: int, about: str, now: datetime, *, answer: str = "accepted") -> None:
    """Tell the host, unless it is the guest, that a seat was taken or an invitation declined; `about` says which."""
    asked = sa.select(col(Player.id), col(Player.address)).join(Game, col(Game.made_by) == col(Player.id))
    host = work.session.execute(asked.where(col(Game.id) == game_id)).first()
    if host is not None and host.id != guest_id:
        key = f"{about}:{guest_id}:{now:%Y%m%dT%H%M%S}"
        details = {"guest": guest_id, "answer": answer}
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


def start_if_full(work: Work, game_id: int, now: datetime) -> bool:
    """Start the game when every seat is taken. The table is locked."""
    players = work.session.scalars(sa.select(col(GameSeat.player_id)).where(col(GameSeat.game_id) == game_id)).all()
    if None in players:
        return False
    begun = starting.start(work, game_id, now=now)
    mails = [
        PlannedMail(
            f"begun:{game_id}:{seated.seat}",
            "begun",
            seated.address,
            seated.player_id,
            game_id,
            seated.seat,
        )
        for seated in begun.seats
        if seated.player_id is not None and seated.seat != begun.decides
    ]
    work.outbox.add(mails, now)
    return True


# -- what the host can do before the start ------------------------------------------------------------


def _of_host(work: Work, game_id: int, host_id: int) -> Game:
    game = lock(work, game_id)
    if game.made_by != host_id:
        raise NotAccepted("table.not_host", Text("Only the host of this table can do that."))
    return game


def offer_again(
    database: Database, host_id: int, game_id: int, place: int, how: str, address: str = "", *, now: datetime
) -> None:
    """Offer an empty seat in another way. Raises NoSuchTable, NotAccepted, TooOften."""
    if how not in OFFERS:
        raise NotAccepted("seat.offer", Text("Choose one of what is offered."))
    if how == "mail":
        address = read_address(address)
    with Work(database) as work:
        if _of_host(work, game_id, host_id).is_private and how == SeatOffer.OPEN:
            raise NotAccepted("table.private", PRIVATE)
        free = sa.and_(
            col(GameSeat.game_id) == game_id, col(GameSeat.place) == place, col(GameSeat.player_id).is_(None)
        )
        if work.session.execute(sa.select(col(GameSeat.id)).where(free)).first() is None:
            raise NotAccepted("seat.taken", TAKEN)
        host = work.session.get_one(Player, host_id)
        if how == "mail":
            _refuse_second_invitation(work, game_id, place, address, host)
        put_on_offer(work, game_id, place, how, address, host, now)


def _refuse_second_invitation(work: Work, game_id: int, place: int, address: str, host: Player) -> None:
    key = address.lower()
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
    sits = sa.select(col(GameSeat.id)).where(col(GameSeat.game_id) == game_id, col(GameSeat.player_id) == host.id)
    if work.session.execute(invited).first():
        raise NotAccepted("table.address_twice", Text("Each address can be invited to one seat only."))
    # A player who joined without an invitation did not show the host an address; only the host's own is named here.
    if key == host.address_key and work.session.execute(sits).first():
        raise NotAccepted("table.own_address", Text("This is your own address; choose to sit there yourself."))


def cancel(work: Work, host_id: int, game_id: int, now: datetime) -> None:
    """Cancel the table before it starts; players who sit there or were invited are told. Raises NoSuchTable,
    NotAccepted."""
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
    work.outbox.tell(people, "cancelled", f"cancelled:{game_id}", {}, now, game_id)


def leave(work: Work, player_id: int, game_id: int) -> None:
    """Leave a table that has not started; the seat is offered as before, or by the host again if it was taken by
    invitation. Raises NoSuchTable, NotAccepted."""
    game = lock(work, game_id)
    if game.made_by == player_id:
        raise NotAccepted("table.host_leaves", Text("You are the host; cancel the table instead."))
    mine = sa.and_(col(GameSeat.game_id) == game_id, col(GameSeat.player_id) == player_id)
    how = sa.case((col(GameSeat.offer) == SeatOffer.OPEN, "open"), else_=None)
    if work.session.exec(sa.update(GameSeat).where(mine).values(player_id=None, offer=how, salt=None)).rowcount != 1:
        raise NotAccepted("seat.none", Text("You do not sit at this table."))
