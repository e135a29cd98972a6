"""The pairing terms of an event."""

from __future__ import annotations

from app.leagues.pure.pairing.swiss_weights import SwissTerms
from app.leagues.tables import Competition


def swiss_terms(event: Competition) -> SwissTerms:
    """Return the terms of an event's Swiss rounds."""
    return SwissTerms(first_side=int(event.terms.first_side == "second"), by_sides=not event.title.seats_alike)
