"""The standings of an event of teams: the table of teams, their matches against each other, the best at each board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session

from app.leagues.pure.model import NOTHING, PLAYED, Competitor, Points
from app.leagues.pure.teams.standings import TeamPlace, team_standings
from app.leagues.tables import Competition, CompetitionRound, Team
from app.leagues.teams import team_rounds
from app.leagues.teams.team_rounds import TeamMatchNow


@dataclass(frozen=True, slots=True)
class BoardPlayer:
    """A player's results at one board."""

    entry_id: int
    points: Points
    games: int


@dataclass(frozen=True, slots=True)
class TeamTable:
    """The standings of an event's teams."""

    places: tuple[TeamPlace, ...]
    """The first team first."""
    matches: tuple[TeamMatchNow, ...]
    """Published ones, in the order of rounds."""
    best: tuple[tuple[BoardPlayer, ...], ...]
    """For each board the player with the most points in the fewest games; several if they are equal."""

    def between(self, one: int, other: int) -> list[TeamMatchNow]:
        """Return the matches of two teams against each other."""
        return [match for match in self.matches if {team.id for team in match.teams} == {one, other}]


def of_event(
    session: Session, event: Competition, there: Sequence[CompetitionRound], playing: Sequence[Team]
) -> TeamTable:
    """Return the current table; `there` are the published rounds, `playing` the teams of the event."""
    found = team_rounds.played(session, event, there, playing)
    order = [Competitor(team.id, team.name, team.seed) for team in playing]
    results = [one.result for one in found]
    places = team_standings(order, results, event.terms, event.lots, format=event.format)
    return TeamTable(places, tuple(found), tuple(_best(found, board) for board in range(event.boards)))


def _best(matches: Sequence[TeamMatchNow], board: int) -> tuple[BoardPlayer, ...]:
    made: dict[int, list[Points]] = {}
    for match in matches:
        result = match.boards[board].result if match.boards else None
        if result is not None and result.ended == PLAYED and result.points is not None:
            for entrant, points in zip(result.players, result.points, strict=True):
                if entrant is not None:
                    made.setdefault(entrant, []).append(points)
    best = [BoardPlayer(entrant, sum(points, NOTHING), len(points)) for entrant, points in sorted(made.items())]
    most = max(((one.points, -one.games) for one in best), default=None)
    return tuple(one for one in best if (one.points, -one.games) == most)
