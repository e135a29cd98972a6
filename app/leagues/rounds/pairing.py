"""Which pairing an event's format asks for, from its entrants and results."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.words.refusals import NotAccepted
from app.leagues.events import lifecycle
from app.leagues.pure.pairing.table_search import TableTerms
from app.leagues.pure.pairing.tasks import Task
from app.leagues.results import outcomes
from app.leagues.rounds import brackets, schedule, stages
from app.leagues.rounds.schedule import next_of
from app.leagues.tables import Competition, CompetitionRound, Division, Entrant, PairingJob
from app.leagues.teams import team_rounds
from app.people import blocks
from engine.kernel.text import Text

# Written out, not a parameter: only so SQLite sees that a partial index fits.
IS_OPEN = col(PairingJob.state) == sa.literal_column("'open'")


def open_job(session: Session, division_id: int) -> int | None:
    """Return the number of the job that is pairing the next round of a division."""
    found: int | None = session.scalar(
        sa.select(col(PairingJob.id)).where(col(PairingJob.division_id) == division_id, IS_OPEN)
    )
    return found


def at_work() -> NotAccepted:
    """Return the refusal while a job is pairing the next round of a division (`open_job`)."""
    return NotAccepted("round.pairing", Text("The server is at work on this round; wait for it, or stop it."))


def next_task(
    session: Session, event: Competition, division: Division, there: Sequence[CompetitionRound], number: int
) -> Task:
    """Return the data from which the next round is paired.

    Raises NotAccepted if the previous round still runs in a format that needs its results, or if there is no further
    round.
    """
    before = schedule.published(there)
    plays = event.plays_in(division)
    if event.boards and plays.is_laid_out:
        return Task(number, made=next_of(team_rounds.rest(session, event, there), number))
    people = schedule.people(session, event, division)
    order = tuple(entrant.as_competitor() for entrant in people)
    if plays.is_laid_out:
        return Task(number, made=next_of(schedule.rest(session, event, order, there), number))
    if why := schedule.why_not_yet(event, division, there):
        raise NotAccepted("round.running", why)
    results = tuple(outcomes.results_of(session, division.id))
    if plays.has_bracket:
        seeds = stages.seeds_of(session, event, division, number) if event.finals else ()
        order = brackets.finalists(session, event, seeds) if event.finals else order
        return Task(number, made=brackets.pair(event, order, results, number), seeds=tuple(seeds))
    if event.terms.rounds is not None and number > event.terms.rounds:
        raise NotAccepted("round.last", lifecycle.all_paired(event.terms.rounds))
    if event.boards:
        return team_rounds.swiss_task(session, event, before, number)
    blocked = _blocks_of(session, people)
    if plays.at_tables:
        lots = tuple(entrant.id for entrant in sorted(people, key=lambda entrant: event.lot(entrant.id)))
        return Task(number, order, results, blocked, lots, tables=table_terms(event))
    if plays.by_round:
        last = number == event.terms.rounds
        return Task(number, order, results, blocked, last=last, swiss=event.swiss)
    raise NotAccepted("round.format", Text("In this format players start games by challenging each other."))


def table_terms(event: Competition) -> TableTerms:
    """Return how an event of tables seats its players, by its terms."""
    sizes = event.terms.sizes
    return TableTerms(min(sizes), max(sizes), sizes[0], by_score=event.terms.seating == "score")


def _blocks_of(session: Session, people: Sequence[Entrant]) -> frozenset[frozenset[int]]:
    """Return the pairs of these entrants of whom one has blocked the other."""
    entrant = {one.player_id: one.id for one in people}
    return frozenset(frozenset(entrant[one] for one in pair) for pair in blocks.among(session, list(entrant)))
