"""The ratings of a player, for the page of their profile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup
from sqlmodel import Session

from app.account.pages import profiles
from app.base.words.speech import Voice
from app.games.rating_tables import RatingSystem
from app.leagues.results import event_ratings
from app.leagues.tables import RatingChange
from app.titles.registry import TITLES

NEWEST = 20
"""How many games of a rating are listed."""


@profiles.show_ratings
def ratings_shown(session: Session, player_id: int, voice: Voice) -> list[dict[str, Any]]:
    """Return each rating with its title, its chart and its newest games."""
    return [
        {
            "title": voice.gettext(TITLES[own.title].name),
            "tables": own.system == RatingSystem.OPENSKILL,
            "now": own,
            "chart": rating_chart([row for row, _, _ in steps]),
            "steps": [(*step, voice.date(step[0].at)) for step in reversed(steps[-NEWEST:])],
        }
        for own, steps in event_ratings.ratings_of(session, player_id)
        if own.title in TITLES
    ]


WIDE, TALL, LEFT, TOP, FOOT = 520, 160, 44, 10, 8
MOST_STEPS = 200
"""How many of the newest games are drawn."""


def rating_chart(steps: Sequence[RatingChange]) -> Markup:
    """Return the drawing; empty before two games. It is hidden from screen readers: the list of games says the same."""
    steps = steps[-MOST_STEPS:]
    if len(steps) < 2:
        return Markup("")
    values = [steps[0].before, *(step.after for step in steps)]
    bands = [steps[0].deviation, *(step.deviation for step in steps)]
    low = min(value - band for value, band in zip(values, bands, strict=True))
    high = max(value + band for value, band in zip(values, bands, strict=True))
    span = max(high - low, 1.0)

    def x(at: int) -> int:
        return LEFT + round((WIDE - LEFT - 8) * at / (len(values) - 1))

    def y(value: float) -> int:
        return TOP + round((TALL - TOP - FOOT) * (high - value) / span)

    upper = [f"{x(at)},{y(value + bands[at])}" for at, value in enumerate(values)]
    lower = [f"{x(at)},{y(value - bands[at])}" for at, value in enumerate(values)]
    parts = [
        f'<svg class="rating" aria-hidden="true" viewBox="0 0 {WIDE} {TALL}" width="{WIDE}" height="{TALL}">',
        f'<polygon class="band" points="{" ".join(upper + lower[::-1])}"/>',
    ]
    step = next(size for size in (25, 50, 100, 200, 500, 1000) if span / size <= 6 or size == 1000)
    for line in range(int(low // step) + 1, int(high // step) + 1):
        at = y(line * step)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDE - 8}" y1="{at}" y2="{at}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4}" text-anchor="end">{line * step}</text>')
    path = " ".join(f"{x(at)},{y(value)}" for at, value in enumerate(values))
    parts.append(f'<polyline points="{path}"/></svg>')
    return Markup("".join(parts))
