"""Divides the players of an event before the start: by a table of last season, or by rating in equal parts."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from app.leagues.events import entries
from app.leagues.rounds import seeding
from app.leagues.rounds.seeding import SeedSource
from app.leagues.tables import Competition, Entrant, EntrantStatus


def sources(session: Session, event: Competition) -> list[SeedSource]:
    """Return what the players can be divided by: tables of seasons and the list of members first, then ratings."""
    there = [one for one in seeding.sources(session, event) if one.key != seeding.BEFORE]
    return sorted(there, key=lambda one: not one.is_season)


def divided(session: Session, event: Competition, key: str) -> dict[int, int]:
    """Return a division for each player, by the key of a source.

    By a season everybody goes where a division has the name of their last one; who was in no division of these comes
    into equal parts of the order if nobody fits, else into the lowest. Raises NotAccepted for an unknown source.
    """
    source = seeding.find(session, event, key)
    playing = [one for one in entries.entrants(session, event.id) if one.status == EntrantStatus.ENTERED]
    order = seeding.order_of(session, event, playing, source)
    named = {division.name.casefold(): division.id for division in event.divisions}
    fits = {
        one.id: named[last.division.casefold()]
        for one in order
        if (last := (source.where or {}).get(one.player_id)) and last.division.casefold() in named
    }
    if not fits:
        return _equal_parts(event, order)
    return {one.id: fits.get(one.id, event.divisions[-1].id) for one in order}


def _equal_parts(event: Competition, order: Sequence[Entrant]) -> dict[int, int]:
    """Return the players in order, in as many parts as there are divisions; the highest have one more if they must."""
    least, more = divmod(len(order), len(event.divisions))
    found: dict[int, int] = {}
    at = 0
    for number, division in enumerate(event.divisions):
        size = least + (number < more)
        found |= {one.id: division.id for one in order[at : at + size]}
        at += size
    return found
