"""The options of a game: its tile set and the rulings that can be switched (new_world R8.4, R9.4, R11.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.kernel.refusals import Unreadable
from engine.kernel.text import N_, Text
from engine.kernel.title import OptionField
from engine.new_world.tiles import SHIPPED, installed, tile_set


@dataclass(frozen=True, slots=True)
class Options:
    """What holds in one game."""

    tile_set: str = SHIPPED
    spaces_count_as_tiles: bool = True
    """Start spaces count as tiles of roads and towns; around a farm they always do (R8.4)."""
    bonus_per_settler: bool = True
    """The surveyors' bonus counts for each scored settler; otherwise once a player and feature (R9.4)."""
    posts_count_unfinished: bool = False
    """Relay posts of unfinished roads score 1 each at the end (R11.2)."""


LABELS = {
    "tile_set": N_("Tile set"),
    "spaces_count_as_tiles": N_("Start spaces count as tiles of roads and towns"),
    "bonus_per_settler": N_("The surveyors’ bonus counts for each settler"),
    "posts_count_unfinished": N_("Relay posts of unfinished roads score 1 point each at the end"),
}


def fields(given: Mapping[str, Any]) -> tuple[OptionField, ...]:
    """All options; whether start spaces count by default is a matter of the tile set."""
    wanted = given.get("tile_set", SHIPPED)
    name = wanted if wanted in installed() else SHIPPED
    yes_no = (True, False)
    return (
        OptionField("tile_set", installed(), SHIPPED, LABELS["tile_set"]),
        OptionField(
            "spaces_count_as_tiles", yes_no, tile_set(name).spaces_count_as_tiles, LABELS["spaces_count_as_tiles"]
        ),
        OptionField("bonus_per_settler", yes_no, True, LABELS["bonus_per_settler"]),
        OptionField("posts_count_unfinished", yes_no, False, LABELS["posts_count_unfinished"]),
    )


def read(given: Mapping[str, Any]) -> Options:
    """The options as a value. Raises `Unreadable` for a name, a value or a tile set that is not known."""
    known = {field.name: field for field in fields(given)}
    for name, value in given.items():
        if name not in known:
            raise Unreadable(
                "options.unknown",
                Text("There is no option “{name}”; the options are {known}.", name=str(name), known=", ".join(LABELS)),
            )
        field = known[name]
        # 1 and 0 equal True and False in Python, but are not what a record may say.
        if not any(value is choice or (isinstance(value, str) and value == choice) for choice in field.values):
            _refuse_value(name, value)
    return Options(**{name: given.get(name, field.default) for name, field in known.items()})


def _refuse_value(name: str, value: object) -> None:
    if name == "tile_set":
        raise Unreadable(
            "options.tile_set",
            Text(
                "The tile set “{name}” is not installed here; installed are {known}.",
                name=str(value),
                known=", ".join(installed()),
            ),
            rule="R1.3",
        )
    raise Unreadable(
        "options.value", Text("The option {name} is yes or no, not “{value}”.", name=name, value=str(value))
    )


def write(options: Options) -> dict[str, Any]:
    """What a record holds: the tile set always, because records name their set, and what differs from the defaults."""
    written: dict[str, Any] = {}
    for field in fields({"tile_set": options.tile_set}):
        value = getattr(options, field.name)
        if field.name == "tile_set" or value != field.default:
            written[field.name] = value
    return written
