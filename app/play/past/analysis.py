"""The analysis of a game: lines tried out from a position with what the seat knew there, stored as branches.

It never touches the game. The lines are played on `Title.imagined`, a state that depends only on what the seat knows,
so nothing shown can give anything away, and the other seats can be tried out too. If a line needs what the seat cannot
know, the branch ends; if only chance is unknown, its outcome can be supposed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import takewhile
from typing import Any

import sqlmodel
from sqlalchemy import bindparam, delete, select, update
from sqlmodel import Session, col

from app.base.stored.database import Database
from app.base.stored.prepared import PreparedRead
from app.base.words.refusals import NoSuch, NotAccepted
from app.games.tables import LogCause
from app.games.work import Work
from app.play.tables import AnalysisBranch
from app.play.turn.chat_and_notes import need_entry
from app.play.turn.playing import MOST_SERVER_ANSWERS, LineRefused, Play, read_past_forced
from app.play.turn.turns import seat_of_player
from engine.kernel.chance import ChanceExhausted, ChanceOutcome
from engine.kernel.refusals import IllegalAction, Refusal
from engine.kernel.text import Text
from engine.kernel.title import Title

MOST_BRANCHES = 20
"""Branches of a game for each seat."""
MOST_LINES = 200
SUPPOSE = "suppose"
"""The word before a supposed outcome of chance, on the line after the one that needs it."""

_READ_PLANS = PreparedRead(
    sqlmodel.select(AnalysisBranch)
    .where(col(AnalysisBranch.game_id) == bindparam("game_id"), col(AnalysisBranch.seat) == bindparam("seat"))
    .order_by(col(AnalysisBranch.entry), col(AnalysisBranch.id))
)


class NoSuchBranch(NoSuch):
    """This seat has no such branch in this game."""


# -- trying out ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TriedLine:
    """One line with the suppositions that follow it, whose it is, and its result."""

    line: str
    supposed: tuple[str, ...]
    seat: str
    events: tuple[Any, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines as they are stored."""
        return (self.line, *[f"{SUPPOSE} {item}" for item in self.supposed])


@dataclass(frozen=True, slots=True)
class TriedLines:
    """Where lines lead."""

    tried: tuple[TriedLine, ...]
    state: Any
    """After the last line, as far as its result is known."""
    unknown: bool
    """Whether the last line depends on what the seat cannot know, so that nothing can follow it."""
    asks: tuple[str, ...]
    """The possible outcomes of chance after the last line; one has to be supposed before anything follows."""
    refused: LineRefused | None

    def first(self, steps: int | None = None) -> list[str]:
        """Return the good lines of the first so many steps, or of all, in their canonical form."""
        return [line for one in self.tried[:steps] for line in one.lines]


_UNKNOWN = IllegalAction("analysis.unknown", Text("From here on it depends on what you cannot know."))
_SUPPOSE_FIRST = IllegalAction("analysis.suppose", Text("First suppose what is drawn here."))


class _NeedsChance(ChanceExhausted):
    """The line needs an outcome of chance; `items` are those that can be supposed, `events` happened before it."""

    def __init__(self, wanted: ChanceOutcome, items: Sequence[str] = ()) -> None:
        super().__init__(wanted)
        self.items = tuple(dict.fromkeys(items))


class _SupposedChance:
    """Chance with only the supposed outcomes."""

    def __init__(self, can_suppose: bool) -> None:
        self._can_suppose = can_suppose
        self.left: deque[str] = deque()

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        raise _NeedsChance(ChanceOutcome("shuffle", purpose, tuple(items)))

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        if not self.left:
            raise _NeedsChance(ChanceOutcome("draw", purpose, tuple(items)), items if self._can_suppose else ())
        item = self.left.popleft()
        if item not in items:
            raise IllegalAction("suppose.gone", Text("“{item}” cannot come here.", item=item))
        return item


def try_out(title: Title, state: object, lines: Sequence[str]) -> TriedLines:
    """Play lines from an imagined state (`Title.imagined`), each by the deciding seat, as far as they go."""
    copy = _Copy(title, state)
    tried: list[TriedLine] = []
    stopped = copy.answer_what_is_forced([])
    for number, line, supposed in _grouped(lines):
        try:
            if stopped is not None:
                raise _SUPPOSE_FIRST if stopped else _UNKNOWN
            more, stopped = _played(copy, line, supposed)
        except Refusal as refusal:
            asks = stopped or ()
            return TriedLines(tuple(tried), copy.state, stopped == (), asks, LineRefused(number, line, refusal))
        tried += more
    return TriedLines(tuple(tried), copy.state, stopped == (), stopped or (), None)


_Stop = tuple[str, ...] | None
"""Why nothing more is known: the next possible outcomes of chance, none if they cannot be supposed; None while all is
known."""


def _played(copy: _Copy, line: str, supposed: Sequence[str]) -> tuple[list[TriedLine], _Stop]:
    """Return the result of a line, and whether it can continue. As in a record, the end of a turn whose actions are
    used up need not be said before the next seat's line. Raises `Refusal`, leaving the copy unchanged."""
    before, title = copy.state, copy.title
    try:
        one, stopped = copy.play(line, supposed)
    except Refusal:
        copy.state = before
        end = title.end_of_steps(before)
        if end is None:
            raise
        tried, stopped = _played(copy, title.write(before, end), ())
        if stopped is None:
            with suppress(Refusal):
                more, stopped = _played(copy, line, supposed)
                return [*tried, *more], stopped
        copy.state = before
        raise
    return [one], stopped


