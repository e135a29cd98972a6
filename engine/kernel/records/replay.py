"""Playing a record by the rules, and comparing every state that it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from engine.kernel.chance import ChanceExhausted, ChanceMismatch, ChanceOutcome, ScriptedChance
from engine.kernel.records.form import OUTSIDE_ENDS, Entry, Played, Record, RecordRefused, short
from engine.kernel.refusals import Refusal
from engine.kernel.text import Text

_Line = tuple[int, int, str]
"""A chance line: turn, step, text."""


@dataclass(slots=True)
class _Step:
    """A step of the record that somebody says, with the chance lines that follow it up to the next such step."""

    turn: int
    step: int
    by: str | None
    text: str
    chance: list[_Line] = field(default_factory=list)


def _plan(record: Record) -> tuple[list[_Line], list[list[_Step]]]:
    """The chance lines before the first step, and each turn's steps with the chance lines behind them."""
    opening: list[_Line] = []
    turns: list[list[_Step]] = []
    last: list[_Line] = opening
    for number, turn in enumerate(record.turns, 1):
        steps: list[_Step] = []
        for index, step in enumerate(turn["steps"], 1):
            if "chance" in step:
                last.append((number, index, step["chance"]))
            else:
                said = _Step(number, index, step.get("by"), step["do"])
                steps.append(said)
                last = said.chance
        turns.append(steps)
    return opening, turns


