"""The map of Acres."""

from __future__ import annotations

import gzip
import itertools
import math
import re
from html import unescape
from xml.etree import ElementTree

import pytest

from app.titles.acres import drawing as acres
from app.titles.boards import board_svg, standalone_svg
from app.titles.registry import TITLES
from app.titles.style import sheet_of
from engine.acres.data import PLACES, table

ACRES = TITLES["acres"]
SVG = "{http://www.w3.org/2000/svg}"


def places_in(svg):
    """For each place its group, by the name that its title begins with."""
    root = ElementTree.fromstring(svg)
    groups = [group for group in root.iter(f"{SVG}g") if group.get("class") == "place"]
    return {group.find(f"{SVG}title").text.split(",")[0]: group for group in groups}


def signs(group):
    return [use.get("href") for use in group.iter(f"{SVG}use")]


@pytest.fixture
def view(states_of):
    """A view with a siege."""
    besieged = [state for state in states_of("acres/second-quebec-besieged.json") if state.sieges]
    return ACRES.view(besieged[-1], "french")


@pytest.fixture
def made_up(view):
    """The same board with every kind of holding on it."""
    return {
        **view,
        "board": {
            "boston": {"owner": "british", "piece": "town", "fort": True},
            "pemaquid": {"owner": "british", "piece": "village", "fort": False},
            "quebec": {"owner": "french", "piece": "town", "fort": False},
            "gaspe": {"owner": "french", "piece": "village", "fort": True},
        },
        "sieges": [
            {"attacker": "british", "place": "gaspe", "strength": -3},
            {"attacker": "french", "place": "boston", "strength": 1},
        ],
    }


def test_every_place_stands_on_the_map_with_its_name(view, voice_of, language):
    voice = voice_of("acres", language)
    svg = board_svg("acres", view, voice)
    found = places_in(svg)
    assert set(found) == {voice.name("place", place) for place in PLACES}
    for name, group in found.items():
        shown = "".join(text + " " for label in group.iter(f"{SVG}text") for text in label.itertext())
        assert name.replace(" ", "") in shown.replace(" ", "")


def test_side_and_piece_are_told_by_shape(made_up, voice_of):
    found = places_in(board_svg("acres", made_up, voice_of("acres")))
    assert signs(found["Boston"])[:2] == ["#am-fort", "#am-bt"]
    assert signs(found["Pemaquid"])[0] == "#am-bv"
    assert signs(found["Québec"])[0] == "#am-ft"
    assert signs(found["Gaspé"])[:2] == ["#am-fort", "#am-fv"]
    assert signs(found["Albany"])[0] == "#am-n"
    shapes = ElementTree.fromstring(board_svg("acres", made_up, voice_of("acres"))).find(f"{SVG}defs")
    drawn = {
        group.get("id"): (group[0].tag.removeprefix(SVG), group[1].get("href")) for group in shapes.findall(f"{SVG}g")
    }
    assert drawn == {
        "am-bv": ("path", "#am-square"),
        "am-bt": ("circle", "#am-square"),
        "am-fv": ("path", "#am-lily"),
        "am-ft": ("circle", "#am-lily"),
    }


def test_a_place_says_in_words_what_it_shows(made_up, voice_of):
    svg = board_svg("acres", made_up, voice_of("acres"), changed={"gaspe"})
    titles = [group.find(f"{SVG}title").text for group in places_in(svg).values()]
    assert "Gaspé, French, village, fort, 1 point, siege −3, new" in titles
    assert "Boston, British, town, fort, 2 points, siege +1" in titles
    assert "Albany, Neutral, 4 points" in titles


def test_a_siege_shows_its_value_on_the_shape_of_the_attacker(made_up, voice_of):
    found = places_in(board_svg("acres", made_up, voice_of("acres")))
    rings = {name: group.find(f"{SVG}g") for name, group in found.items() if group.find(f"{SVG}g") is not None}
    assert set(rings) == {"Gaspé", "Boston"}
    assert {name: ring.get("class") for name, ring in rings.items()} == {
        "Gaspé": "siege british",
        "Boston": "siege french",
    }
    assert {name: ring.find(f".//{SVG}text").text for name, ring in rings.items()} == {"Gaspé": "−3", "Boston": "+1"}
    shapes = {name: ring.find(f".//{SVG}path").get("d") for name, ring in rings.items()}
    assert shapes["Gaspé"] != shapes["Boston"]


def test_what_changed_has_a_halo(view, voice_of):
    voice = voice_of("acres")
    assert 'class="halo"' not in board_svg("acres", view, voice)
    svg = board_svg("acres", view, voice, changed=frozenset({"gaspe", "albany"}))
    assert svg.count('class="halo"') == 2
    spot = acres._SPOTS["gaspe"]
    assert f'cx="{spot["x"]}" cy="{spot["y"]}"' in svg


def test_what_can_be_chosen_has_a_ring(view, voice_of):
    found = places_in(board_svg("acres", view, voice_of("acres"), legal=["halifax"]))
    rings = [name for name, group in found.items() if any(one.get("class") == "target" for one in group)]
    assert rings == ["Halifax"]


