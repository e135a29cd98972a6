"""French: "de" and "que" before a name that begins with a vowel: d’Alice, qu’Olga.

A sentence cannot know which name will stand in it, so it is changed when its values are filled in, and only right
before one of them: what people have written themselves is left as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar, cast

S = TypeVar("S", bound=str)

TEMPLATES = 4000
"""Templates whose places of elision are cached: more than there are."""
_PLACE = re.compile(r"\b([dD]|[qQ]u|[lL]orsqu|[pP]uisqu)e (?=%\((\w+)\)s|\{(\w+)\})")
_CODE = r"[a-z]n?\d|[a-z]\b"
"""A square or a letter by itself is spelt out: de A4; as is the title of a game: de A Few Acres of Snow."""
_VOWEL = rf"(?!{_CODE})(?:[aeiouàáâäãåæéèêëíìîïóòôöõøœúùûü]|y(?![aeiouyéèêëô]))"
"""Yves, but not Yann; a first h may be silent or not, so it stays as it is."""
_BEGINS = re.compile(_VOWEL, re.IGNORECASE)
_TAGS = re.compile(r"(?:<[^>]*>)+")


def fitted(lang: str, template: str, values: Mapping[str, Any]) -> str:
    """Return a template, `%(name)s` or `{name}`, as its language needs it for these values, which are still to be
    filled in."""
    return elide(template, values) if lang == "fr" else template


def filled(lang: str, template: str, values: Mapping[str, Any], kind: type[S] = str) -> S:  # type: ignore[assignment]
    """Return a template with its values, which markup as its `kind` escapes: pages and code share sentences, whichever
    way they name values."""
    said = kind(fitted(lang, template, values))
    return cast("S", said % values if "%(" in said else said.format_map(values))


def elide(template: str, values: Mapping[str, Any]) -> str:
    """Return a French template, `%(name)s` or `{name}`, adapted to these values; names may stand in markup."""
    places = _places(template)
    if not places:
        return template
    said, done = "", 0
    for end, key in places:
        if begins_with_vowel(str(values.get(key, ""))):
            said, done = f"{said}{template[done:end]}’", end + len("e ")
    return said + template[done:]


def begins_with_vowel(name: str) -> bool:
    """Return whether "de" loses its e before it."""
    bare = unicodedata.normalize("NFC", _TAGS.sub("", name, count=1) if name.startswith("<") else name)
    return _BEGINS.match(bare) is not None


@lru_cache(maxsize=TEMPLATES)
def _places(template: str) -> tuple[tuple[int, str], ...]:
    """Return where a shortened word would end, and the value that decides."""
    return tuple([(found.end(1), found[2] or found[3]) for found in _PLACE.finditer(template)])
