"""Paces as people say them: a duration, a name, JSON, or the form of a new table."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.clocks.pace import DAY, HOUR, Pace, read_pace, simple, write_pace
from app.clocks.presets import PRESETS, course, preset
from engine.kernel.refusals import Unreadable
from engine.kernel.text import N_, Text

if TYPE_CHECKING:
    from werkzeug.datastructures import MultiDict

DEFAULT_PACE = Pace()
SHORTEST_PACE, LONGEST_PACE = timedelta(seconds=1), timedelta(days=365)
LONGEST_JSON = 4_000
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_pace(given: str) -> Pace:
    """A pace from a time for each decision (`7d`, `36h`, `2w`, `90m`, `20s`), the name of a preset, or JSON data.

    NotAccepted for anything else, `Unreadable` for JSON with a wrong value.
    """
    text = given.strip()
    if text.startswith("{"):
        return read_json(text)
    named = preset(text)
    if named is not None:
        return named.pace
    match = re.fullmatch(r"(\d{1,6})([smhdw])", text.lower())
    pace = timedelta(**{_UNITS[match[2]]: int(match[1])}) if match else timedelta(0)
    if not SHORTEST_PACE <= pace <= LONGEST_PACE:
        raise NotAccepted(
            "pace.form",
            Text(
                "The pace “{given}” should be a time such as 7d or 36h, at most 365d, or one of {names}.",
                given=given[:20],
                names=tuple(one.id for one in PRESETS),
            ),
        )
    return simple(pace)


def read_json(text: str) -> Pace:
    """A pace from JSON text; NotAccepted when it is none, `Unreadable` for a wrong value."""
    try:
        data = json.loads(text) if len(text) <= LONGEST_JSON else None
    except (ValueError, RecursionError):
        data = None
    if data is None:
        raise NotAccepted("pace.json", Text("This is no JSON data of a pace, such as {example}.", example=_EXAMPLE))
    return read_pace(data)


_EXAMPLE = json.dumps({"decision": 3 * DAY, "days_off": ["sat", "sun"], "zone": "Europe/Paris"})


# -- the form -----------------------------------------------------------------------------------------

FIELDS = ("bank", "increment", "cap", "free", "hour", "zone", "course", "calendar")
"""The further fields of the form, each as `pace.NAME`; `pace.off` is there for each free weekday."""
_LABELS = {
    "bank": N_("Bank, in days"),
    "increment": N_("Increment after each turn, in days"),
    "cap": N_("The most that a bank holds, in days"),
    "free": N_("Free first hours of each move"),
    "hour": N_("Deadlines wait for this hour of the day, such as 20:00"),
    "zone": N_("Time zone of these days and of this hour"),
    "days_off": N_("Days on which no clock runs"),
}
"""Parts of a pace as the form calls them."""


def read_days(given: str) -> Pace:
    """The time for each decision, in days: 1 to 60. NotAccepted for anything else."""
    days = whole(given, least=1, most=60)
    if days is None:
        raise NotAccepted("pace.days", Text("The days for each decision are a whole number from 1 to 60."))
    return simple(timedelta(days=days))


def read_form(form: MultiDict[str, str], own_zone: str) -> Pace:
    """The pace that the form of a new table describes: a preset or so many days, and what is filled in besides.

    Days off and the deadline hour are meant in `own_zone` where the form names no other. NotAccepted.
    """
    chosen = form.get("pace", "")
    named = preset(chosen) if chosen else None
    if chosen and named is None:
        raise NotAccepted(
            "pace.unknown", Text("There is no pace “{given}”; choose one of the list.", given=chosen[:40])
        )
    base = named.pace if named is not None else read_days(form.get("days", ""))
    made: dict[str, Any] = {}
    for name in ("bank", "increment", "cap"):
        if form.get(f"pace.{name}", "").strip():
            made[name] = _days(form[f"pace.{name}"]) * DAY
    if "bank" in made and "cap" not in made and base.cap < made["bank"]:
        made["cap"] = made["bank"] + made.get("increment", base.increment) * 10
    if form.get("pace.free", "").strip():
        made["free"] = _days(form["pace.free"]) * HOUR
    off = set(form.getlist("pace.off")) | set(base.days_off)
    made["days_off"] = sorted(off)  # one that is no weekday is refused with the others
    made["hour"] = form.get("pace.hour", "").strip() or base.hour
    zone = form.get("pace.zone", "").strip()
    if zone or off or made["hour"] or form.get("pace.calendar", "").strip():
        made["zone"] = zone or own_zone
    wanted = form.get("pace.course", "")
    stages = course(wanted)
    if wanted and stages is None:
        raise NotAccepted("pace.course", Text("Choose from the list what follows a passed deadline."))
    try:
        pace = read_pace(write_pace(base) | {key: value for key, value in made.items() if value is not None})
    except Unreadable as no:
        label = _LABELS.get(str(no.why.values["key"]))
        if label is None:
            raise
        right = Text("“{label}” should be {right}.", label=Text(label), right=no.why.values["right"])
        raise NotAccepted(no.code, right) from None
    return replace(pace, stages=stages.stages) if stages is not None else pace


def _days(given: str) -> int:
    days = whole(given, most=366)
    if days is None:
        raise NotAccepted("pace.number", Text("The times of a bank and the free hours are whole numbers up to 366."))
    return days


def filled(form: Mapping[str, str]) -> dict[str, str]:
    """What was typed into the further fields, to show it once more."""
    return {name: form.get(f"pace.{name}", "") for name in FIELDS}
