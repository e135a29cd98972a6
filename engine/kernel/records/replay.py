"""Playing a record by the rules and comparing every state that it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from engine.kernel.chance import ChanceExhausted, ChanceMismatch, ChanceOutcome, ScriptedChance
from engine.kernel.records.form import OUTSIDE_ENDS, Entry, Played, Record, RecordRefused, short
from engine.kernel.refusals import Refusal
from engine.kernel.text import Text

_Line = tuple[int, int, str]
"""A chance line: turn, step, text."""
_Happen = Callable[[], Iterable[tuple[Any, Any]]]
"""Applies something and yields the events with the state after each."""


@dataclass(slots=True)
class _Step:
    """A step of the record with a speaker, and the chance lines up to the next such step."""

    turn: int
    step: int
    by: str | None
    text: str
    chance: list[_Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Moment:
    """A step being played: its place in the record, and the outcomes of chance recorded for it."""

    turn: int
    step: int
    lines: list[_Line]
    script: ScriptedChance
    is_last: bool
    """Whether no step follows it."""

    @property
    def used(self) -> int:
        """How many of the chance lines have been used."""
        return len(self.lines) - self.script.left

    def refused(self, why: Text) -> RecordRefused:
        """Return the refusal of this step."""
        return RecordRefused(self.turn, self.step, why)


def _plan(record: Record) -> tuple[list[_Line], list[list[_Step]]]:
    """Return the chance lines before the first step, and each turn's steps with the chance lines that follow them."""
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
    """Plays a record; `run` yields every entry and raises `RecordRefused` at the first mismatch."""

    def __init__(self, record: Record, script: Callable[[list[ChanceOutcome]], ScriptedChance]) -> None:
        self.record = record
        self._new_script = script
        self.title = record.title
        self.state: Any = None
        self.turn = 0
        """Number of the turn being played; its `after` has not been compared yet."""
        self.begun: tuple[int, str] | None = None
        """The last turn that an event has begun (`Event.begins_turn`), and whose it is."""

    def run(self) -> Iterator[Played]:
        opening, turns = _plan(self.record)
        title, record = self.title, self.record
        moment = _Moment(0, 0, opening, self._script(opening), is_last=not turns)
        try:
            opened = title.opened_from_record(record.options, record.seats, record.setup)
        except Refusal as refusal:
            raise moment.refused(refusal.why) from None
        yield self._entry(moment, None, None, lambda: self._follow(title.begin(opened, moment.script)))
        for number, (turn, steps) in enumerate(zip(record.turns, turns, strict=True), 1):
            if self.turn > number and not steps:
                continue  # chance alone ended this turn; it was compared at that point
            self.turn = number
            self._check_turn_begins(turn)
            is_last = number == len(turns)
            for index, step in enumerate(steps):
                yield from self._play(step, is_last=is_last and index == len(steps) - 1)
            if "after" in turn and self.turn == number:  # cut short, or ended by the game's end
                self._compare_after(turn["after"])
            if not is_last and self.turn == number and title.outcome(self.state) is None:
                raise RecordRefused(number, len(turn["steps"]), Text("The turn is not over here."))
        self._check_no_more()
        yield from self._result()

    def _follow(self, events: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield events with the state after each."""
        state = self.state
        for event in events:
            state = self.title.apply(state, event)
            yield event, state

    # -- one step ---------------------------------------------------------------------------------

    def _play(self, step: _Step, *, is_last: bool) -> Iterator[Played]:
        title, number = self.title, step.turn
        moment = _Moment(number, step.step, step.chance, self._script(step.chance), is_last)
        if title.outcome(self.state) is not None:
            raise moment.refused(Text("The game is over before this turn."))
        seat = step.by if step.by is not None else self.record.turns[number - 1]["seat"]
        try:
            action = title.read(self.state, seat, step.text)
        except Refusal as refusal:
            raise moment.refused(refusal.why) from None
        yield self._unfold(moment, seat, action)
        if self.turn == number and self._turn_stops_here(moment):
            end = title.end_of_steps(self.state)
            if end is not None:
                yield self._unfold(moment, self.record.turns[number - 1]["seat"], end)
        if moment.script.left:
            turn, at, text = moment.lines[moment.used]
            raise RecordRefused(turn, at, Text("The rules need no “{text}” here.", text=text))

    def _turn_stops_here(self, moment: _Moment) -> bool:
        """Return whether the end of the turn's steps belongs after this one."""
        turn = self.record.turns[moment.turn - 1]
        if any("do" in later for later in turn["steps"][moment.step :]):
            return False
        if not moment.is_last or "after" in turn or moment.script.left:
            return True
        result = self.record.result
        return result is not None and result.get("reason") not in OUTSIDE_ENDS

    def _unfold(self, moment: _Moment, seat: str, action: Any) -> Played:
        return self._entry(moment, seat, action, lambda: self.title.unfold(self.state, seat, action, moment.script))

    def _entry(self, moment: _Moment, seat: str | None, action: Any, happen: _Happen) -> Played:
        """Apply it, checking the places of chance lines and the state after each turn that ends."""
        used, events = moment.used, []
        for event, state in self._happened(moment, happen):
            self.state = state
            events.append(event)
            if moment.lines and self.title.chance_of(event) is not None:
                self._check_place_of_chance(moment.lines[used])
                used += 1
            if event.begins_turn and (due := self.title.decision(state)) is not None:
                self.begun = self.turn, due.on_turn
            if event.ends_turn:
                recorded = self.record.turns[self.turn - 1]
                if "after" in recorded:
                    self._compare_after(recorded["after"])
                self.turn += 1
        return Played(Entry(seat, action, tuple(events)), moment.turn, moment.step, self.state)

    def _happened(self, moment: _Moment, happen: _Happen) -> Iterable[tuple[Any, Any]]:
        """Yield what happens, with the state after each event; refuse what the rules or the chance lines do not
        allow."""
        try:
            return happen()
        except Refusal as refusal:
            raise moment.refused(refusal.why) from None
        except ChanceMismatch as mismatch:
            wanted = mismatch.wanted
            turn, step, text = moment.lines[moment.used]
            why = Text(
                "“{text}” is not what the rules need here: {kind} {purpose} of {items}.",
                text=short(text),
                kind=wanted.kind,
                purpose=wanted.purpose,
                items=wanted.value,
            )
            raise RecordRefused(turn, step, why) from None
        except ChanceExhausted as exhausted:
            if moment.is_last and any(event.ends_turn for event in exhausted.events):
                return self._follow(exhausted.events)  # a record that was cut between two turns
            wanted = exhausted.wanted
            why = Text("The outcome of chance is missing: {kind} {purpose}.", kind=wanted.kind, purpose=wanted.purpose)
            raise moment.refused(why) from None

    def _check_place_of_chance(self, line: _Line) -> None:
        """Check that a chance line belongs to the turn in which the rules need it; the opening's stands in the
        first."""
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
        if due is not None:
            seat = due.on_turn
        elif self.begun is not None and self.begun[0] == self.turn and not turn["steps"]:
            seat = self.begun[1]  # it began and ended without a step by anybody
        else:
            raise RecordRefused(self.turn, 0, Text("The game is over before this turn."))
        if turn["seat"] != seat:
            raise RecordRefused(
                self.turn,
                0,
                Text("It is the turn of {wanted}, not of {given}.", wanted=seat, given=short(turn["seat"])),
                path="seat",
                recorded=turn["seat"],
                computed=seat,
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
        """Compare the result; an end from outside the rules is taken as given and applied here."""
        title, given = self.title, self.record.result
        number = len(self.record.turns)
        outcome = title.outcome(self.state)
        if outcome is None and given is not None:
            reason = given.get("reason")
            if reason not in OUTSIDE_ENDS:
                raise RecordRefused(
                    number, 0, Text("The record has a result, but by the rules the game is not over."), path="result"
                )
            events = self._outside_end(given, number)
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
            raise RecordRefused(number, 0, Text("The result differs."), path=path, recorded=ours, computed=theirs)

    def _outside_end(self, given: Mapping[str, Any], number: int) -> Sequence[Any]:
        """What happens at an end that the rules do not know."""
        try:
            if given["reason"] == "resignation":
                if "resigned" not in given:
                    why = Text("“{key}” must say who resigned.", key="result.resigned")
                    raise RecordRefused(number, 0, why, path="result.resigned")
                return self.title.resign(self.state, str(given["resigned"]))
            winners = given["winners"] if "winners" in given else [given.get("winner")]
            if not isinstance(winners, list):
                raise RecordRefused(
                    number,
                    0,
                    Text("“{key}” must be a list of words.", key="winners"),
                    path="result.winners",
                    recorded=winners,
                )
            return self.title.conclude(self.state, given["reason"], tuple(w for w in winners if w is not None))
        except Refusal as refusal:
            raise RecordRefused(number, 0, refusal.why, path="result") from None


_MISSING = "(nothing)"


def same(recorded: Any, computed: Any) -> bool:
    """Return whether two JSON values are the same, types included: Python equates 0 and False, 5.0 and 5; a record does
    not."""
    return recorded == computed and _are_types_same([recorded], [computed])


def _are_types_same(recorded: Any, computed: Any) -> bool:
    """Return whether all parts of two equal lists or mappings have the same types."""
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
    """Return where two JSON values first differ: the path of keys, the value recorded and the value computed."""
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
    """Play the record by the rules, yielding every entry; raises `RecordRefused` at the first contradiction.

    `script` makes the chance of a step from the outcomes recorded for it.
    """
    return _Replay(as_begun(record), script).run()


def as_begun(record: Record) -> Record:
    """Return the record with the options that it was begun with.

    A record omits options that were defaults at the time, so one that replays further with the former defaults than
    with today's is from before they changed.
    """
    if record.former is None:
        return record
    today, older = replace(record, former=None), replace(record, options=record.former, former=None)
    reached = _borne_out(today)
    return older if reached < _TO_THE_END and _borne_out(older) > reached else today


_TO_THE_END = (inf, 0)


def _borne_out(record: Record) -> tuple[float, int]:
    """Return how far a record follows the rules: to its end, or up to a turn and step."""
    try:
        for _ in replay(record):
            pass
    except RecordRefused as refused:
        return refused.turn, refused.step
    return _TO_THE_END


@dataclass(frozen=True, slots=True)
class Verified:
    """What a verified record holds; outcomes of chance count as steps too."""

    turns: int
    steps: int


def verify(record: Record) -> Verified:
    """Play the record to its end and compare every state. Raises `RecordRefused`."""
    for _ in replay(record):
        pass
    return Verified(len(record.turns), sum(len(turn["steps"]) for turn in record.turns))
