"""Which pairing an event's format asks for, from its entries and results."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from app.leagues import swiss, tables
from app.leagues.matching import Progress
from app.leagues.model import Entrant, Result, Round
from app.leagues.tables_search import Terms as TableTerms
from app.models import PairingJob
from app.services.leagues import events, members, outcomes, schedule
from app.services.people import NotAccepted
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.services.leagues.entries import EntryNow
    from app.services.leagues.events import DivisionNow, EventNow
    from app.services.leagues.rounds import RoundNow

LONG = 40
"""Up to so many players are matched or seated while somebody waits for the page; more are a job (`pairing_jobs`)."""


_JOB = PairingJob.__table__  # type: ignore[attr-defined]
# Written out, not a parameter: only so SQLite sees that a partial index fits.
IS_OPEN = _JOB.c.state == sa.literal_column("'open'")


def open_job(connection: Connection, division_id: int) -> int | None:
    """The number of the job that is working out the next round of a division."""
    found: int | None = connection.scalar(sa.select(_JOB.c.id).where(_JOB.c.division_id == division_id, IS_OPEN))
    return found


def lot(event: EventNow, entry_id: int) -> str:
    """Where the drawing of lots puts an entry: the order of SHA-256(lots of the event, number of the entry)."""
    return hashlib.sha256(f"{event.lots}:{entry_id}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Task:
    """A round to be paired, with all that follows into it. Equal tasks give equal rounds."""

    number: int
    order: tuple[Entrant, ...] = ()
    results: tuple[Result, ...] = ()
    blocks: frozenset[frozenset[int]] = frozenset()
    lots: tuple[int, ...] = ()
    last: bool = False
    tables: TableTerms | None = None
    """None: two play against each other, by the Swiss system."""
    made: Round | None = None
    """The round itself where a schedule or a bracket gives it, so that nothing is left to be worked out."""
    seeds: tuple[int, ...] = ()
    """For the first round of finals: who plays them, in the order of seeds."""

    @property
    def is_long(self) -> bool:
        """Whether working it out is too much for the answer to a button: more than `LONG` to be matched or seated."""
        return self.made is None and sum(one.is_paired_in(self.number) for one in self.order) > LONG

    def work_out(self, progress: Progress | None = None) -> Round:
        """The round, with a reason for each pairing."""
        if self.made is not None:
            return self.made
        if self.tables is None:
            return swiss.pair_round(
                self.order, self.results, self.number, blocks=self.blocks, last=self.last, progress=progress
            )
        return tables.pair_round(
            self.order, self.results, self.number, terms=self.tables, lots=self.lots, blocks=self.blocks,
            progress=progress,
        )  # fmt: skip


def next_task(
    connection: Connection, event: EventNow, division: DivisionNow, there: Sequence[RoundNow], number: int
) -> Task:
    """What the next round is worked out from.

    NotAccepted when the round before still runs in a format that needs its results, or when there is none.
    """
    people = schedule.people(connection, event, division)
    order = tuple(entry.as_entrant() for entry in people)
    before = schedule.published(there)
    if event.format == "round_robin":
        return Task(number, made=next_of(schedule.rest(connection, event, order, there), number))
    is_group = event.format == "stages" and division.level > 1
    if before and before[-1].status != "closed" and not is_group:
        raise NotAccepted("round.running", Text("Close round {n} first; this format needs its results.", n=number - 1))
    results = tuple(outcomes.results_of(connection, division.id))
    if event.format in ("knockout", "stages"):
        from app.services.leagues import brackets, stages

        if event.format == "stages":
            made, seeds = stages.pair(connection, event, division, order, there, number)
            return Task(number, made=made, seeds=tuple(seeds))
        return Task(number, made=brackets.pair(event, order, results, number))
    if event.terms.rounds is not None and number > event.terms.rounds:
        raise NotAccepted("round.last", events.all_paired(event.terms.rounds))
    blocks = frozenset(_blocks(connection, people))
    if event.format == "swiss":
        return Task(number, order, results, blocks, last=number == event.terms.rounds)
    if event.format == "tables":
        sizes = event.terms.sizes
        terms_of_tables = TableTerms(least=min(sizes), most=max(sizes), prefer=sizes[0])
        lots = tuple(entry.id for entry in sorted(people, key=lambda entry: lot(event, entry.id)))
        return Task(number, order, results, blocks, lots, tables=terms_of_tables)
    raise NotAccepted("round.format", Text("Rounds of this format are made by its players' challenges."))


def next_of(rest: Sequence[Round], number: int) -> Round:
    """The first of the rounds that are left. NotAccepted when none is."""
    if not rest:
        raise NotAccepted("round.last", events.all_paired(number - 1))
    return rest[0]


def _blocks(connection: Connection, people: Sequence[EntryNow]) -> set[frozenset[int]]:
    entry = {one.player_id: one.id for one in people}
    pairs = members.blocks_among(connection, list(entry))
    return {frozenset(entry[player] for player in pair) for pair in pairs}
