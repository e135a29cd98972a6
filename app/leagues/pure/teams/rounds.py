"""Which teams meet in which round. The seats of a pairing are the first-named team and the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .. import berger
from ..model import NOTHING, Competitor, Result, Round
from ..swiss import pair_round
from ..swiss_weights import SwissTerms
from .model import TeamMatch
from .outcomes import all_board_points, match_points
from .standings import as_results
from .terms import TeamTerms


def all_rounds(
    teams: Sequence[Competitor], terms: TeamTerms, *, rounds: int | None = None, first_round: int = 1
) -> list[Round]:
    """The rounds of a round robin by Berger tables, numbered by seed; in a double one (`terms.legs`) the second half
    has the first-named team exchanged. With an odd number one team is free in each round. `rounds` ends it before
    everybody has met. ValueError for fewer than two teams."""
    order = sorted(teams, key=lambda team: team.seed)
    return berger.schedule(order, double=terms.legs == 2, first_round=first_round)[:rounds]


def swiss_round(
    teams: Sequence[Competitor],
    matches: Sequence[TeamMatch],
    round: int,
    terms: TeamTerms,
    *,
    swiss: SwissTerms | None = None,
    last: bool = False,
) -> Round:
    """A Swiss round of teams, paired like players (`swiss_field`)."""
    ranked, results = swiss_field(teams, matches, round, terms)
    return pair_round(ranked, results, round, terms=swiss, last=last)


def swiss_field(
    teams: Sequence[Competitor], matches: Sequence[TeamMatch], round: int, terms: TeamTerms
) -> tuple[list[Competitor], list[Result]]:
    """What a Swiss round of teams is paired from: the teams, those with equal points in the order of their other points
    and then of their seeds, and their results in the points that the terms ask first. ValueError while a match of an
    earlier round has open boards."""
    earlier = [match for match in matches if match.round < round]
    if not all(match.has_ended for match in earlier):
        raise ValueError("a match of an earlier round has not ended")
    other = all_board_points if terms.first == "match_points" else match_points
    second = {team.id: NOTHING for team in teams}
    for match in earlier:
        for team, points in zip(match.teams, other(match, terms), strict=True):
            if team in second:
                second[team] += points
    order = sorted(teams, key=lambda team: (-second[team.id], team.seed))
    ranked = [replace(team, seed=seed) for seed, team in enumerate(order, start=1)]
    return ranked, as_results(earlier, terms, terms.first)