class _Copy(Play):
    """The copy of a game on which lines are tried out."""

    def __init__(self, title: Title, state: object) -> None:
        self._supposed = _SupposedChance(title.all_open)
        super().__init__(title, state, 0, self._supposed)

    def play(self, line: str, supposed: Sequence[str]) -> tuple[TriedLine, _Stop]:
        """Play a line and the answers that leave no choice; return what is known to happen, and whether it can
        continue. Raises `Refusal`."""
        due = self.title.decision(self.state)
        seat, said = due.seat if due else "", line
        self._supposed.left = deque(supposed)

        def act() -> None:
            nonlocal said
            action = read_past_forced(self, seat, line)
            said = self.title.write(self.state, action)
            self.title.check(self.state, seat, action)
            self.act(seat, action, LogCause.SEAT)

        events: list[Any] = []
        stopped = self._go_on(act, events)
        if self._supposed.left:
            raise IllegalAction("suppose.nothing", Text("Nothing is drawn here, so there is nothing to suppose."))
        if stopped is None:
            stopped = self.answer_what_is_forced(events)
        return TriedLine(said, tuple(supposed), seat, tuple(events)), stopped

    def answer_what_is_forced(self, events: list[Any]) -> _Stop:
        """Play the answers that leave no choice, adding what happens to the events."""
        for _ in range(MOST_SERVER_ANSWERS):
            answer = self.server_answer()
            if answer is None:
                return None
            stopped = self._go_on(partial(self.act, *answer), events)
            if stopped is not None:
                return stopped
        raise RuntimeError(f"{self.title.id} never stops answering itself")

    def _go_on(self, act: Callable[[], None], events: list[Any]) -> _Stop:
        """Do something; add what happens to the events, up to the first that is not public: then the state stays the
        one before that."""
        before, mark = self.state, len(self.steps)
        needed: _NeedsChance | None = None
        try:
            act()
        except _NeedsChance as needs:
            needed = needs
        happened = [event for step in self.steps[mark:] for event in step.events]
        happened += needed.events if needed is not None else ()
        known = list(takewhile(lambda event: self.title.seen_by(event, None) == event, happened))
        events += known
        if needed is None and len(known) == len(happened):
            return None
        self.state = before
        for event in known:
            self.state = self.title.apply(self.state, event)
        return needed.items if needed is not None and len(known) == len(happened) else ()


def _grouped(lines: Sequence[str]) -> list[tuple[int, str, tuple[str, ...]]]:
    """Return each line with its number and the suppositions under it."""
    groups: list[tuple[int, str, tuple[str, ...]]] = []
    for number, line in enumerate(lines, 1):
        verb, _, item = line.partition(" ")
        if verb == SUPPOSE and groups:
            first, said, supposed = groups[-1]
            groups[-1] = first, said, (*supposed, item.strip())
        else:
            groups.append((number, line, ()))
    return groups


# -- branches -----------------------------------------------------------------------------------------


def branches_of(session: Session, game_id: int, seat: str) -> list[AnalysisBranch]:
    """Return the branches of a seat, by the entry at which they begin."""
    return _READ_PLANS.all(session, game_id=game_id, seat=seat)


def make_branch(
    database: Database,
    game_id: int,
    player_id: int,
    entry: int,
    called: Callable[[int], str],
    lines: Sequence[str] = (),
    *,
    now: datetime,
) -> int:
    """Create a branch with these good lines, `called` by how many there are with it; return its number. Raises
    NoSuchGame, NotAccepted."""
    with Work(database) as work:
        game = work.store.load(game_id, for_writing=True)
        seat = seat_of_player(game, player_id).seat
        need_entry(game, entry)
        count = len(branches_of(work.session, game_id, seat))
        if count >= MOST_BRANCHES:
            raise NotAccepted(
                "plan.too_many", Text("These are {most} branches already; delete one first.", most=MOST_BRANCHES)
            )
        made = AnalysisBranch(game_id=game_id, seat=seat, entry=entry, name=called(count + 1), changed_at=now)
        made.lines = "\n".join(lines)
        work.session.add(made)
        work.session.flush()
        return made.id


def keep_lines(
    database: Database, game_id: int, player_id: int, branch: AnalysisBranch, lines: Sequence[str], *, now: datetime
) -> None:
    """Replace the lines of a branch that was read as `branch`. Raises NoSuchGame, NoSuchBranch, NotAccepted."""
    if len(lines) > MOST_LINES:
        raise NotAccepted("plan.too_long", Text("A branch has at most {most} lines.", most=MOST_LINES))
    with Work(database) as work:
        where = _own(work, game_id, player_id, branch.id)
        there = work.session.scalar(select(col(AnalysisBranch.lines)).where(*where))
        kept = "\n".join(lines)
        if there not in (branch.lines, kept):
            raise NotAccepted("plan.changed", Text("This has been changed meanwhile; look at it again."))
        work.session.exec(update(AnalysisBranch).where(*where).values(lines=kept, changed_at=now))


def delete_branch(database: Database, game_id: int, player_id: int, branch_id: int) -> None:
    """Delete a branch. Raises NoSuchGame, NoSuchBranch, NotAccepted."""
    with Work(database) as work:
        work.session.exec(delete(AnalysisBranch).where(*_own(work, game_id, player_id, branch_id)))


def _own(work: Work, game_id: int, player_id: int, branch_id: int) -> tuple[Any, ...]:
    """Return the condition for a player's own branch. The game is locked, so that two windows take turns."""
    game = work.store.load(game_id, for_writing=True)
    seat = seat_of_player(game, player_id).seat
    where = (
        col(AnalysisBranch.id) == branch_id,
        col(AnalysisBranch.game_id) == game_id,
        col(AnalysisBranch.seat) == seat,
    )
    if work.session.scalar(select(col(AnalysisBranch.id)).where(*where)) is None:
        raise NoSuchBranch(branch_id)
    return where
