"""Looking back on a game that is over, as data: its course and turning points (`engine.kernel.search.look_back`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple, Protocol

from engine.kernel.search import Judged, levels_of, look_back
from engine.kernel.title import Title

SEED = b"look back"
"""The same game is always judged alike."""


class _Logged(Protocol):
    """An entry of a log or of a record, none of them taken back."""

    @property
    def seat(self) -> str | None: ...
    @property
    def action(self) -> Any: ...  # noqa: ANN401  a title's action
    @property
    def events(self) -> Sequence[Any]: ...


class PlayedAction(NamedTuple):
    """An action of a seat, its number in the log, and the states before and after it."""

    entry: int
    before: Any
    seat: str
    action: Any
    after: Any


def played_in(title: Title, log: Iterable[_Logged], entries: Iterable[int] | None = None) -> list[PlayedAction]:
    """Return what was played where there was a choice; `entries` are the numbers of the log's entries, if not 1, 2 …"""
    state: Any = None
    found = []
    for entry, step in zip(entries or count(1), log, strict=False):
        before = state
        for event in step.events:
            state = title.apply(state, event)
        if step.action is not None and step.seat is not None and _has_choice(title, before):
            found.append(PlayedAction(entry, before, step.seat, step.action, state))
    return found


def _has_choice(title: Title, state: Any) -> bool:  # noqa: ANN401  a title's state
    return title.decision(state) is not None and title.forced(state) is None


def found_in(title: Title, played: Sequence[PlayedAction]) -> dict[str, Any]:
    """Return what the strongest level of a title finds, as JSON data.

    `course`: for each action its entry, turn and seat, and how that seat stood before and after it. `turning_points`:
    the same with the line that was played, and the one that the computer would have played from what that seat knew
    (None: the same).
    """
    level = levels_of(title)[-1]
    judged = look_back(title, [(one.before, one.seat, one.action, one.after) for one in played], level, SEED)
    return {
        "course": [_as_data(one, played) for one in judged.course],
        "turning_points": [
            _as_data(one, played)
            | {
                "line": title.write(played[one.number].before, one.action),
                "better": None if one.better is None else title.write(played[one.number].before, one.better),
            }
            for one in judged.turning_points
        ],
    }


def by_turn(course: Sequence[Mapping[str, Any]]) -> list[tuple[int, dict[str, int]]]:
    """Return for each turn how each seat that decided something in it stood after its last decision, in percent."""
    turns: dict[int, dict[str, int]] = {}
    for one in course:
        turns.setdefault(one["turn"], {})[one["seat"]] = round(100 * one["after"])
    return list(turns.items())


def _as_data(one: Judged, played: Sequence[PlayedAction]) -> dict[str, Any]:
    entry = played[one.number].entry
    before, after = round(one.before, 3), round(one.after, 3)
    return {"entry": entry, "turn": one.turn, "seat": one.seat, "before": before, "after": after}
