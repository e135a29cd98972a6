"""The map of New World and its tiles."""

from __future__ import annotations

import gzip
import re
from xml.etree import ElementTree

import pytest

from app.titles.boards import board_svg, small_svg, standalone_svg
from app.titles.new_world import tile_art as tiles
from app.titles.new_world.drawing import SIGNS
from app.titles.pictures import document
from app.titles.registry import TITLES
from app.titles.style import sheet_of
from engine.new_world.places import cell_name, read_cell
from engine.new_world.tiles import SHIPPED, tile_set

NEW_WORLD = TITLES["new-world"]
SVG = "{http://www.w3.org/2000/svg}"
KINDS = tile_set(SHIPPED).kinds
FIVE = "new_world/nw-five-orders-of-scoring.json"


@pytest.fixture
def late(states_of):
    """The last state of a game of five in which a tile is to be laid."""
    return [state for state in states_of(FIVE) if state.tile][-1]


def uses(svg, name):
    return re.findall(rf'<use href="#nw-{name}"', svg)


# -- the board ----------------------------------------------------------------------------------------


def test_every_legal_cell_has_its_label_for_the_one_who_chooses(late, voice_of):
    assert 'class="cell' not in board_svg("new-world", NEW_WORLD.view(late, None), voice_of("new-world"))
    view = NEW_WORLD.view(late, late.to_move)
    root = ElementTree.fromstring(board_svg("new-world", view, voice_of("new-world")))
    shown = [group for group in root.iter(f"{SVG}g") if group.get("class") == "cell"]
    names = {group.find(f"{SVG}text").text: group.get("transform") for group in shown}
    assert names.keys() == {cell_name(cell["x"], cell["y"]) for cell in view["cells"]}
    assert len(set(names.values())) == len(shown) == len(view["cells"])


@pytest.mark.parametrize(
    ("x", "y", "label"),
    [
        (1, 0, "A50"),
        (3, 4, "C54"),
        (26, 9, "Z59"),
        (27, -2, "AA48"),
        (14, -1, "N49"),
        (40, 60, "AN110"),
        (2, -25, "B25"),
    ],
)
def test_a_cell_has_a_letter_and_a_number_and_is_read_by_them(x, y, label):
    assert cell_name(x, y) == label
    assert read_cell(label) == read_cell(label.lower()) == (x, y)


def test_each_cell_has_one_name_and_earlier_names_are_read():
    cells = [(x, y) for x in (1, 14, 40) for y in range(-90, 90)]
    assert [read_cell(cell_name(*cell)) for cell in cells] == cells
    assert [read_cell(name) for name in ("A0", "C4", "Nn1", "an2", "AAn20")] == [
        (1, 0),
        (3, 4),
        (14, -1),
        (1, -2),
        (27, -20),
    ]


def test_the_latest_tiles_have_corners_and_numbers(late, voice_of):
    voice = voice_of("new-world")
    view = NEW_WORLD.view(late, late.seats[0])
    assert board_svg("new-world", view, voice).count('class="new"') == view["recent"]
    one = view["laid"][3]
    told = board_svg("new-world", view, voice, changed={f"{one['x']},{one['y']}"})
    assert told.count('class="new"') == 1


def test_settlers_of_each_colour_have_a_shape_of_their_own(states_of, voice_of):
    seen = {}
    for state in states_of(FIVE)[::7]:
        root = ElementTree.fromstring(board_svg("new-world", NEW_WORLD.view(state, None), voice_of("new-world")))
        for seat in state.seats:
            group = next(group for group in root.iter(f"{SVG}g") if group.get("id") == f"nw-{seat}")
            seen[seat] = group.find(f".//{SVG}path").get("d")
    assert len(seen) == len(set(seen.values())) == 5


def test_every_settler_stands_on_the_board_and_trappers_lie(states_of, voice_of):
    for state in states_of(FIVE)[::9]:
        view = NEW_WORLD.view(state, None)
        root = ElementTree.fromstring(board_svg("new-world", view, voice_of("new-world")))
        people = [group for group in root.iter(f"{SVG}g") if group.get("class") == "settler"]
        assert len(people) == len(view["settlers"])
        lying = [
            group.find(f"{SVG}title").text.split(", ")[1] for group in people if "rotate" in group.get("transform")
        ]
        assert len(lying) == sum(settler["settler"] == "trapper" for settler in view["settlers"])
        assert set(lying) <= {"trapper"}


def test_the_towns_of_the_coast_have_their_names(late, voice_of, language):
    voice = voice_of("new-world", language)
    root = ElementTree.fromstring(board_svg("new-world", NEW_WORLD.view(late, None), voice))
    ports = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "port"]
    assert ports == [voice.name("place", key) for key in ("plymouth", "new-york", "jamestown")]


def test_both_surveyors_stand_at_their_columns(late, voice_of):
    root = ElementTree.fromstring(board_svg("new-world", NEW_WORLD.view(late, None), voice_of("new-world")))
    told = [group.find(f"{SVG}title").text for group in root.iter(f"{SVG}g") if group.get("class") == "surveyor"]
    assert told == ["north surveyor", "south surveyor"]


@pytest.mark.parametrize("name", ["nw-five-orders-of-scoring", "nw-three-random", "nw-two-other-rulings"])
def test_a_full_board_is_small(states_of, voice_of, name):
    for state in states_of(f"new_world/{name}.json")[-12::3]:
        svg = board_svg("new-world", NEW_WORLD.view(state, None), voice_of("new-world")).encode()
        assert len(svg) < 40_000
        assert len(gzip.compress(svg)) < 7_000


