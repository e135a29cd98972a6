"""Taking back what a seat has just played: whether it is offered, and doing it once everybody has agreed.

It is offered while nothing has happened since and nobody knows more than before (`engine.kernel.takeback`). Nothing is
erased: the takeback is an entry in the log, and the decision owed again has a new number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

import sqlmodel
from sqlalchemy import bindparam, func, select
from sqlmodel import Session, col

from app.base.stored.prepared import PreparedRead
from app.games.statements import sent_by_seat
from app.games.steps import PlayedSteps, Step
from app.games.store import GameNow, GameStore
from app.games.tables import DecisionMade, LogCause, LogEntry
from app.games.work import Work
from app.play.tables import AnswerStatus, Proposal, ProposalKind
from app.play.turn.moves import after_move
from app.time import open_cases, pending
from app.time.tables import NoteCause
from engine.kernel.takeback import Deed, Learned, may_have_learned
from engine.kernel.text import Name, Text

_LAST_SENT = sent_by_seat(col(DecisionMade.number), col(DecisionMade.last_entry)).limit(1).subquery()


class _LastSent(NamedTuple):
    number: int
    last_entry: int
    first_entry: int


class _TakenBack(NamedTuple):
    banks: dict[str, int] | None
    used_seconds: int | None


_READ_LAST_SENT = PreparedRead(
    select(
        _LAST_SENT.c.number,
        _LAST_SENT.c.last_entry,
        select(func.min(col(LogEntry.number)))
        .where(col(LogEntry.game_id) == bindparam("game_id"), col(LogEntry.decision) == _LAST_SENT.c.number)
        .scalar_subquery()
        .label("first_entry"),
    ),
    _LastSent,
)
_READ_TAKEN_BACK = PreparedRead(
    select(col(DecisionMade.banks), col(DecisionMade.used_seconds))
    .join(
        LogEntry,
        (col(LogEntry.game_id) == col(DecisionMade.game_id)) & (col(LogEntry.decision) == col(DecisionMade.number)),
    )
    .where(col(LogEntry.game_id) == bindparam("game_id"), col(LogEntry.number) == bindparam("entry")),
    _TakenBack,
)
_READ_DECLINED = PreparedRead(
    sqlmodel.select(Proposal).where(
        col(Proposal.game_id) == bindparam("game_id"),
        col(Proposal.kind) == ProposalKind.TAKEBACK,
        col(Proposal.status) == AnswerStatus.DECLINED,
        col(Proposal.at_entry) == bindparam("at_entry"),
    )
)


@dataclass(frozen=True, slots=True)
class Offer:
    """What a seat sent last: the decision that it answered, the entry before it, and why it cannot be taken back
    (None: it can, if all others agree)."""

    seat: str
    number: int
    back_to: int
    why_not: Text | None


def offer(session: Session, game: GameNow, seat: str, before: GameNow | None = None) -> Offer | None:
    """Return whether the seat may ask to take back what it sent last; None when there is nothing to take back. `before`
    is the game as it stood before that, if available; else it is rebuilt from the log."""
    if game.is_over:
        return None
    sent = _READ_LAST_SENT.first(session, game_id=game.id, seat=seat)
    if sent is None:
        return None
    back_to = sent.first_entry - 1
    log = GameStore(session).log(game.title, game.id, back_to)
    steps = [step for _, _, step in log]
    if any(step.back_to is not None and step.back_to <= back_to for step in steps):
        return None  # it has been taken back
    if before is not None and before.entries != back_to:
        before = None
    why_not = _why_not(session, game, seat, steps, sent.last_entry, back_to, before)
    return Offer(seat, sent.number, back_to, why_not)


def _why_not(
    session: Session,
    game: GameNow,
    seat: str,
    steps: Sequence[Step],
    last_entry: int,
    back_to: int,
    before: GameNow | None,
) -> Text | None:
    other = next(
        (s.seat for s in steps if s.seat not in (None, seat) and s.cause not in (LogCause.FORCED, LogCause.TAKEBACK)),
        None,
    )
    if other is not None:
        return Text("{seat} has decided something since.", seat=Name("actor", other))
    if last_entry != game.entries:
        return Text("The game has gone on since.")
    if any(step.chance for step in steps):
        return _what_was_learned(Learned(None), seat)
    deeds = [Deed(step.seat or "", step.action, step.events, step.chance) for step in steps]
    state = GameStore(session).rebuilt(game, back_to) if before is None else before.state
    found = may_have_learned(game.title, state, deeds, seat)
    if found is not None:
        return _what_was_learned(found, seat)
    if _READ_DECLINED.first(session, game_id=game.id, at_entry=game.entries) is not None:
        return Text("Another player has declined.")
    return None


def _what_was_learned(found: Learned, seat: str) -> Text:
    if found.seat is None:
        return Text("Something was drawn or shuffled since.")
    if found.seat == seat:
        return Text("You may know something now that you did not know before, such as a card that you drew.")
    return Text(
        "{seat} may know something now that was hidden before, such as a card that was played from a hand.",
        seat=Name("actor", found.seat),
    )


def take_back(work: Work, game: GameNow, seat: str, back_to: int, now: datetime) -> GameNow:
    """Continue from the state after entry `back_to`, when the seat owed the next decision; return the game as it then
    stands.

    The game is locked and has no entry since the seat asked. No bank is charged for the wait.
    """
    for seated in game.seats:
        if seated.ends_turn is not None:
            work.store.write_seat(game.id, seated.seat, ends_turn=None)
    game = replace(game, seats=work.store.seats(game.id))
    state = work.store.rebuilt(game, back_to)
    due = game.title.decision(state)
    assert due is not None
    if (game.decides, game.turn, game.kind) != (due.seat, due.turn, due.kind):  # else its clock just keeps running
        game = _with_banks_restored(work.session, game, seat, back_to)
    step = Step(game.number, due.turn, seat, None, LogCause.TAKEBACK, None, None, (), (), back_to)
    after = work.store.append(game, PlayedSteps([step], state, game.chance_used), now=now)
    open_cases.after_move(work.session, after, NoteCause.PLAYER, now, runs_on=after.goes_on_as(game))
    work.outbox.add(after_move(after, None), now)
    return after


def _with_banks_restored(session: Session, game: GameNow, seat: str, back_to: int) -> GameNow:
    """Return the game with all banks of time as they were before the decision that is taken back, less what that
    decision took itself. An increment for a turn that is then unfinished is removed, and a bank cut by its cap is whole
    again."""
    made = _READ_TAKEN_BACK.first(session, game_id=game.id, entry=back_to + 1)
    if made is None or made.banks is None:
        return game
    left = game.pace.bank_after(made.banks[seat], made.used_seconds or 0, turn_ended=False)
    return pending.set_banks(session, game, {**made.banks, seat: left})
