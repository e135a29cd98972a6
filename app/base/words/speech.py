"""Says things in the reader's language and zone: the engine's texts, names of a title, moments and spans of time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Protocol

from babel import Locale
from babel.dates import get_day_names, get_month_names

from app.base.words.french import filled
from app.base.words.i18n import LANGUAGES, catalogue
from app.clocks.zones import zone_of
from engine.kernel.text import N_, say
from engine.kernel.title import Title


class Seated(Protocol):
    """A seat at a table, and who sits there: nobody, or a player (without a name once the account has been erased)."""

    @property
    def seat(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def player_id(self) -> int | None: ...
    @property
    def computer(self) -> str:
        """The level of the computer that plays there, and its number among several; empty for people."""


FORMER_PLAYER = N_("a former player")
"""A player whose account has been erased."""
COMPUTERS = {
    "beginner": N_("Computer (beginner)"),
    "club": N_("Computer (club player)"),
    "strong": N_("Computer (strong)"),
}
"""The computer as a player, by its level: wherever a name stands, this says that it is one."""
COMPUTER = N_("Computer")
"""The same at the level of a title from elsewhere."""


def capital(said: str) -> str:
    """Return words with a capital letter at their beginning; the others stay as they are."""
    return said[:1].upper() + said[1:]


def computer_named(level: str) -> str:
    """Return what the computer of a level is called, in English."""
    return COMPUTERS.get(level, COMPUTER)


_CALLED_COMPUTERS = frozenset((*COMPUTERS.values(), COMPUTER))


HELD = "\x02"
"""Begins the name of a seat that the computer plays, before its level, in lists that the database puts together."""
ACTOR = "actor"
"""The kind of name for the actor in a sentence of a log: the person in a seat, if there is one."""

People = tuple[tuple[str, str], ...]
"""Who sits in which seat, by name."""


class Voice:
    """Says plain text to a reader: knows their language and zone, the names of the title in question, and the people in
    the game. It is the engine's `Speaker`; for text assembled as markup there is `PageVoice`."""

    def __init__(self, lang: str = "en", zone: str = "UTC", title: Title | None = None, people: People = ()) -> None:
        self.lang = lang
        self.zone = zone
        self.title = title
        self._key = lang, zone, None if title is None else title.id, people
        self._catalogue = catalogue(lang)
        self._sentences = _sentences_of(lang)
        self._names = {} if title is None else _names_of(title.id, lang)
        self.people = people

    def __eq__(self, other: object) -> bool:
        """Equal voices say everything alike, so what one has said may be cached for another."""
        return isinstance(other, Voice) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def about(self, title: Title) -> Voice:
        """Return the same reader, about a title."""
        return Voice(self.lang, self.zone, title)

    def among(self, seats: Sequence[Seated]) -> Voice:
        """Return the same reader, told who sits where."""
        people = tuple((one.seat, self.who(one)) for one in seats if one.player_id is not None or one.computer)
        return Voice(self.lang, self.zone, self.title, people)

    def gettext(self, message: str, **values: object) -> str:
        """Return the message in the reader's language, with its `{values}` filled in."""
        said = self._sentences.get(message)
        if said is None:
            said = self._sentences[message] = self._catalogue.gettext(message)
        return self.filled(said, values) if values else said

    def ngettext(self, singular: str, plural: str, n: int, **values: object) -> str:
        """Return the wording for this number, with its `{values}` filled in."""
        said = self._catalogue.ngettext(singular, plural, n)
        return self.filled(said, values) if values else said

    def filled(self, template: str, values: Mapping[str, object]) -> str:
        """Return the template in the reader's language with its `{values}`."""
        return filled(self.lang, template, values)

    def name(self, kind: str, key: str) -> str:
        """Return the printed name of a thing in the title, or the name of an acting person."""
        if kind == ACTOR and self.people:
            for seat, person in self.people:
                if seat == key:
                    return person
        try:
            return self._names[kind, key]
        except KeyError:
            if self.title is None:
                return key
            named = self._names[kind, key] = self.title.name_of(kind, key, self.lang)
            return named

    def who(self, seated: Seated) -> str:
        """Return the name of who sits there; the seat's own name if nobody does."""
        if seated.computer:
            return self._computer(seated.computer)
        if not seated.name and seated.player_id is not None:
            return self.gettext(FORMER_PLAYER)
        return seated.name or self.name("seat", seated.seat)

    def names_of(self, seats: Sequence[Seated]) -> dict[str, str]:
        """Return the names by seat of those who sit there; empty for those who have none."""
        return {one.seat: self.who(one) if one.name or one.computer else "" for one in seats}

    def called(self, seat: str, name: str) -> str:
        """Return the name of who sits there, from a list (`HELD`); the seat's own name if nobody does."""
        if name.startswith(HELD):
            return self._computer(name.removeprefix(HELD))
        return name or self.name("seat", seat)

    def _computer(self, played: str) -> str:
        level, _, number = played.partition(" ")
        return f"{self.gettext(computer_named(level))} {number}".strip()

    def person(self, name: str | None) -> str:
        """Return a player by the name of the account: an erased one has none, and a computer is called one in the
        reader's language."""
        if not name:
            return self.gettext(FORMER_PLAYER)
        return self.gettext(name) if name in _CALLED_COMPUTERS else name

    def join(self, parts: Sequence[str]) -> str:
        """Return a list in words: a, b and c."""
        if len(parts) < 2:
            return "".join(parts)
        pair, comma, last = _separators(self.lang)
        if self.lang in ("es", "it"):
            pair, last = _before(self.lang, pair, parts[-1]), _before(self.lang, last, parts[-1])
        if len(parts) == 2:
            return pair.join(parts)
        return comma.join(parts[:-1]) + last + parts[-1]

    def clauses(self, parts: Sequence[str]) -> str:
        """Join clauses or whole lists: a; b; c."""
        return ("\u00a0; " if self.lang == "fr" else "; ").join(parts)

    def say(self, text: object) -> str:
        """Return an engine's text as a sentence."""
        return say(text, self)

    def moment(self, at: datetime) -> str:
        """Return day, hour and zone, such as `Tue 24 Nov, 21:00 (CET)`; with the year when it is not near."""
        local = at.astimezone(zone_of(self.zone))
        far = abs(at - datetime.now(UTC)) > timedelta(days=300)
        day = _day(local, self.lang) + (f" {local.year}" if far else "")
        return f"{day}, {self.hour(at)}"

    def hour(self, at: datetime) -> str:
        """Hour and zone alone, such as `21:00 (CET)`."""
        local = at.astimezone(zone_of(self.zone))
        zone = local.tzname() or ""
        if zone[:1] in "+-":  # a zone without letters of its own
            zone = f"UTC{zone}"
        return f"{local.hour:02}:{local.minute:02} ({zone})"

    def date(self, at: datetime) -> str:
        """Return the day with its year, such as `24 Nov 2026`."""
        local = at.astimezone(zone_of(self.zone))
        return f"{_of_month(local, self.lang)} {local.year}"

    def month(self, at: datetime) -> str:
        """Return the month with its year, such as `Nov 2026`."""
        local = at.astimezone(zone_of(self.zone))
        return f"{_names(self.lang)[1][local.month - 1]} {local.year}"

    def day(self, at: datetime) -> str:
        """Return the day alone, such as `Tue 24 Nov`."""
        return _day(at.astimezone(zone_of(self.zone)), self.lang)


