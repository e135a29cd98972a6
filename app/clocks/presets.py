"""Paces and ladders of stages with names, to choose from."""

from __future__ import annotations

from dataclasses import dataclass

from app.clocks.pace import DAY, HOUR, WARN_THEN_CLAIM, Pace, Stage
from engine.kernel.text import N_

WEEKEND = ("sat", "sun")


@dataclass(frozen=True, slots=True)
class Preset:
    """A pace with a name; `id` is its name in forms and commands."""

    id: str
    name: str
    """A msgid."""
    pace: Pace


@dataclass(frozen=True, slots=True)
class AfterDeadline:
    """What happens after a passed deadline, with a name."""

    id: str
    name: str
    """A msgid."""
    stages: tuple[Stage, ...]


COURSES = (
    AfterDeadline(
        "friends", N_("among friends: a warning, and from the second day the others may end it"), WARN_THEN_CLAIM
    ),
    AfterDeadline(
        "patient",
        N_("patient: warnings, and from the seventh day the others may end it"),
        (
            Stage(0, "warned", ("remind",)),
            Stage(3 * DAY, "grace", ("remind", "orders")),
            Stage(7 * DAY, "flagged", ("claim",)),
        ),
    ),
    AfterDeadline(
        "skip",
        N_("a day later the turn is lost, where the rules allow it; later the others may end it"),
        (
            Stage(0, "warned", ("remind",)),
            Stage(DAY, "grace", ("orders", "forfeit_turn")),
            Stage(3 * DAY, "flagged", ("claim",)),
        ),
    ),
    AfterDeadline(
        "organiser",
        N_("an organiser decides, two days later"),
        (
            Stage(0, "warned", ("remind",)),
            Stage(DAY, "grace", ("orders",)),
            Stage(2 * DAY, "flagged", ("organiser",)),
        ),
    ),
    AfterDeadline(
        "strict",
        N_("strict: the game is lost an hour later"),
        (Stage(0, "warned", ("remind",)), Stage(HOUR, "flagged", ("forfeit",))),
    ),
)

PRESETS = (
    Preset("day", N_("one day"), Pace(decision=DAY)),
    Preset("three-days", N_("three days"), Pace(decision=3 * DAY)),
    Preset("week", N_("a week"), Pace(decision=7 * DAY)),
    Preset("week-weekends", N_("a week, weekends free"), Pace(decision=7 * DAY, days_off=WEEKEND)),
    Preset(
        "fischer",
        N_("Fischer: 20 days and one more a turn, at most 30"),
        Pace(decision=0, bank=20 * DAY, increment=DAY, cap=30 * DAY),
    ),
    Preset(
        "correspondence",
        N_("correspondence: 10 days for each move, holidays free"),
        Pace(decision=10 * DAY, leave_days=45, stages=COURSES[1].stages),
    ),
)


def preset(given: str) -> Preset | None:
    """Return the preset with this id or English name."""
    wanted = given.strip().lower()
    return next((one for one in PRESETS if wanted in (one.id, one.name.lower())), None)


def course(given: str) -> AfterDeadline | None:
    """Return the course with this id."""
    return next((one for one in COURSES if one.id == given), None)
