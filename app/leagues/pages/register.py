"""Adds the pages of clubs and those of events to a server."""

from __future__ import annotations

from flask import Flask

from app.account.pages import profiles
from app.leagues.pages.clubs import announcements, clubs, dates, history, importing, joining, members, past
from app.leagues.pages.desk import desk, messages, reserves, rulings, week
from app.leagues.pages.events import (
    club_matches,
    event_templates,
    events,
    from_file,
    late,
    manage,
    next_season,
    pairing_numbers,
    published,
    teams,
)
from app.leagues.pages.rounds import all_rounds, challenges, pairing, rounds
from app.leagues.pages.shown.ratings_shown import ratings_shown

# Modules that add their addresses to another module's blueprint when they are imported.
OF_CLUBS = (announcements, dates, history, importing, joining, members, past, week)
OF_EVENTS = (
    all_rounds,
    club_matches,
    challenges,
    event_templates,
    from_file,
    late,
    manage,
    next_season,
    pairing,
    pairing_numbers,
    published,
    rounds,
    teams,
)
OF_THE_DESK = (messages, reserves, rulings)


def register(app: Flask) -> None:
    """Add the pages, and the ratings to the page of a player."""
    for blueprint in (clubs.blueprint, events.blueprint, desk.blueprint):
        app.register_blueprint(blueprint)
    profiles.show_ratings(ratings_shown)
