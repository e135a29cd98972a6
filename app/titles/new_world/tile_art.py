"""The art of one tile of New World, made from its segments alone.

A tile is 60 units wide and its centre is (0, 0). What lies on the ground (fields, roads, towns) is turned with the
tile; signs (animals, flags, posts, roofs, barns) stand upright at turned places.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise

from engine.new_world.geometry import FIRST_SIDE_PORT, side_of
from engine.new_world.tiles import Segment, StartSpace, TileKind

Spot = tuple[float, float]
Line = tuple[str, tuple[Spot, ...]]
"""What `path` draws."""

HALF = 30
COAST = 11
"""How far east of its middle a coast space is land."""
_STEP = 4
_STRIP = 20, 24.5
"""Where the strip that a town leaves of a side begins, and its middle."""
_GRID = tuple(range(-26, 27, _STEP))
_CORNERS: tuple[Spot, ...] = ((-30, -30), (30, -30), (30, 30), (-30, 30))
_HALF_EDGES = ((-14, -26), (14, -26), (26, -14), (26, 14), (14, 26), (-14, 26), (-26, 14), (-26, -14))
_WALL = {1: ((9, 12), (-9, 12)), 2: ((4, -20), (-20, 4)), 3: ((8, -11), (-8, -11))}
"""Control points of the wall along so many sides without a town: the south, east and south, all but north."""
_FIRST_SIDE = {1: 2, 2: 1, 3: 1}
_ROAD = 6
"""This close to its middle a road leaves no room for anything else."""
_YARD = (15, 12)


@dataclass(frozen=True)
class Art:
    """The art of one kind of tile."""

    ground: str
    """Markup that is turned with the tile."""
    signs: tuple[tuple[str, float, float], ...]
    """Upright signs and their places on the unturned tile."""
    stand: dict[str, Spot]
    """For each segment where a settler stands on it."""
    shape: dict[str, Line]
    """For each segment the ground that it covers; for a road its course."""
    walls: dict[str, Line]
    """For each town its walls inside the tile."""


@lru_cache(maxsize=512)
def art_of(piece: TileKind | StartSpace) -> Art:
    """Return the art of a tile, or of a coast space (with land up to COAST)."""
    return _Drawing(piece.segments, is_coast=isinstance(piece, StartSpace)).art()


def turned(spot: Spot, rotation: int) -> Spot:
    """Return where a spot of the tile lies after a clockwise turn."""
    x, y = spot
    for _ in range(rotation // 90):
        x, y = -y, x
    return x, y


def number(value: float) -> str:
    """Return a coordinate, as short as possible."""
    shown = f"{value:.1f}".removesuffix(".0")
    return "0" if shown == "-0" else shown


def path(letters: str, spots: Iterable[Spot]) -> str:
    """`path("MC", (a, b, c, d))`: each letter takes as many spots as it needs."""
    taken, parts = iter(spots), []
    for letter in letters:
        needed = {"M": 1, "L": 1, "Q": 2, "C": 3, "Z": 0}[letter]
        parts.append(letter + " ".join(f"{number(x)} {number(y)}" for x, y in (next(taken) for _ in range(needed))))
    return "".join(parts)


def _middle_of(side: int) -> Spot:
    return turned((0, -HALF), 90 * side)


def _on_curve(points: Sequence[Spot], t: float) -> Spot:
    """Return the spot at `t` of a Bezier curve."""
    while len(points) > 1:
        points = [(a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t) for a, b in pairwise(points)]
    return points[0]


def _is_inside(spot: Spot, outline: Sequence[Spot]) -> bool:
    x, y = spot
    inside = False
    for (ax, ay), (bx, by) in zip(outline, [*outline[1:], outline[0]], strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return inside


def _walls(town: _Town) -> Line:
    """Draw the walls of a town inside its tile."""
    return "MC" * len(town.walls), tuple(spot for wall in town.walls for spot in wall)


def _blocks(spots: set[Spot]) -> Line:
    """Draw the squares of the grid around these spots, as rectangles: equal rows are merged."""
    half = _STEP / 2
    corners: list[Spot] = []
    for runs, rows in groupby(_GRID, lambda y: _runs([x for x in _GRID if (x, y) in spots])):
        heights = list(rows)
        top, bottom = heights[0] - half, heights[-1] + half
        for first, last in runs:
            left, right = first - half, last + half
            corners += [(left, top), (right, top), (right, bottom), (left, bottom)]
    return "MLLLZ" * (len(corners) // 4), tuple(corners)


def _runs(row: Sequence[int]) -> list[tuple[int, int]]:
    """Yield the first and the last of each stretch of neighbours."""
    firsts, lasts = [x for x in row if x - _STEP not in row], [x for x in row if x + _STEP not in row]
    return list(zip(firsts, lasts, strict=True))


def _squeezed(spots: Iterable[Spot], east: float) -> list[Spot]:
    """Return the spots with the tile's width compressed so that it ends at `east`."""
    return [((x + HALF) * (east + HALF) / (2 * HALF) - HALF, y) for x, y in spots]


