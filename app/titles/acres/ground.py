"""The parts that are the same on every map of Acres: the drawing base, the shapes, the ground with its links, and the
key.

`data/map.json` says where places, names, links and waters lie; its note says how it is measured.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from app.base.words.speech import Voice
from app.titles.acres import symbols
from engine.acres.data import BRITISH, FRENCH, NEUTRAL, TOWN, VILLAGE

BASE: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "map.json").read_text(encoding="utf-8"))
SPOTS: dict[str, dict[str, Any]] = BASE["places"]
WIDTH, HEIGHT = BASE["view_box"][2:]

ROW = 17
"""From one row of the key to the next."""


def relative(drawn: str) -> str:
    """Return a path of whole numbers in M, L, H, V, C and Z, a letter for each stroke, in relative coordinates: it
    looks the same, and a page with it is 2 KB smaller, 1 KB compressed."""
    told, letter_before = "", ""
    here = begun = (0, 0)
    for letter, given in re.findall(r"([A-Z])([^A-Z]*)", drawn):
        numbers = [int(number) for number in re.findall(r"-?\d+", given)]
        if letter in "HV":
            along = "HV".index(letter)
            points = [(number, here[1]) if letter == "H" else (here[0], number) for number in numbers]
            steps = [point[along] - here[along] for point in points]
        else:
            points = list(zip(numbers[::2], numbers[1::2], strict=True))
            steps = [step for x, y in points for step in (x - here[0], y - here[1])]
        if letter == "M":
            here = begun = points[0]
            told += f"M{here[0]} {here[1]}"
        elif letter == "Z":
            told, here = f"{told}z", begun
        else:
            packed = "".join([f"{step}" if step < 0 else f" {step}" for step in steps])
            told += packed if letter == letter_before else letter.lower() + packed.lstrip()
            here = points[-1]
        letter_before = letter
    return told


def _star(points: int, outer: float, inner: float) -> str:
    corners = []
    for number in range(2 * points):
        radius, turn = (inner if number % 2 else outer), math.pi * number / points
        corners.append(f"{radius * math.sin(turn):.1f} {-radius * math.cos(turn):.1f}")
    return f"M{'L'.join(corners)}Z".replace(".0 ", " ").replace(".0L", "L").replace("-0 ", "0 ")


_LILY = (
    "M0-7C2.6-3.8 2.4-1.4 .9 1.4H-.9C-2.4-1.4-2.6-3.8 0-7Z"
    "M1.7 1.4C1.9-1.9 4.4-3.6 5.8-1.3C6.8 .6 5.2 2.1 4 1.2C4.6 .8 4.6-.3 3.9-.4C3-.4 3 .6 2.9 1.4Z"
    "M-1.7 1.4C-1.9-1.9-4.4-3.6-5.8-1.3C-6.8 .6-5.2 2.1-4 1.2C-4.6 .8-4.6-.3-3.9-.4C-3-.4-3 .6-2.9 1.4Z"
    "M-3.4 2H3.4V3.3H-3.4ZM0 7L-1.7 3.3H1.7Z"
)
SHAPES = {
    "square": '<path id="am-square" d="M-3.4-3.4H3.4V3.4H-3.4Z"/>',
    "lily": f'<path id="am-lily" d="{_LILY}"/>',
    "bv": '<g id="am-bv" class="am-british"><path d="M-8-8H8V8H-8Z"/><use href="#am-square" class="am-mark"/></g>',
    "bt": '<g id="am-bt" class="am-british"><circle r="10"/><use href="#am-square" class="am-mark"/></g>',
    "fv": '<g id="am-fv" class="am-french"><path d="M-8-8H8V8H-8Z"/><use href="#am-lily" class="am-lily"/></g>',
    "ft": '<g id="am-ft" class="am-french"><circle r="10"/><use href="#am-lily" class="am-lily"/></g>',
    "n": '<circle id="am-n" class="am-neutral" r="6.5"/>',
}
"""The marks of places: side and piece differ in shape as well as colour. Cards show them, too."""

DEFS = (
    f"{''.join(SHAPES.values())}"
    f"{symbols.DEFS}"
    f'<path id="am-fort" d="{_star(8, 15.6, 11.8)}"/>'
    '<radialGradient id="am-glow"><stop class="glow"/><stop class="glow" offset=".5"/>'
    '<stop class="dim" offset="1"/></radialGradient>'
    '<path id="am-settler" transform="scale(.8)" d="M4-8.6L4.5-10.6H7L7.5-8.6H9V-7.6H2.5V-8.6ZM3.7-7H7.8C7.8-5.4 7-4.4'
    ' 5.75-4.4S3.7-5.4 3.7-7ZM.7 1.4C.8-1.8 2.5-3.7 5.75-3.7S10.7-1.8 10.8 1.4Z"/>'
    '<path id="am-ship" transform="scale(.82)" d="M0-2H13L10.8 1.4H2.2ZM7-11.2C11-8.8 11.6-6 11.4-3.2H7Z'
    'M5.9-9.6V-3.2H1.5C1.9-6 3.1-8.2 5.9-9.6Z"/>'
    '<path id="am-shield" d="M0-8H9.6V-3.6C9.6-1 7.7 1 4.8 1.9C1.9 1 0-1 0-3.6Z"/>'
)


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
    lakes, rivers = relative("".join(BASE["lakes"].values())), relative("".join(BASE["rivers"]))
    return (
        f'<defs><path id="am-land" d="{relative(BASE["land"])}"/>'
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
