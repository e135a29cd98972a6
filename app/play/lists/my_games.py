"""A player's games: one row for each game, in one statement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.prepared import PreparedGlance, PreparedRead
from app.base.words.speech import HELD
from app.games.store import GUEST
from app.games.tables import DecisionMade, Draft, Game, GameSeat, GameStatus
from app.people.tables import Player
from app.play.lists.privacy import IS_PUBLIC
from app.play.tables import AnswerStatus, ChatMessage, Invitation
from app.titles.registry import TITLES

JUST_ENDED = timedelta(days=14)
"""How long finished games stay among the others; older ones have a page of their own."""
ON_A_PAGE = 50

_NAME = sa.func.coalesce(
    col(Player.name), sa.case((col(GameSeat.held_by).not_like(f"{GUEST}%"), HELD + col(GameSeat.held_by)), else_="")
)
_COLUMNS = (
    col(Game.id),
    col(Game.title),
    col(Game.status),
    col(Game.turn),
    col(Game.decides),
    col(Game.deadline_at),
    col(Game.ended_at),
    col(Game.result),
    col(Game.entries),
    col(Game.made_by),
)
_SITS = sa.select(col(GameSeat.game_id)).where(col(GameSeat.player_id) == sa.bindparam("me"))
# Written out, not parameters: only then does SQLite see whether the partial index fits, and not plan again each time.
_IS_OPEN = col(Game.status) == sa.literal_column("'open'")
_IS_RUNNING = col(Game.status) == sa.literal_column("'running'")
_HOSTS = sa.select(col(Game.id)).where(col(Game.made_by) == sa.bindparam("me"), _IS_OPEN)
_INVITED = sa.select(col(Invitation.game_id)).where(
    col(Invitation.player_id) == sa.bindparam("me"),
    col(Invitation.status) == AnswerStatus.WAITING,
    col(Invitation.kept_back_at).is_(None),
)
# Only for the player's own seats: nobody else must learn, by any means, that a turn is sealed.
_OWN_HELD = sa.and_(
    col(Draft.game_id) == col(GameSeat.game_id),
    col(Draft.seat) == col(GameSeat.seat),
    col(GameSeat.player_id) == sa.bindparam("me"),
    col(Draft.seat) == col(Game.decides),
    col(Draft.number) == col(Game.number),
    col(Draft.held_until).is_not(None),
)
_ANSWERED = sa.exists().where(
    col(DecisionMade.game_id) == col(GameSeat.game_id),
    col(DecisionMade.seat) == col(GameSeat.seat),
    col(DecisionMade.orders).is_not(None),
    col(DecisionMade.made_at) >= col(ChatMessage.at),
)
_SPOKE = aliased(ChatMessage)
_ANSWERED_IN_CHAT = sa.exists().where(
    col(_SPOKE.game_id) == col(GameSeat.game_id),
    col(_SPOKE.seat) == col(GameSeat.seat),
    col(_SPOKE.id) > col(ChatMessage.id),
)
_LOOKED = sa.exists().where(
    col(OutboxMail.game_id) == col(GameSeat.game_id),
    col(OutboxMail.player_id) == sa.bindparam("me"),
    col(OutboxMail.seen_at) >= col(ChatMessage.at),
)
_UNREAD = sa.exists().where(
    col(ChatMessage.game_id) == col(GameSeat.game_id),
    col(ChatMessage.seat) != col(GameSeat.seat),
    col(GameSeat.player_id) == sa.bindparam("me"),
    col(ChatMessage.id) > col(GameSeat.chat_read),
    ~_ANSWERED,
    ~_ANSWERED_IN_CHAT,
    ~_LOOKED,
)
"""Whether another seat has said something since the player answered, spoke, used the page of a turn, or read it."""
_ANY_UNREAD = PreparedGlance(
    sa.select(col(GameSeat.seat)).join(Game, col(Game.id) == col(GameSeat.game_id)).where(_IS_RUNNING, _UNREAD).limit(1)
)
_ROWS = (
    sa.select(
        *_COLUMNS,
        col(GameSeat.seat),
        col(GameSeat.player_id),
        _NAME.label("name"),
        col(Draft.held_until),
        _UNREAD.label("is_unread"),
    )
    .select_from(Game)
    .join(GameSeat, col(GameSeat.game_id) == col(Game.id))
    .outerjoin(Player, col(Player.id) == col(GameSeat.player_id))
    .outerjoin(Draft, _OWN_HELD)
    .order_by(col(Game.id).desc(), col(GameSeat.place))
)
_IS_CURRENT = sa.and_(
    col(Game.id).in_(sa.union(_SITS, _HOSTS, _INVITED)),
    sa.or_(_IS_OPEN, _IS_RUNNING, col(Game.ended_at) > sa.bindparam("since")),
)
_CURRENT = _ROWS.where(_IS_CURRENT)
CURRENT = PreparedGlance(_CURRENT)
"""The statement from which `current` makes its games, for `me` and `since`: to see whether anything has changed."""
_PAST_IDS = (
    sa.select(col(Game.id))
    .join(GameSeat, col(GameSeat.game_id) == col(Game.id))
    .where(
        col(GameSeat.player_id) == sa.bindparam("me"),
        col(Game.status).in_([GameStatus.OVER, GameStatus.CANCELLED]),
        col(Game.id) < sa.bindparam("before"),
    )
    .order_by(col(Game.id).desc())
    .limit(ON_A_PAGE)
)
_PAST = _ROWS.where(col(Game.id).in_(_PAST_IDS.scalar_subquery()))


_IS_HELD = sa.exists().where(
    col(Draft.game_id) == col(Game.id),
    col(Draft.seat) == col(Game.decides),
    col(Draft.number) == col(Game.number),
    col(Draft.held_until).is_not(None),
)
"""A sealed turn waits to be played, so nothing is left to decide."""


class NextDue(NamedTuple):
    """The player's decision that is due first, and how many wait for the player in all."""

    id: int
    title: str
    number: int
    deadline_at: datetime | None
    seat: str
    waiting: int


