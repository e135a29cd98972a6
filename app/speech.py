"""Says things in the reader's language and zone: the engine's texts, names of a title, moments and spans of time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel.dates import format_datetime
from babel.lists import format_list

from app.i18n import catalogue
from engine.kernel.text import say

if TYPE_CHECKING:
    from engine.kernel.title import Title


class Voice:
    """A reader's language and zone, and the names of the title that is talked about (a `Speaker` of the engine)."""

    def __init__(self, lang: str = "en", zone: str = "UTC", title: Title | None = None) -> None:
        self.lang = lang
        self.zone = zone
        self.title = title
        self._catalogue = catalogue(lang)

    def about(self, title: Title) -> Voice:
        """The same reader, about a title."""
        return Voice(self.lang, self.zone, title)

    def gettext(self, message: str, **values: object) -> str:
        """The message in the reader's language, with its `{values}` filled in."""
        said = self._catalogue.gettext(message)
        return said.format_map(values) if values else said

    def ngettext(self, singular: str, plural: str, n: int, **values: object) -> str:
        """The wording for this number, with its `{values}` filled in."""
        said = self._catalogue.ngettext(singular, plural, n)
        return said.format_map(values) if values else said

    def name(self, kind: str, key: str) -> str:
        """The printed name of a thing of the title."""
        return key if self.title is None else self.title.name_of(kind, key, self.lang)

    def join(self, parts: Sequence[str]) -> str:
        """A list in words: a, b and c."""
        return format_list(list(parts), locale=self.lang) if parts else ""

    def say(self, text: Any) -> str:
        """An engine's text as a sentence."""
        return say(text, self)

    def moment(self, at: datetime) -> str:
        """Day, hour and zone, such as `Tue 24 Nov, 21:00 (CET)`; with the year when it is not the near one."""
        local = at.astimezone(zone_info(self.zone))
        far = abs(at - datetime.now(UTC)) > timedelta(days=300)
        day = format_datetime(local, "EEE d MMM y" if far else "EEE d MMM", locale=self.lang)
        zone = local.tzname() or ""
        if zone[:1] in "+-":  # a zone without letters of its own
            zone = f"UTC{zone}"
        return f"{day}, {local:%H:%M} ({zone})"

    def day(self, at: datetime) -> str:
        """The day alone, such as `Tue 24 Nov`."""
        return format_datetime(at.astimezone(zone_info(self.zone)), "EEE d MMM", locale=self.lang)


@lru_cache(maxsize=512)
def zone_info(name: str) -> ZoneInfo:
    """The zone with this name; UTC when this machine does not know it (any more)."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
