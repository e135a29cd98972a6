"""Open tables: one that waits for its players, and the list of those with a free seat for anybody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from app.base.stored.columns import write_json
from app.base.words.refusals import NoSuch
from app.clocks.pace import Pace, read_pace, write_pace
from app.clocks.presets import preset
from app.games import seeds
from app.games.tables import Game, GameSeat, GameStatus, SeatOffer
from app.people import accounts, blocks
from app.people.tables import Player
from app.play.fairness.proof import committed
from app.play.lists.privacy import IS_PUBLIC
from app.play.past.records import GameProof
from app.play.tables import AnswerStatus, Invitation
from app.time.tables import HolidayCalendar
from app.titles.registry import TITLES
from engine.kernel.text import N_
from engine.kernel.title import Title

LISTED = 50


class NoSuchTable(NoSuch):
    """There is no such table, or it is no longer open."""

    status = 409
    heading = N_("Not possible")
    sentence = N_("This table is not open any more: the game has begun or was cancelled.")

    def __init__(self, game_id: int) -> None:
        super().__init__(game_id)
        self.game_id = game_id


@dataclass(frozen=True, slots=True)
class OpenSeat:
    """A seat of an open table."""

    seat: str
    place: int
    player_id: int | None
    name: str
    """The name of who sits there, or of who is invited; empty otherwise."""
    offer: str | None
    """None for an empty seat whose invitation was declined."""
    invitation_id: int | None
    """The pending invitation or private link."""
    invited_id: int | None
    """The invited player, if they have been told."""
    salt: str
    sign: str
    """The sign of who sits there."""


@dataclass(frozen=True, slots=True)
class OpenGame:
    """A game that waits for its players."""

    row: Game
    title: Title
    host: str
    calendar: str
    """The name of the calendar with the days off; empty for none."""
    seats: tuple[OpenSeat, ...]

    @property
    def id(self) -> int:
        """Its number."""
        return self.row.id

    @property
    def pace(self) -> Pace:
        """Its pace."""
        return read_pace(self.row.pace)

    @property
    def commitment(self) -> str:
        """The commitment to the secret seed of a table made before seeds had numbers; otherwise empty."""
        return committed(self.row.seed) if self.row.seed_number is None else ""

    def seat_of(self, player_id: int) -> OpenSeat | None:
        """Return where a player sits."""
        return next((seat for seat in self.seats if seat.player_id == player_id), None)

    @property
    def open_seats(self) -> list[OpenSeat]:
        """The seats that anybody may take."""
        return [seat for seat in self.seats if seat.player_id is None and seat.offer == SeatOffer.OPEN]


# -- reading ------------------------------------------------------------------------------------------

_HOST = aliased(Player, name="host")
_GUEST = aliased(Player, name="guest")
_READ: sa.Select[*tuple[Any, ...]] = (
    sa.select(Game, GameSeat, Player, Invitation, col(_HOST.name), col(_GUEST.name), col(HolidayCalendar.name))
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


def _tables(session: Session, asked: sa.Select[Any]) -> list[OpenGame]:
    by_game = groupby(session.execute(asked), lambda row: row[0])
    return [_table(game, [*rows]) for game, rows in by_game if game.title in TITLES]


def _table(game: Game, rows: Sequence[Any]) -> OpenGame:
    *_, host, _, calendar = rows[0]
    seats = [_seat(seat, player, invitation, guest) for _, seat, player, invitation, _, guest, _ in rows]
    return OpenGame(game, TITLES[game.title], host or "", calendar or "", tuple(seats))


def _seat(seat: GameSeat, player: Player | None, invitation: Invitation | None, guest: str | None) -> OpenSeat:
    return OpenSeat(
        seat.seat,
        seat.place,
        seat.player_id,
        player.name if player else guest or "",
        seat.offer,
        invitation.id if invitation else None,
        invitation.player_id if invitation and invitation.kept_back_at is None else None,
        seat.salt or "",
        player.sign if player else "",
    )


def with_address(session: Session, seat: OpenSeat) -> OpenSeat:
    """Return a seat with the address to which its invitation went, if the invited player has no name yet."""
    guest = session.get(Player, seat.invited_id) if seat.invited_id is not None else None
    return replace(seat, name=guest.address) if guest and accounts.is_nameless(guest.id, guest.name) else seat


def find(session: Session, game_id: int) -> OpenGame:
    """Return an open table, or raise NoSuchTable."""
    found = _tables(session, _READ.where(col(Game.id) == game_id))
    if not found:
        raise NoSuchTable(game_id)
    return found[0]


def proof_now(session: Session, game_id: int) -> GameProof:
    """Return what can be shown of an open table's chance before its game begins. Raises NoSuchTable."""
    table = find(session, game_id)
    salts = {seat.seat: seat.salt for seat in table.seats if seat.salt}
    number = table.row.seed_number
    place = None if number is None else seeds.place_of(session, number, is_open=False)
    before = table.commitment if place is None else place.root
    return GameProof(table.title, "open", table.row.drawn, before, salts, None, (), None, place)


@dataclass(frozen=True, slots=True)
class LobbyWish:
    """The filter for tables; empty or None matches any."""

    title: str = ""
    edition: str = ""
    """A value of the title's first option."""
    pace: str = ""
    """A named pace."""
    players: int | None = None
    rated: bool | None = None

    def conditions(self) -> Iterator[sa.ColumnElement[bool]]:
        """Yield the conditions on the game of such a table."""
        if self.title:
            yield col(Game.title) == self.title
        if self.title and self.edition:
            name = TITLES[self.title].option_fields({})[0].name
            said = write_json({name: self.edition})[1:-1]
            yield sa.type_coerce(col(Game.options), sa.Text).contains(said, autoescape=True)
        named = preset(self.pace) if self.pace else None
        if named is not None:
            yield col(Game.pace) == write_pace(named.pace)
        if self.players is not None:
            seats = sa.select(sa.func.count()).select_from(GameSeat).where(col(GameSeat.game_id) == col(Game.id))
            yield seats.correlate(Game).scalar_subquery() == self.players
        if self.rated is not None:
            yield col(Game.is_rated).is_(self.rated)


def open_tables(session: Session, reader_id: int | None = None, wanted: LobbyWish | None = None) -> list[OpenGame]:
    """Return the newest tables with a seat for anybody that match `wanted`, without those of players whom a block keeps
    from the reader."""
    has_open_seat = (
        sa.select(col(GameSeat.game_id))
        .join(Game, col(Game.id) == col(GameSeat.game_id))
        # Written out, not a parameter: only then does SQLite see that the partial index fits.
        .where(
            col(Game.status) == sa.literal_column("'open'"),
            col(GameSeat.player_id).is_(None),
            col(GameSeat.offer) == SeatOffer.OPEN,
            IS_PUBLIC,
            *(wanted or LobbyWish()).conditions(),
        )
        .group_by(col(GameSeat.game_id))
        .order_by(col(GameSeat.game_id).desc())
        .limit(LISTED)
    )
    if reader_id is not None:
        has_open_seat = has_open_seat.where(col(GameSeat.game_id).not_in(blocks.tables_apart(reader_id)))
    return _tables(session, _READ.where(col(Game.id).in_(has_open_seat.scalar_subquery())))