class _Town:
    """One town: its ground, its wall inside the tile, its outline as spots."""

    def __init__(self, sides: Iterable[int], east: float = HALF) -> None:
        """`east` is where the tile ends in the east, for towns that end at the coast."""
        held = sorted(sides)
        ends = [side for side in held if (side + 1) % 4 not in held]
        self.walls: list[list[Spot]] = []
        if not ends:
            self.outline: list[Spot] = list(_CORNERS)
            self.shape: Line = "MLLLZ", _CORNERS
            return
        # Clockwise from the first town side: along the rim where the town is, along a wall where it is not.
        start = next(side for side in held if (side - 1) % 4 not in held)
        at, spots, letters = start, [_CORNERS[start]], "M"
        self.outline = [_CORNERS[start]]
        while True:
            if at % 4 in held:
                at += 1
                spots.append(_CORNERS[at % 4])
                letters += "L"
                self.outline.append(_CORNERS[at % 4])
            else:
                free = 1
                while (at + free) % 4 not in held:
                    free += 1
                turn = 90 * ((at - _FIRST_SIDE[free]) % 4)
                one, two = (turned(control, turn) for control in _WALL[free])
                wall = [_CORNERS[at % 4], one, two, _CORNERS[(at + free) % 4]]
                self.walls.append(wall)
                spots += wall[1:]
                letters += "C"
                self.outline += [_on_curve(wall, n / 8) for n in range(1, 9)]
                at += free
            if at % 4 == start:
                break
        if east != HALF:
            spots, self.outline = _squeezed(spots, east), _squeezed(self.outline, east)
            self.walls = [_squeezed(wall, east) for wall in self.walls]
        self.shape = f"{letters}Z", tuple(spots)

    def middle(self) -> Spot:
        cells = [(x, y) for x in _GRID for y in _GRID if _is_inside((x, y), self.outline)]
        return sum(x for x, _ in cells) / len(cells), sum(y for _, y in cells) / len(cells)


