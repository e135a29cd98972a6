"""An event as FIDE's report file (`app.leagues.pure.trf`), for those who prepare its rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.leagues import outcomes, pairing, schedule
from app.leagues.pure import trf
from app.leagues.tables import Division, Event

if TYPE_CHECKING:
    from sqlmodel import Session


def text_of(session: Session, event: Event, division: Division) -> str:
    """A division as a file, with who is not paired in rounds to come, and who has blocked whom, which only those who
    prepare rounds may read. Unreadable where such a file cannot say it."""
    people = schedule.people(session, event, division)
    results = outcomes.results_of(session, division.id)
    rounds = event.terms.rounds or max((one.round for one in results), default=1)
    part = division.name if len(event.divisions) > 1 else ""
    name = " ".join(filter(None, (event.name, event.season, part)))
    blocks = pairing.blocks_of(session, people)
    return trf.write(trf.report(name, rounds, [entry.as_entrant() for entry in people], results, blocks))
