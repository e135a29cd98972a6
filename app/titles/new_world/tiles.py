"""The tiles of New World on pages: as small pictures, and their source.

`art` is what the pictures of a page share, `tile` one picture, `turn` the drawn tile as it may be laid.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from app.titles.new_world.drawing import GRASS, SIGNS, ground_ids, letter_mark, piece
from app.titles.new_world.tile_art import art_of, turned
from app.titles.style import fixed_style, with_style
from engine.new_world.tiles import SHIPPED, TileSet, installed, tile_set


def _tiles(view: Mapping[str, Any]) -> TileSet:
    return tile_set(view["options"].get("tile_set", SHIPPED))


def shipped() -> TileSet:
    """Return the set that this program ships with."""
    return tile_set(SHIPPED)


def provenance(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return the name of the tile set, whether it is exact, and its own words about its source."""
    return _about(_tiles(view))


def sets() -> list[dict[str, Any]]:
    """Return the same for all installed sets."""
    return [_about(tile_set(name)) for name in installed()]


def _about(tiles: TileSet) -> dict[str, Any]:
    return {"name": tiles.id, "exact": tiles.exact, "said": tiles.provenance}


def art(view: Mapping[str, Any]) -> Markup:
    """Return the shared material of a page's small pictures: the drawn tile in its rotations, and the grounds that the
    map on the same page does not have. Signs are those of the map."""
    tiles = _tiles(view)
    drawn = view["tile"]
    shown = {*view["left"], *([drawn["id"]] if drawn else [])}
    there = {art_of(tiles.kinds[one["tile"]]).ground for one in view["laid"]}
    grounds = dict.fromkeys(art_of(tiles.kinds[name]).ground for name in sorted(shown))
    parts = [f'<g id="{ground_ids(tiles.id)[ground]}">{ground}</g>' for ground in grounds if ground not in there]
    for rotation in drawn["rotations"] if drawn else ():
        laid = piece(art_of(tiles.kinds[drawn["id"]]), ground_ids(tiles.id), rotation)
        parts.append(f'<symbol id="nw-t{rotation}" viewBox="-30 -30 60 60">{laid}</symbol>')
    return Markup(f'<svg width="0" height="0" class="away" aria-hidden="true"><defs>{"".join(parts)}</defs></svg>')


def tile(view: Mapping[str, Any], name: str, rotation: int = 0, lettered: Iterable[Sequence[str]] = ()) -> Markup:
    """Draw one tile turned clockwise, an ornament beside words that say the same. `lettered` are the segments of its
    parts with the letters A, B and so on."""
    tiles = _tiles(view)
    art = art_of(tiles.kinds[name])
    marks = "".join(
        letter_mark(n, *turned(art.stand[segment], rotation)) for n, part in enumerate(lettered) for segment in part
    )
    drawn = piece(art, ground_ids(tiles.id), rotation)
    return Markup(f'<svg viewBox="-30 -30 60 60" aria-hidden="true">{drawn}{marks}</svg>')


def alone(view: Mapping[str, Any], name: str) -> str:
    """Return one tile as a document of its own, with everything that it needs."""
    tiles = _tiles(view)
    art, ids = art_of(tiles.kinds[name]), ground_ids(tiles.id)
    grass = (
        f'<pattern id="nw-grass" width="60" height="60" x="-30" y="-30" patternUnits="userSpaceOnUse">{GRASS}</pattern>'
    )
    defs = f'<defs>{SIGNS}{grass}<g id="{ids[art.ground]}">{art.ground}</g></defs>'
    head = '<svg xmlns="http://www.w3.org/2000/svg" class="board new-world" viewBox="-31 -31 62 62">'
    return with_style(f"{head}{defs}{piece(art, ids, 0)}</svg>", fixed_style("new-world"))


def turn(rotation: int) -> Markup:
    """Return the drawn tile turned clockwise; `art` has drawn it."""
    return Markup(f'<svg><use href="#nw-t{rotation}"/></svg>')
