"""Who plays on which board of a match: the line-up that a captain names, or the usual one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..why import Reason
from .model import SquadPlayer
from .terms import TeamTerms

LineUp = tuple[int | None, ...]
"""The player of each board from board 1 on; None where the team has nobody, which is on the last boards."""


def line_up(squad: Sequence[SquadPlayer], chosen: Sequence[int], terms: TeamTerms) -> LineUp | Reason:
    """The line-up of the players that a captain chose, in the order of boards; or the reason why it cannot stand.

    It can be short of players: the last boards are then empty, and forfeited. The order is the squad's fixed one, or
    by rating: nobody plays above somebody whose rating is higher by more than `terms.tolerance`, and who has no rating
    plays below those who have one.
    """
    known = {player.id: player for player in squad}
    if not chosen:
        return Reason("lineup.nobody")
    if len(chosen) > terms.boards:
        return Reason("lineup.too_many", boards=terms.boards, n=len(chosen))
    for board, who in enumerate(chosen, start=1):
        if who not in known:
            return Reason("lineup.stranger", board=board)
        if who in chosen[: board - 1]:
            return Reason("lineup.twice", entrant=who)
    players = [known[who] for who in chosen]
    for at, upper in enumerate(players):
        for lower in players[at + 1 :]:
            wrong = _by_rating(upper, lower, terms) if terms.board_order == "rating" else _by_order(upper, lower)
            if wrong is not None:
                return wrong
    return (*chosen, *[None] * (terms.boards - len(chosen)))


def _by_order(upper: SquadPlayer, lower: SquadPlayer) -> Reason | None:
    return None if upper.order < lower.order else Reason("lineup.order", entrant=lower.id, opponent=upper.id)


def _by_rating(upper: SquadPlayer, lower: SquadPlayer, terms: TeamTerms) -> Reason | None:
    if lower.rating is None:
        return None
    if upper.rating is None:
        return Reason("lineup.unrated", entrant=upper.id, opponent=lower.id)
    if lower.rating - upper.rating <= terms.tolerance:
        return None
    return Reason(
        "lineup.rating",
        entrant=upper.id,
        opponent=lower.id,
        rating=round(upper.rating),
        other_rating=round(lower.rating),
        tolerance=terms.tolerance,
    )


def in_board_order(squad: Sequence[SquadPlayer], terms: TeamTerms) -> list[SquadPlayer]:
    """The squad from the strongest on, by the terms' order of boards; who has no rating comes last."""
    if terms.board_order == "fixed":
        return sorted(squad, key=lambda player: player.order)
    return sorted(squad, key=lambda player: (player.rating is None, -(player.rating or 0), player.order))


def usual_line_up(squad: Sequence[SquadPlayer], terms: TeamTerms, away: Collection[int] = ()) -> LineUp:
    """The line-up of a team whose captain named none: its strongest players who are not away."""
    there = [player.id for player in in_board_order(squad, terms) if player.id not in away][: terms.boards]
    return (*there, *[None] * (terms.boards - len(there)))


def team_rating(squad: Sequence[SquadPlayer], terms: TeamTerms) -> float | None:
    """What a team is seeded by: the mean rating of the strongest players whom a match needs; None without a rating."""
    rated = sorted((player.rating for player in squad if player.rating is not None), reverse=True)[: terms.boards]
    return sum(rated) / len(rated) if rated else None
