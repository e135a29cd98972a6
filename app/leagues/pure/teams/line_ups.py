"""The order of a team's players."""

from __future__ import annotations

from collections.abc import Sequence

from .model import SquadPlayer
from .terms import TeamTerms


def in_board_order(squad: Sequence[SquadPlayer], terms: TeamTerms) -> list[SquadPlayer]:
    """Return the squad, strongest first, by the terms' order of boards; players without a rating come last."""
    if terms.board_order == "fixed":
        return sorted(squad, key=lambda player: player.order)
    return sorted(squad, key=lambda player: (player.rating is None, -(player.rating or 0), player.order))
