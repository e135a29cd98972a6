"""The map of Acres: what never changes is put together once, each board adds its places.

Side and piece are told by shape: a village is a square, a town a disc, British ones carry a square, French ones a
lily; a fort is a star-shaped wall around them, a neutral place an open ring.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.acres.data import BRITISH, FRENCH, NEUTRAL, PLACES, SEATS, TOWN, VILLAGE, Place, table

if TYPE_CHECKING:
    from app.base.speech import Voice

_BASE = json.loads((Path(__file__).parent / "data" / "map.json").read_text(encoding="utf-8"))
_SPOTS: dict[str, dict[str, Any]] = _BASE["places"]

LINE = 17
"""From one baseline of a name to the next."""
MINUS = "−"
SHORT_TITLE = 20
"""How many letters fit into the cartouche in the usual size."""
LEAGUES = 50
LEAGUES_WIDE = 124
"""How wide 50 leagues are: a unit of the map is about 1.95 km, a league 4.83."""
MOST_DRAWN = 1000
"""So many places are kept as they were drawn, in each language; a map has 36, and most of them look like before."""


def draw(view: Mapping[str, Any], voice: Voice, changed: frozenset[str], legal: Sequence[Any]) -> str:
    """The board of a view (`engine.acres.knowledge.view`)."""
    board, sieges = view["board"], {siege["place"]: siege for siege in view["sieges"]}
    targets = {target for target in legal if isinstance(target, str)}
    words = _words(voice)
    parts = [_head(view, voice), _background(), words.ornaments]
    parts += [_halo(_SPOTS[place]) for place in _SPOTS if place in changed]
    for place in _SPOTS:
        holding, siege = board.get(place), sieges.get(place)
        parts.append(words.place(place, holding, siege, place in changed, place in targets, voice))
    parts.append("</svg>")
    return "".join(parts)


# -- what never changes -----------------------------------------------------------------------------


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

_DEFS = (
    f'<path id="am-land" d="{_BASE["land"]}"/>'
    f'<path id="am-lakes" d="{"".join(_BASE["lakes"].values())}"/>'
    f'<path id="am-lily" d="{_LILY}"/>'
    f'<path id="am-fort" d="{_star(8, 21.5, 15.5)}"/>'
    '<path id="am-square" d="M-3.6-3.6H3.6V3.6H-3.6Z"/>'
    '<g id="am-bv" class="am-british"><path d="M-9-9H9V9H-9Z"/><use href="#am-square" class="am-mark"/></g>'
    '<g id="am-bt" class="am-british"><circle r="12"/><use href="#am-square" class="am-mark"/></g>'
    '<g id="am-fv" class="am-french"><path d="M-9-9H9V9H-9Z"/><use href="#am-lily" class="am-lily"/></g>'
    '<g id="am-ft" class="am-french"><circle r="12"/><use href="#am-lily" class="am-lily"/></g>'
    '<circle id="am-n" class="am-neutral" r="7.5"/>'
    '<radialGradient id="am-glow"><stop class="glow"/><stop class="glow" offset=".55"/>'
    '<stop class="dim" offset="1"/></radialGradient>'
    '<path id="am-settler" d="M5-11A2.6 2.6 0 1 1 4.9-11ZM0 1L2.4-5.4H7.6L10 1Z"/>'
    '<path id="am-ship" d="M0-2H14L11.6 1.4H2.4Z'
    'M7.6-11.6C12-9 12.6-6 12.4-3.2H7.6ZM6.4-10V-3.2H1.6C2-6 3.4-8.6 6.4-10Z"/>'
    '<path id="am-shield" d="M0-11.5H14V-5C14-1.4 10.6 1.6 7 3C3.4 1.6 0-1.4 0-5Z"/>'
)


def _curve(one: str, other: str) -> str:
    a, b = _SPOTS[one], _SPOTS[other]
    return f"M{a['x']} {a['y']}L{b['x']} {b['y']}"


@cache
def _background() -> str:
    """Sea, land, waters and links: the same on every map."""
    rivers = "".join(_BASE["rivers"].values())
    ways = "".join(_curve(row["one"], row["other"]) for row in table("links.csv") if row["kind"] == "way")
    trails = "".join(_curve(row["one"], row["other"]) for row in table("links.csv") if row["kind"] == "trail")
    _, _, width, height = _BASE["view_box"]
    return (
        f"<defs>{_DEFS}</defs>"
        f'<path class="sea" d="M0 0H{width}V{height}H0Z"/>'
        '<use href="#am-land" class="shore wide"/><use href="#am-land" class="shore"/>'
        '<use href="#am-land" class="land"/>'
        f'<use href="#am-lakes" class="lake"/><path class="river" d="{rivers}"/>'
        f'<path class="casing" d="{ways}{trails}"/><path class="way" d="{ways}"/><path class="trail" d="{trails}"/>'
        f'<path class="frame" d="M6 6H{width - 6}V{height - 6}H6Z"/>'
    )


# -- what changes with the language -----------------------------------------------------------------


class _Words:
    """All that is the same on every map in one language, and places as they have been drawn before."""

    def __init__(self, voice: Voice) -> None:
        self.labels = {place: _label(PLACES[place], voice) for place in _SPOTS}
        self.ornaments = _cartouche(voice) + _ROSE + _scale(voice) + _key(voice)
        self._drawn: dict[tuple[Any, ...], str] = {}

    def place(
        self, place: str, holding: Mapping[str, Any] | None, siege: Mapping[str, Any] | None, is_new: bool,
        is_target: bool, voice: Voice,
    ) -> str:  # fmt: skip
        """A place with its name and all that stands on it."""
        held = None if holding is None else (holding["owner"], holding["piece"], holding["fort"])
        besieged = None if siege is None else (siege["attacker"], siege["strength"])
        key = (place, held, besieged, is_new, is_target)
        drawn = self._drawn.get(key)
        if drawn is None:
            spot = _SPOTS[place]
            drawn = (
                f'<g class="place" transform="translate({spot["x"]} {spot["y"]})">'
                f"<title>{_told(place, holding, siege, is_new, voice)}</title>"
                f"{_target(is_target)}{_piece(holding)}{_siege(siege, spot)}{self.labels[place]}</g>"
            )
            if len(self._drawn) >= MOST_DRAWN:
                self._drawn.clear()
            self._drawn[key] = drawn
        return drawn


_words_by_reader: dict[tuple[str, bool], _Words] = {}


def _words(voice: Voice) -> _Words:
    """All readers of a language read the same words; a voice without a title has no names."""
    reader = (voice.lang, voice.title is None)
    if reader not in _words_by_reader:
        _words_by_reader[reader] = _Words(voice)
    return _words_by_reader[reader]


def _label(place: Place, voice: Voice) -> str:
    """The name beside a place, in one or two lines, and its signs below."""
    spot = _SPOTS[place.id]
    dx, dy, side, first = spot["dx"], spot["dy"], spot["side"], spot["break"]
    words = voice.name("place", place.id).split(" ")
    lines = [" ".join(words[:first]), " ".join(words[first:])] if 0 < first < len(words) else [" ".join(words)]
    anchor = {"left": ' text-anchor="end"', "middle": ' text-anchor="middle"', "right": ""}[side]
    if len(lines) == 1:
        text = f'<text class="name" x="{dx}" y="{dy}"{anchor}>{escape(lines[0])}</text>'
    else:
        spans = "".join(f'<tspan x="{dx}" y="{dy + LINE * n}">{escape(line)}</tspan>' for n, line in enumerate(lines))
        text = f'<text class="name"{anchor}>{spans}</text>'
    return text + _signs(place, dx, dy + LINE * (len(lines) - 1) + 15, side)


def _signs(place: Place, dx: int, y: int, side: str) -> str:
    """Points, defence, settler and ship. A hollow ship is a port without a ship sign."""
    signs: list[tuple[int, str]] = []
    if place.points:
        signs.append((11, '<text class="points" x="{x}" y="{y}">' + str(place.points) + "</text>"))
    if place.defence:
        shield = (
            '<use href="#am-shield" class="shield" x="{x}" y="{y}"/><text class="defence" x="{middle}" y="{raised}">'
        )
        signs.append((18, shield + str(place.defence) + "</text>"))
    if place.settler:
        signs.append((13, '<use href="#am-settler" class="sign" x="{x}" y="{y}"/>'))
    if place.sea:
        look = "sign" if place.ship else "hollow"
        signs.append((16, f'<use href="#am-ship" class="{look}" x="{{x}}" y="{{y}}"/>'))
    width = sum(wide for wide, _ in signs)
    x = {"right": dx, "left": dx - width, "middle": dx - width // 2}[side]
    drawn = ""
    for wide, sign in signs:
        drawn += sign.format(x=x, y=y, middle=x + 7, raised=y - 0.5)
        x += wide
    return drawn


def _cartouche(voice: Voice) -> str:
    title = voice.gettext("A Few Acres of Snow")
    size = "heading" if len(title) <= SHORT_TITLE else "heading long"
    return (
        '<g transform="translate(232 92)" text-anchor="middle">'
        '<path class="cartouche" d="M-190-34C-196-46-180-52-172-44H172C180-52 196-46 190-34'
        'C182-18 182 18 190 34C196 46 180 52 172 44H-172C-180 52-196 46-190 34C-182 18-182-18-190-34Z"/>'
        '<path class="flourish" d="M-164-34H164M-164 34H164M-60 20C-40 12-20 28 0 20S40 12 60 20"/>'
        f'<text class="{size}" y="6">{escape(title)}</text></g>'
    )


_ROSE = (
    '<g class="rose" transform="translate(1010 610)"><circle r="44"/><circle r="38"/>'
    f'<path class="thin" d="{_star(8, 42, 9)}"/>'
    '<path class="dark" d="M0-56L8-8L0 0ZM56 0L8 8L0 0ZM0 56L-8 8L0 0ZM-56 0L-8-8L0 0Z"/>'
    '<path class="pale" d="M0-56L-8-8L0 0ZM56 0L8-8L0 0ZM0 56L8 8L0 0ZM-56 0L-8 8L0 0Z"/>'
    '<path class="north" d="M0-78C3-72 3-68 1-63H-1C-3-68-3-72 0-78ZM-5-63H5V-60H-5Z"/></g>'
)


def _scale(voice: Voice) -> str:
    wide, quarter = LEAGUES_WIDE, LEAGUES_WIDE // 4
    leagues = escape(voice.gettext("{n} leagues", n=LEAGUES))
    return (
        f'<g class="scale" transform="translate({1010 - wide // 2} 712)"><path class="outline" d="M0 0H{wide}V6H0Z"/>'
        f'<path class="dark" d="M0 0H{quarter}V6H0ZM{2 * quarter} 0H{3 * quarter}V6H{2 * quarter}Z"/>'
        f'<text x="{wide // 2}" y="24" text-anchor="middle">{leagues}</text></g>'
    )


def _key(voice: Voice) -> str:
    """What the signs mean."""

    use = '<use href="#{}" x="{{x}}" y="{{y}}"/>'.format
    sign = '<use href="#{}" class="sign" transform="translate({{x}} {{y}})translate(-7 5)"/>'.format
    line = '<path class="{}" d="M-15 0H15" transform="translate({{x}} {{y}})"/>'.format
    square = '<path class="plainmark" d="M-9-9H9V9H-9Z" transform="translate({x} {y})"/>'
    disc = '<circle class="plainmark" r="10" cx="{x}" cy="{y}"/>'
    wall = '<use href="#am-fort" class="plainwall" transform="translate({x} {y})scale(.6)"/>'
    left = (
        (use("am-bv"), voice.name("seat", BRITISH)),
        (use("am-fv"), voice.name("seat", FRENCH)),
        (use("am-n"), voice.name("seat", NEUTRAL)),
        (line("way"), voice.gettext("water or road")),
        (line("trail"), voice.gettext("Indian trail")),
    )
    right = (
        (square, voice.name("piece", VILLAGE)),
        (disc, voice.name("piece", TOWN)),
        (wall, voice.gettext("fort")),
        (sign("am-settler"), voice.name("symbol", "settler")),
        (sign("am-ship"), voice.gettext("port")),
    )
    drawn = ""
    for x, rows in ((22, left), (188, right)):
        for n, (mark, word) in enumerate(rows):
            y = 24 * n + 22
            drawn += f'{mark.format(x=x, y=y)}<text x="{x + 22}" y="{y + 5}">{escape(word)}</text>'
    return f'<g class="key" transform="translate(612 642)"><path class="box" d="M0 0H286V142H0Z"/>{drawn}</g>'


# -- what changes from turn to turn -----------------------------------------------------------------


def _head(view: Mapping[str, Any], voice: Voice) -> str:
    """The opening tag with the map's name and, in words, who holds what."""
    told = []
    for seat in SEATS:
        held = [voice.name("place", place) for place, holding in view["board"].items() if holding["owner"] == seat]
        told.append(voice.gettext("{label}: {value}.", label=voice.name("seat", seat), value=", ".join(held)))
    width, height = _BASE["view_box"][2:]
    title = escape(voice.gettext("A Few Acres of Snow"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board acres" viewBox="0 0 {width} {height}" role="img">'
        f"<title>{title}</title><desc>{escape(' '.join(told))}</desc>"
    )


def _told(
    place: str, holding: Mapping[str, Any] | None, siege: Mapping[str, Any] | None, is_new: bool, voice: Voice
) -> str:
    """A place in words, for the pointer that rests on it."""
    parts = [voice.name("place", place)]
    if holding is None:
        parts.append(voice.name("seat", NEUTRAL))
    else:
        parts += [voice.name("seat", holding["owner"]), voice.name("piece", holding["piece"])]
        if holding["fort"]:
            parts.append(voice.gettext("fort"))
    points = PLACES[place].points
    if points:
        parts.append(voice.ngettext("{points} point", "{points} points", points, points=points))
    if siege is not None:
        parts.append(voice.gettext("siege {strength}", strength=_signed(siege["strength"])))
    if is_new:
        parts.append(voice.gettext("new"))
    return escape(", ".join(parts))


def _signed(number: int) -> str:
    return f"+{number}" if number > 0 else f"{MINUS}{-number}" if number < 0 else "0"


def _halo(spot: Mapping[str, Any]) -> str:
    return f'<circle class="halo" fill="url(#am-glow)" cx="{spot["x"]}" cy="{spot["y"]}" r="40"/>'


def _target(is_target: bool) -> str:
    return '<circle class="target" r="27"/>' if is_target else ""


def _piece(holding: Mapping[str, Any] | None) -> str:
    if holding is None:
        return '<use href="#am-n"/>'
    side = holding["owner"]
    wall = f'<use href="#am-fort" class="wall {side}"/>' if holding["fort"] else ""
    return f'{wall}<use href="#am-{side[0]}{"t" if holding["piece"] == TOWN else "v"}"/>'


def _siege(siege: Mapping[str, Any] | None, spot: Mapping[str, Any]) -> str:
    """A ring in the attacker's colour; its value on the attacker's shape, away from the name."""
    if siege is None:
        return ""
    attacker = siege["attacker"]
    dx, dy = _badge_at(spot)
    shape = "M-14-11H14V11H-14Z" if attacker == BRITISH else "M0-15L18 0L0 15L-18 0Z"
    return (
        f'<g class="siege {attacker}"><circle r="25"/><g transform="translate({dx} {dy})"><path d="{shape}"/>'
        f'<text y="5" text-anchor="middle">{_signed(siege["strength"])}</text></g></g>'
    )


def _badge_at(spot: Mapping[str, Any]) -> tuple[int, int]:
    """Where on the ring the value stands: across from the name."""
    if spot["side"] == "middle":
        return (0, 26) if spot["dy"] < 0 else (0, -26)
    return (-26, 0) if spot["side"] == "right" else (26, 0)
