"""The tile set as data and its checks: new_world R1, R2, M1, M2."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from engine.kernel.refusals import Unreadable
from engine.new_world import NEW_WORLD
from engine.new_world.geometry import FACING, PATTERNS, letter_at, pattern, turned
from engine.new_world.tile_checks import check_tiles
from engine.new_world.tiles import SHIPPED, InvalidTileSet, TileSet, install, shipped_data, tile_set


def test_the_shipped_set_is_valid_and_says_that_it_is_a_reconstruction() -> None:
    """new_world R1.3, M1"""
    tiles = tile_set(SHIPPED)
    assert check_tiles(tiles.data) == []
    assert not tiles.exact and tiles.provenance.startswith("RECONSTRUCTION")


def test_95_tiles_in_57_kinds() -> None:
    """new_world R1.1"""
    tiles = tile_set(SHIPPED)
    assert (len(tiles.bag), len(tiles.kinds)) == (95, 57)


def test_the_totals_of_shields_posts_animals_and_farms() -> None:
    """README of the set: 12 shields, 13 posts, 59 animals, 8 farms."""
    found: Counter[str] = Counter()
    for kind in tile_set(SHIPPED).kinds.values():
        for segment in kind.segments:
            found[segment.kind] += kind.count * segment.extras
            found["farms"] += kind.count * (segment.kind == "farm")
    assert (found["town"], found["road"], found["plain"], found["farms"]) == (12, 13, 59, 8)


def test_ten_start_spaces_with_three_towns_in_their_order() -> None:
    """new_world R1.2"""
    start = tile_set(SHIPPED).start
    towns = [space.name for space in start if any(segment.kind == "town" for segment in space.segments)]
    assert (len(start), towns) == (10, ["Plymouth", "New York", "Jamestown"])


def test_facing_ports_face_each_other_and_turn_along() -> None:
    """README of the set, "Half-edges\""""
    assert all(FACING[FACING[port]] == port for port in range(12))
    assert all(FACING[turned(port, 2)] == turned(FACING[port], 2) for port in range(12))
    assert turned(turned(turned(turned(3, 1), 1), 1), 1) == 3


def test_the_table_of_fitting_rotations_is_what_comparing_the_sides_gives() -> None:
    """new_world R5.3"""
    for kind in tile_set(SHIPPED).kinds.values():
        for wanted in range(PATTERNS):
            letters = [letter_at(wanted, side) for side in range(4)]
            fitting = tuple(
                rotation
                for rotation in kind.rotations
                if all(a in ("-", b) for a, b in zip(letters, kind.pieces[rotation // 90].edges, strict=True))
            )
            assert kind.fits[wanted] == fitting
            assert pattern("".join(letters)) == wanted


def damaged(change: Callable[[dict[str, Any]], None]) -> list[str]:
    data = shipped_data()
    change(data)
    return check_tiles(data)


def tile(data: dict[str, Any], tile_id: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in data["tiles"] if one["id"] == tile_id)
    return found


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda data: tile(data, "nw-43").update(count=2), "94"),
        (lambda data: tile(data, "nw-02").update(id="nw-01"), "nw-01"),
        (lambda data: tile(data, "nw-26").update(edges="TTPP"), "nw-26"),
        (lambda data: tile(data, "nw-47")["segments"][1]["sides"].pop(), "nw-47"),
        (lambda data: tile(data, "nw-47")["segments"][0].update(ends="crossing"), "nw-47"),
        (lambda data: tile(data, "nw-34")["segments"][1].update(ends="farm"), "nw-34"),
        (lambda data: tile(data, "nw-01")["segments"].append({"id": "f1", "kind": "farm"}), "nw-01"),
        (lambda data: data["start"]["rows"][3].update(edges="R-PP"), "row 3"),
        (lambda data: data["start"]["rows"][3].update(west="T"), "row 3"),
        (lambda data: data["start"]["rows"].pop(), "rows 0 to 9"),
        (lambda data: data.update(format="tiles"), "format"),
        (lambda data: data.update(set_id=""), "set_id"),
        (lambda data: data.pop("provenance"), "provenance"),
        (lambda data: tile(data, "nw-08")["segments"][0].update(shields=-1), "nw-08"),
        (lambda data: tile(data, "nw-08")["segments"][0].update(id="x0"), "nw-08"),
    ],
)
def test_a_damaged_set_is_refused_with_the_tile(change: Callable[[dict[str, Any]], None], named: str) -> None:
    """README of the set, rules 1 to 7"""
    problems = damaged(change)
    assert problems and any(named in problem for problem in problems)


def test_segments_that_cross_are_refused() -> None:
    """README of the set, rule 6: the tile could not be drawn flat."""

    def cross(data: dict[str, Any]) -> None:
        one = tile(data, "nw-22")  # towns in the north and south, a plain between them
        one["segments"] = [
            {"id": "t0", "kind": "town", "edges": ["N", "S"], "shields": 0},
            {"id": "p0", "kind": "plain", "sides": ["En", "Es", "Ws", "Wn"], "animals": 0},
        ]

    assert damaged(cross) == ["nw-22: the segments p0 and t0 cross each other."]


