"""The pages of clubs and their competitions. What follows from a form is decided by `app.services.leagues`."""

from __future__ import annotations

from flask import Blueprint


def blueprints() -> tuple[Blueprint, ...]:
    """The pages of clubs, and those of events. A module that adds addresses to one of them is imported here."""
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

    return clubs.blueprint, events.blueprint, desk.blueprint
