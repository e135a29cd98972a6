"""Adds the pages of clubs and those of events to a server."""

from __future__ import annotations

from flask import Flask

from app.account.pages import profiles

# A module that adds addresses to the blueprint of another is imported here, too.
from app.leagues.pages import (
    clubs,
    desk,
    events,
)
from app.leagues.pages.ratings_shown import ratings_shown


def register(app: Flask) -> None:
    """Add the pages, and the ratings to the page of a player."""
    for blueprint in (clubs.blueprint, events.blueprint, desk.blueprint):
        app.register_blueprint(blueprint)
    profiles.show_ratings(ratings_shown)
