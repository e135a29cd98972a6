"""Holding a sealed turn for some minutes, in which it can be taken back as if it had not been sent. Nothing is drawn,
mailed or shown to anybody else before it is played.

All sealed orders, whether from the page, as JSON or as an answer by mail, go through `seal`. It plays them at once if
no hold is wished for or the clock leaves no time for one (`TurnPlayed`); else it judges them as far as
nothing hidden is needed, stores them with the seat's draft (`Draft.held_until`) and returns a `HeldTurn`. From there
they go one of four ways: `recall` makes them a draft again, `send_now` and `play_due` (a job of the timetable) play
them, and when the decision ends otherwise, by a ruling, a takeback or the end, they become a draft again, too. Their
time is charged until the moment of sealing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.links import TurnLink
from app.base.process.jobs import job
from app.base.stored import failing
from app.base.stored.database import Database
from app.base.stored.prepared import PreparedRead
from app.base.words.refusals import Conflict
from app.games.store import GameNow, SeatHolder
from app.games.tables import Draft
from app.games.work import Work
from app.play.turn import drafts, turns
from app.play.turn.moves import turn_mail
from engine.kernel.text import Text

SPARE = timedelta(minutes=1)
"""A held turn is played at least this long before its deadline."""
LEAST = timedelta(seconds=20)
"""A shorter hold would be useless: the turn is played at once."""
AT_ONCE = 100

NOT_HELD = Conflict("hold.none", Text("Your turn is not held any more, so there is nothing to take back."))
GONE_OUT = Conflict("hold.gone", Text("Your turn has gone out: the time to take it back was over."))


_HELD = PreparedRead(
    select(Draft).where(
        col(Draft.game_id) == sa.bindparam("game_id"),
        col(Draft.seat) == sa.bindparam("seat"),
        col(Draft.held_until).is_not(None),
    )
)
_DUE = (
    sa.select(col(Draft.game_id), col(Draft.seat))
    .where(col(Draft.held_until) <= sa.bindparam("now"), ~failing.rests("held turns", "game", col(Draft.game_id)))
    .order_by(col(Draft.held_until))
    .limit(AT_ONCE)
)


@dataclass(frozen=True, slots=True)
class HeldTurn:
    """Sealed orders that wait: the game as it stands without them, for everybody but their seat."""

    link: TurnLink
    game: GameNow
    lines: tuple[str, ...]
    sealed_at: datetime
    held_until: datetime


# -- sealing ------------------------------------------------------------------------------------------


def seal(
    work: Work,
    game: GameNow,
    link: TurnLink,
    lines: Sequence[str],
    *,
    now: datetime,
    usual: int = 0,
) -> turns.TurnPlayed | HeldTurn:
    """Accept sealed orders as the answer to the link's decision, with the game locked and the decision still owed
    (`turns.answer`): hold them, or play them at once. `usual` is how many minutes they are held for a player who has
    never said.

    Raises OrdersRefused, and AlreadyHeld when other orders are held for this decision; nothing is written then.
    Repeating the same orders gives the first result, and the same `held_until`.
    """
    before = held(work.session, game, link)
    if before is not None and before.lines != tuple(lines):
        raise turns.AlreadyHeld(game)
    if before is not None:
        return before if before.held_until > now else _play(work, before, now, actor=link.seat)
    until = _until(game, minutes_to_recall(game.seated(link.seat), usual), now)
    if until is None:
        return turns.play_in(work, game, link, lines, now=now, actor=link.seat)
    # What follows a line that reveals something hidden is judged only when it is played: nothing is drawn before.
    refused = drafts.play_ahead(game.title, game.state, link.seat, lines).refused
    if refused is not None:
        raise turns.OrdersRefused(game, refused)
    drafts.write_draft(work.session, link, lines, now, sealed_at=now, held_until=until)
    return HeldTurn(link, game, tuple(lines), now, until)


def minutes_to_recall(seated: SeatHolder, usual: int) -> int:
    """Return how many minutes what a seat seals is held; `usual` if its player has never said."""
    return usual if seated.hold_minutes is None else seated.hold_minutes


def _until(game: GameNow, minutes: int, now: datetime) -> datetime | None:
    """Return until when a turn sealed now is held; None if it is not."""
    until = now + timedelta(minutes=minutes)
    if game.deadline_at is not None:
        until = min(until, game.deadline_at - SPARE)
    return until if until >= now + LEAST else None


# -- while it is held ---------------------------------------------------------------------------------


def held(session: Session, game: GameNow, link: TurnLink) -> HeldTurn | None:
    """Return what is held as the answer to the decision of this link, which `game` owes; None when nothing is."""
    row = _HELD.first(session, game_id=game.id, seat=link.seat)
    if row is None or row.number != game.number or game.decides != link.seat:
        return None
    assert row.sealed_at is not None and row.held_until is not None
    return HeldTurn(link, game, tuple(row.lines.splitlines()), row.sealed_at, row.held_until)


def is_held(session: Session, game_id: int, seat: str, number: int | None) -> bool:
    """Return whether the seat's answer to this decision is sealed and waits to be played."""
    row = _HELD.first(session, game_id=game_id, seat=seat)
    return row is not None and row.number == number


