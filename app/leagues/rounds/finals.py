"""Published finals, compared with the current tables of their groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.words.refusals import NotAccepted
from app.base.words.speech import FORMER_PLAYER
from app.games.tables import DecisionMade
from app.leagues.events import entries, round_rows, seat_changes
from app.leagues.pure.model import VOID
from app.leagues.rounds import stages
from app.leagues.tables import Competition, CompetitionRound, CompetitionStatus
from engine.kernel.text import Text

FINALS = "finals"
"""What organisers are told (`event_asks`) when finals stay although their groups have changed."""


@dataclass(frozen=True, slots=True)
class BehindGroups:
    """Finals that were paired from tables that have changed since."""

    seeds: tuple[int, ...]
    """The entrants that should now be in the finals, in the order of seeds there."""
    out: tuple[int, ...]
    """Those who are in the finals and should not be."""
    into: tuple[int, ...]
    """Those who should be in the finals and are not; empty if only the order differs."""
    begun: tuple[int, ...]
    """The games of the finals with a decision or a result."""


def games(session: Session, event: Competition) -> list[int]:
    """Return the games of the published finals of an event, in any format."""
    return _games(_published(session, event))


def behind(session: Session, event: Competition) -> BehindGroups | None:
    """Return how the published finals of an event differ from what its groups imply.

    Returns None if they agree, if a group is playing again, and for an event without finals.
    """
    there = _published(session, event)
    if not there or event.status != CompetitionStatus.RUNNING:
        return None
    substitutes = seat_changes.substitutes(session, event.id)
    old = [substitutes.get(entrant, entrant) for entrant in round_rows.final_seeds(session, event.divisions[0].id)]
    try:
        seeds = stages.through(session, event, old)
    except NotAccepted:
        return None
    if not old or seeds == old:
        return None
    moved = sa.select(col(DecisionMade.game_id)).where(col(DecisionMade.game_id).in_(_games(there))).distinct()
    begun = set(session.scalars(moved).all()) | {
        match.game_id for round in there for match in round.matches if match.game_id and match.ended not in ("", VOID)
    }
    out = tuple(entrant for entrant in old if entrant not in seeds)
    into = tuple(entrant for entrant in seeds if entrant not in old)
    return BehindGroups(tuple(seeds), out, into, tuple(sorted(begun)))


def in_words(session: Session, event: Competition, found: BehindGroups) -> Text:
    """Return what organisers read when the finals stay although their groups have changed."""
    if not found.into:
        return Text(
            "The groups have changed since the finals began: by their tables others would meet in the first round. "
            "Nothing is played again by itself; rulings say what becomes of the games."
        )
    names = {one.id: one.name or Text(FORMER_PLAYER) for one in entries.entrants(session, event.id)}
    return Text(
        "The groups have changed since the finals began: by their tables {into} would be in the finals, and {out} "
        "would not. Nothing is played again by itself; rulings say what becomes of the games.",
        into=tuple(names[entrant] for entrant in found.into),
        out=tuple(names[entrant] for entrant in found.out),
    )


def _games(there: Sequence[CompetitionRound]) -> list[int]:
    return [match.game_id for round in there for match in round.matches if match.game_id]


def _published(session: Session, event: Competition) -> list[CompetitionRound]:
    return list(round_rows.rounds_of(session, event.finals.id)) if event.finals else []
