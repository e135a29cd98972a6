"""What an event says about how it is paired."""

from __future__ import annotations

from dataclasses import replace

from app.leagues.pure.swiss_weights import PAIRED_BY, SwissTerms
from app.leagues.pure.terms import FIRST_SIDES
from app.leagues.tables import Competition


def swiss_terms(event: Competition) -> SwissTerms:
    """What an event says about its Swiss rounds."""
    return replace(PAIRED_BY[event.terms.pairing], first_side=FIRST_SIDES.index(event.terms.first_side))
