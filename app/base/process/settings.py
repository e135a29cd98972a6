"""How a setting is declared: once, as a field of `Config` or `MailIn` with its name, what reads it and what holds where
it is not given. The field's docstring says in Markdown what it means, for the table of the operators' reference
(`python -m tests.support.settings_table` writes it)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any, TypeVar

from app.base.words.numbers import whole

PREFIX = "POSTROAD_"
T = TypeVar("T")
D = TypeVar("D")


class BadSetting(Exception):
    """A setting that prevents the start: gives the variable, its value (never a secret) and what is accepted."""

    def __init__(self, name: str, value: str, accepted: str) -> None:
        super().__init__(f"{PREFIX}{name} is {value!r}; accepted is {accepted}.")
        self.name = name


class UnknownSetting(BadSetting):
    """A name that is not a setting: most likely misspelt, and so without effect."""

    def __init__(self, name: str, names: Iterable[str], where: str = PREFIX) -> None:
        near = get_close_matches(name.upper(), names, 1)
        known = [f"{PREFIX}{one}" for one in near or sorted(names)]
        rest = f"did you mean {known[0]}?" if near else f"there are {', '.join(known)}."
        Exception.__init__(self, f"{where}{name} is not a setting; {rest}")
        self.name = name


class Unaccepted(ValueError):
    """A text that cannot be the value of a setting; says what is accepted."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting."""

    name: str
    """Without the prefix."""
    read: Callable[[str], Any]
    """Makes its value of a text; raises Unaccepted."""
    usual: str
    """What holds where it is not given, in Markdown."""
    is_secret: bool = False
    """Whether nothing of it is shown."""

    def value(self, text: str) -> Any:  # noqa: ANN401  the field says its type
        """Return what a text means. Raises BadSetting."""
        try:
            return self.read(text)
        except Unaccepted as no:
            raise BadSetting(self.name, "(hidden)" if self.is_secret else without_password(text), str(no)) from None


# -- declaring ----------------------------------------------------------------------------------------


def needed(name: str, read: Callable[[str], object], usual: str, *, is_secret: bool = False) -> Mapping[str, Setting]:
    """Declare a setting that every `Config` names: the metadata of its field."""
    return {"setting": Setting(name, read, usual, is_secret)}


def setting(name: str, read: Callable[[str], T], usual: str) -> T:
    """Declare a setting that otherwise is as if the text `usual` were given."""
    made: T = field(default=read(usual), metadata=needed(name, read, f"`{usual}`"))
    return made


def may_be_missing(
    name: str, read: Callable[[str], T], without: D, usual: str = "none", *, is_secret: bool = False
) -> T | D:
    """Declare a setting that otherwise is `without`, which the reference calls `usual`."""
    made: T | D = field(default=without, metadata=needed(name, read, usual, is_secret=is_secret))
    return made


def declared(kind: Any) -> Iterator[tuple[str, Setting]]:  # noqa: ANN401  a data class
    """Yield the settings that a class declares, with the names of their fields."""
    for one in fields(kind):
        if "setting" in one.metadata:
            yield one.name, one.metadata["setting"]


def values_of(kind: Any, given: Mapping[str, str]) -> dict[str, Any]:  # noqa: ANN401
    """Return the values of the settings that are given, by the names of their fields. Raises BadSetting."""
    return {name: one.value(given[one.name]) for name, one in declared(kind) if given.get(one.name)}


# -- reading ------------------------------------------------------------------------------------------


def number(least: int, most: int) -> Callable[[str], int]:
    """Return what reads a whole number between two."""

    def read(text: str) -> int:
        found = whole(text, least=least, most=most)
        if found is None:
            raise Unaccepted(f"a whole number from {least} to {most}")
        return found

    return read


def one_of(*words: str) -> Callable[[str], str]:
    """Return what reads one of some words."""

    def read(text: str) -> str:
        if text not in words:
            raise Unaccepted(" or ".join(words))
        return text

    return read


def switch(yes: str, no: str) -> Callable[[str], bool]:
    """Return what reads one of two words: whether it is `yes`."""
    word = one_of(yes, no)
    return lambda text: word(text) == yes


def matching(pattern: str, accepted: str) -> Callable[[str], str]:
    """Return what reads a text that a pattern matches as a whole."""

    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise Unaccepted(accepted)
        return text

    return read


def listed(text: str) -> list[str]:
    """Return the words of a list with commas or spaces."""
    return re.split(r"[\s,]+", text.strip(", \t\n"))


def without_password(url: str) -> str:
    """Return an address as it may be shown."""
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", url)
