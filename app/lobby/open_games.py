"""Tables: games that wait for their players. Made by a host, filled seat by seat, started with the last one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col, select

from app.base import limits
from app.base.outbox import Planned
from app.base.refusals import NoSuch, NotAccepted
from app.clocks.pace import Pace, read_pace, write_pace
from app.games import seeds
from app.games.tables import Game, GameSeat, GameStatus, SeatOffer
from app.games.work import Work
from app.people import blocks
from app.people.accounts import find_or_add, read_address
from app.people.tables import Player
from app.play import starting
from app.play.privacy import IS_PUBLIC
from app.play.proof import committed
from app.play.records import ProofNow
from app.play.tables import AnswerStatus, Invitation
from app.time import calendars
from app.time.tables import HolidayCalendar
from app.titles.registry import TITLES
from engine.kernel.text import N_, Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database

OFFERS = ("mail", "open", "link")
LISTED = 50
TAKEN = Text("This seat is not free any more.")
PRIVATE = Text("A private game has no open seats: invite players by mail, or give them a private link.")


class NoSuchTable(NoSuch):
    """There is no such table, or it is not open any more."""

    status = 409
    heading = N_("Not possible")
    sentence = N_("This table is not open any more: the game has begun or was cancelled.")

    def __init__(self, game_id: int) -> None:
        super().__init__(game_id)
        self.game_id = game_id


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat as its host wants it: taken by the host (`me`), or offered by `mail`, `open`, or by a private `link`."""

    seat: str
    offer: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class OpenSeat:
    """A seat of an open table."""

    seat: str
    place: int
    player_id: int | None
    name: str
    """Of who sits there, or of who is invited; empty otherwise."""
    offer: str | None
    """None for an empty seat whose invitation was declined."""
    invitation_id: int | None
    """The invitation or private link that waits."""
    invited_id: int | None
    """Who is invited and knows it."""
    salt: str


@dataclass(frozen=True, slots=True)
class TableNow:
    """A game that waits for its players."""

    id: int
    title: Any
    options: Mapping[str, Any]
    pace: Pace
    calendar: str
    """The name of the calendar whose days are free; empty for none."""
    drawn: bool
    host_id: int | None
    host: str
    made_at: datetime
    commitment: str
    """Of the secret seed of a table that was made before seeds had numbers; otherwise empty."""
    seed_number: int | None
    seats: tuple[OpenSeat, ...]

    def seat_of(self, player_id: int) -> OpenSeat | None:
        """Where a player sits."""
        return next((seat for seat in self.seats if seat.player_id == player_id), None)

    @property
    def open_seats(self) -> list[OpenSeat]:
        """The seats that anybody may take."""
        return [seat for seat in self.seats if seat.player_id is None and seat.offer == SeatOffer.OPEN]


# -- reading ------------------------------------------------------------------------------------------

_HOST = aliased(Player, name="host")
_GUEST = aliased(Player, name="guest")
_READ = (
    sa.select(
        col(Game.id),
        col(Game.title),
        col(Game.options),
        col(Game.pace),
        col(Game.drawn),
        col(Game.made_by),
        col(Game.created_at),
        col(_HOST.name).label("host"),
        col(GameSeat.seat),
        col(GameSeat.place),
        col(GameSeat.player_id),
        col(GameSeat.offer),
        col(Game.seed),
        col(Game.seed_number),
        col(GameSeat.salt),
        col(Player.name),
        col(Invitation.id).label("invitation_id"),
        sa.case((col(Invitation.kept_back_at).is_(None), col(Invitation.player_id))).label("invited_id"),
        col(_GUEST.name).label("guest"),
        col(HolidayCalendar.name).label("calendar"),
    )
    .join(GameSeat, col(GameSeat.game_id) == col(Game.id))
    .outerjoin(_HOST, col(_HOST.id) == col(Game.made_by))
    .outerjoin(Player, col(Player.id) == col(GameSeat.player_id))
    .outerjoin(
        Invitation,
        sa.and_(
            col(Invitation.game_id) == col(Game.id),
            col(Invitation.seat_place) == col(GameSeat.place),
            col(Invitation.status) == AnswerStatus.WAITING,
        ),
    )
    .outerjoin(_GUEST, col(_GUEST.id) == col(Invitation.player_id))
    .outerjoin(HolidayCalendar, col(HolidayCalendar.id) == col(Game.calendar_id))
    .where(col(Game.status) == GameStatus.OPEN)
    .order_by(col(Game.id).desc(), col(GameSeat.place))
)


def _tables(session: Session, asked: Any) -> list[TableNow]:
    by_id: dict[int, list[Any]] = {}
    for row in session.execute(asked):
        by_id.setdefault(row.id, []).append(row)
    return [_table(rows) for rows in by_id.values() if rows[0].title in TITLES]


