"""The picture of a game's course: how each seat stood by its own knowledge, turn after turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from app.base.words.speech import Voice

WIDTH, HEIGHT, EDGE, NAMES = 360, 190, 10, 20
"""Of the picture, its margin, and of a line of names."""
DASHES = ("", "8 4", "2 4", "12 3 2 3", "16 5")
"""Lines differ by their dashes, not by colour alone."""


def curve(course: Sequence[Mapping[str, Any]], seats: Sequence[str], names: Mapping[str, str], voice: Voice) -> Markup:
    """Return the course as SVG with classes only, with its key; the table beside it says the same."""
    last = max(1, len(course) - 1)
    middle, drawn = _y(0.5), list[str]()
    for row, (seat, dashes) in enumerate(zip(seats, DASHES, strict=False)):
        looks = f'class="side-{escape(seat)}"' + (f' stroke-dasharray="{dashes}"' if dashes else "")
        points = [
            f"{EDGE + at * (WIDTH - 2 * EDGE) / last:.1f},{_y(one['after'])}"
            for at, one in enumerate(course)
            if one["seat"] == seat
        ]
        drawn.append(f'<polyline {looks} points="{" ".join(points)}"/>')
        at = HEIGHT + row * NAMES
        drawn.append(f'<line {looks} x1="{EDGE}" y1="{at}" x2="{EDGE + 56}" y2="{at}"/>')
        drawn.append(f'<text class="side-{escape(seat)}" x="{EDGE + 66}" y="{at + 5}">{escape(names[seat])}</text>')
    said = escape(voice.gettext("The course of the game: above the line, better"))
    even = f'<line class="even" x1="{EDGE}" y1="{middle}" x2="{WIDTH - EDGE}" y2="{middle}"/>'
    box = f'viewBox="0 0 {WIDTH} {HEIGHT + NAMES * len(seats)}"'
    return Markup(f'<svg {box} role="img" aria-label="{said}">{even}{"".join(drawn)}</svg>')


def _y(standing: float) -> float:
    return round(HEIGHT - EDGE - standing * (HEIGHT - 2 * EDGE), 1)
