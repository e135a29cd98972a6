"""What the others can do about an owed decision: send a reminder once a day, and grant more time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.links import TurnLink
from app.base.stored.database import Database
from app.base.stored.outbox import PlannedMail
from app.base.words.refusals import NotAccepted
from app.clocks.pace import DAY
from app.games.store import GameNow, GameStore, NoSuchGame
from app.games.tables import Game
from app.games.work import Work
from app.play.agreed.results import IS_OVER, still_plays
from app.play.turn.turns import seat_of_link, seat_of_player
from app.time import pending
from app.time.decisions import PendingDecision
from app.time.tables import ClockNote, NoteCause, NoteKind
from engine.kernel.text import Text

EXTENSIONS = (1, 3, 7)
"""Days that can be granted at a time."""
MOST_EXTRA = timedelta(days=90)
"""The limit of what can be granted for one decision."""


def nudge(database: Database, game_id: int, player_id: int, *, now: datetime) -> bool:
    """Mail the seat that owes the decision that others are waiting; return False if it was already nudged today.

    Once a UTC day for each game, whichever of the others asks. Raises NotAccepted when there is nothing to wait for.
    """
    with Work(database) as work:
        game, by, decision = _waited_for(work, game_id, player_id)
        if decision.mailed_at is None:
            raise NotAccepted("nudge.early", Text("The mail that asks for this decision has not been delivered yet."))
        key = f"nudge:{game.id}:{game.number}:{now:%Y-%m-%d}"
        if not pending.note(work.session, decision, NoteKind.NUDGE, NoteCause.OPPONENT, now, by_id=player_id, once=key):
            return False
        _mail(work, game, key, "nudge", {"by": by}, now)
        return True


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
    seconds = days * DAY
    with Work(database) as work:
        session = work.session
        game, by, decision = _waited_for(work, game_id, player_id)
        if game.number != number:
            raise NotAccepted("extension.made", Text("The decision has been made meanwhile; no more time is needed."))
        if decision.extra_seconds + seconds > MOST_EXTRA.total_seconds():
            most = Text("No more than {days} days can be granted for one decision.", days=MOST_EXTRA.days)
            raise NotAccepted("extension.most", most)
        if times_granted(session, game) != granted:
            return False
        key, kind, cause = f"extension:{game.id}:{number}:{granted}", NoteKind.EXTENSION, NoteCause.OPPONENT
        if not pending.note(session, decision, kind, cause, now, by_id=player_id, seconds=seconds, once=key):
            return False
        more = {"extra_seconds": col(Game.extra_seconds) + seconds}
        session.exec(sa.update(Game).where(col(Game.id) == game.id).values(**more))
        pending.refresh_game(session, game.id, now)
        _mail(work, game, key, "extension", {"by": by, "seconds": seconds}, now)
        return True


def _mail(work: Work, game: GameNow, key: str, kind: str, details: dict[str, Any], now: datetime) -> None:
    owes = game.seated(game.decides or "")
    mail = PlannedMail(key, kind, owes.address, owes.player_id, game.id, owes.seat, game.number, details)
    work.outbox.add([mail], now)


def _waited_for(work: Work, game_id: int, player_id: int) -> tuple[GameNow, str, PendingDecision]:
    """Return a game, locked, the seat of a player who waits there, and the decision that another player owes. Raises
    NotAccepted."""
    game = work.store.load(game_id, for_writing=True)
    by = seat_of_player(game, player_id).seat
    if game.is_over or game.decides is None:
        raise NotAccepted("game.over", IS_OVER)
    if not still_plays(game, by):
        raise NotAccepted("game.out", Text("You are out of this game already."))
    decision = pending.owed(work.session, game_id)
    if decision is None or decision.seat == by or decision.player_id is None:
        raise NotAccepted("nudge.own", Text("Nobody else has to decide in this game now."))
    return game, by, decision


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
