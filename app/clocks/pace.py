"""A pace as data: how much time there is for a decision, when clocks stand still, and what follows a passed
deadline."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from functools import lru_cache
from typing import Any

from app.clocks.zones import present_name
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text, quoted

MINUTE, HOUR, DAY = 60, 3600, 86400
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
STATES = ("warned", "grace", "flagged", "ruled")
"""The states of a case, in order; a pace may leave some out."""
ACTS = ("remind", "orders", "forfeit_turn", "claim", "forfeit", "organiser")
"""What the server does at a stage: remind both sides; play standing orders, or an action that is publicly the only one;
end the turn if the rules allow it; let the opponents claim the game or wait; end it; hand it to an organiser."""
LONGEST = 366 * DAY


@dataclass(frozen=True, slots=True)
class Stage:
    """A step after a passed deadline: `after` seconds after it the case enters `state`, and `do` happens."""

    after: int
    state: str
    do: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReminderLadder:
    """When to remind: at shares of the whole time (0 to 1) and at fixed hours before the deadline."""

    shares: tuple[float, ...] = (0.5,)
    hours: tuple[int, ...] = (24,)


WARN_THEN_CLAIM = (
    Stage(0, "warned", ("remind",)),
    Stage(DAY, "grace", ("orders",)),
    Stage(2 * DAY, "flagged", ("claim",)),
)
"""Among friends: a warning, a day later what needs no thought, and from the second day on the others may end it."""


@dataclass(frozen=True, slots=True)
class Pace:
    """All times in seconds.

    For one decision a seat has `decision` + `free` + what is left of its bank. Only time beyond `decision` + `free` is
    taken from the bank; when its own turn ends, `increment` is added (Fischer), up to `cap`.
    """

    decision: int = 7 * DAY
    free: int = 0
    """The first hours of each decision, which do not use the bank."""
    bank: int = 0
    increment: int = 0
    cap: int = 0
    """The maximum of a bank; 0 if there is no bank."""
    days_off: tuple[str, ...] = ()
    """Weekdays on which clocks stand still."""
    zone: str = "UTC"
    """The zone of days off, holidays and the deadline hour."""
    hour: str | None = None
    """A deadline is put off until this hour, such as `20:00`, in the zone."""
    reminders: ReminderLadder = ReminderLadder()
    mail_limit: int = 3 * DAY
    """A mail not accepted by any host within this time opens a case."""
    leave_days: int = 30
    """Days of leave that count in a calendar year; later ones do not stop this game's clocks."""
    auto_leave: bool = True
    """Whether a day of leave is taken automatically before a player who wants that would be late."""
    stages: tuple[Stage, ...] = field(default=WARN_THEN_CLAIM)

    @property
    def has_bank(self) -> bool:
        return self.cap > 0

    def budget(self, bank: int | None) -> int:
        """Return the time for a decision with this much left in the bank."""
        return self.decision + self.free + (bank or 0)

    def bank_after(self, bank: int, used: int, *, turn_ended: bool) -> int:
        """Return what is left of the bank after a decision that took `used` seconds."""
        left = max(0, bank - max(0, used - self.decision - self.free))
        return min(self.cap, left + self.increment) if turn_ended else left


DEFAULT = Pace()


def simple(decision: timedelta) -> Pace:
    """Return the simplest pace: this much time for each decision."""
    return Pace(decision=int(decision.total_seconds()))


# -- as data ----------------------------------------------------------------------------------------


def write_pace(pace: Pace) -> dict[str, Any]:
    """Return the pace as plain JSON data, without what has its default value."""
    made: dict[str, Any] = {"decision": pace.decision}
    for item in fields(Pace):
        value, usual = getattr(pace, item.name), getattr(DEFAULT, item.name)
        if item.name == "decision" or value == usual:
            continue
        if isinstance(value, ReminderLadder):
            value = {"shares": list(value.shares), "hours": list(value.hours)}
        elif item.name == "stages":
            value = [{"after": s.after, "state": s.state, "do": list(s.do)} for s in value]
        elif isinstance(value, tuple):
            value = list(value)
        made[item.name] = value
    return made


def read_pace(data: Mapping[str, Any]) -> Pace:
    """Return the pace that the data describe. `Unreadable` (`pace.*`) names the first wrong key and what is right."""
    if not isinstance(data, Mapping):
        raise Unreadable(
            "pace.form", Text("A pace is a table of keys such as {example}.", example='{"decision": 604800}')
        )
    return _read(json.dumps(dict(data)))


