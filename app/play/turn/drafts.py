"""A turn composed line by line: played ahead as far as nothing hidden is needed, stored until it is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update
from sqlmodel import Session, col

from app.base.links import TurnLink
from app.base.stored.database import Database
from app.games.tables import Draft, LogCause
from app.games.work import Work
from app.play.turn.playing import LineRefused, Play, read_past_forced, shown_by_last
from app.play.turn.turns import AlreadyHeld, look
from engine.kernel.chance import ChanceExhausted, ScriptedChance
from engine.kernel.refusals import Refusal
from engine.kernel.title import Title


@dataclass(frozen=True, slots=True)
class Ahead:
    """Where a draft leads, without chance and without asking anybody."""

    state: Any
    """After the lines up to the first one that reveals something hidden or asks another seat; that one not played."""
    lines: tuple[str, ...]
    """The draft's lines in their canonical form, up to and including the one that reveals something."""
    actions: tuple[Any, ...]
    """What the lines mean."""
    befores: tuple[Any, ...]
    """The state before each of them."""
    shows_at: int | None
    """The number of the line that reveals something: it commits all lines up to and including itself."""
    rest: tuple[str, ...]
    """Lines after that one. They are judged when they are played."""
    refused: LineRefused | None
    end: Any | None
    """The action that ends the turn, once all steps are done."""
    left: int | None
    """How many actions the seat has left after them, including the one that asks another seat; None if that is unknown,
    or its turn does not end with a word."""


def play_ahead(title: Title, state: object, seat: str, lines: Sequence[str]) -> Ahead:
    """Return where the lines lead. Chance is never touched: its outcomes stay unknown to the drafting player."""
    play = Play(title, state, 0, ScriptedChance())
    said: list[str] = []
    actions: list[Any] = []
    befores: list[Any] = []
    shows_at, refused = None, None
    left = _left(title, state, seat)
    for number, line in enumerate(lines, 1):
        before = play.state
        try:
            action = read_past_forced(play, seat, line)
            said.append(title.write(play.state, action))
            actions.append(action)
            befores.append(before)
            as_read = play.state
            play.act(seat, action, LogCause.SEAT)
            left = _left(title, play.state, seat)
            if shown_by_last(play):
                due = title.decision(play.state)
                left = left if due is not None and due.seat != seat else None
                play.state, shows_at = as_read, number
                break
        except ChanceExhausted:
            play.state, shows_at, left = before, number, None
            break
        except Refusal as refusal:
            refused = LineRefused(number, line, refusal)
            break
    good = len(lines) if refused is None else refused.number - 1
    end = None
    if shows_at is None:
        due = title.decision(play.state)
        end = title.end_of_steps(play.state) if due is not None and due.seat == seat else None
    rest = tuple(lines[shows_at:]) if shows_at is not None else ()
    return Ahead(
        play.state,
        tuple(said[:good]),
        tuple(actions[:good]),
        tuple(befores[:good]),
        shows_at,
        rest,
        refused,
        end,
        None if refused is not None or rest else left,
    )


def _left(title: Title, state: object, seat: str) -> int | None:
    due = title.decision(state)
    return title.actions_left(state) if due is not None and due.on_turn == seat else None


def keep_draft(database: Database, link: TurnLink, lines: Sequence[str], *, now: datetime) -> None:
    """Store the lines until the decision is made; unchanged lines are not written again. Raises NoSuchGame, LinkEnded,
    AlreadyHeld."""
    look(database, link)
    with Work(database) as work:
        game = work.store.load(link.game, for_writing=True)  # two tabs take turns
        kept = work.session.execute(
            select(col(Draft.number), col(Draft.lines), col(Draft.held_until)).where(*of_seat(link.game, link.seat))
        )
        row = kept.first()
        if row is not None and row.held_until is not None and row.number == game.number:
            raise AlreadyHeld(game)
        if row is None or (row.number, row.lines) != (link.number, "\n".join(lines)):
            write_draft(work.session, link, lines, now)


def write_draft(
    session: Session,
    link: TurnLink,
    lines: Sequence[str],
    now: datetime,
    *,
    sealed_at: datetime | None = None,
    held_until: datetime | None = None,
) -> None:
    """Write the draft of a seat in the caller's transaction, which has locked the game; with `held_until` it is sealed
    (see `holding`)."""
    values = {"number": link.number, "lines": "\n".join(lines), "changed_at": now}
    values |= {"sealed_at": sealed_at, "held_until": held_until}
    if session.exec(update(Draft).where(*of_seat(link.game, link.seat)).values(**values)).rowcount == 0:
        session.exec(insert(Draft).values(game_id=link.game, seat=link.seat, **values))


def of_seat(game_id: int, seat: str) -> tuple[Any, Any]:
    """Return the condition for the draft of a seat."""
    return col(Draft.game_id) == game_id, col(Draft.seat) == seat
