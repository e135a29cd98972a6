"""Adds the pages of clubs and those of events to a server."""

from __future__ import annotations

from flask import Flask

from app.web import profiles

# A module that adds addresses to the blueprint of another is imported here, too.
from app.web.leagues import (  # noqa: F401
    clubs,
    contests,
    desk,
    events,
    late,
    manage,
    members,
    messages,
    next_season,
    pairing,
    past,
    published,
    reserves,
    rounds,
    rulings,
)
from app.web.leagues.ratings_shown import ratings_shown


def register(app: Flask) -> None:
    """Add the pages, and the ratings to the page of a player."""
    for blueprint in (clubs.blueprint, events.blueprint, desk.blueprint):
        app.register_blueprint(blueprint)
    profiles.show_ratings(ratings_shown)
