"""Looking back on a game that is over, as data: its course and turning points (`engine.kernel.search.look_back`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from app.games.steps import in_force
from engine.kernel.search import levels_of, look_back

if TYPE_CHECKING:
    from app.games.steps import Step
    from engine.kernel.search import Judged
    from engine.kernel.title import Title

SEED = b"look back"
"""The same game is always judged alike."""


class PlayedAction(NamedTuple):
    """An action of a seat, its number in the log, and the states before and after it."""

    entry: int
    before: Any
    seat: str
    action: Any
    after: Any


def played_in(title: Title, steps: Iterable[Step]) -> list[PlayedAction]:
    """Return what was played in a log and not taken back."""
    state: Any = None
    found = []
    for entry, step in in_force(steps):
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


def _as_data(one: Judged, played: Sequence[PlayedAction]) -> dict[str, Any]:
    entry = played[one.number].entry
    before, after = round(one.before, 3), round(one.after, 3)
    return {"entry": entry, "turn": one.turn, "seat": one.seat, "before": before, "after": after}
