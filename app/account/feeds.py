"""What waits for a player and by when, for feed readers and calendars. Nothing secret: no cards, and no links that
answer anything but for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from app.account.archive import holder
from app.base.stored.columns import table_of
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.games import competitions
from app.games.store import GameStore, SeatHolder
from app.games.tables import Draft, Game, GameSeat, GameStatus
from app.overdue import rulings
from app.people import accounts
from app.people.tables import Player
from app.play.agreed import results
from app.play.tables import AnswerStatus, Invitation, Proposal
from app.time.tables import Case
from app.titles.registry import TITLES
from engine.kernel.text import Text
from engine.kernel.title import Title

KINDS = ("atom", "ical", "json")
LONGEST_OWNER = 40
_HOST = aliased(Player, name="host")


@dataclass(frozen=True, slots=True)
class FeedDecision:
    """A decision in a running game: `decides` owes it, `seat` is the reader's own seat."""

    row: Game
    title: Title
    seat: SeatHolder
    decides: SeatHolder
    others: tuple[SeatHolder, ...]
    said_at: datetime
    """When what a feed says about it last changed: its clock, or the names at the table."""
    held_until: datetime | None
    """Until when the reader's sealed turn can be taken back."""

    @property
    def is_mine(self) -> bool:
        """Whether it waits for the reader."""
        return self.decides.seat == self.seat.seat


@dataclass(frozen=True, slots=True)
class FeedQuestion:
    """An `invitation` to a table, or a `proposal` about a game, that waits for the reader's answer."""

    kind: str
    id: int
    game: int
    seat: str
    """The reader's, of a proposal."""
    title: Title
    by: str
    asked_at: datetime
    said_at: datetime
    """When what a feed says about it last changed."""


def reader(session: Session, player_id: int, version: int) -> Player | None:
    """Return whose feed a key opens; None for a key that has been replaced, or an account that is gone."""
    player = session.exec(select(Player).where(Player.id == player_id)).first()
    if player is None or player.feed_version != version or player.erased_at is not None:
        return None
    return player


def change_keys(database: Database, player_id: int) -> None:
    """Replace the keys, so that all previous addresses of the player's feeds stop working."""
    accounts.keep(database, player_id, feed_version=col(Player.feed_version) + 1)


def declare_program(database: Database, player_id: int, owner: str) -> None:
    """Declare for good that a program plays here, with the name of who runs it; its name says so from now on.
    NotAccepted without an owner, and once there was a rated game."""
    owner = accounts.read_label(owner)[:LONGEST_OWNER]
    in_event = competitions.runner().events_of_game(table_of(Game).c.id).exists()
    rated = (
        select(GameSeat.id)
        .join(Game, col(Game.id) == col(GameSeat.game_id))
        .where(col(GameSeat.player_id) == player_id, col(Game.started_at).is_not(None))
        .where(sa.or_(col(Game.is_rated), in_event))
    )
    with database.write() as session:
        if session.exec(rated).first() is not None:
            why = Text("Rated games have been played here already: a program needs an account of its own.")
            raise NotAccepted("program.late", why)
        player = session.get_one(Player, player_id)
        if player.program_of is None:
            player.program_of, player.name = owner, accounts.program_named(player.name)
            session.add(player)


def owed(session: Session, player_id: int) -> list[FeedDecision]:
    """Return the decisions of all running games of a player, the reader's own first, sorted by deadline. One
    statement."""
    own = aliased(GameSeat, name="own")
    at_game = col(Draft.game_id) == col(Game.id), col(Draft.number) == col(Game.number)
    asked = (
        sa.select(Game, col(own.seat), GameSeat, col(Player.name), col(Player.changed_at), col(Draft.held_until))
        .select_from(own)
        .join(Game, col(Game.id) == col(own.game_id))
        .join(GameSeat, col(GameSeat.game_id) == col(Game.id))
        .outerjoin(Player, col(Player.id) == col(GameSeat.player_id))
        .outerjoin(Draft, sa.and_(*at_game, col(Draft.seat) == col(own.seat)))
        .where(col(own.player_id) == player_id, col(Game.status) == GameStatus.RUNNING)
        .order_by(col(Game.id), col(GameSeat.place))
    )
    found = [
        _owed(list(rows))
        for game, rows in groupby(session.execute(asked), key=lambda row: row[0])
        if game.title in TITLES
    ]
    return sorted(found, key=lambda one: (not one.is_mine, one.row.deadline_at or one.row.asked_at, one.row.id))


