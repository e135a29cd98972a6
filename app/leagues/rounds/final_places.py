"""The order of events that points do not order: the current ladder, or the places reached in a knock-out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.leagues.events import entries
from app.leagues.pure.pairing.knockout import Bracket, FilledBy
from app.leagues.results import standings
from app.leagues.rounds import brackets, ladder
from app.leagues.tables import Competition, Division, Entrant


@dataclass(frozen=True, slots=True)
class Ranking:
    """A ladder or a knock-out in order: players still in come first, by seed."""

    division: Division
    lines: Sequence[tuple[int | None, Entrant]]
    """The players with their places, which can be shared in a knock-out; None while still in it."""
    bracket: Bracket | None = None
    """None for a ladder."""


def by_points(session: Session, event: Competition) -> list[standings.Standing]:
    """Return the tables of an event ordered by points; empty for a ladder or a knock-out."""
    return standings.standings_of(session, event) if event.plays.by_points else []


def tables(session: Session, event: Competition, now: datetime) -> list[Ranking]:
    """Return the ladder of an event, or its drawn brackets; empty for other formats and before the start."""
    if event.started_at is None or not (event.plays.by_challenge or event.plays.has_bracket):
        return []
    people = {one.id: one for one in entries.entrants(session, event.id)}
    if event.plays.by_challenge:
        order = ladder.read(session, event, now).ladder.order
        return [Ranking(event.divisions[0], [(at, people[entrant]) for at, entrant in enumerate(order, 1)])]
    found = []
    for division in event.divisions:
        drawn = brackets.bracket_of(session, event, division)
        if drawn is not None:
            found.append(Ranking(division, [(place, people[entrant]) for place, entrant in drawn.ranked()], drawn))
    return found


def as_data(reached: Ranking) -> dict[str, Any]:
    """Return the order as plain data; for a knock-out with the matches of each round."""
    made: dict[str, Any] = {
        "division": reached.division.name,
        "standings": [
            {"place": place, "entry": one.id, "name": one.name, "withdrawn_after": one.withdrawn_after}
            for place, one in reached.lines
        ],
    }
    if reached.bracket is not None:
        names = {one.id: one.name for _, one in reached.lines}
        made["bracket"] = [
            [
                {
                    "match": slot.match.number,
                    "for_third_place": slot.match.source == FilledBy.LOSER,
                    "over": slot.decision.over,
                    "players": [
                        None if who is None else {"entry": who, "name": names[who]} for who in slot.decision.players
                    ],
                    "winner": slot.decision.winner,
                }
                for slot in row
            ]
            for row in brackets.slots(reached.bracket)
        ]
    return made