def _day(local: datetime, lang: str) -> str:
    """Return `Tue 24 Nov`, from tables: the same as Babel's pattern `EEE d MMM` (in French `EEEE d MMM`), in a tenth of
    the time."""
    return f"{_names(lang)[0][local.weekday()]} {_of_month(local, lang)}"


def _of_month(local: datetime, lang: str) -> str:
    """Return `24 Nov`; the first of a month is an ordinal number in French: `1er nov.`"""
    number = "1er" if local.day == 1 and lang == "fr" else local.day
    return f"{number} {_names(lang)[1][local.month - 1]}"


@cache
def _names(lang: str) -> tuple[list[str], list[str]]:
    # In French a short Thursday is the word for a game.
    days = get_day_names("wide" if lang == "fr" else "abbreviated", locale=lang)
    months = get_month_names("abbreviated", locale=lang)
    return [days[n] for n in range(7)], [months[n] for n in range(1, 13)]


@cache
def _sentences_of(lang: str) -> dict[str, str]:
    """Return the cache of source sentences said so far in a language."""
    return {}


@cache
def _names_of(title_id: str, lang: str) -> dict[tuple[str, str], str]:
    """Return the cache of a title's names said so far; a page says hundreds."""
    return {}


_I_SOUND = re.compile(r"\W*(?:[ií]|h[ií](?!e)|y(?![aeiouáéíóúy]|\W|$))", re.IGNORECASE)
"""Ignacio, Hilario, Yves, but not hielo, Yolanda; quotes before the word do not matter."""
_E_SOUND = re.compile(r"\W*[eèé]", re.IGNORECASE)


def _before(lang: str, separator: str, word: str) -> str:
    """Return the conjunction before a word: the Spanish "y" is "e" before the sound of an i, the Italian "e" is "ed"
    before an e."""
    if lang == "es" and _I_SOUND.match(word):
        return separator.replace(" y ", " e ")
    if lang == "it" and _E_SOUND.match(word):
        return separator.replace(" e ", " ed ")
    return separator


@cache
def _separators(lang: str) -> tuple[str, str, str]:
    """Return what stands between two parts, between the first ones of more, and before the last: Babel's `format_list`,
    whose patterns are only separators in the languages here."""
    patterns = Locale.parse(lang).list_patterns["standard"]
    pair, start, middle, end = [patterns[name][len("{0}") : -len("{1}")] for name in ("2", "start", "middle", "end")]
    assert start == middle and all(f"{{0}}{said}{{1}}" in patterns.values() for said in (pair, start, end))
    return pair, start, end


def read_in() -> None:
    """Load what all languages need before a server starts its workers: they share it, and the first reader in a
    language need not wait."""
    for lang in LANGUAGES:
        catalogue(lang)
        _separators(lang)
        get_day_names(locale=lang)