def recall(work: Work, held: HeldTurn, now: datetime) -> bool:
    """Take a held turn back: its lines are a draft again, as if they had not been sent. Return False when its time was
    over, so that it has been played instead (`GONE_OUT`)."""
    if held.held_until <= now:
        _play(work, held, now, actor=held.link.seat)
        return False
    _open_again(work.session, held.link.game, held.link.seat, held.game.number)
    return True


def send_now(database: Database, link: TurnLink, *, now: datetime) -> turns.TurnPlayed:
    """Play a held turn before its time. Raises NoSuchGame, LinkEnded, OrdersRefused, and Conflict when nothing is
    held."""
    with Work(database) as work:
        return send_in(work, held_for_writing(work, link), now)


def send_in(work: Work, held: HeldTurn, now: datetime) -> turns.TurnPlayed:
    """Do the same as `send_now` in the caller's transaction."""
    return _play(work, held, now, actor=held.link.seat)


def held_for_writing(work: Work, link: TurnLink) -> HeldTurn:
    game = turns.locked(work, link)
    if game.decides != link.seat or game.number != link.number:
        raise turns.look_ended(work.store, game, link)
    found = held(work.session, game, link)
    if found is None:
        raise NOT_HELD
    return found


# -- when its time is over ----------------------------------------------------------------------------


@job("held turns", every=1)
def play_due(database: Database, now: datetime) -> int:
    """Play all held turns whose time is over; return how many. Any number of processes may do it: the game is locked,
    and the draft is then read again."""
    with database.read() as session:
        due = session.execute(_DUE, {"now": now}).all()

    def play(row: sa.Row[Any]) -> bool:
        with Work(database) as work:
            return play_held(work, row.game_id, row.seat, now)

    return sum(failing.over(database, "held turns", due, lambda row: f"game {row.game_id}", play, now))


def play_held(work: Work, game_id: int, seat: str, now: datetime, *, early: bool = False) -> bool:
    """Play what a seat has held, if its time is over (or before that if `early`), in the caller's transaction. Return
    whether it was played: what no longer answers the owed decision becomes a draft again, and so does what the rules no
    longer allow; then the seat is mailed."""
    game = work.store.load(game_id, for_writing=True)
    row = _HELD.first(work.session, game_id=game_id, seat=seat)
    if row is None or row.held_until is None or (row.held_until > now and not early):
        return False  # another process was faster, or it was sealed again
    link = TurnLink(game_id, seat, game.number, game.seated(seat).player_id)
    found = held(work.session, game, link)
    if found is None:
        _open_again(work.session, game_id, seat, game.number if game.decides == seat else row.number)
        return False
    try:
        _play(work, found, now, actor=None)
    except turns.OrdersRefused:  # the rules were corrected in the meantime
        _open_again(work.session, game_id, seat, game.number)
        if link.player is not None:
            work.outbox.add([turn_mail(game, game.seated(seat), again="held")], now)
        return False
    return True


def _play(work: Work, held: HeldTurn, now: datetime, *, actor: str | None) -> turns.TurnPlayed:
    """Play held orders and forget them. What follows a refused line is stored as a draft for the seat's next decision,
    if that is the next one."""
    played = turns.play_in(work, held.game, held.link, held.lines, now=now, actor=actor, sealed_at=held.sealed_at)
    rest = held.lines[len(played.played) :] if played.refused is not None else ()
    if rest and played.next_number is not None:
        link = TurnLink(held.link.game, held.link.seat, played.next_number, held.link.player)
        drafts.write_draft(work.session, link, rest, now)
    else:
        work.session.exec(sa.delete(Draft).where(*drafts.of_seat(held.link.game, held.link.seat)))
    return played


def _open_again(session: Session, game_id: int, seat: str, number: int) -> None:
    """Make the held lines a draft for this decision."""
    values: dict[str, Any] = {"number": number, "sealed_at": None, "held_until": None}
    session.exec(sa.update(Draft).where(*drafts.of_seat(game_id, seat)).values(**values))
