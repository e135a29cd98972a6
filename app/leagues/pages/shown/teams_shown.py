"""What the pages of an event show about its teams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from sqlmodel import Session

from app.base.words.speech import Voice
from app.leagues.pages.shown.divisions import round_shown
from app.leagues.pure.model import VOID
from app.leagues.pure.standings import said_value
from app.leagues.tables import Competition, CompetitionRound, Team
from app.leagues.teams import team_standings
from app.leagues.teams.team_rounds import TeamMatchNow


def teams_shown(
    session: Session,
    event: Competition,
    voice: Voice,
    there: Sequence[CompetitionRound],
    playing: Sequence[Team],
    names: Mapping[int, str],
) -> dict[str, Any]:
    """Return the table of teams, the table of their matches, the matches by round and the best at each board.

    `there` are the published rounds, `names` those of entrants.
    """
    table = team_standings.of_event(session, event, there, playing)
    shown = [round_shown(round, voice, names, title=event.title, full=False) for round in there]
    games = {match["now"].id: match for round in shown for match in round["matches"]}
    return {
        "lines": team_lines(table, playing),
        "cross": _cross(table),
        "rounds": [
            {"now": round, "matches": [match_shown(one, games) for one in table.matches if one.round.id == round.id]}
            for round in reversed(there)
        ],
        "best": [
            [
                {
                    "name": voice.person(names[one.entry_id]),
                    "points": said_value("points", one.points),
                    "games": one.games,
                }
                for one in first
            ]
            for first in table.best
        ],
    }


def team_lines(table: team_standings.TeamTable, playing: Sequence[Team]) -> list[dict[str, Any]]:
    """Return the teams in order."""
    called = {team.id: team.name for team in playing}
    return [
        {
            "place": at,
            "id": one.team,
            "name": called[one.team],
            "tally": (len(one.ends), *map(one.ends.count, (1, 0, -1))),
            "match_points": said_value("points", one.match_points),
            "board_points": said_value("points", one.board_points),
            "direct": said_value("direct", one.direct),
        }
        for at, one in enumerate(table.places, 1)
    ]


def _cross(table: team_standings.TeamTable) -> list[dict[str, Any]]:
    """For each team in order what it made against each other: board points of each match with its number."""
    order = [one.team for one in table.places]
    return [
        {
            "place": at,
            "id": line.team,
            "cells": [
                None
                if other == line.team
                else [
                    (said_value("points", points_of(match, line.team)) if match.is_over else "…", match.id)
                    for match in table.between(line.team, other)
                ]
                for other in order
            ],
        }
        for at, line in enumerate(table.places, 1)
    ]


def points_of(match: TeamMatchNow, team_id: int) -> Fraction:
    """Return the board points of a team in a match so far."""
    return match.score.board_points[0 if match.teams[0].id == team_id else 1]


def match_shown(match: TeamMatchNow, games: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a match of two teams with its boards, or a bye."""
    return {
        "id": match.id,
        "teams": [
            {"id": team.id, "name": team.name, "points": said_value("points", match.score.board_points[side])}
            for side, team in enumerate(match.teams)
        ],
        "bye": match.result.second is None,
        "over": match.is_over,
        "open": match.score.open_boards,
        "decided": match.score.match_points is not None,
        "boards": [
            {
                "number": one.board,
                "game": games.get(one.match.id) if one.match else None,
                "void": one.result.ended == VOID,
            }
            for one in match.boards
        ],
    }
