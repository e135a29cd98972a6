"""Time zones by name: stored names stay readable whatever has become of them, new ones are stored under their present
names.

Which names are present and what the old ones mean is in the zone database of the package `tzdata` (its `zone.tab` and
the links of its `tzdata.zi`), which is the same on every machine.
"""

from __future__ import annotations

import logging
from functools import cache, lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo

log = logging.getLogger("postroad.zones")

_OF_THE_WORLD = "Etc/UTC", "Etc/GMT"
_NO_PLACE = "Factory"
"""On machines without a configured zone."""
_said: set[str] = set()


@lru_cache(maxsize=512)
def zone_of(stored: str) -> ZoneInfo:
    """Return the zone of a stored name; UTC if this machine does not (or no longer) know it, which is logged once."""
    found = known(stored)
    if found is None and stored not in _said:
        _said.add(stored)
        log.warning("this machine does not know the time zone %s: its hours count as those of UTC", stored[:64])
    return found or ZoneInfo("UTC")


def known(name: str) -> ZoneInfo | None:
    """Return the zone with this name, present or old; None if this machine has none."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # ZoneInfoNotFoundError is a KeyError; OSError: the name of a folder
        return None


def present_name(given: str) -> str | None:
    """Return the name by which a zone is stored: `Asia/Kolkata` also for `Asia/Calcutta`, and `UTC` for all its
    synonyms. None for anything but a place or a fixed offset, such as `localtime`, `Factory` or `right/UTC`."""
    places, others, links = _database()
    seen: set[str] = set()
    while given not in places and given in links and given not in seen:
        seen.add(given)
        given = links[given]
    if given in _OF_THE_WORLD:
        return "UTC"
    return given if given in places or given in others else None


def shown_name(stored: str) -> str:
    """Return what a form offers for a stored zone: its present name, or UTC, which counts if there is none."""
    return present_name(stored) or "UTC"


def names() -> tuple[str, ...]:
    """Return the zones to choose from: UTC and places."""
    return ("UTC", *sorted(_database()[0]))


@cache
def _database() -> tuple[frozenset[str], frozenset[str], dict[str, str]]:
    """Return the zones of places, those without a place such as `Etc/GMT+5`, and what other names mean."""
    folder = files("tzdata") / "zoneinfo"
    rows = (folder / "zone.tab").read_text("utf-8").splitlines()
    places = frozenset(row.split("\t")[2] for row in rows if not row.startswith("#"))
    lines = [line.split() for line in (folder / "tzdata.zi").read_text("utf-8").splitlines()]
    links = {words[2]: words[1] for words in lines if words[0] == "L"}
    others = frozenset(words[1] for words in lines if words[0] == "Z") - {_NO_PLACE}
    return places, others, links
