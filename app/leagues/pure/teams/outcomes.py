"""What a match brings: board points, match points, and what its open boards can still change."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from ..model import (
    DOUBLE_FORFEIT,
    FULL_BYE,
    HALF_BYE,
    NOTHING,
    PAIRING_BYE,
    VOID,
    Points,
)
from .model import BoardResult, Both, TeamMatch, board_points, forfeited_board
from .terms import TeamTerms


class MatchEnd(StrEnum):
    """How a match ends for one team."""

    WON = "won"
    DRAWN = "drawn"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Needs:
    """What a team needs of the boards that are open; None where nothing is enough, 0 where nothing is needed."""

    to_win: Points | None
    to_draw: Points | None
    """Not to lose: a draw or more."""


@dataclass(frozen=True, slots=True)
class MatchScore:
    """A match as it stands. Whatever is of both teams is in the order of the teams."""

    board_points: Both
    """So far."""
    match_points: Both | None
    """None as long as they are not decided."""
    open_boards: int
    ends: tuple[MatchEnd, MatchEnd] | None
    """How the match ends, or has ended, for each; None as long as that is open. A match that nobody played is lost by
    both, and an annulled one or a bye has no end."""
    needs: tuple[Needs, Needs]
    last_board: tuple[tuple[MatchEnd, MatchEnd, MatchEnd], ...]
    """With one board open: for each team how the match ends if it wins, draws or loses that board. Else empty."""

    @property
    def is_decided(self) -> bool:
        """Whether the boards that are open cannot change who wins."""
        return self.ends is not None


def score(match: TeamMatch, terms: TeamTerms) -> MatchScore:
    """How a match of two teams stands, or what a round without one brings."""
    if match.bye:
        free = (all_board_points(match, terms)[0], NOTHING), (match_points(match, terms)[0], NOTHING)
        return MatchScore(*free, 0, None, (Needs(NOTHING, NOTHING), Needs(NOTHING, NOTHING)), ())
    made = board_points(match)
    left = sum(board.is_open for board in match.boards)
    nothing = Needs(NOTHING, NOTHING)
    if match.ended() == DOUBLE_FORFEIT:
        return MatchScore(made, (terms.loss, terms.loss), 0, (MatchEnd.LOST, MatchEnd.LOST), (nothing, nothing), ())
    if match.ended() == VOID:
        return MatchScore(made, (NOTHING, NOTHING), 0, None, (nothing, nothing), ())
    possible = {(end, gained): _end(end) for end, gained in _ways(made, left, terms)}
    sure = set(possible.values())
    end = sure.pop() if len(sure) == 1 else None
    last: tuple[tuple[MatchEnd, MatchEnd, MatchEnd], ...] = ()
    if left == 1:
        results = ((terms.board_win, terms.board_loss), (terms.board_draw, terms.board_draw))
        ways = [*results, (terms.board_loss, terms.board_win)]
        first = [_end((made[0] + one, made[1] + other)) for one, other in ways]
        second = [OPPOSITE[one] for one in reversed(first)]
        last = ((first[0], first[1], first[2]), (second[0], second[1], second[2]))
    return MatchScore(
        made,
        None if end is None else (_match_points(end, terms), _match_points(OPPOSITE[end], terms)),
        left,
        None if end is None else (end, OPPOSITE[end]),
        (_needs(possible, 0), _needs(possible, 1)),
        last,
    )


OPPOSITE = {MatchEnd.WON: MatchEnd.LOST, MatchEnd.DRAWN: MatchEnd.DRAWN, MatchEnd.LOST: MatchEnd.WON}
_RANK = {MatchEnd.LOST: 0, MatchEnd.DRAWN: 1, MatchEnd.WON: 2}


def _end(points: Both) -> MatchEnd:
    if points[0] == points[1]:
        return MatchEnd.DRAWN
    return MatchEnd.WON if points[0] > points[1] else MatchEnd.LOST


def _match_points(end: MatchEnd, terms: TeamTerms) -> Points:
    return {MatchEnd.WON: terms.win, MatchEnd.DRAWN: terms.draw, MatchEnd.LOST: terms.loss}[end]


def _ways(made: Both, left: int, terms: TeamTerms) -> set[tuple[Both, Both]]:
    """All that open boards can lead to: the points at the end, and those of them from open boards."""
    found = set()
    for won in range(left + 1):
        for drawn in range(left + 1 - won):
            lost = left - won - drawn
            gained = (
                won * terms.board_win + drawn * terms.board_draw + lost * terms.board_loss,
                lost * terms.board_win + drawn * terms.board_draw + won * terms.board_loss,
            )
            found.add(((made[0] + gained[0], made[1] + gained[1]), gained))
    return found


def _needs(possible: dict[tuple[Both, Both], MatchEnd], side: int) -> Needs:
    """The least points of open boards with which, and with more, the match is always won, or not lost."""
    ends = [(gained[side], end if side == 0 else OPPOSITE[end]) for (_, gained), end in possible.items()]
    enough: dict[int, Points | None] = {}
    for rank in (1, 2):
        short = [points for points, end in ends if _RANK[end] < rank]
        good = [points for points, end in ends if _RANK[end] >= rank and (not short or points > max(short))]
        enough[rank] = (min(good) if short else NOTHING) if good else None
    return Needs(enough[2], enough[1])


# -- what a match, or a round without one, brings ------------------------------------------------------


def match_points(match: TeamMatch, terms: TeamTerms) -> tuple[Points, ...]:
    """The match points of each team of a match that has ended, or of a bye. ValueError while boards are open."""
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
    """The board points of each team, also of a bye."""
    if match.bye:
        full: dict[str, Points] = {
            PAIRING_BYE: terms.bye_board_points,
            FULL_BYE: terms.board_win * terms.boards,
            HALF_BYE: terms.board_draw * terms.boards,
        }
        return (full.get(match.bye, NOTHING),)
    return board_points(match)


# -- forfeits ------------------------------------------------------------------------------------------


def with_board(match: TeamMatch, board: int, result: BoardResult) -> TeamMatch:
    """The match with another result of a board."""
    boards = list(match.boards)
    boards[board - 1] = result
    return replace(match, boards=tuple(boards))


def forfeit_boards(match: TeamMatch, boards: Iterable[int], by: Collection[int], terms: TeamTerms) -> TeamMatch:
    """The match with these boards forfeited by one team, or by both; what was there before is gone."""
    lost = (match.first in by, match.second in by)
    for board in boards:
        match = with_board(match, board, forfeited_board(match.boards[board - 1].players, lost, terms))
    return match


def forfeit_match(match: TeamMatch, by: Collection[int], terms: TeamTerms) -> TeamMatch:
    """The match forfeited by one team, or by both: the boards that are open are lost; what has ended stands."""
    return forfeit_boards(match, [at for at, board in enumerate(match.boards, start=1) if board.is_open], by, terms)
