"""The drawing of lots in an event."""

from __future__ import annotations

import hashlib

from app.leagues.tables import Competition


def lot(event: Competition, entry_id: int) -> str:
    """Return the place of an entrant in the drawing of lots: the order of SHA-256(lots of the event, number of the
    entrant).
    """
    return hashlib.sha256(f"{event.lots}:{entry_id}".encode()).hexdigest()