class _Replay:
    """Plays a record; `run` yields every entry and raises `RecordRefused` at the first thing that is wrong."""

    def __init__(self, record: Record, script: Callable[[list[ChanceOutcome]], ScriptedChance]) -> None:
        self.record = record
        self._new_script = script
        self.title = record.title
        self.state: Any = None
        self.turn = 0
        """Number of the turn that is being played; its `after` has not been compared yet."""

    def run(self) -> Iterator[Played]:
        opening, turns = _plan(self.record)
        title, record = self.title, self.record
        chance = self._script(opening)
        try:
            opened = title.opened_from_record(record.options, record.seats, record.setup)
        except Refusal as refusal:
            raise RecordRefused(0, 0, refusal.why) from None
        begin = partial(self._begin, opened, chance)
        yield self._entry(None, None, begin, opening, chance, 0, 0, last=not turns)
        for number, (turn, steps) in enumerate(zip(record.turns, turns, strict=True), 1):
            if self.turn > number and not steps:
                continue  # chance alone ended this turn; it was compared when it did
            self.turn = number
            self._check_turn_begins(turn)
            is_last = number == len(turns)
            for index, step in enumerate(steps):
                yield from self._play(step, last=is_last and index == len(steps) - 1)
            if "after" in turn and self.turn == number:  # cut short, or ended by the game's end
                self._compare_after(turn["after"])
            if not is_last and self.turn == number and title.outcome(self.state) is None:
                raise RecordRefused(number, len(turn["steps"]), Text("The turn is not over here."))
        self._check_no_more()
        yield from self._result()

    def _begin(self, opened: Any, chance: ScriptedChance) -> Iterator[tuple[Any, Any]]:
        return self._follow(self.title.begin(opened, chance))

    def _follow(self, events: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Events with the state after each."""
        state = self.state
        for event in events:
            state = self.title.apply(state, event)
            yield event, state

    # -- one step ---------------------------------------------------------------------------------

    def _play(self, step: _Step, *, last: bool) -> Iterator[Played]:
        title, number = self.title, step.turn
        if title.outcome(self.state) is not None:
            raise RecordRefused(number, step.step, Text("The game is over before this step."))
        seat = step.by if step.by is not None else self.record.turns[number - 1]["seat"]
        chance = self._script(step.chance)
        try:
            action = title.read(self.state, seat, step.text)
        except Refusal as refusal:
            raise RecordRefused(number, step.step, refusal.why) from None
        happen = partial(title.unfold, self.state, seat, action, chance)
        yield self._entry(seat, action, happen, step.chance, chance, number, step.step, last)
        if self.turn == number and self._turn_stops_here(step, chance, last):
            end = title.end_of_steps(self.state)
            if end is not None:
                on_turn = self.record.turns[number - 1]["seat"]
                happen = partial(title.unfold, self.state, on_turn, end, chance)
                yield self._entry(on_turn, end, happen, step.chance, chance, number, step.step, last)
        if chance.left:
            turn, at, text = step.chance[len(step.chance) - chance.left]
            raise RecordRefused(turn, at, Text("The rules need no “{text}” here.", text=text))

    def _turn_stops_here(self, step: _Step, chance: ScriptedChance, last: bool) -> bool:
        """Whether the end of the turn's steps is meant after this one."""
        steps = self.record.turns[step.turn - 1]["steps"]
        if any("do" in later for later in steps[step.step :]):
            return False
        if not last or "after" in self.record.turns[step.turn - 1] or chance.left:
            return True
        result = self.record.result
        return result is not None and result.get("reason") not in OUTSIDE_ENDS

    def _entry(
        self, seat: str | None, action: Any, happen: Callable[[], Iterable[tuple[Any, Any]]], lines: list[_Line],
        chance: ScriptedChance, turn: int, step: int, last: bool,
    ) -> Played:  # fmt: skip
        used = len(lines) - chance.left
        try:
            happened = happen()
        except Refusal as refusal:
            raise RecordRefused(turn, step, refusal.why) from None
        except ChanceMismatch as mismatch:
            at_turn, at_step, text = lines[len(lines) - chance.left]
            wanted = mismatch.wanted
            raise RecordRefused(
                at_turn,
                at_step,
                Text("“{text}” is not what the rules need here: {kind} {purpose} of {items}.",
                     text=short(text), kind=wanted.kind, purpose=wanted.purpose, items=wanted.value),
            ) from None  # fmt: skip
        except ChanceExhausted as exhausted:
            if not (last and any(event.ends_turn for event in exhausted.events)):
                wanted = exhausted.wanted
                raise RecordRefused(
                    turn, step, Text("The outcome of chance is missing: {kind} {purpose}.",
                                     kind=wanted.kind, purpose=wanted.purpose),
                ) from None  # fmt: skip
            happened = self._follow(exhausted.events)  # a record that was cut between two turns
        title, events = self.title, []
        for event, state in happened:
            self.state = state
            events.append(event)
            if lines and title.chance_of(event) is not None:
                self._check_place_of_chance(lines[used])
                used += 1
            if event.ends_turn:
                recorded = self.record.turns[self.turn - 1]
                if "after" in recorded:
                    self._compare_after(recorded["after"])
                self.turn += 1
        return Played(Entry(seat, action, tuple(events)), turn, step, self.state)

    def _check_place_of_chance(self, line: _Line) -> None:
        """A chance line belongs to the turn in which the rules need it; the opening's stands in the first."""
        turn, step, text = line
        if turn != max(self.turn, 1):
            raise RecordRefused(turn, step, Text("“{text}” belongs to turn {n}.", text=short(text), n=self.turn))

    def _script(self, lines: list[_Line]) -> ScriptedChance:
        outcomes = []
        for turn, step, text in lines:
            try:
                outcomes.append(self.title.read_chance(text))
            except Refusal as refusal:
                raise RecordRefused(turn, step, refusal.why) from None
        return self._new_script(outcomes)

    # -- checks -----------------------------------------------------------------------------------

    def _check_turn_begins(self, turn: Mapping[str, Any]) -> None:
        due = self.title.decision(self.state)
        if due is None:
            raise RecordRefused(self.turn, 0, Text("The game is over before this turn."))
        if turn["seat"] != due.on_turn:
            raise RecordRefused(
                self.turn,
                0,
                Text("It is the turn of {wanted}, not of {given}.", wanted=due.on_turn, given=short(turn["seat"])),
                path="seat",
                recorded=turn["seat"],
                computed=due.on_turn,
            )

    def _compare_after(self, recorded: Mapping[str, Any]) -> None:
        computed = self.title.after(self.state)
        if not same(recorded, computed):
            path, ours, theirs = first_difference(recorded, computed)
            steps = len(self.record.turns[self.turn - 1]["steps"])
            raise RecordRefused(
                self.turn, steps, Text("The state after the turn differs."), path=path, recorded=ours, computed=theirs
            )

    def _check_no_more(self) -> None:
        if self.turn < len(self.record.turns):
            raise RecordRefused(self.turn + 1, 0, Text("The game is over before this turn."))

    def _result(self) -> Iterator[Played]:
        """Compare the result; an end outside the rules is taken as given and happens here."""
        title, given = self.title, self.record.result
        number = len(self.record.turns)
        outcome = title.outcome(self.state)
        if outcome is None and given is not None:
            reason = given.get("reason")
            if reason not in OUTSIDE_ENDS:
                raise RecordRefused(
                    number, 0, Text("The record has a result, but by the rules the game is not over."), path="result"
                )
            try:
                if reason == "resignation":
                    events = title.resign(self.state, str(given.get("resigned")))
                else:
                    winners = given["winners"] if "winners" in given else [given.get("winner")]
                    if not isinstance(winners, list):
                        raise RecordRefused(number, 0, Text("“{key}” must be a list of words.", key="winners"),
                                            path="result.winners", recorded=winners)  # fmt: skip
                    events = title.conclude(self.state, reason, tuple(w for w in winners if w is not None))
            except Refusal as refusal:
                raise RecordRefused(number, 0, refusal.why, path="result") from None
            for event in events:
                self.state = title.apply(self.state, event)
            yield Played(Entry(None, None, tuple(events)), number, 0, self.state)
            outcome = title.outcome(self.state)
        if outcome is None:
            return
        computed = title.result_to_record(outcome)
        if given is not None and outcome.reason in OUTSIDE_ENDS:
            # Such an end is taken as given; only the score at that moment follows from the rules.
            computed = {
                **given,
                **{key: computed[key] for key in ("score", "scores") if key in given and key in computed},
            }
        if given is None:
            raise RecordRefused(
                number, 0, Text("The game is over and the record has no result."), path="result", computed=computed
            )
        if not same(given, computed):
            path, ours, theirs = first_difference(given, computed, "result")
            raise RecordRefused(
                number, 0, Text("The result differs."), path=path, recorded=ours, computed=theirs
            )  # fmt: skip


_MISSING = "(nothing)"


def same(recorded: Any, computed: Any) -> bool:
    """Whether two JSON values are the same, types included: for Python 0 is False and 5.0 is 5, in a record not."""
    return recorded == computed and _are_types_same([recorded], [computed])


def _are_types_same(recorded: Any, computed: Any) -> bool:
    """Whether all parts of two equal lists or mappings have the same types."""
    for key, value in computed.items() if type(computed) is dict else enumerate(computed):
        kind = type(value)
        if kind is str:
            continue  # nothing but a str equals it
        if kind is dict or kind is list:
            if not _are_types_same(recorded[key], value):
                return False
        elif type(recorded[key]) is not kind:
            return False
    return True


def first_difference(recorded: Any, computed: Any, path: str = "after") -> tuple[str, Any, Any]:
    """Where two JSON values first differ: the path of keys, the value recorded and the value computed."""
    if isinstance(recorded, Mapping) and isinstance(computed, Mapping):
        for key in [*computed, *(key for key in recorded if key not in computed)]:
            ours, theirs = recorded.get(key, _MISSING), computed.get(key, _MISSING)
            if not same(ours, theirs):
                return first_difference(ours, theirs, f"{path}.{key}")
    if isinstance(recorded, list) and isinstance(computed, list) and len(recorded) == len(computed):
        for index, (ours, theirs) in enumerate(zip(recorded, computed, strict=True)):
            if not same(ours, theirs):
                return first_difference(ours, theirs, f"{path}[{index}]")
    return path, recorded, computed


def replay(
    record: Record, *, script: Callable[[list[ChanceOutcome]], ScriptedChance] = ScriptedChance
) -> Iterator[Played]:
    """Play the record by the rules: every entry, and `RecordRefused` at the first thing that they do not bear out.

    `script` makes the chance of a step from the outcomes that the record has for it.
    """
    return _Replay(record, script).run()


@dataclass(frozen=True, slots=True)
class Verified:
    """What a record that passes holds; outcomes of chance are steps too."""

    turns: int
    steps: int


def verify(record: Record) -> Verified:
    """Play the record to its end and compare every state. Raises `RecordRefused`."""
    for _ in replay(record):
        pass
    return Verified(len(record.turns), sum(len(turn["steps"]) for turn in record.turns))