def test_the_same_view_gives_the_same_board(late, voice_of):
    view = NEW_WORLD.view(late, None)
    tiles.art_of.cache_clear()
    first = board_svg("new-world", view, voice_of("new-world"))
    assert first == board_svg("new-world", view, voice_of("new-world"))


def test_it_needs_no_inline_style(late, voice_of):
    root = ElementTree.fromstring(board_svg("new-world", NEW_WORLD.view(late, None), voice_of("new-world")))
    assert not list(root.iter(f"{SVG}style"))
    assert not any("style" in element.attrib for element in root.iter())
    assert "height" not in root.attrib  # its width is what it has where nothing says otherwise


def test_everything_used_is_defined_once(late, voice_of):
    root = ElementTree.fromstring(board_svg("new-world", NEW_WORLD.view(late, None), voice_of("new-world")))
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert {element.get("href")[1:] for element in root.iter(f"{SVG}use")} <= set(ids)


def test_the_board_alone_has_its_colours(late, voice_of):
    svg = standalone_svg("new-world", NEW_WORLD.view(late, None), voice_of("new-world"))
    style = ElementTree.fromstring(svg).find(f"{SVG}style").text
    assert "var(" not in style and ".nw-town{" in style.replace(" {", "{")


def test_small_boards_show_the_latest_tile_and_share_a_page(states_of, voice_of):
    voice, ids, names = voice_of("new-world"), [], set()
    for n, state in enumerate([states_of(FIVE)[0], *states_of(FIVE)[40::60]]):
        drawn = small_svg("new-world", NEW_WORLD.view(state, None), voice, prefix=f"g{n}-")
        root = ElementTree.fromstring(drawn)
        _, _, width, height = map(int, root.get("viewBox").split())
        assert width == height == 300 and len(drawn) < 16_000
        ids += [element.get("id") for element in root.iter() if element.get("id")]
        names |= {element.get("href")[1:] for element in root.iter(f"{SVG}use")}
    assert len(ids) == len(set(ids)) and names <= set(ids)
    alone = document(NEW_WORLD, NEW_WORLD.view(state, None), voice, (), small=True)
    assert "<style>" in alone and 'viewBox="0 0' not in alone


# -- tiles --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tile", sorted(KINDS))
def test_a_tile_shows_all_that_is_on_it(tile, voice_of):
    kind = KINDS[tile]
    art = tiles.art_of(kind)
    drawn = ["bison" if sign == "calf" else sign for sign, _, _ in art.signs]
    for sign, segment_kind in (("bison", "plain"), ("flag", "town"), ("post", "road")):
        assert drawn.count(sign) == sum(one.extras for one in kind.segments if one.kind == segment_kind)
    assert drawn.count("barn") == sum(one.kind == "farm" for one in kind.segments)
    assert drawn.count("roof") >= sum(one.kind == "town" for one in kind.segments)
    assert ("nw-road" in art.ground) == any(one.kind == "road" for one in kind.segments)
    assert set(art.stand) == {one.id for one in kind.segments}
    assert all(abs(x) < 30 and abs(y) < 30 for _, x, y in art.signs)
    far = [max(abs(x), abs(y)) for sign, x, y in art.signs if sign == "bison"]
    assert max(far, default=0) <= 20, "none stands on the wall of a town that leaves a strip"


@pytest.mark.parametrize("tile", sorted(KINDS))
def test_who_stands_on_a_segment_stands_on_no_other(tile):
    art, stands = tiles.art_of(KINDS[tile]), {}
    for segment in KINDS[tile].segments:
        stands[segment.id] = art.stand[segment.id]
    assert len(set(stands.values())) == len(stands)


def test_signs_stand_upright_on_tiles_in_every_turn(states_of, voice_of):
    svg = board_svg("new-world", NEW_WORLD.view(states_of(FIVE)[-1], None), voice_of("new-world"))
    names = "|".join(re.findall(r'id="nw-(\w+)"', SIGNS))
    signs = re.findall(rf'<use href="#nw-(?:{names})"[^>]*>', svg)
    assert signs and not any("rotate" in sign for sign in signs)
    assert all(f"rotate({degrees})" in svg for degrees in (90, 180, 270))


def test_neighbouring_roads_meet_in_the_middle_of_the_side():
    assert tiles._middle_of(0) == (0, -30) and tiles._middle_of(3) == (-30, 0)
    straight = tiles.art_of(KINDS["nw-43"]).ground
    assert 'd="M0 -30L0 30"' in straight


# -- both ---------------------------------------------------------------------------------------------


def test_a_title_without_a_drawing_has_none(voice_of):
    assert board_svg("chess", {}, voice_of("acres")) == ""
    assert standalone_svg("chess", {}, voice_of("acres")) == ""


def test_every_class_has_a_rule_or_is_a_hook(late, voice_of):
    svg = board_svg("new-world", NEW_WORLD.view(late, None), voice_of("new-world"))
    sheet = sheet_of("new-world")
    classes = {name for names in re.findall(r'class="([^"]+)"', svg) for name in names.split()}
    assert {name for name in classes if not re.search(rf"\.{name}\b", sheet)} <= {"surveyor"}
