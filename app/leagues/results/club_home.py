"""What the page of a club shows of its events: the tables of running events, and the latest winners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session

from app.leagues.events import round_rows
from app.leagues.results import standings
from app.leagues.results.standings import Standing
from app.leagues.tables import Competition, CompetitionStatus, Division, Team
from app.leagues.teams import rosters, team_standings
from app.leagues.teams.team_standings import TeamTable

MOST_TABLES = 3
"""Each costs three statements, two more if seats changed hands, and some more for an event of teams."""


@dataclass(frozen=True, slots=True)
class ClubTable:
    """The highest division of a running event, with the names of the others."""

    event: Competition
    standing: Standing | None
    """The number of players; None for an event of teams."""
    others: tuple[Division, ...]
    teams: TeamTable | None = None
    playing: Sequence[Team] = ()


def running_tables(session: Session, events: Sequence[Competition]) -> list[ClubTable]:
    """Return the tables of running events ordered by points, at most `MOST_TABLES` of them."""
    there = [event for event in events if event.status == CompetitionStatus.RUNNING and event.plays.by_points]
    found = []
    for event in there[:MOST_TABLES]:
        divisions = event.entry_divisions
        if divisions and event.boards:
            playing, rounds = rosters.of_event(session, event.id), round_rows.rounds_of(session, divisions[0].id)
            table = team_standings.of_event(session, event, rounds, playing)
            found.append(ClubTable(event, None, (), table, playing))
        elif divisions:
            found.append(ClubTable(event, standings.standing_of(session, event, divisions[0]), tuple(divisions[1:])))
    return found
