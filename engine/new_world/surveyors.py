"""The two surveyors: their steps west, the bonus beside them, the stragglers behind them (new_world R9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.new_world.features import Settler
from engine.new_world.options import COLUMN_LEFT
from engine.new_world.state import SURVEYORS

BONUS = 4
"""Points for a scored settler for each surveyor in its column (R9.4)."""


def surveyor_bonus(column: int, surveyors: tuple[int, int]) -> int:
    """Extra points for one scored settler: 4 for each surveyor in its column.

    `column` counts westward from the coast, which is 0. Ask before a surveyor moves. Source: new_world R9.4.
    """
    return BONUS * surveyors.count(column)


def bonuses(
    settlers: Iterable[Settler], scoring: tuple[str, ...], surveyors: tuple[int, int], *, per_settler: bool
) -> Mapping[str, int]:
    """Return the bonus of each scoring seat that has one (new_world R9.4).

    Without `per_settler` a seat gets it once a feature: that of its best-placed settler.
    """
    bonus: dict[str, int] = {}
    for seat in scoring:
        each = [surveyor_bonus(settler.x, surveyors) for settler in settlers if settler.seat == seat]
        points = sum(each) if per_settler else max(each)
        if points:
            bonus[seat] = points
    return bonus


def step(surveyors: tuple[int, int], west: int) -> tuple[str, int] | None:
    """Return which surveyor moves after a scored feature, and into which column; None when none can (new_world R9.2,
    R9.3).

    The rear one must move. From a shared column the north one moves, a choice without effect on the game, but only if a
    tile lies further west; `west` is the westernmost column with a tile.
    """
    north, south = surveyors
    if north == south and west <= north:
        return None
    return (SURVEYORS[0], north + 1) if north <= south else (SURVEYORS[1], south + 1)


def stragglers(settlers: Iterable[Settler], left: int, surveyors: tuple[int, int], way: str) -> tuple[Settler, ...]:
    """Return the settlers that go home after a surveyor moved out of the column `left`; `surveyors` are where they are
    now.

    All but trappers east of both; with `column-left`, none while a surveyor is left there (new_world R9.5).
    """
    if way == COLUMN_LEFT and left in surveyors:
        return ()
    return tuple(settler for settler in settlers if settler.x < min(surveyors) and settler.segment[0] != "p")
