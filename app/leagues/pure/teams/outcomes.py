"""The outcome of a match: board points and match points, as soon as its open boards cannot change them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from ..model import DOUBLE_FORFEIT, FULL_BYE, HALF_BYE, NOTHING, PAIRING_BYE, VOID, Points
from .model import Both, TeamMatch, board_points
from .terms import TeamTerms


class MatchEnd(StrEnum):
    """How a match ends for one team."""

    WON = "won"
    DRAWN = "drawn"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class MatchScore:
    """The current score of a match. Values for both teams are in the order of the teams."""

    board_points: Both
    """So far."""
    match_points: Both | None
    """None until they are decided."""
    open_boards: int
    ends: tuple[MatchEnd, MatchEnd] | None
    """How the match ends, or has ended, for each; None while that is open.

    A match that nobody played is lost by both, and an annulled one or a bye has no end.
    """

    @property
    def is_decided(self) -> bool:
        """Whether the open boards cannot change the winner."""
        return self.ends is not None


def score(match: TeamMatch, terms: TeamTerms) -> MatchScore:
    """Return the current score of a match of two teams, or of a round without one."""
    if match.bye:
        free = (all_board_points(match, terms)[0], NOTHING), (match_points(match, terms)[0], NOTHING)
        return MatchScore(*free, 0, None)
    made = board_points(match)
    left = sum(board.is_open for board in match.boards)
    if match.ended() == DOUBLE_FORFEIT:
        return MatchScore(made, (terms.loss, terms.loss), 0, (MatchEnd.LOST, MatchEnd.LOST))
    if match.ended() == VOID:
        return MatchScore(made, (NOTHING, NOTHING), 0, None)
    sure = {_end(points) for points in _ways(made, left, terms)}
    end = sure.pop() if len(sure) == 1 else None
    return MatchScore(
        made,
        None if end is None else (_match_points(end, terms), _match_points(OPPOSITE[end], terms)),
        left,
        None if end is None else (end, OPPOSITE[end]),
    )


OPPOSITE = {MatchEnd.WON: MatchEnd.LOST, MatchEnd.DRAWN: MatchEnd.DRAWN, MatchEnd.LOST: MatchEnd.WON}


def _end(points: Both) -> MatchEnd:
    if points[0] == points[1]:
        return MatchEnd.DRAWN
    return MatchEnd.WON if points[0] > points[1] else MatchEnd.LOST


def _match_points(end: MatchEnd, terms: TeamTerms) -> Points:
    return {MatchEnd.WON: terms.win, MatchEnd.DRAWN: terms.draw, MatchEnd.LOST: terms.loss}[end]


def _ways(made: Both, left: int, terms: TeamTerms) -> Iterator[Both]:
    """Return the points of every possible outcome of the open boards."""
    for won in range(left + 1):
        for drawn in range(left + 1 - won):
            lost = left - won - drawn
            yield (
                made[0] + won * terms.board_win + drawn * terms.board_draw + lost * terms.board_loss,
                made[1] + lost * terms.board_win + drawn * terms.board_draw + won * terms.board_loss,
            )


# -- what a match, or a round without one, brings ------------------------------------------------------


def match_points(match: TeamMatch, terms: TeamTerms) -> tuple[Points, ...]:
    """Return each team's match points in a finished match, or of a bye. Raises ValueError while boards are open."""
    if match.bye:
        given: dict[str, Points] = {
            PAIRING_BYE: terms.bye_match_points,
            FULL_BYE: terms.win,
            HALF_BYE: terms.draw,
        }
        return (given.get(match.bye, NOTHING),)
    if not match.has_ended:
        raise ValueError("the match has not ended")
    points = score(match, terms).match_points
    assert points is not None
    return points


def all_board_points(match: TeamMatch, terms: TeamTerms) -> tuple[Points, ...]:
    """Return the board points of each team, also of a bye."""
    if match.bye:
        full: dict[str, Points] = {
            PAIRING_BYE: terms.bye_board_points,
            FULL_BYE: terms.board_win * terms.boards,
            HALF_BYE: terms.board_draw * terms.boards,
        }
        return (full.get(match.bye, NOTHING),)
    return board_points(match)
