"""The map of Acres."""

from __future__ import annotations

import gzip
import math
import re
from html import unescape
from xml.etree import ElementTree

import pytest

from app.titles.acres import drawing as acres
from app.titles.acres.ground import BASE, SPOTS
from app.titles.boards import board_svg, standalone_svg
from app.titles.registry import TITLES
from app.titles.style import ground_address, ground_of, sheet_of
from app.titles.touch import Touch
from engine.acres.data import PLACES, table

ACRES = TITLES["acres"]
SVG = "{http://www.w3.org/2000/svg}"


def groups_of(svg):
    return list(ElementTree.fromstring(svg).iter(f"{SVG}g"))


def places_in(svg):
    """Return for each place its group, by the name that its title begins with."""
    groups = [group for group in groups_of(svg) if group.get("class") == "place"]
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
        assert name.replace(" ", "").replace("-", "") in shown.replace(" ", "").replace("-", "")


def test_side_and_piece_are_told_by_shape(made_up, voice_of):
    found = places_in(board_svg("acres", made_up, voice_of("acres")))
    assert signs(found["Boston"])[:2] == ["#am-fort", "#am-bt"]
    assert signs(found["Pemaquid"])[0] == "#am-bv"
    assert signs(found["Québec"])[0] == "#am-ft"
    assert signs(found["Gaspé"])[:2] == ["#am-fort", "#am-fv"]
    assert signs(found["Albany"])[0] == "#am-n"
    shapes = ElementTree.fromstring(board_svg("acres", made_up, voice_of("acres"))).find(f"{SVG}defs")
    drawn = {
        group.get("id"): (group[0].tag.removeprefix(SVG), group[1].get("href"))
        for group in shapes.findall(f"{SVG}g")
        if group.get("class")
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
    rings = {
        name: ring
        for name, group in found.items()
        for ring in group.iter(f"{SVG}g")
        if "siege" in ring.get("class", "")
    }
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
    spot = SPOTS["gaspe"]
    assert f'cx="{spot["x"]}" cy="{spot["y"]}"' in svg


def test_what_can_be_chosen_has_a_ring(view, voice_of):
    found = places_in(board_svg("acres", view, voice_of("acres"), touch=Touch(possible=frozenset({"halifax"}))))
    rings = [name for name, group in found.items() if any(one.get("class") == "target" for one in group.iter())]
    assert rings == ["Halifax"]


def test_it_says_who_holds_what(made_up, voice_of):
    root = ElementTree.fromstring(board_svg("acres", made_up, voice_of("acres")))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "A Few Acres of Snow"
    assert root.find(f"{SVG}desc").text == (
        f"British ({made_up['score']['british']} points): Boston (town with a fort), Pemaquid (village). "
        f"French ({made_up['score']['french']} points): Québec (town), Gaspé (village with a fort). "
        "Sieges: Gaspé (British −3), Boston (French +1)."
    )


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
    svg = board_svg("acres", view, voice_of("acres"), changed={"gaspe"}, touch=Touch(possible=frozenset({"boston"})))
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
    """The turn page has 80 KB, 16 KB compressed; the map takes about a third."""
    voice = voice_of("acres", language)
    links = Touch(links={place: f"?at={place}#tray" for place in PLACES})
    for state in states_of(f"acres/{name}.json")[::20]:
        svg = board_svg("acres", ACRES.view(state, None), voice, changed=frozenset(PLACES), touch=links).encode()
        assert len(svg) < 34_000
        assert len(gzip.compress(svg)) < 8_400


def test_the_same_view_gives_the_same_map(view, voice_of):
    voice = voice_of("acres", "it")
    changed = {"gaspe", "boston", "quebec"}
    assert board_svg("acres", view, voice, changed=changed) == board_svg("acres", view, voice, changed=sorted(changed))


def test_the_map_alone_has_its_colours(view, voice_of):
    svg = standalone_svg("acres", view, voice_of("acres"))
    style = ElementTree.fromstring(svg).find(f"{SVG}style").text
    assert "var(" not in style and "@media" not in style
    assert "#a63a2f" in style and "#2f4f8f" in style


def test_the_key_tells_the_points_of_both_sides(view, voice_of, language):
    voice = voice_of("acres", language)
    key = next(group for group in groups_of(board_svg("acres", view, voice)) if group.get("class") == "key")
    words = [text.text for text in key.iter(f"{SVG}text")]
    for seat in ("british", "french"):
        assert f"{voice.name('seat', seat)} {view['score'][seat]}" in words


# -- to choose on ---------------------------------------------------------------------------------------


def test_a_place_that_can_be_touched_is_a_link(view, voice_of):
    links = {"halifax": "?at=halifax&x", "albany": "?at=albany"}
    touch = Touch(links=links, chosen=frozenset({"albany"}), possible=frozenset({"halifax"}))
    svg = board_svg("acres", view, voice_of("acres"), touch=touch)
    root = ElementTree.fromstring(svg)
    links = {link.get("id"): link for link in root.iter(f"{SVG}a")}
    assert {key: link.get("href") for key, link in links.items()} == {
        "at-halifax": "?at=halifax&x",
        "at-albany": "?at=albany",
    }
    assert root.get("role") == "group"
    assert links["at-albany"].get("aria-current") == "true" and links["at-halifax"].get("aria-current") is None
    for link in links.values():
        assert float(link.find(f".//{SVG}circle").get("r")) >= 22
    assert "can be chosen" in links["at-halifax"].find(f"{SVG}title").text
    rings = [circle.get("class") for circle in links["at-albany"].iter(f"{SVG}circle")]
    assert rings == ["hit", "under", "chosen"]


def test_what_a_card_joins_is_drawn_by_its_transport(view, voice_of):
    curves = (("new-york", "boston", "ship"), ("new-york", "albany", "bateaux"))
    svg = board_svg("acres", view, voice_of("acres"), touch=Touch(curves=curves))
    assert re.findall(r'class="curve (\w+)"', svg) == ["ship", "bateaux"]
    assert 'd="M300 339Q' in svg
    sheet = sheet_of("acres")
    assert "stroke-dasharray" in re.search(r"\.acres \.ship \{[^}]*\}", sheet).group()


@pytest.mark.parametrize("place", list(PLACES))
def test_a_window_keeps_the_scale_and_shows_its_place(view, voice_of, place):
    svg = board_svg("acres", view, voice_of("acres"), touch=Touch(window=place))
    left, top, width, height = map(float, ElementTree.fromstring(svg).get("viewBox").split())
    assert (left, width, height) == (0, 360, 290)
    assert top >= 0 and top + height <= 552
    assert top + 16 <= SPOTS[place]["y"] <= top + height - 16


def test_the_ground_can_be_a_picture_that_is_fetched_once_light_or_dark(view, voice_of):
    whole = board_svg("acres", view, voice_of("acres"))
    drawn = acres.draw(view, voice_of("acres"), frozenset(), ground=ground_address("acres"))
    assert f'<image href="{ground_address("acres")}" width="360" height="552"' in drawn
    ground = ElementTree.fromstring(ground_of("acres"))
    for element in ("path", "use"):  # together they are the whole map, and nothing is drawn twice
        apart = [
            one.attrib for one in (*ElementTree.fromstring(drawn).iter(), *ground.iter()) if one.tag == SVG + element
        ]
        assert sorted(map(str, apart)) == sorted(
            str(one.attrib) for one in ElementTree.fromstring(whole).iter() if one.tag == SVG + element
        )
    style = ground.find(f"{SVG}style").text
    assert "prefers-color-scheme: dark" in style and "--sheet: #28241c" in style and ".acres .land" in style
    assert ground_of("ferry") == "" and ground_of("new-world") == ""


# -- where the names stand ----------------------------------------------------------------------------

MARK, APART, CLEARER, TOUCHES = 10, 44, 4, 4
BOXES = {place: tuple(spot["label"][key] for key in "xywh") for place, spot in SPOTS.items()}
MOVED = {
    place: (x + SPOTS[place]["away"][0], y + SPOTS[place]["away"][1], wide, high)
    for place, (x, y, wide, high) in BOXES.items()
}
AT = {place: (spot["x"], spot["y"]) for place, spot in SPOTS.items()}


def outside(box, point):
    """Return how far a point lies outside a box."""
    x, y, wide, high = box
    return math.hypot(max(x - point[0], 0, point[0] - x - wide), max(y - point[1], 0, point[1] - y - high))


def overlap(one, other):
    return (
        one[0] < other[0] + other[2]
        and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3]
        and other[1] < one[1] + one[3]
    )


