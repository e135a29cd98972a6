"""The options of a game: its tile set and the rulings that can be switched (new_world R8.4, R9.4, R9.5, R11.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from engine.kernel.refusals import Unreadable
from engine.kernel.text import N_, Text
from engine.kernel.title import OptionField
from engine.new_world.tiles import SHIPPED, TileSet, find_tile_set, installed, tile_set

EVERY_MOVE, COLUMN_LEFT = STRAGGLERS = ("every-move", "column-left")
KEPT = {"stragglers": COLUMN_LEFT}
"""Defaults for stored options that differ from those of a new game: how games were played before the option existed."""


@dataclass(frozen=True, slots=True)
class Options:
    """What holds in one game. A log leaves out what equals these defaults (`Codec`), so they must not change."""

    tile_set: str = SHIPPED
    spaces_count_as_tiles: bool = True
    """Start spaces count as tiles of roads and towns; around a farm they always do (R8.4)."""
    bonus_per_settler: bool = True
    """The surveyors' bonus counts for each scored settler; otherwise once a player and feature (R9.4)."""
    posts_count_unfinished: bool = False
    """Relay posts of unfinished roads score 1 each at the end (R11.2)."""
    stragglers: str = COLUMN_LEFT
    """Whether stragglers go home after every move of a surveyor, or only once both have left a column (R9.5)."""


LABELS = {
    "tile_set": N_("Tile set"),
    "spaces_count_as_tiles": N_("Start spaces count as tiles of roads and towns"),
    "bonus_per_settler": N_("The surveyors’ bonus counts for each settler"),
    "posts_count_unfinished": N_("Relay posts of unfinished roads score 1 point each at the end"),
    "stragglers": N_("Stragglers go home"),
}


def _defaults(tiles: TileSet) -> dict[str, Any]:
    """Return the defaults; whether start spaces count depends on the tile set."""
    return {
        "tile_set": SHIPPED,
        "spaces_count_as_tiles": tiles.spaces_count_as_tiles,
        "bonus_per_settler": True,
        "posts_count_unfinished": False,
        "stragglers": EVERY_MOVE,
    }


def _values(name: str) -> tuple[str | bool, ...]:
    if name == "tile_set":
        return installed()
    return STRAGGLERS if name == "stragglers" else (True, False)


def fields(given: Mapping[str, Any]) -> tuple[OptionField, ...]:
    """Return all options, with the defaults of the tile set that is given."""
    defaults = _defaults(_named(given) or tile_set(SHIPPED))
    return tuple(OptionField(name, _values(name), default, LABELS[name]) for name, default in defaults.items())


def _named(given: Mapping[str, Any]) -> TileSet | None:
    """Return the given tile set, or the shipped one if none is given; None for one that is not installed."""
    name = given.get("tile_set", SHIPPED)
    return find_tile_set(name) if isinstance(name, str) else None


def read(given: Mapping[str, Any], kept: Mapping[str, Any] | None = None) -> Options:
    """Return the options as a value; `kept` is `KEPT` for stored options. Raises `Unreadable` for an unknown name,
    value or tile set.

    Asks for all sets only to refuse one: stored games are read with this.
    """
    for name, value in given.items():
        if name not in LABELS:
            raise Unreadable(
                "options.unknown",
                Text(
                    "There is no option “{given}”; the options are {known}.", given=str(name), known=", ".join(LABELS)
                ),
            )
        # 1 and 0 equal True and False in Python, but are not what a record may say.
        if name != "tile_set" and not (value in STRAGGLERS if name == "stragglers" else isinstance(value, bool)):
            _refuse_value(name, value)
    tiles = _named(given)
    if tiles is None:
        _refuse_value("tile_set", given["tile_set"])
    return Options(**{**_defaults(tiles), **(kept or {}), **given})


def _refuse_value(name: str, value: object) -> NoReturn:
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
    if name == "stragglers":
        why = Text(
            "The option {name} is one of {known}, not “{value}”.",
            name=name,
            known=", ".join(STRAGGLERS),
            value=str(value)[:80],
        )
        raise Unreadable("options.value", why, rule="R9.5")
    raise Unreadable(
        "options.value", Text("The option {name} is yes or no, not “{value}”.", name=name, value=str(value))
    )


def write(options: Options, kept: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return what a record holds, or with `KEPT` what is stored: always the tile set, because records name their set,
    and what differs from the defaults."""
    defaults = {**_defaults(tile_set(options.tile_set)), **(kept or {})}
    values = {name: getattr(options, name) for name in defaults}
    return {name: value for name, value in values.items() if name == "tile_set" or value != defaults[name]}