def take_pace(data: Mapping[str, Any]) -> Pace:
    """Return a newly described pace: as `read_pace`, with the present name of its zone. `Unreadable` also for an
    unknown zone."""
    pace = read_pace(data)
    zone = present_name(pace.zone)
    if zone is None:
        raise _wrong("zone", _A_ZONE)
    return replace(pace, zone=zone)


@lru_cache(maxsize=256)  # games share few paces, and every sweep and move reads one
def _read(data: str) -> Pace:
    made: dict[str, Any] = {}
    known = {item.name for item in fields(Pace)}
    for key, value in json.loads(data).items():
        if key not in known:
            raise _wrong(key, Text("one of {known}", known=quoted(sorted(known))))
        made[key] = _READERS.get(key, _seconds)(key, value)
    pace = replace(DEFAULT, **made)
    if pace.decision + pace.free + pace.bank < 1:
        raise _wrong("decision", Text("some time: a decision, free hours or a bank"))
    if pace.bank > pace.cap or (pace.increment and not pace.cap):
        raise _wrong("cap", Text("at least as much as the bank, and more than nothing where there is an increment"))
    return pace


def _wrong(key: str, right: Text) -> Unreadable:
    return Unreadable("pace.value", Text("“{label}” should be {right}.", label=key[:40], right=right))


def _seconds(key: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LONGEST:
        raise _wrong(key, Text("a whole number of seconds from 0 to {most}", most=LONGEST))
    return value


def _flag(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong(key, Text("“true” or “false”"))
    return value


def _weekdays(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(day in WEEKDAYS for day in value) or len(set(value)) == 7:
        raise _wrong(key, Text("some of {known}, not all", known=quoted(WEEKDAYS)))
    return tuple(day for day in WEEKDAYS if day in value)


_A_ZONE = Text("a time zone such as Europe/Paris")


def _zone(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(key, _A_ZONE)
    return value  # a stored zone may have gone from this machine


def _hour(key: str, value: object) -> str | None:
    if value is not None and not (isinstance(value, str) and re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", value)):
        raise _wrong(key, Text("a time of day such as 20:00"))
    return value


def read_ladder(data: object) -> ReminderLadder:
    """Read a ladder of reminders from plain data; `Unreadable` when it is not one."""
    right = Text("shares between 0 and 1 and hours from 1 to 720, at most six of each")
    if not isinstance(data, Mapping) or not set(data) <= {"shares", "hours"}:
        raise _wrong("reminders", right)
    shares, hours = data.get("shares", []), data.get("hours", [])
    good = isinstance(shares, list) and isinstance(hours, list) and len(shares) <= 6 and len(hours) <= 6
    good = good and all(isinstance(s, int | float) and 0 < s < 1 for s in shares)
    good = good and all(isinstance(h, int) and not isinstance(h, bool) and 1 <= h <= 720 for h in hours)
    if not good:
        raise _wrong("reminders", right)
    return ReminderLadder(tuple(sorted(shares)), tuple(sorted(hours, reverse=True)))


def _stages(key: str, value: object) -> tuple[Stage, ...]:
    right = Text(
        "stages in the order of time, each with after, state ({states}) and do ({acts})", states=STATES, acts=ACTS
    )
    if not isinstance(value, list) or not 1 <= len(value) <= 8:
        raise _wrong(key, right)
    stages = []
    for item in value:
        if not isinstance(item, Mapping) or set(item) != {"after", "state", "do"} or item["state"] not in STATES:
            raise _wrong(key, right)
        if not isinstance(item["do"], list) or not all(act in ACTS for act in item["do"]):
            raise _wrong(key, right)
        stages.append(Stage(_seconds(key, item["after"]), item["state"], tuple(item["do"])))
    times, states = [stage.after for stage in stages], [STATES.index(stage.state) for stage in stages]
    if times != sorted(times) or states != sorted(states):
        raise _wrong(key, right)
    return tuple(stages)


_READERS: dict[str, Callable[[str, object], object]] = {
    "auto_leave": _flag,
    "days_off": _weekdays,
    "zone": _zone,
    "hour": _hour,
    "reminders": lambda _, value: read_ladder(value),
    "stages": _stages,
}