def along(link, steps=200):
    (x, y), (to_x, to_y) = AT[link["one"]], AT[link["other"]]
    return [(x + (to_x - x) * n / steps, y + (to_y - y) * n / steps) for n in range(steps + 1)]


@pytest.mark.parametrize("place", list(PLACES))
def test_a_name_is_nearest_to_its_own_mark_and_over_nothing(place):
    """The same when it has moved away from a ring or a fort, whether or not its neighbours have."""
    others = [other for other in PLACES if other != place]
    own = outside(BOXES[place], AT[place])
    for other in others:
        assert own + CLEARER <= outside(BOXES[place], AT[other]) >= MARK
        assert own + CLEARER <= outside(BOXES[other], AT[place])
        assert math.dist(AT[place], AT[other]) >= APART
        assert not overlap(BOXES[place], BOXES[other])
        assert not overlap(MOVED[place], BOXES[other]) and not overlap(MOVED[place], MOVED[other])
        assert outside(MOVED[place], AT[other]) >= max(MARK, outside(MOVED[place], AT[place]) + 1)
    for box, edge in ((BOXES[place], 2), (MOVED[place], 1)):
        assert box[0] >= edge and box[1] >= edge and box[0] + box[2] <= 360 - edge and box[1] + box[3] <= 552 - edge
    for link in BASE["links"]:
        points = along(link)
        assert all(outside(BOXES[place], point) and outside(MOVED[place], point) for point in points), link
        if place not in (link["one"], link["other"]):
            assert all(math.dist(point, AT[place]) >= MARK + TOUCHES for point in points), link


