"""Adds the pages of clubs and those of events to a server."""

from __future__ import annotations

from flask import Flask

from app.account.pages import profiles
from app.leagues.pages import (
    all_rounds,
    announcements,
    challenges,
    club_matches,
    clubs,
    dates,
    desk,
    event_templates,
    events,
    from_file,
    history,
    importing,
    joining,
    late,
    manage,
    members,
    messages,
    next_season,
    pairing,
    pairing_numbers,
    past,
    published,
    reserves,
    rounds,
    rulings,
    teams,
    week,
)
from app.leagues.pages.ratings_shown import ratings_shown

# Modules that add their addresses to the blueprint of another when they are imported.
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
