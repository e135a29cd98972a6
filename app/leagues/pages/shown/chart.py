"""Draws the progress of a division: everybody's place after each round, as lines.

No scripts, and only the styles of the style sheet.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from app.leagues.pure.crosstable import CrosstableStep
from app.leagues.results.standings import Standing

LEFT, TOP, ROW, FOOT = 30, 14, 24, 26
LEAST_WIDTH, COLUMN, NAMES = 240, 54, 150
DASHES = ("", "7 3", "2 3", "10 3 2 3")


def chart(standing: Standing, own: int | None, who: dict[int, str]) -> Markup:
    """Return the drawing; empty until two rounds have results. `own` is the reader's entrant, whose line is marked.

    It is hidden from screen readers: the tables of the rounds say the same, and a drawing of lines cannot be read out.
    """
    steps = standing.steps()
    if len(steps) < 2:
        return Markup("")
    wide = max(LEAST_WIDTH, COLUMN * (len(steps) - 1))
    tall = ROW * (len(standing.places) - 1)
    parts = [
        f'<svg class="progress" aria-hidden="true" viewBox="0 0 {LEFT + wide + NAMES} '
        f'{TOP + tall + FOOT}" width="{LEFT + wide + NAMES}" height="{TOP + tall + FOOT}">'
    ]
    for at, step in enumerate(steps):
        x = _x(at, steps, wide)
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{TOP - 6}" y2="{TOP + tall + 6}"/>')
        parts.append(f'<text class="foot" x="{x}" y="{TOP + tall + 22}" text-anchor="middle">{step.round}</text>')
    for line, place in enumerate(standing.places):
        who_id = place.entrant
        points = [
            (_x(at, steps, wide), TOP + ROW * (step.places[who_id] - 1))
            for at, step in enumerate(steps)
            if who_id in step.places
        ]
        if not points:
            continue
        kind = "own" if who_id == own else f"hue-{line % 6}"
        path = " ".join(f"{x},{y}" for x, y in points)
        dash = DASHES[line // 6 % len(DASHES)]
        parts.append(f'<g class="{kind}"><polyline points="{path}"' + (f' stroke-dasharray="{dash}"' if dash else ""))
        parts.append("/>" + "".join(f'<circle cx="{x}" cy="{y}" r="3"/>' for x, y in points))
        x, y = points[-1]
        name = escape(who[who_id])
        parts.append(f'<text x="{x + 9}" y="{y + 5}">{place.place}. {name}</text></g>')
    return Markup("".join([*parts, "</svg>"]))


def _x(at: int, steps: Sequence[CrosstableStep], wide: int) -> int:
    return LEFT + round(wide * at / (len(steps) - 1))