def test_it_says_who_holds_what(made_up, voice_of):
    root = ElementTree.fromstring(board_svg("acres", made_up, voice_of("acres")))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "A Few Acres of Snow"
    assert root.find(f"{SVG}desc").text == "British: Boston, Pemaquid. French: Québec, Gaspé."


class Odd:
    """A reader whose every word is markup."""

    lang = "odd"
    title = None

    def gettext(self, message, **values):
        return '<b>&"'

    def ngettext(self, singular, plural, n, **values):
        return '<b>&"'

    def name(self, kind, key):
        return f'<{key}>&"'


def test_names_are_escaped(made_up):
    svg = board_svg("acres", made_up, Odd(), changed={"gaspe"})
    assert "<b>" not in svg and "<boston>" not in svg
    assert "<boston>" in unescape(svg)
    ElementTree.fromstring(svg)


def test_it_needs_no_inline_style(view, voice_of):
    svg = board_svg("acres", view, voice_of("acres"), changed={"gaspe"}, legal=["boston"])
    root = ElementTree.fromstring(svg)
    assert not list(root.iter(f"{SVG}style"))
    for element in root.iter():
        assert "style" not in element.attrib
        assert not any(name.startswith("on") for name in element.attrib)
    assert not {"width", "height"} & set(root.attrib)


@pytest.mark.parametrize(
    "name", ["second-quebec-besieged", "first-towns-placed", "rare-two-sieges-end", "first-revised-boston-besieged"]
)
def test_it_is_small(states_of, voice_of, language, name):
    """The turn page has 64 KB, 12 KB compressed; the map takes about half."""
    voice = voice_of("acres", language)
    for state in states_of(f"acres/{name}.json")[::20]:
        svg = board_svg("acres", ACRES.view(state, None), voice, changed=frozenset(PLACES)).encode()
        assert len(svg) < 33_000
        assert len(gzip.compress(svg)) < 7_000


def test_ornaments_are_small(voice_of, language):
    voice = voice_of("acres", language)
    ornaments = acres._cartouche(voice) + acres._ROSE + acres._scale(voice)
    assert len(ornaments.encode()) < 3_000


def test_the_same_view_gives_the_same_map(view, voice_of):
    voice = voice_of("acres", "it")
    changed = {"gaspe", "boston", "quebec"}
    assert board_svg("acres", view, voice, changed=changed) == board_svg("acres", view, voice, changed=sorted(changed))


def test_the_map_alone_has_its_colours(view, voice_of):
    svg = standalone_svg("acres", view, voice_of("acres"))
    style = ElementTree.fromstring(svg).find(f"{SVG}style").text
    assert "var(" not in style and "@media" not in style
    assert "#a63a2f" in style and "#2f4f8f" in style


# -- where the names stand ----------------------------------------------------------------------------


def boxes_of(place, voice):
    """About where the name and the signs of a place lie: a box for each line."""
    spot = acres._SPOTS[place]
    words = voice.name("place", place).split(" ")
    first = spot["break"]
    lines = [" ".join(words[:first]), " ".join(words[first:])] if 0 < first < len(words) else [" ".join(words)]
    widths = [7.6 * len(line) for line in lines]  # an average letter of the face at 18 units
    row = [wide for wide, there in ((11, PLACES[place].points), (18, PLACES[place].defence),
                                    (13, PLACES[place].settler), (16, PLACES[place].sea)) if there]  # fmt: skip
    widths += [sum(row)] if row else []
    for number, wide in enumerate(widths):
        left = spot["x"] + spot["dx"] - {"right": 0, "left": wide, "middle": wide / 2}[spot["side"]]
        base = spot["y"] + spot["dy"] + acres.LINE * number
        yield left, base - 12, left + wide, base + 2


def test_no_name_lies_on_a_name_a_piece_or_a_link(voice_of, language):
    voice = voice_of("acres", language)
    boxes = {place: list(boxes_of(place, voice)) for place in PLACES}
    for one, other in itertools.combinations(PLACES, 2):
        for a, b in itertools.product(boxes[one], boxes[other]):
            apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
            assert apart, f"{one} and {other}"
    for place, its in boxes.items():
        for left, top, right, bottom in its:
            assert left > 6 and right < 1116 and top > 6 and bottom < 804, place
            for other, spot in acres._SPOTS.items():
                near = min(max(spot["x"], left), right), min(max(spot["y"], top), bottom)
                assert math.dist(near, (spot["x"], spot["y"])) > 20, f"{place} on {other}"
    for row in table("links.csv"):
        a, b = acres._SPOTS[row["one"]], acres._SPOTS[row["other"]]
        for step in range(101):
            x = a["x"] + (b["x"] - a["x"]) * step / 100
            y = a["y"] + (b["y"] - a["y"]) * step / 100
            for place, its in boxes.items():
                on = any(left < x < right and top < y < bottom for left, top, right, bottom in its)
                assert not on, f"{place} on {row['one']}-{row['other']}"


def test_ways_and_trails_look_different():
    sheet = sheet_of("acres")
    assert "stroke-dasharray" in re.search(r"\.acres \.trail \{[^}]*\}", sheet).group()
    assert "stroke-dasharray" not in re.search(r"\.acres \.way \{[^}]*\}", sheet).group()