def _owed(rows: Sequence[tuple[Game, str, GameSeat, str, datetime | None, datetime | None]]) -> FeedDecision:
    game, own = rows[0][:2]
    assert game.decides is not None and game.asked_at is not None  # the clock is running
    seats = {seat.seat: holder(seat, name or "") for _, _, seat, name, *_ in rows}
    return FeedDecision(
        game,
        TITLES[game.title],
        seats[own],
        seats[game.decides],
        tuple(seated for seat, seated in seats.items() if seat != own),
        _latest(game.asked_at, game.changed_at, *(changed_at for *_, changed_at, _ in rows)),
        rows[0][-1],
    )


def _latest(first: datetime, *others: datetime | None) -> datetime:
    return max([first, *(at for at in others if at is not None)])


def asked(session: Session, player_id: int) -> list[FeedQuestion]:
    """Return invitations, proposals and claims that wait for a player, oldest first."""
    invitations = (
        select(Invitation, Game, col(_HOST.name), col(_HOST.changed_at))
        .join(Game, col(Game.id) == col(Invitation.game_id))
        .outerjoin(_HOST, col(_HOST.id) == col(Game.made_by))
        .where(
            Invitation.player_id == player_id,
            Invitation.status == AnswerStatus.WAITING,
            col(Invitation.kept_back_at).is_(None),
            col(Game.status) == sa.literal_column("'open'"),
        )
    )
    waiting = [
        FeedQuestion("invitation", one.id, game.id, "", TITLES[game.title], host or "", at, _latest(at, changed_at))
        for one, game, host, changed_at in session.exec(invitations)
        for at in (one.made_at,)
        if game.title in TITLES
    ]
    proposed = (
        select(Proposal.game_id, GameSeat.seat)
        .join(GameSeat, col(GameSeat.game_id) == col(Proposal.game_id))
        .join(Game, col(Game.id) == col(Proposal.game_id))
        .where(
            col(Game.title).in_(list(TITLES)), GameSeat.player_id == player_id, Proposal.status == AnswerStatus.WAITING
        )
    )
    store = GameStore(session)
    for game_id, seat in session.exec(proposed).all():
        loaded = store.load(game_id)
        made = results.waiting(session, loaded)
        if made is not None and made.answers.get(seat, False) is None:
            by = loaded.seated(made.seat)
            changed_at = session.scalar(select(col(Player.changed_at)).where(Player.id == by.player_id))
            said_at = _latest(made.made_at, changed_at)
            name = by.name or by.seat
            about = loaded.id, seat, loaded.title
            waiting.append(FeedQuestion("proposal", made.id, *about, name, made.made_at, said_at))
    return sorted([*waiting, *_claimable(session, player_id)], key=lambda one: (one.asked_at, one.kind, one.id))


def _claimable(session: Session, player_id: int) -> Iterator[FeedQuestion]:
    """Yield the games that a player may claim since the time of another is over."""
    late = (
        select(Case, GameSeat.seat)
        .join(Game, sa.and_(col(Game.id) == col(Case.game_id), col(Game.number) == col(Case.number)))
        .join(GameSeat, col(GameSeat.game_id) == col(Case.game_id))
        .where(col(Case.ended_at).is_(None), GameSeat.player_id == player_id, col(Game.title).in_(list(TITLES)))
    )
    for case, seat in session.exec(late).all():
        game = GameStore(session).load(case.game_id)
        if rulings.can_claim(game, case, seat):
            name, at = game.seated(case.seat).name or case.seat, case.opened_at
            yield FeedQuestion("claim", case.id, game.id, seat, game.title, name, at, at)
