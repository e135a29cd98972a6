"""Sentences that can be said in any language.

The engine never builds a finished sentence. It hands out an English template and its values; a *speaker* (on the
server: gettext and the glossary; here: plain English) says it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol


def N_(message: str) -> str:
    """Mark a message for extraction; it is translated when it is said."""
    return message


class Name:
    """The name of a thing in the rules, said in the reader's language: `Name("card", "militia")`."""

    __slots__ = ("key", "kind")

    def __init__(self, kind: str, key: str) -> None:
        self.kind = kind
        self.key = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Name) and (self.kind, self.key) == (other.kind, other.key)

    def __hash__(self) -> int:
        return hash((self.kind, self.key))

    def __repr__(self) -> str:
        return f"Name({self.kind!r}, {self.key!r})"


def names(kind: str, keys: Sequence[str]) -> tuple[Name, ...]:
    """Return several names of one kind, joined as a list when said."""
    return tuple(Name(kind, key) for key in keys)


class Text:
    """An English template with its values: `Text("{card} is not in your hand.", card=Name(...))`.

    A value is a string or number (said as it is), a `Name`, another `Text`, or a tuple of these (said as a list).
    """

    __slots__ = ("template", "values")

    def __init__(self, template: str, /, **values: object) -> None:
        self.template = template
        self.values = values

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _parts(self) == _parts(other)

    def __hash__(self) -> int:
        return hash((self.template, tuple(sorted(self.values))))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.template!r}, {self.values!r})"


class Counted(Text):
    """A `Text` whose wording depends on a number: `Counted("{n} card", "{n} cards", n=3)`."""

    __slots__ = ("n", "plural")

    def __init__(self, template: str, plural: str, /, n: int, **values: object) -> None:
        super().__init__(template, n=n, **values)
        self.plural = plural
        self.n = n


def _parts(text: Text) -> tuple[object, ...]:
    return (text.template, text.values, getattr(text, "plural", None))


def quoted(known: Mapping[str, str] | Sequence[str]) -> tuple[Text, ...]:
    """Return words of a program that must be typed exactly, joined as a list: in quotes, and after the name of what
    they mean if `known` gives it."""
    if isinstance(known, Mapping):
        return tuple(Text("{name} (“{word}”)", name=Text(name), word=word) for word, name in known.items())
    return tuple(Text("“{word}”", word=word) for word in known)


class Speaker(Protocol):
    """Says texts in one language. Equal speakers say everything alike, so what one has said may be cached for
    another."""

    lang: str

    def __hash__(self) -> int: ...

    def gettext(self, message: str, /) -> str: ...
    def ngettext(self, singular: str, plural: str, n: int, /) -> str: ...
    def name(self, kind: str, key: str, /) -> str: ...
    def join(self, parts: Sequence[str], /) -> str: ...
    def filled(self, template: str, values: Mapping[str, object], /) -> str: ...


class PlainSpeaker:
    """English, with a title's own table of names; what the engine's tests and tools use."""

    def __init__(self, name: Callable[[str, str, str], str], lang: str = "en") -> None:
        """`name(kind, key, lang)` gives a thing's printed name (a title's `name_of`)."""
        self._name = name
        self.lang = lang

    def gettext(self, message: str) -> str:
        return message

    def ngettext(self, singular: str, plural: str, n: int) -> str:
        return singular if n == 1 else plural

    def name(self, kind: str, key: str) -> str:
        return self._name(kind, key, self.lang)

    def join(self, parts: Sequence[str]) -> str:
        return ", ".join(parts)

    def filled(self, template: str, values: Mapping[str, object]) -> str:
        return template.format_map(values)


def say(text: object, speaker: Speaker) -> str:
    """Return the text as the speaker says it."""
    kind = type(text)
    if kind is str:  # from the most common to the rarest
        return text  # type: ignore[return-value]
    if kind is Name:
        return speaker.name(text.kind, text.key)  # type: ignore[attr-defined]
    if kind is Text:
        return _fill(speaker.gettext(text.template), text.values, speaker)  # type: ignore[attr-defined]
    if isinstance(text, Counted):
        return _fill(speaker.ngettext(text.template, text.plural, text.n), text.values, speaker)
    if isinstance(text, (tuple, list)):
        return speaker.join([say(part, speaker) for part in text])
    return str(text)


def _fill(template: str, values: Mapping[str, object], speaker: Speaker) -> str:
    if not values and "{" not in template and "}" not in template:
        return template
    said: dict[str, object] = {}
    for key, value in values.items():
        kind = type(value)
        if kind is Name:  # most values are names, strings and numbers
            said[key] = speaker.name(value.kind, value.key)  # type: ignore[attr-defined]
        elif kind is str or kind is int:
            said[key] = value
        else:
            said[key] = say(value, speaker)
    return speaker.filled(template, said)