def _table(rows: Sequence[Any]) -> TableNow:
    first = rows[0]
    seats = tuple(
        OpenSeat(
            row.seat,
            row.place,
            row.player_id,
            row.name or row.guest or "",
            row.offer,
            row.invitation_id,
            row.invited_id,
            row.salt or "",
        )
        for row in rows
    )
    return TableNow(
        first.id,
        TITLES[first.title],
        first.options,
        read_pace(first.pace),
        first.calendar or "",
        first.drawn,
        first.made_by,
        first.host or "",
        first.created_at,
        committed(first.seed) if first.seed_number is None else "",
        first.seed_number,
        seats,
    )


def find(session: Session, game_id: int) -> TableNow:
    """An open table, or NoSuchTable."""
    found = _tables(session, _READ.where(col(Game.id) == game_id))
    if not found:
        raise NoSuchTable(game_id)
    return found[0]


def proof_now(session: Session, game_id: int) -> ProofNow:
    """What can be shown of an open table's chance before its game begins. NoSuchTable."""
    table = find(session, game_id)
    salts = {seat.seat: seat.salt for seat in table.seats if seat.salt}
    number = table.seed_number
    place = None if number is None else seeds.place_of(session, number, is_open=False)
    before = table.commitment if place is None else place.root
    return ProofNow(table.title, "open", table.drawn, before, salts, None, (), None, place)


def open_tables(session: Session, reader_id: int | None = None) -> list[TableNow]:
    """The newest tables with a seat for anybody, without those where somebody is whom a block keeps from the
    reader."""
    has_open_seat = (
        sa.select(col(GameSeat.game_id))
        .join(Game, col(Game.id) == col(GameSeat.game_id))
        # Written out, not a parameter: only so SQLite sees that the partial index fits.
        .where(
            col(Game.status) == sa.literal_column("'open'"),
            col(GameSeat.player_id).is_(None),
            col(GameSeat.offer) == SeatOffer.OPEN,
            IS_PUBLIC,
        )
        .group_by(col(GameSeat.game_id))
        .order_by(col(GameSeat.game_id).desc())
        .limit(LISTED)
    )
    if reader_id is not None:
        has_open_seat = has_open_seat.where(col(GameSeat.game_id).not_in(blocks.tables_apart(reader_id)))
    return _tables(session, _READ.where(col(Game.id).in_(has_open_seat.scalar_subquery())))


# -- making a table -----------------------------------------------------------------------------------


def create(
    database: Database,
    host_id: int,
    title_id: str,
    chairs: Sequence[Chair],
    *,
    options: Mapping[str, Any],
    pace: Pace,
    drawn: bool,
    now: datetime,
    calendar: str = "",
    is_private: bool = False,
) -> int:
    """Make a table, seat the host, mail the invitations; the game's number. `calendar` is the number or the name of
    the calendar whose days are free; a game that `is_private` is seen by nobody but those who play in it.

    NotAccepted and `Unreadable` say what is wrong with the form; TooOften.
    """
    title = starting.find_title(title_id)
    read = title.read_options(options)
    title.check_seats([chair.seat for chair in chairs])
    if sum(chair.offer == "me" for chair in chairs) > 1:
        raise NotAccepted("table.two_seats", Text("You can take one seat yourself."))
    if not any(chair.offer in OFFERS for chair in chairs):
        raise NotAccepted("table.nobody", Text("A game needs somebody else; invite a player or leave a seat open."))
    if is_private and any(chair.offer == SeatOffer.OPEN for chair in chairs):
        raise NotAccepted("table.private", PRIVATE)
    addresses = [read_address(chair.address) for chair in chairs if chair.offer == SeatOffer.MAIL]
    if len({address.lower() for address in addresses}) < len(addresses):
        raise NotAccepted("table.address_twice", Text("Each address can be invited to one seat only."))
    limits.count(database, [(limits.TABLES, str(host_id))], now)
    for address in addresses:
        limits.count(database, [(limits.INVITATIONS, str(host_id)), (limits.INVITED, address)], now)
    with Work(database) as work:
        host = work.session.get_one(Player, host_id)
        if any(address.lower() == host.address_key for address in addresses):
            raise NotAccepted("table.own_address", Text("This is your own address; choose to sit there yourself."))
        game = Game(
            title=title_id,
            options=title.write_options(read),
            pace=write_pace(pace),
            calendar_id=calendars.find(work.session, calendar),
            drawn=drawn,
            is_private=is_private,
            made_by=host_id,
            created_at=now,
        )
        game_id = work.store.make(game, [(chair.seat, host_id if chair.offer == "me" else None) for chair in chairs])
        for place, chair in enumerate(chairs):
            if chair.offer != "me":
                put_on_offer(work, game_id, place, chair.offer, chair.address, host, now)
        seeds.bind(work.session, game_id, now)
        work.commit()
        return game_id


