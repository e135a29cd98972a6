"""Unusual starts of an event or its finals (few players, missing teams) that need a human decision."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from app.base.refusals import NotAccepted
from app.leagues.events import entries
from app.leagues.pure.terms import Format
from app.leagues.rounds import stages
from app.leagues.tables import Competition, Division, EntrantStatus
from app.leagues.teams import teams
from engine.kernel.text import Counted, Text

if TYPE_CHECKING:
    from sqlmodel import Session


def of_start(session: Session, event: Competition) -> Text | None:
    """Return what is unusual about the players of an event that could start now; None if nothing is.

    What a start refuses anyway is not checked.
    """
    playing = [one for one in entries.entrants(session, event.id) if one.status == EntrantStatus.ENTERED]
    sizes = Counter(one.division_id for one in playing)
    if len(sizes) > 1 and max(sizes.values()) - min(sizes.values()) > 1:
        return Text(
            "the divisions are uneven: one has {most} players, another {least}.",
            most=max(sizes.values()),
            least=min(sizes.values()),
        )
    rounds = event.terms.rounds
    if event.format == Format.SWISS and rounds:
        for division in event.divisions:
            count = len(teams.of_event(session, event.id)) if event.boards else sizes[division.id]
            if 1 < count <= rounds:
                return _repeats(count, rounds)
    return None


def of_finals(session: Session, event: Competition, division: Division) -> Text | None:
    """Return why finals cannot begin after their groups; None if they can, and for other divisions."""
    if event.format != Format.STAGES or division.level > 1:
        return None
    try:
        stages.through(session, event)
    except NotAccepted as no:
        return no.why
    return None


def _repeats(count: int, rounds: int) -> Text:
    return Counted(
        "{count} take part, too few to meet somebody new in {n} round.",
        "{count} take part, too few to meet somebody new in each of {n} rounds.",
        n=rounds,
        count=count,
    )
