"""The current standings of an event: its results joined with its players, for pages, files and commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sqlmodel import Session, col, select

from app.base.words.speech import Voice
from app.leagues.events import entries, round_rows, seat_changes
from app.leagues.pure.crosstable import (
    DividedSeat,
    Row,
    Tally,
    ahead,
    crosstable,
    divided,
    tallies,
)
from app.leagues.pure.formats import FORMATS, Format, PlayFormat
from app.leagues.pure.model import Competitor, Result
from app.leagues.pure.standings import Place, Settled, Value, listed, settled, standings
from app.leagues.pure.why import sentence
from app.leagues.results import outcomes
from app.leagues.tables import Competition, CompetitionRound, Division, Entrant, EntrantStatus, Match, RoundStatus


@dataclass(frozen=True, slots=True)
class Standing:
    """A division in order. `names` are those of all entrants, by the numbers of their entrants."""

    event: Competition
    division: Division
    entrants: tuple[Competitor, ...]
    results: tuple[Result, ...]
    counted: Settled
    places: tuple[Place, ...]
    names: dict[int, str]
    players: dict[int, int]
    """The numbers of the players, by entrant."""

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """Return the tie-breaks in order, without the points, which come first."""
        return tuple(name for name in listed(self.event.terms) if name != "points")

    @property
    def withdrawn(self) -> dict[int, int]:
        """Return who has left the event, with the last round they were in: 0 for none."""
        return {one.id: one.withdrawn_after for one in self.entrants if one.withdrawn_after is not None}

    def rows(self) -> tuple[Row, ...]:
        """Return the crosstable."""
        return crosstable(self.places, self.counted)

    def tallies(self) -> dict[int, Tally]:
        """Return how many games everybody has played, won, drawn and lost."""
        return tallies(self.entrants, self.counted, self.event.terms)

    def ahead(self) -> tuple[Result, ...]:
        """Return games against players who have left that count already and are in no round."""
        return ahead(self.results, self.counted)

    def divided(self) -> tuple[DividedSeat, ...]:
        """Return the seats that changed hands, with the shares of their points."""
        return divided(self.counted)

    def reasons(self, voice: Voice) -> list[str]:
        """Return why each place is above the next; one fewer than there are places."""
        names = {entrant: voice.person(name) for entrant, name in self.names.items()}
        return [voice.say(sentence(place.why, names)) for place in self.places if place.why is not None]


def counted_as(event: Competition) -> PlayFormat:
    """Return the format by whose rules the games of a division count: a group is a round robin.

    In an event of teams results stand even if players leave, and not everybody meets.
    """
    if event.boards:
        return FORMATS[Format.SWISS]
    return event.plays.of_tables


def people_of(session: Session, event: Competition, division: Division) -> list[Entrant]:
    """Return everybody who has a line in the standings of a division, by number."""
    return [
        entrant
        for entrant in entries.entrants(session, event.id, division_id=division.id)
        if entrant.seed and entrant.status in (EntrantStatus.ENTERED, EntrantStatus.WITHDRAWN)
    ]


def counted_in(session: Session, event: Competition, people: Sequence[Entrant]) -> tuple[Competitor, ...]:
    """Return the same (`people_of`) as standings count them, with their substitutes."""
    substitutes = seat_changes.substitutes(session, event.id)
    return tuple(replace(entrant.as_competitor(), substitute=substitutes.get(entrant.id)) for entrant in people)


def standing_of(session: Session, event: Competition, division: Division) -> Standing:
    """Return the standings of one division of an event that has started."""
    people = people_of(session, event, division)
    entrants = counted_in(session, event, people)
    results = tuple(outcomes.results_of(session, division.id))
    format = counted_as(event).key
    return Standing(
        event,
        division,
        entrants,
        results,
        settled(entrants, results, event.terms, format=format),
        standings(entrants, results, event.terms, event.lots, format=format),
        {entrant.id: entrant.name for entrant in people},
        {entrant.id: entrant.player_id for entrant in people},
    )


def standings_of(session: Session, event: Competition) -> list[Standing]:
    """Return all standings, highest division first; empty before the start. Finals have a bracket instead."""
    if event.started_at is None:
        return []
    return [standing_of(session, event, division) for division in event.entry_divisions]


def as_data(standing: Standing) -> dict[str, Any]:
    """Return the standings of a division as plain data: points and values as fractions."""
    withdrawn, tally = standing.withdrawn, standing.tallies()
    return {
        "division": standing.division.name,
        "tie_breaks": list(standing.tie_breaks),
        "standings": [
            {
                "place": place.place,
                "name": standing.names[place.entrant],
                "entry": place.entrant,
                "points": str(place.points),
                "played": tally[place.entrant].played,
                "won": tally[place.entrant].won,
                "drawn": tally[place.entrant].drawn,
                "lost": tally[place.entrant].lost,
                "without_playing": tally[place.entrant].given,
                "values": {name: _exact(place.values[name]) for name in standing.tie_breaks},
                "above_the_next_by": place.decided or None,
                "void": place.is_void,
                "withdrawn_after": withdrawn.get(place.entrant),
            }
            for place in standing.places
        ],
        "games_ahead": [
            {
                "ended": result.ended,
                "seats": _points_as_data(standing, zip(result.seats, result.points, strict=True)),
            }
            for result in standing.ahead()
        ],
        "divided_seats": [
            {"round": seat.round, "points": str(seat.points), "gains": _points_as_data(standing, seat.gains)}
            for seat in standing.divided()
        ],
    }


def _exact(value: Value) -> str | None:
    return None if value is None else str(value)


def _points_as_data(standing: Standing, gains: Iterable[tuple[int, Fraction]]) -> list[dict[str, Any]]:
    return [
        {"entry": entrant, "name": standing.names.get(entrant, ""), "points": str(points)} for entrant, points in gains
    ]


def newest_results(session: Session, event: Competition, most: int = 50) -> list[tuple[CompetitionRound, Match]]:
    """Return the latest matches that ended, newest first, without byes, each with its round."""
    asked = (
        select(Match.id, Match.round_id)
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .where(
            col(CompetitionRound.event_id) == event.id,
            col(CompetitionRound.status) != RoundStatus.DRAFT,
            col(Match.ended_at).is_not(None),
        )
        .order_by(col(Match.ended_at).desc(), col(Match.id).desc())
        .limit(most)
    )
    rows = session.exec(asked).all()
    there = {number: round_rows.get(session, number) for number in {number for _, number in rows}}
    matches = {match.id: match for round in there.values() for match in round.matches}
    return [(there[number], matches[match]) for match, number in rows]