def put_on_offer(work: Work, game_id: int, place: int, offer: str, address: str, host: Player, now: datetime) -> None:
    """Offer an empty seat; whatever offered it before ends. The invited player gets a mail."""
    seat = sa.and_(col(GameSeat.game_id) == game_id, col(GameSeat.place) == place)
    waiting = sa.and_(
        col(Invitation.game_id) == game_id,
        col(Invitation.seat_place) == place,
        col(Invitation.status) == AnswerStatus.WAITING,
    )
    work.session.exec(sa.update(Invitation).where(waiting).values(status=AnswerStatus.WITHDRAWN, answered_at=now))
    work.session.exec(sa.update(GameSeat).where(seat).values(offer=offer))
    if offer == "open":
        return
    guest = find_or_add(work.session, address, now=now, language=host.language) if offer == "mail" else None
    guest_id = guest.id if guest else None
    # An invitation across a block looks like any other to its host, and is never mailed.
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
        key = f"invitation:{invitation_id}:{now:%Y%m%dT%H%M%S}"
        details = {"invitation": invitation_id}
        work.outbox.add([Planned(key, "invitation", guest.address, guest.id, game_id, details=details)], now)


# -- filling it ---------------------------------------------------------------------------------------


def lock(work: Work, game_id: int) -> Game:
    """The row of an open table, held until the end of the transaction; NoSuchTable when it is not open."""
    row = work.session.exec(
        select(Game).where(col(Game.id) == game_id, col(Game.status) == GameStatus.OPEN).with_for_update()
    ).first()
    if row is None:
        raise NoSuchTable(game_id)
    return row


def join(database: Database, game_id: int, place: int, player_id: int, *, now: datetime) -> bool:
    """Take an open seat; whether the game has started with it. NoSuchTable; NotAccepted when the seat is not free."""
    with Work(database) as work:
        lock(work, game_id)
        sit(work, game_id, place, player_id, ("open",), now=now)
        started = start_if_full(work, game_id, now)
        if not started:
            _tell_host(work, game_id, player_id, now)
        work.commit()
        return started


def _tell_host(work: Work, game_id: int, guest_id: int, now: datetime) -> None:
    asked = sa.select(col(Player.id), col(Player.address)).join(Game, col(Game.made_by) == col(Player.id))
    host = work.session.execute(asked.where(col(Game.id) == game_id)).first()
    if host is not None and host.id != guest_id:
        key = f"seat_taken:{game_id}:{guest_id}:{now:%Y%m%dT%H%M%S}"
        details = {"guest": guest_id, "answer": "accepted"}
        work.outbox.add([Planned(key, "invitation_answer", host.address, host.id, game_id, details=details)], now)


def sit(work: Work, game_id: int, place: int, player_id: int, offers: tuple[str, ...], *, now: datetime) -> None:
    """Put a player into an empty seat that is offered in one of these ways. The table is locked. A seat at a table
    from which a block keeps the player is refused like one that has gone."""
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
        Planned(f"begun:{game_id}:{seated.seat}", "begun", seated.address, seated.player_id, game_id, seated.seat)
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


def offer(
    database: Database, host_id: int, game_id: int, place: int, how: str, address: str = "", *, now: datetime
) -> None:
    """Offer an empty seat in another way. NoSuchTable, NotAccepted, TooOften."""
    if how not in OFFERS:
        raise NotAccepted("seat.offer", Text("Choose how the seat is offered."))
    if how == "mail":
        address = read_address(address)
        limits.count(database, [(limits.INVITATIONS, str(host_id)), (limits.INVITED, address)], now)
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
        work.commit()


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
    # Whoever joined by themselves did not show the host an address; only the host's own is named here.
    if key == host.address_key and work.session.execute(at_table).first():
        raise NotAccepted("table.own_address", Text("This is your own address; choose to sit there yourself."))


def cancel(database: Database, host_id: int, game_id: int, *, now: datetime) -> None:
    """Take the table away before it starts; who sits there or was invited learns of it. NoSuchTable, NotAccepted."""
    with Work(database) as work:
        cancel_within(work, host_id, game_id, now)
        work.commit()


def cancel_within(work: Work, host_id: int, game_id: int, now: datetime) -> None:
    """`cancel` in a transaction of its caller's."""
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
        [Planned(f"cancelled:{game_id}:{row.id}", "cancelled", row.address, row.id, game_id) for row in people], now
    )


def leave(database: Database, player_id: int, game_id: int) -> None:
    """Get up from a table that has not started; the seat is offered as before, one taken by invitation is the
    host's to offer anew. NoSuchTable, NotAccepted."""
    with Work(database) as work:
        leave_within(work, player_id, game_id)
        work.commit()


def leave_within(work: Work, player_id: int, game_id: int) -> None:
    """`leave` in a transaction of its caller's."""
    game = lock(work, game_id)
    if game.made_by == player_id:
        raise NotAccepted("table.host_leaves", Text("You are the host; cancel the table instead."))
    mine = sa.and_(col(GameSeat.game_id) == game_id, col(GameSeat.player_id) == player_id)
    how = sa.case((col(GameSeat.offer) == SeatOffer.OPEN, "open"), else_=None)
    if work.session.exec(sa.update(GameSeat).where(mine).values(player_id=None, offer=how, salt=None)).rowcount != 1:
        raise NotAccepted("seat.none", Text("You do not sit at this table."))
