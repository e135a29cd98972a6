"""Whether a file of tiles can be used in a game: the seven rules that a tile set must satisfy (new_world R1.1, R5.3).

Each problem names the tile (or start row) and the reason, so that the author of the set can repair it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.new_world.geometry import HALF_EDGES, HALVES_OF_SIDE, SIDES

FORMAT = "new-world-tiles"
VERSION = 1
TILE_TOTAL = 95
START_ROWS = 10
LETTER_OF_KIND = {"town": "T", "road": "R", "plain": "P", "farm": "F"}
ROAD_ENDS = ("open", "crossing", "town", "farm")


def check_tiles(data: object) -> list[str]:
    """Return all problems of a tile set's data, each a sentence; an empty list means that it can be installed."""
    if not isinstance(data, Mapping):
        return ["The file does not hold a JSON object."]
    problems = list(_head_problems(data))
    if problems:
        return problems
    problems += _count_problems(data["tiles"])
    for tile in data["tiles"]:
        problems += (f"{tile['id']}: {reason}." for reason in _shape_problems(tile, "PRT"))
    problems += _start_problems(data["start"])
    return problems


def _head_problems(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield problems that make it pointless to look at the single tiles."""
    if data.get("format") != FORMAT or data.get("version") != VERSION:
        yield f"The file is not of the format {FORMAT}, version {VERSION}."
    set_id = data.get("set_id")
    if not isinstance(set_id, str) or not set_id or not set_id.replace("-", "").replace("_", "").isalnum():
        yield "set_id must be a name of letters, digits, '-' and '_'."
    if not isinstance(data.get("exact"), bool):
        yield "exact must be true (copied from a published copy) or false."
    if not isinstance(data.get("provenance"), str) or not data["provenance"].strip():
        yield "provenance must say in words where the data comes from."
    tiles = data.get("tiles")
    if not isinstance(tiles, list) or not tiles:
        yield "tiles must be a list of tile kinds."
        tiles = []
    for number, tile in enumerate(tiles):
        if not isinstance(tile, Mapping) or not isinstance(tile.get("id"), str) or not tile["id"].strip():
            yield f"Tile number {number + 1} has no id."
        elif tile["id"] != "".join(tile["id"].lower().split()):
            yield f"{tile['id']}: an id is one word in lower case."
        elif not isinstance(tile.get("segments"), list) or not isinstance(tile.get("edges"), str):
            yield f"{tile['id']}: edges and segments are missing."
    start = data.get("start")
    if not isinstance(start, Mapping) or not isinstance(start.get("rows"), list):
        yield "start must hold the rows of the start board."
    elif not all(isinstance(row, Mapping) and isinstance(row.get("segments"), list) for row in start["rows"]):
        yield "Each start row needs edges and segments."


def _count_problems(tiles: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Rule 1: the counts add up and the ids are unique."""
    total = 0
    for tile in tiles:
        count = tile.get("count")
        if not _is_count(count) or count == 0:
            yield f"{tile['id']}: count must be a whole number of at least 1."
        else:
            total += int(tile["count"])
    if total != TILE_TOTAL:
        yield f"The counts add up to {total}, not to {TILE_TOTAL}."
    for tile_id, times in Counter(tile["id"] for tile in tiles).items():
        if times > 1:
            yield f"{tile_id}: the id stands {times} times."


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _shape_problems(piece: Mapping[str, Any], letters: str) -> list[str]:
    """Rules 2 to 6 for a tile or a start row; `letters` are those that its sides may show."""
    edges = piece.get("edges")
    if not isinstance(edges, str) or len(edges) != 4 or any(letter not in letters for letter in edges):
        return [f"edges must be four letters of {', '.join(letters)}"]
    problems = [reason for segment in piece["segments"] for reason in _segment_problems(segment)]
    if problems:
        return problems
    segments: list[Mapping[str, Any]] = piece["segments"]
    for segment_id, times in Counter(segment["id"] for segment in segments).items():
        if times > 1:
            problems.append(f"the segment id {segment_id} stands {times} times")
    problems += _side_problems(edges, segments)
    problems += _plain_problems(edges, segments)
    problems += _road_problems(segments)
    if sum(segment["kind"] == "farm" for segment in segments) > 1:
        problems.append("a tile has at most one farm")
    if not problems:
        problems += _crossing_lines(segments)
    return problems


def _segment_problems(segment: object) -> Iterator[str]:
    """Yield problems with the keys that the kind of a segment requires."""
    if not isinstance(segment, Mapping):
        yield "a segment is not a JSON object"
        return
    kind, name = segment.get("kind"), segment.get("id")
    if not isinstance(kind, str) or kind not in LETTER_OF_KIND:
        yield f"segment {name}: the kind must be town, road, plain or farm"
        return
    if not isinstance(name, str) or name[:1] != kind[0] or not (name[1:].isascii() and name[1:].isdecimal()):
        yield f"segment {name}: the id of a {kind} is {kind[0]} and a number"
        return
    extras = {"town": "shields", "road": "posts", "plain": "animals"}.get(kind)
    if extras and not _is_count(segment.get(extras)):
        yield f"segment {name}: {extras} must be a whole number"
    if kind in ("town", "road"):
        yield from _list_problems(segment, "edges", tuple(SIDES))
    if kind == "plain":
        yield from _list_problems(segment, "sides", HALF_EDGES)
    if kind == "road" and segment.get("ends") not in ROAD_ENDS:
        yield f"segment {name}: ends must be {', '.join(ROAD_ENDS)}"


def _list_problems(segment: Mapping[str, Any], key: str, known: Sequence[str]) -> Iterator[str]:
    items = segment.get(key)
    if not isinstance(items, list) or not items:
        yield f"segment {segment['id']}: {key} must be a list that is not empty"
    elif any(item not in known for item in items) or len(set(items)) != len(items):
        yield f"segment {segment['id']}: {key} must name each of {', '.join(known)} at most once"


def _side_problems(edges: str, segments: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Rule 2: each town side belongs to exactly one town, each road side to exactly one road."""
    owners = Counter((s["kind"], side) for s in segments if s["kind"] in ("town", "road") for side in s["edges"])
    for side, letter in zip(SIDES, edges, strict=True):
        for kind in ("town", "road"):
            wanted = 1 if LETTER_OF_KIND[kind] == letter else 0
            if owners[kind, side] != wanted:
                yield f"side {side} ({letter}) belongs to {owners[kind, side]} {kind} segments, not to {wanted}"


def _plain_problems(edges: str, segments: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Rule 3: each half of a plain or road side belongs to exactly one plain; a plain side's halves share one."""
    plains = [set(segment["sides"]) for segment in segments if segment["kind"] == "plain"]
    for number, letter in enumerate(edges):
        halves = [HALF_EDGES[half] for half in HALVES_OF_SIDE[number]]
        for half in halves:
            owners = sum(half in plain for plain in plains)
            wanted = 1 if letter in "PR" else 0
            if owners != wanted:
                yield f"half-edge {half} belongs to {owners} plains, not to {wanted}"
        if letter == "P" and not any(plain.issuperset(halves) for plain in plains):
            yield f"the two halves of plain side {SIDES[number]} are not one plain"


def _road_problems(segments: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Rule 4: how roads end."""
    kinds = {segment["kind"] for segment in segments}
    roads = [segment for segment in segments if segment["kind"] == "road"]
    for road in roads:
        name, ends, edges = road["id"], road["ends"], len(road["edges"])
        if (edges == 2) != (ends == "open") or edges > 2:
            yield f"road {name} has {edges} sides, but its end is {ends}: two sides if and only if it is open"
        if ends in ("town", "farm") and ends not in kinds:
            yield f"road {name} ends at a {ends}, but there is no {ends}"
    arms = sum(road["ends"] == "crossing" for road in roads)
    if arms in (1, 2):
        yield f"a crossing has three or four arms, not {arms}"


def _crossing_lines(segments: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Rule 6: around the rim no two segments interleave (a...b...a...b), so that the tile can be drawn flat."""
    rim: list[str | None] = [None] * 12
    for segment in segments:
        if segment["kind"] == "plain":
            for half in segment["sides"]:
                side, second = divmod(HALF_EDGES.index(half), 2)
                rim[3 * side + 2 * second] = segment["id"]
        elif segment["kind"] != "farm":
            for side_name in segment["edges"]:
                rim[3 * SIDES.index(side_name) + 1] = segment["id"]
    names = sorted({name for name in rim if name is not None})
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            order = [name for name in rim if name in (one, other)]
            changes = sum(order[k] != order[k - 1] for k in range(len(order)))
            if changes > 2:
                yield f"the segments {one} and {other} cross each other"


def _start_problems(start: Mapping[str, Any]) -> Iterator[str]:
    """Rule 7, and rules 2 to 6 for each start row."""
    rows: list[Mapping[str, Any]] = start["rows"]
    if start.get("column") != 0:
        yield "The start board's column must be 0."
    if not isinstance(start.get("spaces_count_as_tiles"), bool):
        yield "spaces_count_as_tiles must be true or false."
    if [row.get("row") for row in rows] != list(range(START_ROWS)):
        yield f"The start board must have the rows 0 to {START_ROWS - 1} in this order."
        return
    shapes_are_right = True
    for row in rows:
        reasons = _shape_problems(row, "PRT-")
        shapes_are_right = shapes_are_right and not reasons
        yield from (f"Start row {row['row']}: {reason}." for reason in reasons)
        if not isinstance(row.get("name"), str) or not row["name"].strip():
            yield f"Start row {row['row']}: the name is missing."
    if not shapes_are_right:
        return
    for row in rows:
        number, (north, east, south, west) = row["row"], row["edges"]
        if east != "-":
            yield f"Start row {number}: the east side is the sea and must be '-'."
        if west == "-":
            yield f"Start row {number}: a tile can be laid west of it, so the west side cannot be '-'."
        if row.get("west") != west:
            yield f"Start row {number}: west is {row.get('west')}, but the fourth letter of edges is {west}."
        if number == 0 and north != "-":
            yield "Start row 0: the north side is the end of the board and must be '-'."
        below = rows[number + 1]["edges"][0] if number + 1 < START_ROWS else "-"
        if south != below:
            yield f"Start row {number}: the south side ({south}) does not match what lies south of it ({below})."
