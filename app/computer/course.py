"""The picture of a game's course: how each seat stood by its own knowledge, turn after turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from app.base.speech import Voice

WIDTH, HEIGHT, EDGE = 640, 220, 24
DASHES = ("", "7 4", "2 4", "10 3 2 3", "14 5")
"""Lines differ by their dashes, not by colour alone."""


def curve(course: Sequence[Mapping[str, Any]], seats: Sequence[str], names: Mapping[str, str], voice: Voice) -> Markup:
    """Return the course as SVG with classes only; its table says the same."""
    last = max(1, len(course) - 1)
    middle = _y(0.5)
    lines = [f'<line class="even" x1="{EDGE}" y1="{middle}" x2="{WIDTH - EDGE}" y2="{middle}"/>']
    for seat, dashes in zip(seats, DASHES, strict=False):
        points = [
            (EDGE + at * (WIDTH - 2 * EDGE) / last, _y(one["after"]))
            for at, one in enumerate(course)
            if one["seat"] == seat
        ]
        if points:
            lines += _line(points, f"of side-{escape(seat)}", dashes, names[seat])
    title = escape(voice.gettext("The course of the game: above the line, better"))
    return Markup(
        f'<svg class="course" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">{"".join(lines)}</svg>'
    )


def _line(points: Sequence[tuple[float, float]], looks: str, dashes: str, name: str) -> list[str]:
    path = " ".join(f"{x:.1f},{y}" for x, y in points)
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    at = max(14.0, points[-1][1] - 6)
    return [
        f'<polyline class="{looks}"{dash} points="{path}"/>',
        f'<text class="{looks}" x="{WIDTH - EDGE}" y="{at}" text-anchor="end">{escape(name)}</text>',
    ]


def _y(standing: float) -> float:
    return round(HEIGHT - EDGE - standing * (HEIGHT - 2 * EDGE), 1)