_OTHERS = (
    sa.select(col(GameSeat.seat), _NAME)
    .outerjoin(Player, col(Player.id) == col(GameSeat.player_id))
    .where(col(GameSeat.game_id) == sa.bindparam("game"), col(GameSeat.seat) != sa.bindparam("mine"))
    .order_by(col(GameSeat.place))
)


@cache
def _due_first(titles: tuple[str, ...]) -> PreparedRead[NextDue]:
    """Return the statement for the game of `me` that is due first, other than `but`, among these (installed) titles."""
    return PreparedRead(
        sa.select(
            col(Game.id),
            col(Game.title),
            col(Game.number),
            col(Game.deadline_at),
            col(GameSeat.seat),
            sa.func.count().over().label("waiting"),
        )
        .join(GameSeat, col(GameSeat.game_id) == col(Game.id))
        .where(
            col(GameSeat.player_id) == sa.bindparam("me"),
            col(GameSeat.seat) == col(Game.decides),
            _IS_RUNNING,
            col(Game.id) != sa.bindparam("but"),
            ~_IS_HELD,
            col(Game.title).in_(titles),
        )
        .order_by(col(Game.deadline_at).is_(None), col(Game.deadline_at), col(Game.id))
        .limit(1),
        NextDue,
    )


@dataclass(frozen=True, slots=True)
class MyGame:
    """A game from one player's view. `seat` is None if the player is invited, or only the host."""

    id: int
    title: Any
    status: str
    turn: int
    seat: str | None
    decides: str | None
    decider: str
    """The name of the deciding player, as in `opponents`; empty if nobody decides."""
    deadline_at: datetime | None
    ended_at: datetime | None
    result: Any
    opponents: tuple[tuple[str, str], ...]
    """Seat and name of the others, for `Voice.called`; the name is empty if the seat is."""
    entries: int = 0
    """The number of entries in its log."""
    held_until: datetime | None = None
    """When the player's sealed turn will be played."""
    is_host: bool = False
    """Whether the player created the table."""
    is_unread: bool = False
    """Whether another has said something that the player has not answered."""

    @property
    def is_mine_to_decide(self) -> bool:
        return self.decides is not None and self.decides == self.seat

    @property
    def waits(self) -> bool:
        """Whether it waits for the player: a sealed turn does not."""
        return self.is_mine_to_decide and self.held_until is None

    @property
    def urgency(self) -> tuple[int, float]:
        """The sort key that puts what is to be done first at the top: the player's own decisions by deadline, tables,
        others' by deadline, finished games. A sealed turn counts as done."""
        if self.status in (GameStatus.OVER, GameStatus.CANCELLED):
            return 3, -self.ended_at.timestamp() if self.ended_at else 0.0
        if self.status == GameStatus.OPEN:
            return 1, -self.id
        return 0 if self.waits else 2, self.deadline_at.timestamp() if self.deadline_at else 0.0


