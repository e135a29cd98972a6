"""The picture of a game's course: how each seat stood by its own knowledge, turn after turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup, escape

from app.base.words.speech import Voice

WIDTH, HEIGHT, EDGE, NAMES = 360, 190, 10, 20
"""Of the picture, its margin, and of a line of names."""
DASHES = ("", "8 4", "2 4", "12 3 2 3", "16 5")
"""Lines differ by their dashes, not by colour alone."""


def curve(rows: Sequence[tuple[int, Mapping[str, int]]], names: Mapping[str, str], turns: str, voice: Voice) -> Markup:
    """Return the course (`by_turn`) as SVG with classes only, with its key; the table beside it says the same. Each
    turn is a link to the position after it: the number stands behind `turns`."""
    step = (WIDTH - 2 * EDGE) / max(1, len(rows) - 1)
    drawn = list[str]()
    for row, (seat, dashes) in enumerate(zip(names, DASHES, strict=False)):
        looks = f'class="side-{escape(seat)}"' + (f' stroke-dasharray="{dashes}"' if dashes else "")
        points = [f"{EDGE + at * step:.1f},{_y(stood[seat])}" for at, (_, stood) in enumerate(rows) if seat in stood]
        drawn.append(f'<polyline {looks} points="{" ".join(points)}"/>')
        at = HEIGHT + row * NAMES
        drawn.append(f'<line {looks} x1="{EDGE}" y1="{at}" x2="{EDGE + 56}" y2="{at}"/>')
        drawn.append(f'<text class="side-{escape(seat)}" x="{EDGE + 66}" y="{at + 5}">{escape(names[seat])}</text>')
    for at, (turn, _) in enumerate(rows):
        told = escape(f"{voice.gettext('Turn')} {turn}")
        box = f'x="{EDGE + (at - 0.5) * step:.1f}" y="0" width="{step:.1f}" height="{HEIGHT - EDGE}"'
        drawn.append(f'<a href="{escape(turns)}{turn}" tabindex="-1"><title>{told}</title><rect {box}/></a>')
    said = escape(voice.gettext("The course of the game: above the line, better"))
    even = f'<line class="even" x1="{EDGE}" y1="{_y(50)}" x2="{WIDTH - EDGE}" y2="{_y(50)}"/>'
    box = f'viewBox="0 0 {WIDTH} {HEIGHT + NAMES * len(names)}"'
    return Markup(f'<svg {box} role="group" aria-label="{said}">{even}{"".join(drawn)}</svg>')


def _y(standing: int) -> float:
    return round(HEIGHT - EDGE - standing * (HEIGHT - 2 * EDGE) / 100, 1)
