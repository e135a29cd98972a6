"""The parts that are the same on every map of Acres: the drawing base, the shapes, the ground with its links, and the
key.

`data/map.json` says where places, names, links and waters lie, its note how it is measured; `data/shapes.svg` has the
shapes. Whatever shows one also says it in words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from app.base.words.speech import Voice
from app.titles.style import shapes
from engine.acres.data import BRITISH, FRENCH, NEUTRAL, TOWN, VILLAGE

DATA = Path(__file__).parent / "data"
BASE: dict[str, Any] = json.loads((DATA / "map.json").read_text(encoding="utf-8"))
SPOTS: dict[str, dict[str, Any]] = BASE["places"]
WIDTH, HEIGHT = BASE["view_box"][2:]

ROW = 17
"""From one row of the key to the next."""


DEFS = shapes(DATA / "shapes.svg")
"""The shapes of what lies on the map: side and piece differ in shape as well as colour. Cards show them, too."""


def _ways(kind: str) -> str:
    """Return the links of a kind."""
    lines = []
    for link in BASE["links"]:
        if link["kind"] == kind:
            one, other = SPOTS[link["one"]], SPOTS[link["other"]]
            lines.append(f"M{one['x']:g} {one['y']:g}L{other['x']:g} {other['y']:g}")
    return f'<path id="am-{kind}" d="{"".join(lines)}"/>'


_ROSE = (
    '<g class="rose" transform="translate(34 190)rotate(-44)"><circle r="13"/>'
    '<path class="dark" d="M0-18L3-3L0 0ZM18 0L3 3L0 0ZM0 18L-3 3L0 0ZM-18 0L-3-3L0 0Z"/>'
    '<path class="pale" d="M0-18L-3-3L0 0ZM18 0L3-3L0 0ZM0 18L3 3L0 0ZM-18 0L-3 3L0 0Z"/>'
    '<path class="north" d="M0-27C1.5-24 1.5-23 .5-21H-.5C-1.5-23-1.5-24 0-27ZM-2.5-21H2.5V-19.8H-2.5Z"/></g>'
)


@cache
def background() -> str:
    """Draw the shapes of what lies on the map, and the ground itself."""
    return f"<defs>{DEFS}</defs>{ground()}"


def background_at(address: str) -> str:
    """Draw the same with the ground as a separate picture, which a browser fetches once."""
    return f'<defs>{DEFS}</defs><image href="{address}" width="{WIDTH}" height="{HEIGHT}" aria-hidden="true"/>'


@cache
def ground() -> str:
    """Draw sea, land, waters, links of each kind and the compass rose."""
    lakes, rivers = "".join(BASE["lakes"].values()), "".join(BASE["rivers"])
    return (
        f'<defs><path id="am-land" d="{BASE["land"]}"/>'
        f'<g id="am-ways">{_ways("water")}{_ways("road")}{_ways("trail")}</g></defs>'
        f'<path class="sea" d="M0 0H{WIDTH}V{HEIGHT}H0Z"/>'
        '<use href="#am-land" class="shore"/><use href="#am-land" class="land"/>'
        f'<path class="lake" d="{lakes}"/><path class="river" d="{rivers}"/>'
        '<use href="#am-ways" class="casing"/><use href="#am-water" class="way"/><use href="#am-road" class="road"/>'
        f'<use href="#am-road" class="between"/><use href="#am-trail" class="trail"/>{_ROSE}'
    )


# -- the key ------------------------------------------------------------------------------------------


def key_of(voice: Voice) -> str:
    """Explain the signs, with `{british}` and `{french}` for the points of both sides."""
    use = '<use href="#am-{}" transform="translate({{x}} {{y}}){}"/>'.format
    sign = '<use href="#am-{}" class="{}" x="{{left}}" y="{{base}}"/>'.format
    line = '<path class="{}" d="M{{west}} {{y}}h18"/>'.format
    plain, name = "plainmark", voice.name
    first = (
        (use("bv", "scale(.7)"), name("seat", BRITISH) + " {british}"),
        (use("fv", "scale(.7)"), name("seat", FRENCH) + " {french}"),
        (use("n", "scale(.8)"), name("seat", NEUTRAL)),
        (line("trail"), voice.gettext("Indian trail")),
        (line("way"), voice.gettext("river, lake")),
        (line("road") + line("between"), voice.gettext("road")),
        ('<circle class="ring plain" cx="{x}" cy="{y}" r="6.5"/>', voice.gettext("besieged")),
        ('<circle fill="url(#am-glow)" cx="{x}" cy="{y}" r="9"/>', voice.gettext("new")),
        (sign("ship", "hollow"), voice.gettext("by sea, no ship")),
    )
    second = (
        (f'<path class="{plain}" d="M-5-5H5V5H-5Z" transform="translate({{x}} {{y}})"/>', name("piece", VILLAGE)),
        (f'<circle class="{plain}" r="6" cx="{{x}}" cy="{{y}}"/>', name("piece", TOWN)),
        ('<use href="#am-fort" class="wall" transform="translate({x} {y})scale(.55)"/>', voice.gettext("fort")),
        ("", ""),  # here stands the name of Gaspé
        ('<text class="points" x="{x}" y="{word}" text-anchor="middle">2</text>', voice.gettext("points")),
        ('<use href="#am-shield" class="shield" x="{left}" y="{base}"/>', voice.gettext("defence")),
        (sign("settler", "sign"), name("symbol", "settler")),
        (sign("ship", "sign"), voice.gettext("port")),
    )
    drawn = ""
    for x, rows in ((20, first), (104, second)):
        for number, (mark, word) in enumerate(rows):
            y = 20 + ROW * number
            at = {"x": x, "y": y, "left": x - 5, "base": y + 4, "west": x - 9, "word": y + 4}
            text = f'<text x="{x + 14}" y="{y + 4}">{escape(word)}</text>' if word else ""
            drawn += mark.format_map(at) + text
    return f'<g class="key" aria-hidden="true">{drawn}</g>'


def key_with(key: str, score: Mapping[str, int]) -> str:
    """Return the key with both sides' points."""
    return key.replace("{british}", str(score[BRITISH])).replace("{french}", str(score[FRENCH]))
