"""The ratings of a player, for the page of their profile."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session

from app.account.pages import profiles
from app.base.words.speech import Voice
from app.games.rating_tables import RatingSystem
from app.leagues.pages.shown.rating_chart import rating_chart
from app.leagues.results import event_ratings
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
