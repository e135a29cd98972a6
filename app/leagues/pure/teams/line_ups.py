"""In which order the players of a team stand."""

from __future__ import annotations

from collections.abc import Sequence

from .model import SquadPlayer
from .terms import TeamTerms


def in_board_order(squad: Sequence[SquadPlayer], terms: TeamTerms) -> list[SquadPlayer]:
    """The squad from the strongest on, by the terms' order of boards; who has no rating comes last."""
    if terms.board_order == "fixed":
        return sorted(squad, key=lambda player: player.order)
    return sorted(squad, key=lambda player: (player.rating is None, -(player.rating or 0), player.order))
