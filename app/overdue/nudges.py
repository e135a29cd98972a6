"""What the others can do about an owed decision: send a reminder once a day, and grant more time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col

from app.base.outbox import PlannedMail
from app.base.refusals import NotAccepted
from app.games.store import GameNow, GameStore, NoSuchGame, SeatHolder
from app.games.tables import Game
from app.games.work import Work
from app.play.agreed.results import IS_OVER, seat_of_player, still_plays
from app.play.turn.turns import seat_of_link
from app.time import pending
from app.time.tables import ClockNote, NoteCause, NoteKind
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database
    from app.base.links import TurnLink
    from app.time.decisions import PendingDecision

EXTENSIONS = (1, 3, 7)
"""Days that can be granted at a time."""
MOST_EXTRA = timedelta(days=90)
"""The limit of what can be granted for one decision."""


def nudge(database: Database, game_id: int, player_id: int, *, now: datetime) -> bool:
    """Mail the seat that owes the decision that others are waiting; return False if it was already nudged today.

    Once a UTC day for each game, whichever of the others asks. Raises NotAccepted when there is nothing to wait for.
    """

    def act(work: Work, game: GameNow, by: SeatHolder, owes: SeatHolder, decision: PendingDecision) -> bool:
        if decision.mailed_at is None:
            raise NotAccepted("nudge.early", Text("The mail that asks for this decision has not been delivered yet."))
        key = f"nudge:{game.id}:{game.number}:{now:%Y-%m-%d}"
        if not pending.note(work.session, decision, NoteKind.NUDGE, NoteCause.OPPONENT, now, by_id=player_id, once=key):
            return False
        details = {"by": by.seat}
        mail = PlannedMail(key, "nudge", owes.address, owes.player_id, game.id, owes.seat, game.number, details)
        work.outbox.add([mail], now)
        return True

    return _act(database, game_id, player_id, act)


def nudge_by_link(database: Database, link: TurnLink, *, now: datetime) -> bool:
    """Do the same as `nudge` by a link of the waiting seat. Raises LinkEnded, NoSuchGame, NotAccepted."""
    with database.read() as session:
        game = GameStore(session).load(link.game)
    player = seat_of_link(game, link).player_id
    if player is None:
        raise NoSuchGame(link.game)
    return nudge(database, game.id, player, now=now)


def extend(
    database: Database, game_id: int, player_id: int, days: int, *, number: int, granted: int, now: datetime
) -> bool:
    """Grant the seat that owes decision `number` more time; return False if that was already done.

    `granted` is how often time had been granted for this decision when the form was shown, so sending the same form six
    times grants once. Raises NotAccepted for days that are not offered, for too many, and when the decision has been
    made.
    """
    if days not in EXTENSIONS:
        raise NotAccepted("extension.days", Text("Choose how many days: {days}.", days=tuple(map(str, EXTENSIONS))))
    seconds = days * 86400

    def act(work: Work, game: GameNow, by: SeatHolder, owes: SeatHolder, decision: PendingDecision) -> bool:
        if game.number != number:
            raise NotAccepted("extension.made", Text("The decision has been made meanwhile; no more time is needed."))
        if decision.extra_seconds + seconds > MOST_EXTRA.total_seconds():
            raise NotAccepted(
                "extension.most",
                Text("No more than {days} days can be granted for one decision.", days=MOST_EXTRA.days),
            )
        if times_granted(work.session, game) != granted:
            return False
        key = f"extension:{game.id}:{number}:{granted}"
        if not pending.note(
            work.session,
            decision,
            NoteKind.EXTENSION,
            NoteCause.OPPONENT,
            now,
            by_id=player_id,
            seconds=seconds,
            once=key,
        ):
            return False
        more = {"extra_seconds": col(Game.extra_seconds) + seconds}
        work.session.exec(sa.update(Game).where(col(Game.id) == game.id).values(**more))
        pending.refresh_game(work.session, game.id, now)
        details = {"by": by.seat, "seconds": seconds}
        mail = PlannedMail(key, "extension", owes.address, owes.player_id, game.id, owes.seat, number, details)
        work.outbox.add([mail], now)
        return True

    return _act(database, game_id, player_id, act)


def _act(
    database: Database,
    game_id: int,
    player_id: int,
    act: Callable[[Work, GameNow, SeatHolder, SeatHolder, PendingDecision], bool],
) -> bool:
    with Work(database) as work:
        game = work.store.load(game_id, for_writing=True)
        by = seat_of_player(game, player_id)
        if game.is_over or game.decides is None:
            raise NotAccepted("game.over", IS_OVER)
        if not still_plays(game, by.seat):
            raise NotAccepted("game.out", Text("You are out of this game already."))
        owes = game.seated(game.decides)
        decision = pending.owed(work.session, game_id)
        if owes.seat == by.seat or owes.player_id is None or decision is None:
            raise NotAccepted("nudge.own", Text("Nobody else has to decide in this game now."))
        return act(work, game, by, owes, decision)


def times_granted(session: Session, game: GameNow) -> int:
    """Return how often time has been granted for the decision that is owed."""
    return len(pending.events_of_decision(session, game.id, game.number, "extension"))


def may_ask(game: GameNow, seat: str | None) -> bool:
    """Return whether this seat waits for another one."""
    if seat is None or game.is_over or game.decides in (None, seat) or not still_plays(game, seat):
        return False
    return game.seated(game.decides or "").player_id is not None


def offered(session: Session, game: GameNow, seat: str, now: datetime) -> str:
    """Return whether this seat can nudge now: `open`, `done` if that was done today, or empty."""
    if not may_ask(game, seat) or game.mailed_at is None:
        return ""
    return "done" if is_nudged(session, game, now) else "open"


def is_nudged(session: Session, game: GameNow, now: datetime) -> bool:
    """Return whether the owing seat was nudged today."""
    key = f"nudge:{game.id}:{game.number}:{now:%Y-%m-%d}"
    return session.scalar(sa.select(col(ClockNote.id)).where(col(ClockNote.once) == key)) is not None
