"""A planning copy of a game: lines tried out from a position with what the own seat knew there, kept as branches.

Nothing of it touches the game. The lines are played on `Title.imagined`, a state that depends on nothing but what the
seat knows, so nothing that is shown of it can give anything away, and the other seats can be tried out too. Where a
line needs what the seat cannot know, the branch ends; where only chance is unknown, its outcome can be supposed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, func, insert, select, update

from app.models import PlannedLine
from app.prepared import Prepared
from app.services.people import NotAccepted
from app.services.playing import MOST_SERVER_ANSWERS, LineRefused, Table, read_past_forced
from app.services.replay import need_entry
from app.services.results import seat_of_player
from app.work import Work
from engine.kernel.refusals import IllegalAction, Refusal
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.db import Database
    from engine.kernel.title import Title

MOST_PLANS = 20
"""Branches of a game for each seat."""
MOST_LINES = 200
LONGEST_NAME = 60
SUPPOSE = "suppose"
"""The word before what chance is supposed to give after the line above it."""

_PLAN = PlannedLine.__table__  # type: ignore[attr-defined]
_READ_PLANS = Prepared(
    select(_PLAN.c.id, _PLAN.c.entry, _PLAN.c.name, _PLAN.c.lines)
    .where(_PLAN.c.game_id == bindparam("game_id"), _PLAN.c.seat == bindparam("seat"))
    .order_by(_PLAN.c.entry, _PLAN.c.id)
)


class NoSuchPlan(Exception):
    """This seat has no such branch in this game."""


# -- trying out ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tried:
    """One line with the suppositions that follow it, whose it is, and what came of it."""

    line: str
    supposed: tuple[str, ...]
    seat: str
    events: tuple[Any, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """As they are kept."""
        return (self.line, *[f"{SUPPOSE} {item}" for item in self.supposed])


@dataclass(frozen=True, slots=True)
class Course:
    """Where lines lead."""

    tried: tuple[Tried, ...]
    state: Any
    """After the last line that could be played to its end."""
    view: dict[str, Any] | None
    """How the board looks with the last line half done, where chance has to be supposed."""
    unknown: bool
    """Whether the last line depends on what the seat cannot know, so that nothing can follow it."""
    asks: tuple[str, ...]
    """What chance could give after the last line; one has to be supposed before anything follows."""
    refused: LineRefused | None

    @property
    def lines(self) -> tuple[str, ...]:
        """The good lines in their canonical form."""
        return tuple(line for one in self.tried for line in one.lines)


_UNKNOWN = IllegalAction("study.unknown", Text("From here on it depends on what you cannot know."))
_SUPPOSE_FIRST = IllegalAction("study.suppose", Text("First suppose what is drawn here."))


class _NeedsChance(Exception):
    """The line needs an outcome of chance; `items` are those that can be supposed."""

    def __init__(self, items: Sequence[str] = ()) -> None:
        super().__init__("an outcome of chance is needed")
        self.items = tuple(dict.fromkeys(items))


class _Supposed:
    """Chance that gives what is supposed, and nothing by itself."""

    def __init__(self, can_suppose: bool) -> None:
        self._can_suppose = can_suppose
        self.left: deque[str] = deque()

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        raise _NeedsChance

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        if not self._can_suppose:
            raise _NeedsChance
        if not self.left:
            raise _NeedsChance(items)
        item = self.left.popleft()
        if item not in items:
            raise IllegalAction("suppose.gone", Text("“{item}” cannot come here.", item=item))
        return item


def try_out(title: Title, state: Any, lines: Sequence[str]) -> Course:
    """Play lines from an imagined state (`Title.imagined`), each by the seat that is to decide, as far as they go."""
    chance = _Supposed(title.all_open)
    table = Table(title, state, 0, chance)
    tried: list[Tried] = []
    groups = _grouped(lines)
    for (number, line, supposed), following in zip(groups, [*groups, None][1:], strict=True):
        before, mark = table.state, len(table.steps)
        chance.left = deque(supposed)
        due = title.decision(before)
        seat, said, view = due.seat if due else "", line, None
        asks: tuple[str, ...] = ()
        try:
            action = read_past_forced(table, seat, line)
            at, said = table.state, title.write(table.state, action)
            title.check(at, seat, action)
            try:
                table.act(seat, action, "seat")
            except _NeedsChance as needed:
                asks = needed.items
                found = title.preview(at, action) if asks else None
                view = found["view"] if found else None
                raise
            if chance.left:
                raise IllegalAction("suppose.nothing", Text("Nothing is drawn here, so there is nothing to suppose."))
            is_known = _all_is_seen(table, mark)
        except _NeedsChance:
            is_known = False
        except Refusal as refusal:
            return Course(tuple(tried), before, None, False, (), LineRefused(number, line, refusal))
        if not is_known:
            table.state = before
            tried.append(Tried(said, supposed, seat, ()))
        else:
            is_known = _answer_what_is_forced(table)
            events = tuple(event for step in table.steps[mark:] for event in step.events)
            tried.append(Tried(said, supposed, seat, events))
        if not is_known:
            refused = None
            if following is not None:
                refused = LineRefused(following[0], following[1], _SUPPOSE_FIRST if asks else _UNKNOWN)
            return Course(tuple(tried), table.state, view, not asks, asks, refused)
    return Course(tuple(tried), table.state, None, False, (), None)


def _all_is_seen(table: Table, mark: int) -> bool:
    """Whether the steps from `mark` on hide nothing from anybody, so that nothing unknown is in them."""
    events = [event for step in table.steps[mark:] for event in step.events]
    return all(table.title.seen_by(event, None) == event for event in events)


def _answer_what_is_forced(table: Table) -> bool:
    """Play the answers that leave no choice; False before the first one that needs what is not known."""
    for _ in range(MOST_SERVER_ANSWERS):
        answer = table.server_answer()
        if answer is None:
            return True
        before, mark = table.state, len(table.steps)
        try:
            table.act(*answer)
            is_known = _all_is_seen(table, mark)
        except _NeedsChance:
            is_known = False
        if not is_known:
            table.state = before
            del table.steps[mark:]
            return False
    raise RuntimeError(f"{table.title.id} answers itself without end")


def _grouped(lines: Sequence[str]) -> list[tuple[int, str, tuple[str, ...]]]:
    """Each line with its number and the suppositions under it."""
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


@dataclass(frozen=True, slots=True)
class Plan:
    """A branch: lines tried out after an entry."""

    id: int
    entry: int
    name: str
    lines: tuple[str, ...]


def plans_of(connection: Connection, game_id: int, seat: str) -> list[Plan]:
    """The branches of a seat, by the entry that they begin at."""
    rows = _READ_PLANS.all(connection, game_id=game_id, seat=seat)
    return [Plan(row.id, row.entry, row.name, tuple(row.lines.splitlines())) for row in rows]


def make_plan(
    database: Database, game_id: int, player_id: int, entry: int, name: str, lines: Sequence[str] = (), *, now: datetime
) -> int:
    """A new branch with these good lines; its number. NoSuchGame, NotAccepted."""
    with Work(database) as work:
        game = work.store.load(game_id, for_writing=True)
        seat = seat_of_player(game, player_id).seat
        need_entry(game, entry)
        count = work.connection.scalar(
            select(func.count()).select_from(_PLAN).where(_PLAN.c.game_id == game_id, _PLAN.c.seat == seat)
        )
        if (count or 0) >= MOST_PLANS:
            raise NotAccepted(
                "plan.too_many", Text("These are {most} branches already; delete one first.", most=MOST_PLANS)
            )
        values = {"game_id": game_id, "seat": seat, "entry": entry, "changed_at": now}
        values |= {"name": _name(name), "lines": "\n".join(lines)}
        made = work.connection.execute(insert(_PLAN).values(**values).returning(_PLAN.c.id)).scalar_one()
        work.commit()
    return int(made)


def keep_lines(
    database: Database, game_id: int, player_id: int, plan: Plan, lines: Sequence[str], *, now: datetime
) -> None:
    """Replace the lines of a branch that was looked at as `plan`. NoSuchGame, NoSuchPlan, NotAccepted."""
    if len(lines) > MOST_LINES:
        raise NotAccepted("plan.too_long", Text("A branch has at most {most} lines.", most=MOST_LINES))
    with Work(database) as work:
        where = _own(work, game_id, player_id, plan.id)
        there = work.connection.scalar(select(_PLAN.c.lines).where(*where))
        kept = "\n".join(lines)
        if there not in ("\n".join(plan.lines), kept):
            raise NotAccepted("plan.changed", Text("This branch was changed meanwhile; look at it once more."))
        work.connection.execute(update(_PLAN).where(*where).values(lines=kept, changed_at=now))
        work.commit()


def rename(database: Database, game_id: int, player_id: int, plan_id: int, name: str, *, now: datetime) -> None:
    """Give a branch another name. NoSuchGame, NoSuchPlan, NotAccepted."""
    with Work(database) as work:
        where = _own(work, game_id, player_id, plan_id)
        work.connection.execute(update(_PLAN).where(*where).values(name=_name(name), changed_at=now))
        work.commit()


def delete_plan(database: Database, game_id: int, player_id: int, plan_id: int) -> None:
    """Delete a branch. NoSuchGame, NoSuchPlan, NotAccepted."""
    with Work(database) as work:
        work.connection.execute(delete(_PLAN).where(*_own(work, game_id, player_id, plan_id)))
        work.commit()


def _own(work: Work, game_id: int, player_id: int, plan_id: int) -> tuple[Any, ...]:
    """What picks a player's own branch. The game is locked, so that two windows come one after the other."""
    game = work.store.load(game_id, for_writing=True)
    seat = seat_of_player(game, player_id).seat
    where = (_PLAN.c.id == plan_id, _PLAN.c.game_id == game_id, _PLAN.c.seat == seat)
    if work.connection.scalar(select(_PLAN.c.id).where(*where)) is None:
        raise NoSuchPlan(plan_id)
    return where


def _name(name: str) -> str:
    clean = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    if not clean:
        raise NotAccepted("plan.no_name", Text("The branch needs a name."))
    if len(clean) > LONGEST_NAME:
        raise NotAccepted("plan.long_name", Text("A name has at most {most} characters.", most=LONGEST_NAME))
    return clean