@pytest.mark.parametrize("place", list(PLACES))
def test_the_value_of_a_siege_lies_on_nothing(place):
    badge, (x, y) = SPOTS[place]["badge"], AT[place]
    x, y = x + badge["x"], y + badge["y"]
    value = (x - 13, y - 9, 26, 18)
    assert not overlap(value, MOVED[place])
    for other in PLACES:
        if other != place:
            assert not overlap(value, MOVED[other]) and not overlap(value, BOXES[other])
            assert math.dist((x, y), AT[other]) >= 2 * MARK


def test_the_links_are_those_of_the_board():
    """Roads are ways by land; only the drawing tells them from rivers and lakes."""
    drawn = {(link["one"], link["other"]): link["kind"] == "trail" for link in BASE["links"]}
    assert drawn == {(row["one"], row["other"]): row["kind"] == "trail" for row in table("links.csv")}


def test_names_are_broken_as_the_base_says(voice_of, language):
    voice = voice_of("acres", language)
    for place in PLACES:
        lines = acres.lines_of(place, voice.name("place", place))
        assert len(lines) == len(SPOTS[place]["label"]["lines"])
        # About the width of a letter of the face at 13 units; the browser measures it exactly.
        assert max(map(len, lines)) <= max(map(len, SPOTS[place]["label"]["lines"])) + 1


def test_links_of_each_kind_look_different():
    sheet = sheet_of("acres")
    looks = {kind: re.search(rf"\.acres \.{kind} \{{[^}}]*\}}", sheet).group() for kind in ("way", "road", "trail")}
    assert "stroke-dasharray" in looks["trail"] and "stroke-dasharray" not in looks["way"] + looks["road"]
    assert looks["way"].partition("{")[2] != looks["road"].partition("{")[2]
