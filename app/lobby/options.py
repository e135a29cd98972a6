"""The options of a title: read from a form, put into words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.base.words.numbers import whole
from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text
from engine.kernel.title import OptionField, Title

PREFIX = "option."
ELSE = "number"
"""The value of a select when a whole number is given beside it."""


def value_in_words(voice: Voice, value: object) -> str:
    """Return one value of an option in words, from a voice that speaks about its title."""
    if value is None:
        return voice.gettext("none")
    if isinstance(value, bool):
        return voice.gettext("yes") if value else voice.gettext("no")
    try:
        return voice.name("option", str(value))
    except KeyError:
        return str(value).replace("-", " ")


def option_in_words(title: Title, kept: Mapping[str, Any], voice: Voice) -> list[tuple[str, str]]:
    """Return the edition and whatever differs from its defaults, as label and value."""
    options = _chosen(title, kept)
    labels = {field.name: field.label for field in title.option_fields(options)}
    return [
        (voice.gettext(labels[name]), value_in_words(voice, value)) for name, value in options.items() if name in labels
    ]


def differing(title: Title, kept: Mapping[str, Any], voice: Voice) -> list[tuple[str, str]]:
    """Return only what differs; the edition comes first if it is not the default."""
    said, fields = option_in_words(title, kept, voice), title.option_fields({})
    is_usual = bool(fields) and fields[0].name in kept and kept[fields[0].name] == fields[0].default
    return said[1:] if is_usual else said


def _chosen(title: Title, kept: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return title.write_options(title.kept_options(kept))
    except Unreadable:  # of a tile set that is no longer installed
        return dict(kept)


def read(title: Title, sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the options given in a form, by name, leaving out what is left to the edition. Raises NotAccepted for
    another value.

    `NAME.number` is a whole number that stands beside the choices of NAME.
    """
    fields: tuple[OptionField, ...] = title.option_fields({})
    given: dict[str, Any] = {}
    for field in fields:
        chosen = sent.get(field.name, "")
        number = sent.get(f"{field.name}.{ELSE}", "").strip()
        if field.whole_number and number:
            given[field.name] = _number(number)
        elif chosen:
            given[field.name] = _value(field, chosen)
    return given


def filled(title: Title, kept: Mapping[str, Any]) -> dict[str, str]:
    """Return what `read` would get for the options stored with an event."""
    made, options = {}, _chosen(title, kept)
    for field in title.option_fields({}):
        if field.name in options:
            value = form_value(options[field.name])
            is_listed = value in map(form_value, field.values)
            made[field.name if is_listed else f"{field.name}.{ELSE}"] = value
    return made


def _number(text: str) -> int:
    number = whole(text, most=9999)
    if number is None:
        raise NotAccepted("options.number", Text("“{given}” is not a whole number (0 or more).", given=text[:20]))
    return number


def _value(field: OptionField, chosen: str) -> object:
    for value in field.values:
        if form_value(value) == chosen:
            return value
    raise NotAccepted(
        "options.value", Text("The option “{name}” cannot be “{given}”.", name=Text(field.label), given=chosen[:40])
    )


def form_value(value: object) -> str:
    """Return a value as a form sends it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
