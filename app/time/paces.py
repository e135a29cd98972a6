"""Reading paces as people give them: a duration, a name, JSON, or the form of a new table."""

from __future__ import annotations

import json
import re
from datetime import timedelta

from app.base.words.numbers import whole
from app.base.words.refusals import NotAccepted
from app.clocks.pace import DAY, Pace, simple, take_pace
from app.clocks.presets import PRESETS, preset
from engine.kernel.text import Text

DEFAULT_PACE = Pace()
SHORTEST_PACE, LONGEST_PACE = timedelta(seconds=1), timedelta(days=365)
LONGEST_JSON = 4_000
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_pace(given: str) -> Pace:
    """Return a pace from a time for each decision (`7d`, `36h`, `2w`, `90m`, `20s`), the name of a preset, or JSON
    data.

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
    """Return a pace from JSON text; NotAccepted if it is not one, `Unreadable` for a wrong value."""
    try:
        data = json.loads(text) if len(text) <= LONGEST_JSON else None
    except (ValueError, RecursionError):
        data = None
    if data is None:
        raise NotAccepted("pace.json", Text("This is not the JSON of a pace, such as {example}.", example=_EXAMPLE))
    return take_pace(data)


_EXAMPLE = json.dumps({"decision": 3 * DAY, "days_off": ["sat", "sun"], "zone": "Europe/Paris"})


# -- the form -----------------------------------------------------------------------------------------


def read_days(given: str) -> Pace:
    """Return the time for each decision, in days: 1 to 60. NotAccepted for anything else."""
    days = whole(given, least=1, most=60)
    if days is None:
        raise NotAccepted("pace.days", Text("The days for each decision are a whole number from 1 to 60."))
    return simple(timedelta(days=days))
