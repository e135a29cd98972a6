"""The vocabulary of team matches: players of a squad, boards, matches.

Teams are entrants (`app.leagues.pure.model.Competitor`), identified by number; players have numbers of their own. The
two teams of a match are the *first-named* and the second; values for both are a pair in this order. Boards count from
1, the strongest.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..model import DOUBLE_FORFEIT, NOTHING, PAIRING_BYE, PLAYED, VOID, WALKOVER, Ending, Points
from ..terms import Terms

Both = tuple[Points, Points]
"""The value of the first-named team, and of the second."""
BOARD_ENDINGS = (Ending.OPEN, PLAYED, WALKOVER, DOUBLE_FORFEIT, VOID)


@dataclass(frozen=True, slots=True)
class BoardResult:
    """One board of a match: the players in the order of the teams, and the points of each.

    A player is None if a team has nobody there. While the game runs there are no points. A board that is `VOID` counts
    for neither team.
    """

    players: tuple[int | None, int | None]
    points: Both | None = None
    ended: str = Ending.OPEN

    def __post_init__(self) -> None:
        if self.ended not in BOARD_ENDINGS:
            raise ValueError(f"{self.ended!r} is not the ending of a board")
        if (self.points is None) != (self.ended in (Ending.OPEN, VOID)):
            raise ValueError("a board has points only when it has ended")
        if None in self.players and self.ended in (Ending.OPEN, PLAYED):
            raise ValueError("a game needs two players")

    @property
    def is_open(self) -> bool:
        return self.ended == Ending.OPEN

    @property
    def was_played(self) -> bool:
        return self.ended == PLAYED


@dataclass(frozen=True, slots=True)
class TeamMatch:
    """A match of two teams, or the pairing-allocated bye of one: then `second` is None."""

    round: int
    first: int
    second: int | None
    boards: tuple[BoardResult, ...] = ()
    """From board 1 on."""

    def __post_init__(self) -> None:
        if self.first == self.second:
            raise ValueError("a team cannot play against itself")
        if bool(self.boards) != (self.second is not None):
            raise ValueError("a match has boards, a bye none")

    @property
    def teams(self) -> tuple[int, ...]:
        return (self.first,) if self.second is None else (self.first, self.second)

    @property
    def has_ended(self) -> bool:
        """Whether all boards have ended."""
        return not any(board.is_open for board in self.boards)

    @property
    def was_played(self) -> bool:
        """Whether a game was played on at least one board."""
        return any(board.was_played for board in self.boards)

    def ended(self) -> str:
        """Return how a match got its points, as `Result.ended` has it: played if one board was.

        Without a game it is a walkover, a double forfeit if nobody has a point from it, or void if no board counts.
        """
        if self.second is None:
            return PAIRING_BYE
        if not self.has_ended:
            return Ending.OPEN
        if self.was_played:
            return PLAYED
        if all(board.ended == VOID for board in self.boards):
            return VOID
        return WALKOVER if any(board_points(self)) else DOUBLE_FORFEIT


def board_points(match: TeamMatch) -> Both:
    """Return both teams' board points so far; those of a bye are the terms' (`app.leagues.pure.teams.outcomes`)."""
    given = [board.points for board in match.boards if board.points is not None]
    return sum((points[0] for points in given), NOTHING), sum((points[1] for points in given), NOTHING)


def forfeited_board(players: tuple[int | None, int | None], by: tuple[bool, bool], terms: Terms) -> BoardResult:
    """Return a board without a game: lost by `by`, won by the other."""
    if not any(by):
        raise ValueError("a board is forfeited by one team or by both")
    one, other = (terms.worth.loss if lost else terms.worth.win for lost in by)
    return BoardResult(players, (one, other), DOUBLE_FORFEIT if all(by) else WALKOVER)


def seats(board: int, players: tuple[int, int]) -> tuple[int, int]:
    """Return the players of a board in the order of the seats of its game: who begins first."""
    return players if first_side(board) == 0 else players[::-1]


def first_side(board: int) -> int:
    """Return the seat of the first-named team's player on a board: 0 begins, which is so on boards 1, 3, 5 ..."""
    return (board - 1) % 2