def single_damages(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Copies of the set with one segment dropped, one half-edge lost or moved, one edge or count changed."""
    found = []

    def copied(place: int, key: str) -> dict[str, Any]:
        new = copy.copy(data)
        if key == "tiles":
            new["tiles"] = [copy.deepcopy(one) if i == place else one for i, one in enumerate(data["tiles"])]
            found.append(new)
            changed: dict[str, Any] = new["tiles"][place]
        else:
            new["start"] = data["start"] | {
                "rows": [copy.deepcopy(one) if i == place else one for i, one in enumerate(data["start"]["rows"])]
            }
            found.append(new)
            changed = new["start"]["rows"][place]
        return changed

    for key, pieces in (("tiles", data["tiles"]), ("start", data["start"]["rows"])):
        for place, piece in enumerate(pieces):
            for number, segment in enumerate(piece["segments"]):
                if segment["kind"] != "farm":
                    copied(place, key)["segments"].pop(number)
                for sides in ("sides", "edges"):
                    for at in range(len(segment.get(sides, ()))):
                        copied(place, key)["segments"][number][sides].pop(at)
            for side in range(4):
                for letter in "PRT":
                    if piece["edges"][side] != letter:
                        edges = piece["edges"]
                        copied(place, key)["edges"] = edges[:side] + letter + edges[side + 1 :]
            if key == "tiles":
                copied(place, key)["count"] += 1
    return found


def test_every_single_damage_is_found() -> None:
    """README of the set: a sample of the damages that a validator must refuse."""
    damages = single_damages(shipped_data())
    assert len(damages) > 900
    for data in random.Random(5).sample(damages, 100):
        assert check_tiles(data)


def test_nonsense_is_refused_without_an_error() -> None:
    """issue: a set that is inconsistent is refused with the tile and the reason."""
    for nonsense in (None, [], {}, {"format": "new-world-tiles", "version": 1}, {"tiles": [1]}, "x"):
        assert check_tiles(nonsense)
    for key in ("tiles", "start", "set_id", "exact"):
        for value in (None, 3, "x", [], [1], {}, [{"id": "a"}], {"rows": [{}]}, {"rows": [{"segments": [None]}]}):
            if (key, value) != ("set_id", "x"):
                assert check_tiles(shipped_data() | {key: value})
    for value in (None, 3, [], [None], [{"kind": "plain"}], [{"kind": "road", "id": "r0", "edges": 5}]):
        assert damaged(lambda data, value=value: tile(data, "nw-01").update(segments=value))  # type: ignore[misc]


def paths(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value inside JSON data."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [here, *(path for key, item in items for path in paths(item, (*here, key)))]


@pytest.mark.parametrize("seed", range(3))
def test_a_set_with_nonsense_anywhere_is_refused_or_can_be_played(seed: int) -> None:
    """Never an error of another kind"""
    source = random.Random(seed)
    everywhere = paths(shipped_data())[1:]
    for path in source.sample(everywhere, 60):
        data = shipped_data()
        holder = data
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = source.choice(
            [None, True, -1, 5, "", "NE", "x", [], [None], ["NE"], [5], [[]], {}, {"a": 1}]
        )
        if not check_tiles(data):
            assert TileSet(data).bag


def renamed(name: str) -> dict[str, Any]:
    return shipped_data() | {"set_id": name}


def test_another_set_can_be_installed_and_played() -> None:
    """Records name their set."""
    tiles = install(renamed("my-copy"))
    assert isinstance(tiles, TileSet) and install(renamed("my-copy")) is tiles
    options = NEW_WORLD.read_options({"tile_set": "my-copy"})
    assert NEW_WORLD.write_options(options) == {"tile_set": "my-copy"}


def test_a_set_cannot_take_the_name_of_another() -> None:
    data = renamed(SHIPPED) | {"provenance": "typed in by hand"}
    with pytest.raises(InvalidTileSet):
        install(data)


def test_an_unknown_set_is_refused_with_those_that_are_known() -> None:
    """notation: a reader with another set refuses the record."""
    with pytest.raises(Unreadable) as refused:
        NEW_WORLD.read_options({"tile_set": "published"})
    assert refused.value.code == "options.tile_set" and SHIPPED in refused.value.why.values["known"]


@pytest.mark.parametrize(
    "given", [{"spaces_count_as_tiles": 1}, {"bonus_per_settler": "yes"}, {"bonus": True}, {"tile_set": None}]
)
def test_unknown_options_and_values_are_refused(given: dict[str, Any]) -> None:
    """records: an option name or option value that is unknown is refused."""
    with pytest.raises(Unreadable):
        NEW_WORLD.read_options(given)


def test_whether_spaces_count_by_default_stands_in_the_set() -> None:
    """notation: options.spaces_count_as_tiles overrides the tile file."""
    data = renamed("spaces-do-not-count")
    data["start"] = data["start"] | {"spaces_count_as_tiles": False}
    install(data)
    given = {"tile_set": "spaces-do-not-count"}
    assert not NEW_WORLD.read_options(given).spaces_count_as_tiles
    over = NEW_WORLD.read_options(given | {"spaces_count_as_tiles": True})
    assert NEW_WORLD.write_options(over) == given | {"spaces_count_as_tiles": True}


@pytest.mark.parametrize(
    ("seats", "code"),
    [
        (["red"], "seats.number"),
        (["red", "red"], "seats.twice"),
        (["red", "white"], "seats.unknown"),
        (["red", "blue", "green", "yellow", "black", "red"], "seats.twice"),
    ],
)
def test_two_to_five_different_seats_play(seats: list[str], code: str) -> None:
    """new_world R3.2"""
    with pytest.raises(Unreadable) as refused:
        NEW_WORLD.check_seats(seats)
    assert refused.value.code == code