def current(session: Session, player_id: int, now: datetime) -> list[MyGame]:
    """Return running games, tables, invitations and what ended recently, the most urgent first."""
    rows = session.execute(_CURRENT, {"me": player_id, "since": now - JUST_ENDED}).all()
    return sorted(_games(rows, player_id), key=lambda game: game.urgency)


def has_unread(database: Database, player_id: int) -> bool:
    """Return whether a running game of the player has an unread message (`MyGame.is_unread`)."""
    return bool(_ANY_UNREAD.glance(database, me=player_id))


def next_waiting(session: Session, player_id: int, but: int) -> NextDue | None:
    """Return the game that waits for this player and is due first, other than the game `but`; those without a deadline
    come last."""
    return _due_first(tuple(TITLES)).first(session, me=player_id, but=but)


def opponents(session: Session, game_id: int, seat: str) -> Sequence[tuple[str, str]]:
    """Return seat and name of the others in a game, for `Voice.called`."""
    return [(seat, name) for seat, name in session.execute(_OTHERS, {"game": game_id, "mine": seat})]


def to_watch(session: Session, most: int, page: int) -> list[MyGame]:
    """Return running games that anybody may watch, the most recently moved first; `most` per page, from page 1 on. Here
    `seat` is None, and all players are `opponents`."""
    ids = sa.select(col(Game.id)).where(_IS_RUNNING, IS_PUBLIC, col(Game.title).in_(TITLES), col(Game.turn) > 0)
    newest = ids.order_by(col(Game.asked_at).desc(), col(Game.id).desc()).limit(most).offset((page - 1) * most)
    order = {game_id: n for n, game_id in enumerate(session.scalars(newest))}
    found = _games(session.execute(_ROWS.where(col(Game.id).in_(order)), {"me": None}).all())
    return sorted(found, key=lambda game: order[game.id])


def past(session: Session, player_id: int, before: int) -> list[MyGame]:
    """Return finished games with a smaller number than `before`, newest first."""
    return _games(session.execute(_PAST, {"me": player_id, "before": before}).all(), player_id)


def _games(rows: Iterable[sa.Row[Any]], reader_id: int | None = None) -> list[MyGame]:
    seats = [row for row in rows if row.title in TITLES]
    return [_game(list(of_game), reader_id) for _, of_game in groupby(seats, lambda one: one.id)]


def _game(seats: Sequence[sa.Row[Any]], reader_id: int | None) -> MyGame:
    row = seats[0]
    mine = [one for one in seats if reader_id is not None and one.player_id == reader_id]
    return MyGame(
        id=row.id,
        title=TITLES[row.title],
        status=row.status,
        turn=row.turn,
        seat=mine[0].seat if mine else None,
        decides=row.decides,
        decider=next((one.name for one in seats if one.seat == row.decides), ""),
        deadline_at=row.deadline_at,
        ended_at=row.ended_at,
        result=row.result,
        opponents=tuple((one.seat, one.name) for one in seats if one not in mine),
        entries=row.entries,
        held_until=mine[0].held_until if mine else None,
        is_unread=bool(mine and mine[0].is_unread),
        is_host=row.made_by is not None and row.made_by == reader_id,
    )
