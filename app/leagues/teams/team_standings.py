"""The standings of an event of teams: the table of teams, their matches against each other, the best at each board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from sqlmodel import Session, col, select

from app.leagues.clubs import audit
from app.leagues.pure.model import NOTHING, PLAYED, Competitor, Points
from app.leagues.pure.teams.standings import TeamPlace, team_standings
from app.leagues.tables import Audit, Competition, CompetitionRound, CompetitionStatus, Team
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
    if event.status == CompetitionStatus.OVER:
        places = _as_it_ended(session, event, places, playing)
    return TeamTable(places, tuple(found), tuple(_best(found, board) for board in range(event.boards)))


def _as_it_ended(
    session: Session, event: Competition, places: Sequence[TeamPlace], playing: Sequence[Team]
) -> tuple[TeamPlace, ...]:
    """Keep teams with equal points in their order at the end: 1.0 asked more of them before it drew lots."""
    asked = select(Audit.after).where(col(Audit.event_id) == event.id, audit.IS_FINAL)
    ended = [team for team, *_ in (session.exec(asked).first() or {}).get(audit.TEAMS, ())]
    at = {team.id: ended.index(team.name) for team in playing if team.name in ended}
    tied = groupby(places, key=lambda one: (one.match_points, one.board_points))
    return tuple(one for _, equal in tied for one in sorted(equal, key=lambda one: at.get(one.team, 0)))


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
