"""Which teams meet in which round. The seats of a pairing are the first-named team and the other."""

from __future__ import annotations

from collections.abc import Sequence

from .. import berger
from ..model import Entrant, Round
from .terms import TeamTerms


def all_rounds(
    teams: Sequence[Entrant], terms: TeamTerms, *, rounds: int | None = None, first_round: int = 1
) -> list[Round]:
    """The rounds of a round robin by Berger tables, numbered by seed; in a double one (`terms.legs`) the second half
    has the first-named team exchanged. With an odd number one team is free in each round. `rounds` ends it before
    everybody has met. ValueError for fewer than two teams."""
    order = sorted(teams, key=lambda team: team.seed)
    return berger.schedule(order, double=terms.legs == 2, first_round=first_round)[:rounds]
