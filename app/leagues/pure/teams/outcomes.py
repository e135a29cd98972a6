"""The outcome of a match: board points and match points, as soon as its open boards cannot change them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..model import DOUBLE_FORFEIT, NOTHING, VOID, Points
from ..term_kinds import Worth
from ..terms import MATCH_WORTH, Terms
from .model import Both, TeamMatch, board_points


@dataclass(frozen=True, slots=True)
class MatchScore:
    """The current score of a match. Values for both teams are in the order of the teams."""

    board_points: Both
    """So far."""
    match_points: Both | None
    """None until the open boards cannot change them."""
    open_boards: int = 0


def score(match: TeamMatch, terms: Terms) -> MatchScore:
    """Return the current score of a match of two teams, or of a round without one."""
    if match.second is None:
        return MatchScore((all_board_points(match, terms)[0], NOTHING), (MATCH_WORTH.bye, NOTHING))
    made = board_points(match)
    if match.ended() in (DOUBLE_FORFEIT, VOID):
        return MatchScore(made, (MATCH_WORTH.loss, MATCH_WORTH.loss))
    left = sum(board.is_open for board in match.boards)
    sure = {_match_points(points) for points in _ways(made, left, terms.worth)}
    return MatchScore(made, sure.pop() if len(sure) == 1 else None, left)


def _match_points(points: Both) -> Both:
    if points[0] == points[1]:
        return MATCH_WORTH.draw, MATCH_WORTH.draw
    end = MATCH_WORTH.win, MATCH_WORTH.loss
    return end if points[0] > points[1] else end[::-1]


def _ways(made: Both, left: int, worth: Worth) -> Iterator[Both]:
    """Return the points of every possible outcome of the open boards."""
    for won in range(left + 1):
        for drawn in range(left + 1 - won):
            lost = left - won - drawn
            yield (
                made[0] + won * worth.win + drawn * worth.draw + lost * worth.loss,
                made[1] + lost * worth.win + drawn * worth.draw + won * worth.loss,
            )


# -- what a match, or a round without one, brings ------------------------------------------------------


def match_points(match: TeamMatch, terms: Terms) -> tuple[Points, ...]:
    """Return each team's match points in a finished match, or of a bye. Raises ValueError while boards are open."""
    if not match.has_ended:
        raise ValueError("the match has not ended")
    points = score(match, terms).match_points
    assert points is not None
    return points[: len(match.teams)]


def all_board_points(match: TeamMatch, terms: Terms) -> tuple[Points, ...]:
    """Return the board points of each team; a bye brings those of draws on all boards."""
    return (terms.worth.draw * (terms.boards or 0),) if match.second is None else board_points(match)
