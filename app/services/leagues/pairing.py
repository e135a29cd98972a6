"""Which pairing an event's format asks for, from its entries and results."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.leagues import berger, swiss, tables
from app.leagues.tables_search import Terms as TableTerms
from app.services.leagues import entries, handover, members, outcomes
from app.services.people import NotAccepted
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.leagues.model import Round
    from app.services.leagues.entries import EntryNow
    from app.services.leagues.events import DivisionNow, EventNow
    from app.services.leagues.rounds import RoundNow


def lot(event: EventNow, entry_id: int) -> str:
    """Where the drawing of lots puts an entry: the order of SHA-256(lots of the event, number of the entry)."""
    return hashlib.sha256(f"{event.lots}:{entry_id}".encode()).hexdigest()


def next_round(
    connection: Connection, event: EventNow, division: DivisionNow, there: Sequence[RoundNow], number: int
) -> tuple[Round, Sequence[int]]:
    """The next round; for the first one of finals also who plays them, in the order of seeds.

    NotAccepted when the round before still runs in a format that needs its results, or when there is none.
    """
    gone = handover.replaced(connection, event.id)  # a substitute sits in their place
    people = [
        entry
        for entry in entries.entries(connection, event.id, division_id=division.id)
        if entry.status in ("entered", "withdrawn") and entry.seed and entry.id not in gone
    ]
    order = [entry.as_entrant() for entry in people]
    before = [each for each in there if each.status != "draft"]
    results = outcomes.results_of(connection, division.id)
    blocks = _blocks(connection, people)
    lots = [entry.id for entry in sorted(people, key=lambda entry: lot(event, entry.id))]
    if event.format == "round_robin":
        return _of_schedule(berger.schedule(order, double=event.terms.legs == 2), number), ()
    is_group = event.format == "stages" and division.level > 1
    if before and before[-1].status != "closed" and not is_group:
        raise NotAccepted("round.running", Text("Close round {n} first; this format needs its results.", n=number - 1))
    if event.format in ("knockout", "stages"):
        from app.services.leagues import brackets, stages

        if event.format == "stages":
            return stages.pair(connection, event, division, people, number)
        return brackets.pair(event, order, results, number), ()
    if event.terms.rounds is not None and number > event.terms.rounds:
        raise NotAccepted("round.last", Text("All {n} rounds of this event are paired.", n=event.terms.rounds))
    if event.format == "swiss":
        last = number == event.terms.rounds
        return swiss.pair_round(order, results, number, blocks=blocks, last=last), ()
    if event.format == "tables":
        sizes = event.terms.sizes
        terms_of_tables = TableTerms(least=min(sizes), most=max(sizes), prefer=sizes[0])
        return tables.pair_round(order, results, number, terms=terms_of_tables, lots=lots, blocks=blocks), ()
    raise NotAccepted("round.format", Text("Rounds of this format are made by its players' challenges."))


def _of_schedule(schedule: Sequence[Round], number: int) -> Round:
    if number > len(schedule):
        raise NotAccepted("round.last", Text("All {n} rounds of this event are paired.", n=len(schedule)))
    return schedule[number - 1]


def _blocks(connection: Connection, people: Sequence[EntryNow]) -> set[frozenset[int]]:
    entry = {one.player_id: one.id for one in people}
    pairs = members.blocks_among(connection, list(entry))
    return {frozenset(entry[player] for player in pair) for pair in pairs}
