"""Which teams meet in which round. The seats of a pairing are the first-named team and the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..model import NOTHING, Competitor, Result
from .model import TeamMatch
from .outcomes import all_board_points
from .standings import as_results
from .terms import TeamTerms


def swiss_field(
    teams: Sequence[Competitor], matches: Sequence[TeamMatch], round: int, terms: TeamTerms
) -> tuple[list[Competitor], list[Result]]:
    """Return the data for pairing a Swiss round of teams: the teams and their results in the points that the terms rank
    first.

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
    return ranked, as_results(earlier, terms, "match_points")
