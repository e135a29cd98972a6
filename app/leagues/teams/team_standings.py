"""The standings of an event of teams: the table of teams, their matches against each other, the best at each board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlmodel import Session

from app.leagues.pure.model import PLAYED, Competitor, Points
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
    points: dict[int, Points] = {}
    games: dict[int, int] = {}
    for match in matches:
        if not match.boards:
            continue
        result = match.boards[board].result
        if result.ended == PLAYED and result.points is not None:
            for entrant, made in zip(result.players, result.points, strict=True):
                if entrant is not None:
                    points[entrant] = points.get(entrant, Fraction(0)) + made
                    games[entrant] = games.get(entrant, 0) + 1
    return _first(points, games)


def _first(points: Mapping[int, Points], games: Mapping[int, int]) -> tuple[BoardPlayer, ...]:
    if not points:
        return ()
    most = max((made, -games[entrant]) for entrant, made in points.items())
    return tuple(
        BoardPlayer(entrant, made, games[entrant])
        for entrant, made in sorted(points.items())
        if (made, -games[entrant]) == most
    )
