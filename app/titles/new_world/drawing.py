"""The map of New World: tiles west of the coast, settlers, surveyors, and the cells where a tile may be laid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from markupsafe import Markup

from app.base.words.speech import ACTOR, Voice
from app.titles.new_world import outlines
from app.titles.new_world.tile_art import COAST, Art, art_of, number, turned
from app.titles.style import shapes
from app.titles.touch import UNTOUCHED, Touch
from engine.kernel.text import Counted, Text
from engine.new_world.merits import Merit
from engine.new_world.places import cell_name, column_name, letter, name_at, row_name, surveyors_stand
from engine.new_world.tiles import SHIPPED, TileSet, tile_set

SIZE = 60
LEFT, SEA, TOP = 36, 118, 60
"""Room for the row numbers, for the sea with the names of the towns, for column letters and surveyors."""
LEAST_COLUMNS = 4
AROUND = 2
"""How many cells a window shows to each side of its middle."""
MAP = Text("Map of the New World")

GRASS = '<path class="nw-grass" d="{}"/>'.format(
    "".join(
        f"M{x} {y}l-1.5-4m1.5 4v-5m0 5l1.5-4"
        for x, y in ((11, 21), (23, 11), (45, 10), (51, 26), (8, 51), (24, 44), (47, 50), (36, 33))
    )
)
"""Tufts of grass on a square from (0, 0) to (60, 60)."""
SIGNS = shapes(Path(__file__).parent / "data" / "signs.svg")
_BODIES = {
    "red": "M0-7L8 9H-8Z",
    "blue": "M-6.5-4H6.5V9H-6.5Z",
    "green": "M0-7L8.5 2L0 11L-8.5 2Z",
    "yellow": "M0-5A7.2 7.2 0 1 1-.1-5Z",
    "black": "M-7.5-4H7.5L3 2.5L7.5 9H-7.5L-3 2.5Z",
}
"""Each colour has its own shape."""


def letter_mark(n: int, x: float, y: float) -> str:
    """Draw that letter as it stands on the tile."""
    return (
        f'<g class="nw-letter" transform="translate({number(x)} {number(y)})"><circle r="7.5"/>'
        f'<text y="4">{letter(n)}</text></g>'
    )


def draw(view: Mapping[str, Any], voice: Voice, changed: frozenset[str], touch: Touch = UNTOUCHED) -> str:
    """Draw the board of a view (`engine.new_world.view.view`). `touch` has cells as `x,y`; its window crops the board
    to the cells around one, and gives it its own ids."""
    return _Board(view, voice, changed, touch).svg()


def on_page(view: Mapping[str, Any], voice: Voice, changed: frozenset[str], tokens: Sequence[str]) -> str:
    """Draw the board when nobody chooses a cell, and features can be touched and outlined."""
    touch = Touch(links=outlines.links(view, tokens))
    board = _Board(view, voice, changed, touch, features=tokens)
    return board.focus() + board.within_rim()


def control(
    view: Mapping[str, Any],
    voice: Voice,
    changed: frozenset[str],
    touch: Touch,
    merits: Mapping[tuple[int, int], Merit],
    tokens: Sequence[str],
) -> str:
    """Draw the board where a tile is to be laid: cells are links and say what they bring, features can be outlined. The
    names of columns and rows are strips that stay beside it; the page begins at what is chosen, else at the cell whose
    name is in `changed`, else at the best one."""
    board = _Board(view, voice, frozenset(), touch, merits, features=tokens)
    named = [cell for cell in merits if cell_name(*cell) in changed]
    return board.focus(named) + board.within_rim()


def crop(view: Mapping[str, Any], voice: Voice, prefix: str) -> str:
    """Draw a small board: as many tiles as fit into a window with the latest. Its ids begin with `prefix`, so that
    several go on one page."""
    x, y = _fullest(view) if view["laid"] else (AROUND, LEAST_COLUMNS)
    drawn = draw({**view, "decision": None}, voice, frozenset(), Touch(window=f"{x},{y}"))
    for ref in ('id="', 'href="#', "url(#"):
        drawn = drawn.replace(f"{ref}nw-", f"{ref}{prefix}nw-")
    return drawn.replace(' id="latest"', "")


def _fullest(view: Mapping[str, Any]) -> tuple[int, int]:
    """Return the middle of the window, as near to the latest tile as possible."""
    cells = [(one["x"], one["y"]) for one in view["laid"]]
    x, y = cells[-1]
    aside = sorted(range(-AROUND, AROUND + 1), key=abs)
    return max(
        ((x + across, y + down) for down in aside for across in aside),
        key=lambda middle: sum(max(abs(middle[0] - a), abs(middle[1] - b)) <= AROUND for a, b in cells),
    )


@cache
def ground_ids(set_id: str) -> dict[str, str]:
    """Return the ids of a set's grounds on a page, so that other pictures on it can use those of the board."""
    tiles = tile_set(set_id)
    grounds = dict.fromkeys(art_of(piece).ground for piece in (*tiles.kinds.values(), *tiles.start))
    return {ground: f"nw-g{n}" for n, ground in enumerate(grounds)}