class _Drawing:
    """Creates the art of one kind: first the ground, then the places of signs and settlers."""

    def __init__(self, segments: Sequence[Segment], *, is_coast: bool) -> None:
        self.segments = segments
        self.is_coast = is_coast
        east = COAST if is_coast else HALF
        self.towns = {
            segment.id: _Town(self._sides_of_town(segment), east) for segment in segments if segment.kind == "town"
        }
        self.roads = {segment.id: self._road(segment) for segment in segments if segment.kind == "road"}
        self.depths: dict[str, dict[Spot, float]] = {}
        self.farm = next((segment.id for segment in segments if segment.kind == "farm"), None)

    def _sides_of_town(self, segment: Segment) -> set[int]:
        sides = {side_of(port) for port in segment.ports}
        # A town on the coast is a port: it reaches the sea, and its plains lie north and south of it.
        return sides | {1} if self.is_coast else sides

    def _road(self, segment: Segment) -> list[Spot]:
        """Return control points of the road: through the tile, or from the rim to what ends it."""
        ends = [_middle_of(port - FIRST_SIDE_PORT) for port in segment.ports]
        if len(ends) == 2:
            is_straight = (ends[0][0] + ends[1][0], ends[0][1] + ends[1][1]) == (0, 0)
            return [ends[0], ends[1]] if is_straight else [ends[0], (0, 0), ends[1]]
        if segment.ends == "town" and self.towns:
            # The town covers the end of the road.
            nearest = min((town.middle() for town in self.towns.values()), key=lambda spot: math.dist(spot, ends[0]))
            return [ends[0], (ends[0][0] / 4, ends[0][1] / 4), nearest]
        return [ends[0], (0, 0)]

    # -- the ground -------------------------------------------------------------------------------

    def art(self) -> Art:
        parts = []
        if self.roads:
            lines = "".join(path(*self._shape(segment)) for segment in self.segments if segment.kind == "road")
            parts.append(f'<path class="nw-kerb" d="{lines}"/><path class="nw-road" d="{lines}"/>')
        if any(segment.ends == "crossing" for segment in self.segments):
            parts.append('<path class="nw-crossing" d="M-5.5-5.5H5.5V5.5H-5.5Z"/>')
        if self.farm:
            parts.append('<use href="#nw-yard"/>')
        if self.towns:
            ground = "".join(path(*town.shape) for town in self.towns.values())
            walls = "".join(path(*_walls(town)) for town in self.towns.values())
            parts.append(f'<path class="nw-town" d="{ground}"/>')
            if walls:
                parts.append(f'<path class="nw-wall" d="{walls}"/><path class="nw-stakes" d="{walls}"/>')
        self._survey()
        stand: dict[str, Spot] = {}
        signs: list[tuple[str, float, float]] = []
        for segment in self.segments:
            furnish = {"plain": self._plain, "town": self._town, "road": self._along}.get(segment.kind, self._yard)
            stand[segment.id], put = furnish(segment)
            signs += put
        shape = {segment.id: self._shape(segment) for segment in self.segments}
        walls_of = {name: _walls(town) for name, town in self.towns.items()}
        return Art("".join(parts), tuple(signs), stand, shape, walls_of)

    def _shape(self, segment: Segment) -> Line:
        """Return what the segment covers: for a plain the spots of the grid, row by row."""
        if segment.kind == "road":
            controls = tuple(self.roads[segment.id])
            return {2: "ML", 3: "MQ"}[len(controls)], controls
        if segment.kind == "town":
            return self.towns[segment.id].shape
        if segment.kind == "farm":
            x, y = _YARD
            return "MLLLZ", ((-x, -y), (x, -y), (x, y), (-x, y))
        return _blocks({spot for spot, owner in self.owner.items() if owner == segment.id})

    # -- where there is room ----------------------------------------------------------------------

    def _survey(self) -> None:
        """Find what lies at each spot of a grid: a segment, or a part of a field that no segment has claimed yet."""
        samples = [_on_curve(controls, n / 24) for controls in self.roads.values() for n in range(25)]
        self.owner: dict[Spot, str] = {}
        free: set[Spot] = set()
        for spot in ((x, y) for x in _GRID for y in _GRID):
            town = next((name for name, town in self.towns.items() if _is_inside(spot, town.outline)), None)
            if self.is_coast and spot[0] > COAST - 2:
                self.owner[spot] = "sea"
            elif town:
                self.owner[spot] = town
            elif self.farm and abs(spot[0]) < _YARD[0] and abs(spot[1]) < _YARD[1]:
                self.owner[spot] = self.farm
            elif any(math.dist(spot, sample) < _ROAD for sample in samples):
                self.owner[spot] = "road"
            else:
                free.add(spot)
        for segment in self.segments:
            if segment.kind == "plain":
                starts = [
                    min(free, key=lambda spot: math.dist(spot, _HALF_EDGES[port]), default=None)
                    for port in segment.ports
                ]
                self._claim(segment.id, [spot for spot in starts if spot is not None], free)

    def _claim(self, name: str, waiting: list[Spot], free: set[Spot]) -> None:
        """Give a plain its starting spots and everything beside them."""
        while waiting:
            x, y = spot = waiting.pop()
            if spot in free:
                free.remove(spot)
                self.owner[spot] = name
                waiting += [(x + _STEP, y), (x - _STEP, y), (x, y + _STEP), (x, y - _STEP)]

    def _room(self, name: str, count: int, apart: float, taken: Sequence[Spot] = (), clear: float = 8) -> list[Spot]:
        """Return so many spots of a segment, inside it by up to `clear` and `apart` from one another and from those
        taken."""
        own = self._inside(name)
        if not own:
            return [(0, 0)] * count
        found: list[Spot] = []
        for _ in range(count):
            near = [*taken, *found]
            found.append(
                max(
                    own,
                    key=lambda spot: (
                        1.6 * min(own[spot], clear)
                        + min([math.dist(spot, one) for one in near] + [apart])
                        - math.dist(spot, (0, 0)) / 100
                    ),
                )
            )
        return found

    def _inside(self, name: str) -> dict[Spot, float]:
        """Return for each spot of a segment its distance from anything else."""
        if name not in self.depths:
            own = {spot for spot, owner in self.owner.items() if owner == name}
            around = [(dx, dy) for dx in (-_STEP, 0, _STEP) for dy in (-_STEP, 0, _STEP)]
            border = {(x + dx, y + dy) for x, y in own for dx, dy in around} & self.owner.keys() - own
            self.depths[name] = {
                spot: min([math.dist(spot, one) for one in border] + [HALF - abs(spot[0]), HALF - abs(spot[1])])
                for spot in sorted(own)
            }
        return self.depths[name]

    def _plain(self, segment: Segment) -> tuple[Spot, list[tuple[str, float, float]]]:
        animals = self._room(segment.id, segment.extras, 17, clear=10)
        stand = self._room(segment.id, 1, 16, animals, 12)[0]
        return stand, [self._animal(spot) for spot in animals]

    @staticmethod
    def _animal(spot: Spot) -> tuple[str, float, float]:
        """Draw a small one, in the middle of its strip, if a wall leaves no room for another."""
        if all(abs(at) <= _STRIP[0] for at in spot):
            return "bison", *spot
        x, y = (math.copysign(_STRIP[1], at) if abs(at) > _STRIP[0] else at for at in spot)
        return "calf", x, y

    def _town(self, segment: Segment) -> tuple[Spot, list[tuple[str, float, float]]]:
        """Draw a town: flags have the best spots, its settler the next one, and roofs fill the rest."""
        size = sum(owner == segment.id for owner in self.owner.values())
        *flags, stand = self._room(segment.id, segment.extras + 1, 15, clear=10)
        houses = self._room(segment.id, max(2, min(4, size // 24)), 13, [stand, *flags], 6)
        return stand, [*(("roof", *spot) for spot in houses), *(("flag", *spot) for spot in flags)]

    def _along(self, segment: Segment) -> tuple[Spot, list[tuple[str, float, float]]]:
        controls = self.roads[segment.id]
        passes = len(segment.ports) == 2
        posts = [_on_curve(controls, 0.22 if passes else 0.2) for _ in range(segment.extras)]
        return _on_curve(controls, 0.5 if passes else 0.45), [("post", *spot) for spot in posts]

    def _yard(self, segment: Segment) -> tuple[Spot, list[tuple[str, float, float]]]:
        return (7, 3), [("barn", -5, -2)]
