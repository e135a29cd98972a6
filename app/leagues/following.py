"""What follows for later rounds when a result behind them changes.

A draft was made from the results as they stood: it is thrown away, to be paired anew. What has been published stays; a
ruling has to say what becomes of its games.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from app.leagues import matches, round_rows

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.leagues.tables import Event

BY_SCHEDULE = frozenset({"round_robin", "ladder"})
"""The formats in which no result has a say in who meets whom."""


def result_changed(
    session: Session,
    event: Event,
    division_id: int,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    by_id: int,
    now: datetime,
) -> int:
    """Throw the drafts away that were paired from a result which is another one now (`verdicts.snapshot`); how many."""
    if event.format in BY_SCHEDULE or all(before[key] == after[key] for key in ("ended", "points")):
        return 0
    if event.format == "stages":
        division_id = event.divisions[0].id  # groups go by schedule; the finals follow from them
    drafts = round_rows.drafts_of(session, division_id)
    for draft in drafts:
        matches.discard(session, event, draft, by_id, now)
    return len(drafts)
