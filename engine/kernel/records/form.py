"""The form of a record, and reading it: its form, its options and its seats."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from engine.kernel.refusals import Refusal, Unreadable
from engine.kernel.text import Text
from engine.kernel.title import Title

FORMAT = "postroad-record"
VERSION = 1
LARGEST = 20 * 1024 * 1024
"""Bytes; a year-long game takes less than one megabyte."""
OUTSIDE_ENDS = ("resignation", "time", "agreed")
"""Ends that a reader accepts as given; all others must follow from the rules."""


class NotARecord(Unreadable):
    """The data are not a record: not JSON, of another format or version, or not of the required form."""


class RecordRefused(Exception):
    """A record that contradicts the rules.

    `turn` and `step` count from 1 (0: before the first turn; step 0: the turn as a whole). `path`, `recorded` and
    `computed` are set if a value differs; `why` is the reason in words.
    """

    def __init__(
        self, turn: int, step: int, why: Text, *, path: str | None = None, recorded: Any = None, computed: Any = None
    ) -> None:
        super().__init__(repr(why))
        self.turn = turn
        self.step = step
        self.why = why
        self.path = path
        self.recorded = recorded
        self.computed = computed


@dataclass(frozen=True, slots=True)
class Record:
    """A well-formed record; whether it can be played is another question (`replay`)."""

    title: Title
    options: Any
    seats: tuple[str, ...]
    setup: Mapping[str, Any]
    turns: Sequence[Mapping[str, Any]]
    result: Mapping[str, Any] | None
    former: Any = None
    """The options as they would be read for a record from before a default changed, if it may be one (`as_begun`)."""
    other: Mapping[str, Any] = field(default_factory=dict)
    """Top-level keys that this reader does not know, and `proof`."""


class Entry(NamedTuple):
    """One step of a game's log: what a seat said (None for the opening and for ends from outside) and what happened."""

    seat: str | None
    action: Any
    events: tuple[Any, ...]


class Played(NamedTuple):
    """An entry with its place in the record and the state after it."""

    entry: Entry
    turn: int
    step: int
    state: Any


def load(data: bytes | str, titles: Mapping[str, Title]) -> Record:
    """Read a record. Raises `NotARecord` if it is not one, `RecordRefused` for options and seats that do not exist."""
    if len(data) > LARGEST:
        raise NotARecord(
            "record.too_large",
            Text("This is larger than {most} MB; no record is.", most=LARGEST // (1024 * 1024)),
        )
    try:
        raw = json.loads(data, parse_constant=_no_number)
        json.dumps(raw, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise NotARecord("record.no_text", Text("The record contains a broken character.")) from None
    except (ValueError, RecursionError) as error:
        where = f"line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else "-"
        raise NotARecord("record.no_json", Text("This is not JSON ({where}).", where=where)) from None
    return from_data(raw, titles)


def _no_number(given: str) -> float:
    raise ValueError(given)  # NaN and Infinity, which Python would read


def from_data(raw: Any, titles: Mapping[str, Title]) -> Record:
    """Read a record from parsed JSON; see `load`."""
    _need(isinstance(raw, dict), "record.form", Text("A record is a JSON object."))
    _need(
        raw.get("format") == FORMAT,
        "record.format",
        Text("The format is “{given}”; a record has “{wanted}”.", given=short(raw.get("format")), wanted=FORMAT),
    )
    _need(
        type(raw.get("version")) is int and raw["version"] == VERSION,
        "record.version",
        Text("The version is {given}; this reader knows {wanted}.", given=short(raw.get("version")), wanted=VERSION),
    )
    game = raw.get("game")
    _need(
        isinstance(game, str) and game in titles,
        "record.game",
        Text("The game is “{given}”; known are {known}.", given=short(game), known=tuple(sorted(titles))),
    )
    title = _by_rules(titles[game], raw.get("rules", 1))
    options, seats, setup = raw.get("options", {}), raw.get("seats"), raw.get("setup")
    turns, result = raw.get("turns"), raw.get("result")
    _need(isinstance(options, dict), "record.form", Text("“{key}” must be an object.", key="options"))
    _need(_strings(seats), "record.form", Text("“{key}” must be a list of words.", key="seats"))
    _need(isinstance(setup, dict), "record.form", Text("“{key}” must be an object.", key="setup"))
    _need(isinstance(turns, list), "record.form", Text("“{key}” must be a list.", key="turns"))
    _need(result is None or isinstance(result, dict), "record.form", Text("“{key}” must be an object.", key="result"))
    for number, turn in enumerate(turns, 1):
        _check_turn(number, turn)
    try:
        read_options, former = title.read_options(options), title.kept_options(options)
        read_seats = title.check_seats(seats)
    except Refusal as refusal:
        raise RecordRefused(0, 0, refusal.why) from None
    known = {"format", "version", "game", "rules", "options", "seats", "setup", "turns", "result"}
    other = {key: value for key, value in raw.items() if key not in known}
    older = None if former == read_options else former
    return Record(title, read_options, read_seats, setup, turns, result, older, other)


def _by_rules(title: Title, number: Any) -> Title:
    _need(type(number) is int and number >= 1, "record.form", Text("“{key}” must be a whole number.", key="rules"))
    played: Title | None = title.by_rules(number)
    if played is None:
        why = Text("This was played by rules {given} of {game}; here are rules {here}.", given=number, game=title.id,
                   here=title.rules)  # fmt: skip
        raise RecordRefused(0, 0, why)
    return played


def _need(condition: bool, code: str, why: Text) -> None:
    if not condition:
        raise NotARecord(code, why)


def short(value: Any) -> str:
    """Return a value as JSON for a refusal, shortened if it is long."""
    shown = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    return shown if len(shown) <= 60 else shown[:57] + "..."


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_STEP_KEYS = ({"do"}, {"by", "do"}, {"chance"})


def _check_turn(number: int, turn: Any) -> None:
    fine = (
        isinstance(turn, dict)
        and isinstance(turn.get("seat"), str)
        and isinstance(turn.get("steps"), list)
        and isinstance(turn.get("after", {}), dict)
        and all(
            isinstance(step, dict) and set(step) in _STEP_KEYS and all(isinstance(text, str) for text in step.values())
            for step in turn["steps"]
        )
    )
    _need(
        fine,
        "record.form",
        Text(
            "Turn {n} is not of the form “seat, steps, after” with steps of “do”, “by” and “do”, or “chance”.", n=number
        ),
    )