def piece(art: Art, ids: Mapping[str, str], rotation: int) -> str:
    """Draw a tile around its middle: its ground, by the ids on this page, turned clockwise, and its upright signs."""
    turn = f' transform="rotate({rotation})"' if rotation else ""
    parts = [f'<use href="#{ids[art.ground]}"{turn}/>']
    for sign, *spot in art.signs:
        x, y = turned((spot[0], spot[1]), rotation)
        parts.append(f'<use href="#nw-{sign}" x="{number(x)}" y="{number(y)}"/>')
    return "".join(parts)


class _Board:
    def __init__(
        self,
        view: Mapping[str, Any],
        voice: Voice,
        changed: frozenset[str],
        touch: Touch = UNTOUCHED,
        merits: Mapping[tuple[int, int], Merit] | None = None,
        features: Sequence[str] | None = None,
    ) -> None:
        self.view = view
        found = outlines.all_of(view)
        here = {part for one in view["pending"] if features is not None for part in one["here"]}
        self.scored = [one for one in found if here.intersection(one["parts"])]
        """The features whose order is asked: they are lit, and letters replace the numbers of recent tiles."""
        self.outlined = outlines.touched(found, features or ()) or self.scored
        self.touch = touch
        self.merits = merits or {}
        self.voice = voice
        self.tiles: TileSet = tile_set(view["options"].get("tile_set", SHIPPED))
        self.chooses = view["decision"] is not None and view["decision"]["seat"] == view["seat"]
        """Whether the reader is to choose a cell: for others none is lit."""
        self.legal = list(self.merits) or ([(one["x"], one["y"]) for one in view["cells"]] if self.chooses else [])
        laid = view["laid"]
        recent = laid[len(laid) - view["recent"] :]
        self.changed = changed or frozenset(f"{tile['x']},{tile['y']}" for tile in recent)
        cells = [(tile["x"], tile["y"]) for tile in laid] + self.legal
        self.columns = max([LEAST_COLUMNS, *(x for x, _ in cells)])
        self.north = min([0, *(y for _, y in cells)])
        self.south = max([len(self.tiles.start) - 1, *(y for _, y in cells)])
        self.width = LEFT + (self.columns + 1) * SIZE + SEA
        self.height = 2 * TOP + (self.south - self.north + 1) * SIZE
        self.wide = min(30, self.columns + 3)
        self.has_rim = features is not None
        self.ids = ground_ids(self.tiles.id)
        self.art = {(tile["x"], tile["y"]): (art_of(self.tiles.kinds[tile["tile"]]), tile["rotation"]) for tile in laid}
        if touch.window:
            self._crop(*map(int, touch.window.split(",")))

    def _crop(self, x: int, y: int) -> None:
        """Remove what a window around a cell does not show."""
        near = {cell: one for cell, one in self.art.items() if max(abs(cell[0] - x), abs(cell[1] - y)) <= AROUND}
        settlers = [one for one in self.view["settlers"] if tuple(map(int, one["at"].split(","))) in near]
        self.view, self.art, self.legal = {**self.view, "settlers": settlers, "marked": ()}, near, []

    def box(self) -> tuple[int, int, int, int]:
        """Return the part of the drawing that is shown: left, top, width, height."""
        if self.has_rim:
            return LEFT, TOP, self.width - LEFT, self.height - TOP
        if not self.touch.window:
            return 0, 0, self.width, self.height
        x, y = self._at(*map(int, self.touch.window.split(",")))
        side = (2 * AROUND + 1) * SIZE
        left = max(0, min(x - side // 2, self.width - side))
        return left, max(0, min(y - side // 2, self.height - side)), side, side

    def focus(self, named: Sequence[tuple[int, int]] = ()) -> str:
        """Return where the page begins: at what is outlined, at what is chosen, else at a named cell, else at the best
        one, else at the latest tile."""
        if self.outlined:
            middles = [self._at(*outlines.cell_of(part)) for part in self.outlined[0]["parts"]]
            x = sum(x for x, _ in middles) // len(middles)
            y = max(0, sum(y for _, y in middles) // len(middles) - (0 if self.scored else 2 * SIZE))
        else:
            chosen = [outlines.cell_of(one) for one in self.touch.chosen]
            at = chosen or named or list(self.merits) or list(self.art)[-1:]
            if not at:
                return ""
            x, y = self._at(*at[0])
        return f'<span class="aim at-{round(20 * x / self.width)} down-{round(20 * y / self.height)}"></span>'

    def within_rim(self) -> str:
        """Draw the board with the strips that stay beside it: above it the letters of the columns and the surveyors, on
        its left the numbers of the rows, each as high as a row, the last one as high as what is below the frame."""
        rows = "".join(f"<b>{row_name(row)}</b>" for row in range(self.north, self.south + 1))
        return (
            '<div class="nw-top" aria-hidden="true"><i class="nw-numbers"></i>'
            f'<svg class="board new-world nw-wide-{self.wide}" viewBox="{LEFT} 0 {self.width - LEFT} {TOP}">'
            f"{self._letters()}{self._surveyors_at(self._above)}</svg></div>"
            f'<div class="nw-body"><div class="nw-numbers" aria-hidden="true">{rows}<b></b></div>{self.svg()}</div>'
        )

    def svg(self) -> str:
        parts = (
            self._head(),
            self._defs(),
            self._coast(),
            self._frame(),
            self._laid(),
            self._features(),
            self._legal(),
            self._settlers(),
            self._marks(),
            self._surveyors(),
            "</svg>",
        )
        return "".join(parts)

    def _at(self, x: int, y: int) -> tuple[int, int]:
        """Return the middle of a cell."""
        return LEFT + (self.columns - x) * SIZE + SIZE // 2, TOP + (y - self.north) * SIZE + SIZE // 2

    def _head(self) -> str:
        view, voice = self.view, self.voice
        n = len(view["laid"])
        laid = Counted("{n} tile is laid.", "{n} tiles are laid.", n=n)
        told = f"{voice.say(laid)} {voice.say(surveyors_stand(**view['surveyors']))}"
        role = "group" if self.chooses or self.touch.links else "img"
        left, top, wide, high = self.box()
        small = f"nw-wide-{self.wide}" if not self.touch.window else "nw-crop"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="board new-world {small}" width="{2 * wide}"'
            f' viewBox="{left} {top} {wide} {high}" role="{role}">'
            f"<title>{escape(voice.say(MAP))}</title><desc>{escape(told)}</desc>"
        )

    def _defs(self) -> str:
        """Draw signs, settlers of the seats, and each ground of any coast space or tile, once."""
        seats = "".join(
            f'<g id="nw-{seat}"><circle class="nw-ring" r="13"/><g class="nw-{seat}">'
            f'<path d="{_BODIES[seat]}"/><circle r="4.4" cy="-8"/></g></g>'
            for seat in self.view["seats"]
        )
        arts = [*map(art_of, self.tiles.start), *(art for art, _ in self.art.values())]
        grounds = "".join(f'<g id="{self.ids[one]}">{one}</g>' for one in dict.fromkeys(art.ground for art in arts))
        grass = (
            f'<pattern id="nw-grass" width="{SIZE}" height="{SIZE}" x="{LEFT}" y="{TOP}"'
            f' patternUnits="userSpaceOnUse">{GRASS}</pattern>'
        )
        cell = '<path class="to-touch" d="M-30-30h60v60h-60Z"/><path d="M-26-26h52v52h-52Z"/>'
        lit = f'<g id="nw-cell">{cell}</g>' if self.legal else ""
        return f"<defs>{SIGNS}{seats}{grounds}{lit}{grass}</defs>"

    # -- the east ---------------------------------------------------------------------------------

    def _coast(self) -> str:
        """Draw the sea in front of the spaces of the start board, and the names of the towns on it."""
        rows = len(self.tiles.start)
        x, first = self._at(0, 0)
        west, top = x - SIZE // 2, first - SIZE // 2
        wiggles = "".join(f"q{7 if row % 2 else -5} {SIZE // 2} 0 {SIZE}" for row in range(rows))
        line = f"M{x + COAST} {top}{wiggles}"
        shore = f"M{west} {top}H{x + COAST}{wiggles}H{west}Z"
        ports = [space for space in self.tiles.start if any(segment.kind == "town" for segment in space.segments)]
        named = [self._at(0, space.row)[1] for space in ports]
        crests = [
            (x + 62 + 26 * (n % 2), y)
            for n, y in enumerate(range(self.height - TOP - 24, TOP, -46))
            if all(abs(y - at) > 18 for at in named)
        ]
        # Each from the end of the one before it: nearly all are written alike, so that they pack well.
        waves = "".join(
            f"m{a - before - 16} {b - below}q4-5 8 0t8 0" for (before, below), (a, b) in pairwise([(-16, 0), *crests])
        )
        parts = [
            f'<path class="wild" d="M{LEFT} {TOP}H{west}V{self.height - TOP}H{LEFT}Z"/>',
            f'<path class="sea" d="M{west} {TOP}H{self.width - 8}V{self.height - TOP}H{west}Z"/>',
            f'<path class="wave" d="{waves}"/><path class="coast-wide" d="{line}"/><path class="coast" d="{shore}"/>'
            f'<path fill="url(#nw-grass)" d="{shore}"/>',
        ]
        for space in self.tiles.start:
            cx, cy = self._at(0, space.row)
            parts.append(self._tile(art_of(space), 0, cx, cy))
            if space in ports:
                name = escape(self.voice.name("place", space.key))
                parts.append(f'<path class="quay" d="M{cx + COAST - 1} {cy}h13"/>')
                parts.append(f'<text class="port" x="{cx + 27}" y="{cy + 6}">{name}</text>')
        return "".join(parts)

    def _frame(self) -> str:
        """Draw letters over the columns and numbers beside the rows, as in the names of cells."""
        right, bottom = self.width - 8, self.height - TOP
        frame = f'<path class="frame" d="M{LEFT} {TOP}H{right}V{bottom}H{LEFT}Z"/>'
        if self.has_rim:
            return frame
        parts = [frame, self._letters()]
        for row in range(self.north, self.south + 1):
            _, y = self._at(0, row)
            parts.append(f'<text class="scale" x="{LEFT - 16}" y="{y + 6}">{row_name(row)}</text>')
        return "".join(parts)

    def _letters(self) -> str:
        columns = [(self._at(column, 0)[0], column_name(column)) for column in range(1, self.columns + 1)]
        return "".join(f'<text class="scale" x="{x}" y="{TOP - 38}">{name}</text>' for x, name in columns)

    # -- tiles ------------------------------------------------------------------------------------

    def _tile(self, art: Art, rotation: int, x: int, y: int, href: str = "") -> str:
        """Draw a tile relative to its middle, so that equal tiles have equal markup and pages compress well."""
        tag, leads = ("a", f' href="{escape(href)}" tabindex="-1"') if href else ("g", "")
        return f'<{tag} transform="translate({x} {y})"{leads}>{piece(art, self.ids, rotation)}</{tag}>'

    def _laid(self) -> str:
        squares = "".join(f"M{x - 30} {y - 30}" + "h60v60h-60zm60 0" * many for x, y, many in self._runs())
        parts = [
            f'<defs><path id="nw-squares" d="{squares}"/></defs><use class="nw-field" href="#nw-squares"/>'
            # For the finger and the mouse: a list beside the board has the features for the keyboard and for readers.
            '<use fill="url(#nw-grass)" href="#nw-squares"/><g aria-hidden="true">'
        ]
        dots: list[str] = []
        latest = next(reversed(self.art), None)
        for (x, y), (art, rotation) in self.art.items():
            cx, cy = self._at(x, y)
            parts.append(self._tile(art, rotation, cx, cy, self.touch.links.get(f"{x},{y}", "")))
            if f"{x},{y}" in self.changed:
                mark = ' id="latest"' if (x, y) == latest else ""
                dots.append(self._recent(cx, cy, mark, 0 if self.scored else len(dots) + 1))
        return "".join([*parts, "</g>", *dots])

    def _runs(self) -> list[tuple[int, int, int]]:
        """Return the tiles that lie side by side together: the middle of the left one, and how many they are."""
        runs: list[tuple[int, int, int]] = []
        for x, y in sorted((self._at(*cell) for cell in self.art), key=lambda middle: middle[::-1]):
            left, row, many = runs[-1] if runs else (0, 0, 0)
            if row == y and left + many * SIZE == x:
                runs[-1] = left, row, many + 1
            else:
                runs.append((x, y, 1))
        return runs

    @staticmethod
    def _recent(cx: int, cy: int, mark: str, n: int) -> str:
        """Draw four corners and a number like a postmark, which the list below the map has, too; none for 0."""
        corners = "".join(f"M{cx + 28 * h} {cy + 16 * v}V{cy + 28 * v}H{cx + 16 * h}" for h in (-1, 1) for v in (-1, 1))
        if not n:
            return f'<path class="new"{mark} d="{corners}"/>'
        return (
            f'<path class="new" d="{corners}"/><g class="nw-letter"{mark}><circle r="8" cx="{cx + 22}" cy="{cy - 22}"/>'
            f'<text x="{cx + 22}" y="{cy - 18}">{n}</text></g>'
        )

    def _features(self) -> str:
        """Draw the outlined features."""
        if not self.outlined:
            return ""
        coast = {(0, space.row): (art_of(space), 0) for space in self.tiles.start}
        return outlines.drawn(self.outlined, {**coast, **self.art}, self._at)

    def _legal(self) -> str:
        parts = []
        for x, y in self.legal:
            cx, cy = self._at(x, y)
            look, said = self._lit(x, y)
            drawn = f'<g class="{look}" transform="translate({cx} {cy})"><use href="#nw-cell"/>{said}</g>'
            # The tray has the same cells in its tab order; here they are for the finger and the mouse.
            href = self.touch.links.get(f"{x},{y}") or (f"#cell-{x}_{y}" if self.chooses else "")
            # Its label is its content, in the same order.
            link = f'<a href="{escape(href)}" aria-label="{Markup(said).striptags()}" tabindex="-1">'
            parts.append(f"{link}{drawn}</a>" if href else drawn)
        return "".join(parts)

    def _lit(self, x: int, y: int) -> tuple[str, str]:
        """Light a cell by what it brings at once, and write that into it, relative to its middle."""
        name, merit = cell_name(x, y), self.merits.get((x, y))
        if merit is None or not (merit.points or merit.gives):
            look = "cell grows" if merit and (merit.grows or merit.home) else "cell"
            return look, f'<text y="7">{name}</text>'
        named = f'<text y="-3">{name}</text> '
        if merit.points:
            return "cell now", f'{named}<text class="gain" y="19">+{merit.points}</text>'
        seat, points = max(merit.gives.items(), key=lambda one: one[1])
        mark = f'<use href="#nw-{seat}" transform="translate(-12 12)scale(.7)"/>'
        return "cell", f'{named}{mark}<text class="gain" x="10" y="19">+{points}</text>'

    # -- people -----------------------------------------------------------------------------------

    def _settlers(self) -> str:
        parts = []
        for settler in self.view["settlers"]:
            x, y = self._stand(settler["at"], settler["segment"])
            lying = "rotate(90)" if settler["settler"] == "trapper" else ""
            told = (
                f"{self.voice.name(ACTOR, settler['seat'])}, {self.voice.name('settler', settler['settler'])},"
                f" {name_at(settler['at'])}"
            )
            href = self.touch.links.get(settler["at"], "")
            tag, leads = "g", ""
            if outlines.FEATURE in href:  # to the feature on which it stands
                tag, leads = "a", f' href="{escape(href)}.{settler["segment"]}" tabindex="-1"'
            parts.append(
                f'<{tag} class="settler" transform="translate({number(x)} {number(y)}){lying}"{leads}>'
                f'<title>{escape(told)}</title><use href="#nw-{settler["seat"]}"/></{tag}>'
            )
        return "".join(parts)

    def _stand(self, at: str, segment: str) -> tuple[float, float]:
        """Return where a settler stands on a part of the tile in a cell."""
        cell = outlines.cell_of(at)
        art, rotation = self.art[cell]
        (x, y), (dx, dy) = self._at(*cell), turned(art.stand[segment], rotation)
        return x + dx, y + dy

    def _marks(self) -> str:
        """Draw the letters of the features to choose from, beside a settler if one stands there."""
        standing = {(one["at"], one["segment"]) for one in self.view["settlers"]}
        parts = []
        for n, references in enumerate(self.view.get("marked", ())):
            for at, _, segment in (reference.partition(":") for reference in references):
                x, y = self._stand(at, segment)
                aside = 11 if (at, segment) in standing else 0
                parts.append(letter_mark(n, x + aside, y - aside))
        return f'<g aria-hidden="true">{"".join(parts)}</g>' if parts else ""

    def _surveyors(self) -> str:
        """Draw each at the rim of its column, with its line of sight over the map."""
        lines = [f"M{x} {TOP}V{self.height - TOP}" for x in self._columns_of_surveyors().values()]
        return f'<path class="sight" d="{"".join(lines)}"/>{self._surveyors_at(self._beside)}'

    def _columns_of_surveyors(self) -> dict[str, int]:
        aside = {"north": -11, "south": 11}
        return {name: self._at(column, 0)[0] + aside[name] for name, column in self.view["surveyors"].items()}

    def _beside(self, name: str) -> int:
        return TOP - 10 if name == "north" else self.height - TOP + 25

    @staticmethod
    def _above(name: str) -> int:
        return TOP - 10

    def _surveyors_at(self, height: Callable[[str], int]) -> str:
        return "".join(
            f'<g class="surveyor" transform="translate({x} {height(name)})scale(1.35)">'
            f'<title>{escape(self.voice.name("surveyor", name))}</title><use href="#nw-surveyor"/></g>'
            for name, x in self._columns_of_surveyors().items()
        )
