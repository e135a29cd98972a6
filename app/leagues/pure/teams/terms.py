"""The terms of team matches as data: how many boards, who sits where, what counts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from engine.kernel.text import N_

TEAM_TIE_BREAK_NAMES = {
    "match_points": N_("match points"),
    "board_points": N_("board points"),
    "extended_direct": N_("extended direct encounter"),
    "lots": N_("drawing of lots"),
}
"""What places a team above another, in this order (see `app.leagues.pure.teams.standings`)."""


@dataclass(frozen=True, slots=True)
class TeamTerms:
    """Everything that matches and standings of teams need to know. Points are fractions."""

    boards: int = 4
    """Of each match, 1 to 20."""
    win: Fraction = Fraction(2)
    draw: Fraction = Fraction(1)
    loss: Fraction = Fraction(0)
    """Match points of a match won, drawn and lost."""
    board_win: Fraction = Fraction(1)
    board_draw: Fraction = Fraction(1, 2)
    board_loss: Fraction = Fraction(0)
    """Board points of a game."""
    bye_match: Fraction | None = None
    """Match points of the pairing-allocated bye; None: those of a drawn match (FIDE C.04.6, article 1.4)."""
    bye_board: Fraction | None = None
    """Board points of the pairing-allocated bye; None: those of draws on all boards."""
    board_order: str = "fixed"
    """See `app.leagues.pure.terms.Terms`."""
    sides: str = "alternate"
    """The first-named team begins on every other board (`alternate`), or on all (`same`)."""
    legs: int = 1
    """Of a round robin: 2 is a double one."""
    withdrawal: str = "half"
    """See `app.leagues.pure.terms.Terms`."""

    @property
    def bye_match_points(self) -> Fraction:
        return self.draw if self.bye_match is None else self.bye_match

    @property
    def bye_board_points(self) -> Fraction:
        return self.board_draw * self.boards if self.bye_board is None else self.bye_board


TEAM_USUAL = TeamTerms()
