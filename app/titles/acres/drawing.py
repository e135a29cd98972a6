"""The map of Acres: what never changes is built once (`ground`), each board adds its places.

Side and piece differ in shape: a village is a square, a town a disc, British ones carry a square, French ones a lily; a
fort is a star-shaped wall around them, a neutral place an open ring.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from typing import Any, NamedTuple

from app.base.words.speech import Voice
from app.titles.acres.ground import HEIGHT, SPOTS, WIDTH, background, background_at, key_of, key_with
from app.titles.touch import UNTOUCHED, Touch
from engine.acres.data import BRITISH, NEUTRAL, PLACES, SEATS, SHIP, TOWN, Place
from engine.acres.sentences import signed

LINE = 12.5
"""From one baseline of a name to the next."""
FIRST = 10
"""From the top of the box of a label to the first baseline."""
BELOW = 11
"""How far signs stand below a name."""
GAP = 3.5
"""Between a name and the signs after it."""
WINDOW = 290
"""How high the map is when it is cropped around a place."""
SMALL = 170, 170
"""Width and height of a small board. Shown at less than full size, it has no words: nobody could read them."""
FINGER = 22
"""The radius of what can be touched: 44 pixels on a map 360 wide."""
MOST_DRAWN = 1000
"""Rendered places that are cached, in each language; a map has 36, and most of them look the same as before."""


def draw(
    view: Mapping[str, Any], voice: Voice, changed: frozenset[str], touch: Touch = UNTOUCHED, ground: str = ""
) -> str:
    """Draw the board of a view (`engine.acres.knowledge.view`) as one `<svg>` of 360 by 552 units: pixels of a phone.

    `changed` are places with a halo. Of `touch`, all by ids of places (`halifax`):

    - `links`: where a place leads. It is then an `<a href>` with a circle of 44 units; other places are not links, and
      without any the whole map is an image.
    - `chosen`: places with a solid ring of ink.
    - `possible`: places that can be chosen now, with a dotted moss ring, and the words "can be chosen" for readers.
    - `curves`: `(from, to, transport)` for each connection of a chosen card: dashed for a ship, solid for bateaux,
      dotted for a wagon.
    - `window`: the place around which the map is cropped, `WINDOW` high and at the same scale.

    `ground` is the address of the ground as a picture of its own; without one it is drawn along.

    Each place is an element with the id `at-PLACE`, so that `href="#at-halifax"` lights it.
    """
    board, sieges = view["board"], {siege["place"]: siege for siege in view["sieges"]}
    words = _words(voice)
    parts = [
        _head(view, voice, changed, touch),
        background_at(ground) if ground else background(),
        key_with(words.key, view["score"]),
    ]
    parts += [_halo(spot) for place, spot in SPOTS.items() if place in changed]
    parts += [_curve(*curve) for curve in touch.curves]
    for place in SPOTS:
        marks = (place in changed, place in touch.possible, place in touch.chosen)
        look = _Look(board.get(place), sieges.get(place), *marks)
        drawn = words.place(place, look)
        href = touch.links.get(place)
        if href is None:
            parts.append(f'<g class="place" id="at-{place}">{drawn}</g>')
        else:
            current = ' aria-current="true"' if look.is_chosen else ""
            parts.append(f'<a class="place" id="at-{place}" href="{escape(href)}"{current}>{drawn}</a>')
    parts.append("</svg>")
    return "".join(parts)


def crop(
    view: Mapping[str, Any], voice: Voice, prefix: str, changed: frozenset[str], box: tuple[int, int] | None = None
) -> str:
    """Draw a small board: the places around what is new, or else around a siege, or Boston. Its ids begin with
    `prefix`, so that several go on one page; `box` is its width and height."""
    width, height = box or SMALL
    sieges = {siege["place"]: siege for siege in view["sieges"]}
    centre = next((place for place in SPOTS if place in changed), next(iter(sieges), "boston"))
    left = min(max(round(SPOTS[centre]["x"]) - width // 2, 0), WIDTH - width)
    top = min(max(round(SPOTS[centre]["y"]) - height // 2, 0), HEIGHT - height)
    words, parts = _words(voice), [background()]
    for place, spot in SPOTS.items():
        if left - FINGER < spot["x"] < left + width + FINGER and top - FINGER < spot["y"] < top + height + FINGER:
            parts.append(_halo(spot) if place in changed else "")
            look = _Look(view["board"].get(place), sieges.get(place), place in changed)
            drawn = words.place(place, look)
            if not _is_within(spot, look.is_wide, left, top, width, height):  # half a name is worse than none
                drawn = drawn.removesuffix(words.labels[place, look.is_wide])
            parts.append(f'<g class="place">{drawn}</g>')
    drawn = "".join(parts)
    for ref in ('id="', 'href="#', "url(#"):
        drawn = drawn.replace(f"{ref}am-", f"{ref}{prefix}am-")
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="board acres" role="img" '
        f'viewBox="{left} {top} {width} {height}">'
        f"<title>{escape(voice.gettext('A Few Acres of Snow'))}</title>{drawn}</svg>"
    )


def _is_within(spot: Mapping[str, Any], is_wide: bool, left: int, top: int, width: int, height: int) -> bool:
    """Return whether the whole label of a place lies in a small board that begins there."""
    box, (dx, dy) = spot["label"], spot["away"] if is_wide else (0, 0)
    x, y = box["x"] + dx - left, box["y"] + dy - top
    return bool(x >= 0 and y >= 0 and x + box["w"] <= width and y + box["h"] <= height)


class _Look(NamedTuple):
    """How a place looks: its state and its marks."""

    holding: Mapping[str, Any] | None
    siege: Mapping[str, Any] | None
    is_new: bool
    is_target: bool = False
    is_chosen: bool = False

    @property
    def has_fort(self) -> bool:
        return self.holding is not None and bool(self.holding["fort"])

    @property
    def is_wide(self) -> bool:
        """Whether something stands around its mark, so that its label moves away."""
        return self.siege is not None or self.has_fort


# -- what changes with the language -----------------------------------------------------------------


class _Words:
    """Everything that is the same on every map in one language, and the cached places."""

    def __init__(self, voice: Voice) -> None:
        self.labels = {
            (place, is_wide): _label(PLACES[place], voice, is_wide) for place in SPOTS for is_wide in (False, True)
        }
        self.key = key_of(voice)
        self._voice = voice
        self._drawn: dict[tuple[Any, ...], str] = {}

    def place(self, place: str, look: _Look) -> str:
        """Draw a place with its name and everything on it."""
        holding, siege, *marks = look
        held = None if holding is None else (holding["owner"], holding["piece"], holding["fort"])
        besieged = None if siege is None else (siege["attacker"], siege["strength"])
        key = (place, held, besieged, *marks)
        drawn = self._drawn.get(key)
        if drawn is None:
            spot, voice = SPOTS[place], self._voice
            drawn = (
                f"<title>{_told(place, look, voice)}</title>"
                f'<g transform="translate({spot["x"]:g} {spot["y"]:g})"><circle class="hit" r="{FINGER}"/>'
                f"{_rings(look)}{_piece(look.holding)}"
                f"{_siege(look, spot)}</g>{self.labels[place, look.is_wide]}"
            )
            if len(self._drawn) >= MOST_DRAWN:
                self._drawn.clear()
            self._drawn[key] = drawn
        return drawn


_words_by_reader: dict[tuple[str, bool], _Words] = {}


def _words(voice: Voice) -> _Words:
    """Return the words for all readers of a language; a voice without a title has no names."""
    reader = (voice.lang, voice.title is None)
    if reader not in _words_by_reader:
        _words_by_reader[reader] = _Words(voice)
    return _words_by_reader[reader]


def lines_of(place: str, name: str) -> list[str]:
    """Split a name into the lines of the drawing base; a name spelt differently is broken after as many words."""
    lines: list[str] = SPOTS[place]["label"]["lines"]
    if len(lines) == 1:
        return [name]
    if "".join(lines).replace("-", "") == name.replace(" ", ""):
        return lines
    words = name.split(" ")
    first = len(lines[0].split(" "))
    return [line for line in (" ".join(words[:first]), " ".join(words[first:])) if line]


def _label(place: Place, voice: Voice, is_wide: bool) -> str:
    """Draw the name beside a place, in one or two lines, and its signs after or below it."""
    box = SPOTS[place.id]["label"]
    dx, dy = SPOTS[place.id]["away"] if is_wide else (0, 0)
    left, top, wide, align = box["x"] + dx, box["y"] + dy, box["w"], box["align"]
    lines = lines_of(place.id, voice.name("place", place.id))
    signs, width = _signs(place)
    base = top + FIRST + LINE * (len(lines) - 1)
    at, anchor = _anchor(align, left, wide)
    if box["signs"] == "inline" and align == "end":
        at -= width + GAP
    drawn = []
    for number, line in enumerate(lines):
        x, how = (at, anchor)
        if box["signs"] == "inline" and align == "middle" and number == len(lines) - 1:
            x, how = left, ""
        drawn.append(f'<text x="{x:g}" y="{top + FIRST + LINE * number:g}"{how}>{escape(line)}</text>')
    if box["signs"] == "inline":
        drawn.append(_placed(signs, left + wide - width, base))
    elif box["signs"] == "below":
        start = {"start": left, "middle": left + (wide - width) / 2, "end": left + wide - width}[align]
        drawn.append(_placed(signs, start, base + BELOW))
    return "".join(drawn)


def _anchor(align: str, left: float, wide: float) -> tuple[float, str]:
    if align == "start":
        return left, ""
    if align == "end":
        return left + wide, ' text-anchor="end"'
    return left + wide / 2, ' text-anchor="middle"'


Sign = tuple[float, str]


def _signs(place: Place) -> tuple[list[Sign], float]:
    """Draw points, defence, settler and ship, each with its width, and return the total width. A hollow ship is a port
    without a ship sign."""
    signs: list[Sign] = []
    if place.points:
        signs.append((9.5, f'<text class="points" x="{{x:g}}" y="{{y:g}}">{place.points}</text>'))
    if place.defence:
        signs.append(
            (
                12,
                '<use href="#am-shield" class="shield" x="{x:g}" y="{y:g}"/>'
                f'<text class="defence" x="{{middle:g}}" y="{{y:g}}">{place.defence}</text>',
            )
        )
    if place.settler:
        signs.append((10, '<use href="#am-settler" class="sign" x="{x:g}" y="{raised:g}"/>'))
    if place.sea:
        look = "sign" if place.ship else "hollow"
        signs.append((12, f'<use href="#am-ship" class="{look}" x="{{x:g}}" y="{{raised:g}}"/>'))
    return signs, sum(wide for wide, _ in signs)


def _placed(signs: list[Sign], x: float, y: float) -> str:
    drawn = ""
    for wide, sign in signs:
        drawn += sign.format(x=round(x, 1), y=round(y, 1), middle=round(x + 4.8, 1), raised=round(y - 0.7, 1))
        x += wide
    return drawn


# -- what changes from turn to turn -----------------------------------------------------------------


def _head(view: Mapping[str, Any], voice: Voice, changed: frozenset[str], touch: Touch) -> str:
    """Return the opening tag with the map's name and everything on it in words."""
    top, high = 0, HEIGHT
    if touch.window in SPOTS:
        high = WINDOW
        top = min(max(round(SPOTS[touch.window]["y"]) - WINDOW // 2, 0), HEIGHT - WINDOW)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="board acres" '
        f'viewBox="0 {top} {WIDTH} {high}" role="{"group" if touch.links else "img"}">'
        f"<title>{escape(voice.gettext('A Few Acres of Snow'))}</title>"
        f"<desc>{escape(_described(view, voice, changed))}</desc>"
    )


def _described(view: Mapping[str, Any], voice: Voice, changed: frozenset[str]) -> str:
    """Return who holds what with which pieces, the sieges, and what is new."""
    name, said = voice.name, []

    def line(label: str, values: list[str]) -> None:
        if values:
            said.append(voice.gettext("{label}: {value}.", label=label, value=", ".join(values)))

    for seat in SEATS:
        held = []
        for place, holding in view["board"].items():
            if holding["owner"] == seat:
                piece = name("piece", holding["piece"])
                if holding["fort"]:
                    piece = voice.gettext("{piece} with a fort", piece=piece)
                held.append(f"{name('place', place)} ({piece})")
        points = view["score"][seat]
        scored = voice.ngettext("{n} point", "{n} points", points).format(n=points)
        line(f"{name('seat', seat)} ({scored})", held)
    line(
        voice.gettext("Sieges"),
        [
            f"{name('place', one['place'])} ({name('seat', one['attacker'])} {signed(one['strength'])})"
            for one in view["sieges"]
        ],
    )
    line(voice.gettext("New since the last turn"), [name("place", place) for place in SPOTS if place in changed])
    return " ".join(said)


def _told(place: str, look: _Look, voice: Voice) -> str:
    """Describe a place in words, for screen readers and the mouse pointer."""
    parts, holding, siege = [voice.name("place", place)], look.holding, look.siege
    if holding is None:
        parts.append(voice.name("seat", NEUTRAL))
    else:
        parts += [voice.name("seat", holding["owner"]), voice.name("piece", holding["piece"])]
        if holding["fort"]:
            parts.append(voice.gettext("fort"))
    points = PLACES[place].points
    if points:
        parts.append(voice.ngettext("{n} point", "{n} points", points).format(n=points))
    if siege is not None:
        parts.append(voice.gettext("siege {strength}", strength=signed(siege["strength"])))
    if look.is_new:
        parts.append(voice.gettext("new"))
    if look.is_target:
        parts.append(voice.gettext("can be chosen"))
    return escape(", ".join(parts))


def _halo(spot: Mapping[str, Any]) -> str:
    return f'<circle class="halo" fill="url(#am-glow)" cx="{spot["x"]}" cy="{spot["y"]}" r="30"/>'


def _curve(one: str, other: str, transport: str) -> str:
    """Draw a connection of a card, bent so that it lies on no link: over the sea for a ship."""
    a, b = SPOTS[one], SPOTS[other]
    dx, dy = b["x"] - a["x"], b["y"] - a["y"]
    bend = math.copysign(0.2 if transport == SHIP else 0.1, -dy)  # towards the right, where the sea is
    x, y = (a["x"] + b["x"]) / 2 - dy * bend, (a["y"] + b["y"]) / 2 + dx * bend
    return f'<path class="curve {transport}" d="M{a["x"]} {a["y"]}Q{x:.0f} {y:.0f} {b["x"]} {b["y"]}"/>'


def _rings(look: _Look) -> str:
    """Draw rings around what is chosen, or can be."""
    radius = 18.5 if look.is_wide else 14.5
    if look.is_chosen:
        return f'<circle class="under" r="{radius + 0.5}"/><circle class="chosen" r="{radius + 0.5}"/>'
    return f'<circle class="target" r="{radius}"/>' if look.is_target else ""


def _piece(holding: Mapping[str, Any] | None) -> str:
    if holding is None:
        return '<use href="#am-n"/>'
    side = holding["owner"]
    wall = f'<use href="#am-fort" class="wall {side}"/>' if holding["fort"] else ""
    return f'{wall}<use href="#am-{side[0]}{"t" if holding["piece"] == TOWN else "v"}"/>'


def _siege(look: _Look, spot: Mapping[str, Any]) -> str:
    """Draw a ring in the attacker's colour; its value on the attacker's shape, away from the name."""
    siege = look.siege
    if siege is None:
        return ""
    attacker, badge = siege["attacker"], spot["badge"]
    shape = "M-12-9H12V9H-12Z" if attacker == BRITISH else "M0-12L15 0L0 12L-15 0Z"
    return (
        f'<g class="siege {attacker}"><circle class="ring" r="{17 if look.has_fort else 13.2}"/>'
        f'<g transform="translate({badge["x"]} {badge["y"]})"><path d="{shape}"/>'
        f'<text y="4.2" text-anchor="middle">{signed(siege["strength"])}</text></g></g>'
    )
