"""Pictures in mails keep the colours of the page: those of sides and marks, and the glow of what has changed."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from app.titles import pictures
from app.titles.style import fixed_style
from engine.acres import ACRES
from engine.kernel.title import Title
from engine.new_world import NEW_WORLD

WIDTH = 560
NAMED = re.compile(r"#[0-9a-f]{6}\b")


def both(title: Title, svg: str) -> tuple[Image.Image, Image.Image]:
    """Return the picture in all colours, and as a mail has it."""
    data = pictures.small(svg, WIDTH)
    assert len(data) <= pictures.MOST_BYTES
    kept = Image.open(io.BytesIO(data)).convert("RGB")
    return Image.open(io.BytesIO(pictures.png(svg, kept.width))).convert("RGB"), kept


def pixels(image: Image.Image) -> list[tuple[int, int, int]]:
    raw = image.tobytes()
    return list(zip(raw[::3], raw[1::3], raw[2::3], strict=True))


def errors(title: Title, svg: str) -> dict[str, int]:
    """Return how far each colour that the document names and the picture shows is off in the mail."""
    whole, kept = (pixels(image) for image in both(title, svg))
    worst: dict[tuple[int, int, int], int] = {}
    for was, now in zip(whole, kept, strict=True):
        worst[was] = max(worst.get(was, 0), *(abs(a - b) for a, b in zip(was, now, strict=True)))
    named = {colour: tuple(bytes.fromhex(colour[1:])) for colour in NAMED.findall(svg)}
    return {colour: worst[rgb] for colour, rgb in named.items() if rgb in worst}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["nw-two-orders-of-scoring", "nw-three-random", "nw-four-shared-win", "nw-five-orders-of-scoring"]
)
def test_sides_and_marks_of_new_world_keep_their_colours(
    name: str, states_of: Callable[..., Any], voice_of: Callable[..., Any]
) -> None:
    states = states_of(f"new_world/{name}.json")
    state = max(states[len(states) // 3 :], key=lambda one: (len({s.seat for s in one.settlers}), len(one.settlers)))
    style = fixed_style("new-world")
    sides = {re.search(rf"\.nw-{seat} \{{ ?fill: (#\w+)", style)[1] for seat in state.seats}  # type: ignore[index]
    svg = pictures.document(NEW_WORLD, NEW_WORLD.view(state, None), voice_of("new-world"), ())
    found = errors(NEW_WORLD, svg)
    assert sides <= set(found), "each side has a settler on the board"
    assert max(found.values()) <= 3


@pytest.mark.slow
@pytest.mark.parametrize("changed", [(), ("quebec", "boston", "new-york")])
def test_sides_and_marks_of_acres_keep_their_colours(
    changed: tuple[str, ...], states_of: Callable[..., Any], voice_of: Callable[..., Any]
) -> None:
    state = states_of("acres/second-towns-placed.json")[150]
    svg = pictures.document(ACRES, ACRES.view(state, None), voice_of("acres"), changed)
    found = errors(ACRES, svg)
    assert {"#a63a2f", "#2f4f8f"} <= set(found) and max(found.values()) <= 3


@pytest.mark.slow
def test_what_has_changed_glows_in_a_mail_as_on_the_page(
    states_of: Callable[..., Any], voice_of: Callable[..., Any]
) -> None:
    state = states_of("acres/second-towns-placed.json")[150]
    view, voice = ACRES.view(state, None), voice_of("acres")
    glowing = pictures.document(ACRES, view, voice, ("quebec", "boston", "new-york"))
    whole, kept = (pixels(image) for image in both(ACRES, glowing))
    plain = pixels(both(ACRES, pictures.document(ACRES, view, voice, ()))[0])
    glow = [(was, now) for was, now, without in zip(whole, kept, plain, strict=True) if was != without]
    off = [max(abs(a - b) for a, b in zip(was, now, strict=True)) for was, now in glow]
    assert len(glow) > 1000 and sum(off) / len(off) < 8

    def warmth(colours: list[tuple[int, int, int]]) -> float:
        return sum(red - blue for red, _, blue in colours) / len(colours)

    assert warmth([now for _, now in glow]) > 0.9 * warmth([was for was, _ in glow]), "amber, not grey"
