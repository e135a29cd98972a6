"""Standings of teams, with FIDE's tie-breaks for them (Handbook C.07, in force from 1 March 2026), and the rounds that
follow from them.

Match points, then board points, then direct encounter, each applied only to teams tied on all before it; lots in the
end. Direct encounter (6, 13.3) goes by match points in matches among the tied teams; if those do not separate them, by
their board points there, and again from the beginning for those who are still tied.

Rounds without a match count like those without a game (`app.leagues.pure.tiebreaks`). A match counts once all its
boards have ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..formats import Format
from ..model import NOTHING, PLAYED, VOID, Competitor, Points, Result
from ..standings import Cut, Ranking
from ..term_kinds import Worth
from ..terms import MATCH_WORTH, Terms
from ..tiebreaks import Book
from .model import TeamMatch, board_points
from .outcomes import all_board_points, match_points


@dataclass(frozen=True, slots=True)
class TeamPlace:
    """One line of the standings of teams, in order; places are never shared, since lots decide in the end."""

    team: int
    match_points: Points
    board_points: Points
    direct: Points | None
    """In direct encounter; None where that was not needed."""
    ends: tuple[int, ...]
    """1, 0 or -1 for each match in which a game was played: won, drawn, lost."""


def team_standings(
    teams: Sequence[Competitor],
    matches: Sequence[TeamMatch],
    terms: Terms,
    lots: str,
    *,
    format: str = Format.ROUND_ROBIN,
) -> tuple[TeamPlace, ...]:
    """Return all teams in order, the first first.

    Matches with open boards are left out; `lots` and `format` are those of `app.leagues.pure.standings.standings`.
    """
    ended = sorted((one for one in matches if one.has_ended and one.ended() != VOID), key=lambda one: one.round)
    results = [Result(one.round, one.teams, match_points(one, terms), one.ended()) for one in ended]
    on_boards = [replace(one, points=all_board_points(match, terms)) for one, match in zip(results, ended, strict=True)]
    board_worth = Worth(*((terms.boards or 0) * points for points in terms.worth))
    books = [
        Book(teams, made, replace(terms, worth=worth), format, frozenset())
        for made, worth in ((results, MATCH_WORTH), (on_boards, board_worth))
    ]
    ranking = _TeamRanking(teams, books, ("match_points", "board_points", "direct", "lots"), lots)
    scale = books[0].scale
    return tuple(
        TeamPlace(
            team,
            ranking.points(team),
            ranking.points(team, 1),
            Fraction(ranking.direct[team]) / scale if team in ranking.direct else None,
            tuple(_end(one, team) for one in ended if one.ended() == PLAYED and team in one.teams),
        )
        for team in ranking.ranked()[0]
    )


class _TeamRanking(Ranking):
    """Orders teams: the first book has their match points, the second their board points."""

    def _by_value(self, group: list[int], name: str) -> tuple[list[list[int]], list[Cut]]:
        if name == "lots":
            return super()._by_value(group, name)
        book = self.books[name == "board_points"]
        return self._in_order("points", {team: book.cards[team].points for team in group}, book)


def _end(match: TeamMatch, team: int) -> int:
    mine, theirs = board_points(match) if match.first == team else board_points(match)[::-1]
    return (mine > theirs) - (mine < theirs)


# -- rounds ---------------------------------------------------------------------------------------------


def swiss_field(
    teams: Sequence[Competitor], matches: Sequence[TeamMatch], round: int, terms: Terms
) -> tuple[list[Competitor], list[Result]]:
    """Return the data for pairing a Swiss round of teams: the teams and their results in match points.

    Teams with equal points are in the order of their board points and then of their seeds. Raises ValueError while a
    match of an earlier round has open boards.
    """
    earlier = [match for match in matches if match.round < round]
    if not all(match.has_ended for match in earlier):
        raise ValueError("a match of an earlier round has not ended")
    second = {team.id: NOTHING for team in teams}
    for match in earlier:
        for team, points in zip(match.teams, all_board_points(match, terms), strict=True):
            if team in second:
                second[team] += points
    order = sorted(teams, key=lambda team: (-second[team.id], team.seed))
    ranked = [replace(team, seed=seed) for seed, team in enumerate(order, start=1)]
    return ranked, [Result(one.round, one.teams, match_points(one, terms), one.ended()) for one in earlier]
