"""Playing lines on a state, without a database: shared by a POST, a preview and the start of a game.

The lines of one POST are a draft until one of them reveals something hidden or asks another seat: that one commits all
lines up to and including itself. The server answers for a seat at once if the answer is forced or given by its standing
orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from app.games.steps import PlayedSteps, Step
from app.games.store import SeatHolder
from app.games.tables import LogCause
from engine.kernel.chance import NUMBERED, Chance, SeededChance, WatchedChance
from engine.kernel.records import SIDES
from engine.kernel.refusals import NotToDecide, Refusal, Unreadable
from engine.kernel.text import Text
from engine.kernel.title import Decision, Title

LONGEST_ORDERS = 10_000
"""Characters of one POST."""
MOST_LINES = 100
END = "end"
"""The word of every notation for the end of a turn."""
MOST_STANDING = 60
MOST_SERVER_ANSWERS = 1000
"""In a row. No title comes near; a title that never stops must not hold the database indefinitely."""


@dataclass(frozen=True, slots=True)
class LineRefused:
    """The line that stopped the rest: its number from 1, its text and why."""

    number: int
    line: str
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class Lines:
    """The result of the lines: the steps and the state that count, how many lines are in them, and what was refused."""

    steps: tuple[Step, ...]
    state: Any
    played: int
    chance_used: int
    refused: LineRefused | None
    ends: int | None = None
    """The turn whose end the seat has announced in advance and not taken back."""

    @property
    def so_far(self) -> PlayedSteps:
        return PlayedSteps(self.steps, self.state, self.chance_used)


def split_orders(orders: str) -> list[str]:
    """Return the lines that a person typed, without empty ones and extra spaces; `Unreadable` for none, too many, or
    invalid text (JSON can hold half of a surrogate pair, which nothing can store or send on)."""
    if len(orders) > LONGEST_ORDERS:
        raise Unreadable(
            "orders.too_long",
            Text("The orders have {n} characters; the limit is {most}.", n=len(orders), most=LONGEST_ORDERS),
        )
    try:
        orders.encode()
    except UnicodeEncodeError:
        raise Unreadable(
            "orders.no_text", Text("The orders contain a broken character. Send them as UTF-8 text.")
        ) from None
    if "\0" in orders:
        raise Unreadable("orders.no_text", Text("The orders hold a null character; take it out."))
    lines = [" ".join(line.split()) for line in orders.splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        raise Unreadable("orders.empty", Text("There are no orders; write at least one line."))
    if len(lines) > MOST_LINES:
        raise Unreadable(
            "orders.too_many", Text("These are {n} lines; the limit is {most}.", n=len(lines), most=MOST_LINES)
        )
    return lines


@lru_cache(maxsize=500)  # they are read at every move and seldom changed
def _understood(title: Title, lines: tuple[str, ...]) -> object:
    """Return standing orders as the title reads them. Lines that the notation no longer reads are left out: the seat is
    asked."""
    try:
        return title.read_standing(lines)
    except Unreadable:
        good: list[str] = []
        for line in lines:
            try:
                title.read_standing([*good, line])
            except Unreadable:
                continue
            good.append(line)
        return title.read_standing(good)


class Play:
    """A game in play: the state moves on, and the steps are collected to be written."""

    def __init__(
        self,
        title: Title,
        state: object,
        number: int,
        chance: Chance,
        standing: Mapping[str, Sequence[str]] | None = None,
        ends: Mapping[str, int] | None = None,
    ) -> None:
        """`number` is the decision owed; `standing` the lines of each seat's standing orders; `ends` the turn whose end
        a seat has announced in advance."""
        self.title = title
        self.state = state
        self.number = number
        self.steps: list[Step] = []
        self._chance = WatchedChance(chance)
        self._used_before = getattr(chance, "ordinal", 0)
        self.ends = dict(ends or {})
        self._standing = {seat: _understood(title, tuple(lines)) for seat, lines in (standing or {}).items() if lines}

    @property
    def chance_used(self) -> int:
        """The outcomes used since the start of the game."""
        return self._used_before + len(self._chance.uses)

    @property
    def so_far(self) -> PlayedSteps:
        """Everything that has been played."""
        return PlayedSteps(self.steps, self.state, self.chance_used)

    def happen(self, events: Sequence[Any], cause: LogCause) -> None:
        """Apply events that no action of the rules caused: an agreed end, or one on time."""
        self._keep(None, cause, None, None, events, len(self._chance.uses))
        self._apply(events)

    def resign(self, seat: str, cause: LogCause = LogCause.RESIGN) -> None:
        """Resign a seat, by choice or not (`time`, `ruling`). If the game goes on without it, that is a step of the
        record: an action like others."""
        events = self.title.resign(self.state, seat)
        after = self.state
        for event in events:
            after = self.title.apply(after, event)
        action = self.title.read(self.state, seat, "resign") if self.title.outcome(after) is None else None
        line = None if action is None else self.title.write(self.state, action)
        self._keep(seat, cause, line, action, events, len(self._chance.uses))
        self.state = after

    def draw_sides(self, chairs: Sequence[str]) -> tuple[str, ...]:
        """Return for each seat the chair whose player gets it: the first outcome of a game, stored with its opening."""
        return self._chance.shuffle(SIDES, chairs)

    def open(self, options: object, seats: Sequence[str]) -> None:
        """Begin the game."""
        events = self.title.open(options, seats, self._chance)
        self._keep(None, LogCause.OPEN, None, None, events, 0)
        self._apply(events)

    def act(self, seat: str, action: object, cause: LogCause) -> None:
        """Play one action; raises only `Refusal`, if the rules are against it."""
        due = self.title.decision(self.state)
        if due is None:
            raise NotToDecide("game.over", Text("The game is over."))
        if due.seat != seat:
            raise NotToDecide("seat.not_to_decide", Text("It is not yours to decide now."))
        line = self.title.write(self.state, action)
        before = len(self._chance.uses)
        unfolded = self.title.unfold(self.state, seat, action, self._chance)
        events = tuple(event for event, _ in unfolded)
        self._keep(seat, cause, line, action, events, before, due)
        self.state = unfolded[-1][1]

    def _keep(
        self,
        seat: str | None,
        cause: LogCause,
        line: str | None,
        action: object,
        events: Sequence[Any],
        chance_before: int,
        answers: Decision | None = None,
    ) -> None:
        """Add a step; `answers` is the decision that an action answers."""
        last = self.steps[-1] if self.steps else None
        if last and last.seat is not None and seat is not None and last.seat != seat:
            self.number += 1  # another seat answers: another decision
        due = answers or (None if self.state is None else self.title.decision(self.state))
        turn, kind = due.turn if due else 0, answers.kind if answers else None
        chance = tuple([use.outcome for use in self._chance.uses[chance_before:]])
        self.steps.append(Step(self.number, turn, seat, kind, cause, line, action, chance, tuple(events)))

    def _apply(self, events: Sequence[Any]) -> None:
        for event in events:
            self.state = self.title.apply(self.state, event)

    # -- what the server answers itself -----------------------------------------------------------

    def server_answer(self) -> tuple[str, Any, LogCause] | None:
        """Return the seat, the action and the cause, if the decision owed needs nobody to be asked."""
        due = self.title.decision(self.state)
        if due is None:
            return None
        action = self.title.forced(self.state)
        if action is not None:
            return due.seat, action, LogCause.FORCED
        end = self.title.end_of_steps(self.state) if self.ends.get(due.seat) == due.turn else None
        if end is not None:
            return due.seat, end, LogCause.AHEAD
        orders = self._standing.get(due.seat)
        if orders is not None:
            action = self.title.standing_answer(self.state, due.seat, orders)
            if action is not None:
                return due.seat, action, LogCause.STANDING
        return None

    def answer_what_needs_no_asking(self) -> bool:
        """Play all such answers; return whether there was one."""
        for n in range(MOST_SERVER_ANSWERS):
            answer = self.server_answer()
            if answer is None:
                return n > 0
            self.act(*answer)
        raise RuntimeError(f"{self.title.id} never stops answering itself")

    def end_ahead(self, seat: str) -> bool:
        """Store the end of this seat's turn while another seat answers its last action; return whether it may be said
        now."""
        due = self.title.decision(self.state)
        if due is None or due.seat == seat or due.on_turn != seat or self.title.actions_left(self.state) != 0:
            return False
        self.ends[seat] = due.turn
        return True


def play_lines(play: Play, seat: str, lines: Sequence[str]) -> Lines:
    """Play what one seat said, line by line. An error takes back the lines after the last irrevocable one; `played`
    says how many count. A last `end` holds through the answer of another seat."""
    kept = _so_far(play, seat, 0)
    for number, line in enumerate(lines, 1):
        is_last_end = number == len(lines) and line.lower() == END
        if is_last_end and (_needs_no_end(play, seat) or (number > 1 and play.end_ahead(seat))):
            break
        try:
            action = read_past_forced(play, seat, line)
            if play.title.end_of_steps(play.state) is not None:
                play.ends.pop(seat, None)  # it plays on
            play.act(seat, action, LogCause.SEAT)
        except Refusal as refusal:
            return replace(kept, refused=LineRefused(number, line, refusal))
        shows = shown_by_last(play)
        # Its own next line takes precedence over the seat's standing orders.
        due = play.title.decision(play.state)
        more = number < len(lines)
        if not (more and due and due.seat == seat) and play.answer_what_needs_no_asking():
            shows = True
        if shows:
            kept = _so_far(play, seat, number)
    play.answer_what_needs_no_asking()
    return _so_far(play, seat, len(lines))


def shown_by_last(play: Play) -> bool:
    """Return what `Title.reveals` says about the last action played, judged by its result: whether it showed its own
    seat something hidden, asked another seat or ended the turn, so that it cannot be taken back."""
    step = play.steps[-1]
    due = play.title.decision(play.state)
    if due is None or due.seat != step.seat or step.chance:
        return True
    return any(event.shows or event.ends_turn for event in step.events)


def _needs_no_end(play: Play, seat: str) -> bool:
    """Return whether the seat's own lines have ended the game or its turn, so that a last `end` says what has
    happened."""
    if not play.steps or play.title.end_of_steps(play.state) is not None:
        return False
    if play.title.decision(play.state) is None:
        return True
    return any(step.seat == seat and any(event.ends_turn for event in step.events) for step in play.steps)


def read_past_forced(play: Play, seat: str, line: str) -> object:
    """Return the action that the line means now, first playing any forced answer that the line leaves out."""
    due = play.title.decision(play.state)
    if due is None:
        raise NotToDecide("game.over", Text("The game is over."))
    if due.seat != seat:
        raise NotToDecide(
            "seat.not_to_decide", Text("After these lines another player decides; the rest has to wait for the answer.")
        )
    forced = play.title.forced(play.state)
    if forced is not None:
        try:
            said = play.title.read(play.state, seat, line)
        except Unreadable:
            said = None
        if said != forced:
            play.act(seat, forced, LogCause.FORCED)
            return read_past_forced(play, seat, line)
        return said
    return play.title.read(play.state, seat, line)


def _so_far(play: Play, seat: str, played: int) -> Lines:
    """Return what counts if nothing follows."""
    return Lines(tuple(play.steps), play.state, played, play.chance_used, None, play.ends.get(seat))


def seeded(seed: str, used: int, seats: Sequence[SeatHolder], number: int | None = None) -> SeededChance:
    """Return the chance of a game, to continue after `used` outcomes: from its seed, and from the salts of its seats if
    the seed is not a numbered one."""
    if number is not None:
        return SeededChance(bytes.fromhex(seed), used, algorithm=NUMBERED)
    return SeededChance(bytes.fromhex(seed), used, {seated.seat: seated.salt for seated in seats})


# -- what a seat says in advance ----------------------------------------------------------------------


def read_standing(title: Title, lines: Sequence[str]) -> list[str]:
    """Return the canonical lines of standing orders."""
    said = [" ".join(line.split()) for line in lines if line.strip()]
    if len(said) > MOST_STANDING:
        raise Unreadable(
            "standing.too_many",
            Text("These are {n} lines; the limit is {most}.", n=len(said), most=MOST_STANDING),
        )
    return title.write_standing(title.read_standing(said))


def lines_about(standing: Sequence[str], head: str, about: str) -> list[str]:
    """Return the lines that decide a question with this head, or that name its subject together with others."""
    word = head.partition(" ")[0]

    def fits(line: str) -> bool:
        its = line.partition(":")[0]
        return its == head or (bool(about) and about in its.replace(",", " ").split()[1:] and its.split()[0] == word)

    return [line for line in standing if fits(line)]


def answered_ahead(standing: Sequence[str], answers: Mapping[str, str]) -> list[str]:
    """Return standing orders with the answers given to foreseen questions; `answers` maps what stands before the colon
    to one or more lines. An empty answer means to be asked.

    The first line that fits decides, so specific lines stand before all others, and those about the rest (`raid:
    allow`) after them.
    """
    kept = [line for line in standing if line.partition(":")[0] not in answers]
    first = [line for head, answer in answers.items() if " " in head for line in answer.splitlines()]
    last = [line for head, answer in answers.items() if " " not in head for line in answer.splitlines()]
    return [*first, *kept, *last]
