"""The terms of team matches as data: how many boards, who sits where, what counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

from engine.kernel.text import N_, Text

from ..terms import (
    WITHDRAWALS,
    WrongTerm,
    read_by,
    read_choice,
    read_number,
    read_points,
    read_selection,
    without_usual,
)

MOST_BOARDS = 20
SCORES = ("match_points", "board_points")
"""What standings ask first."""
BOARD_ORDERS = ("fixed", "rating")
"""A squad keeps the order of boards in which it was entered, or the stronger play above the weaker."""
SIDES = ("alternate", "same")
"""The first-named team begins on every other board, or on all."""
TEAM_TIE_BREAK_NAMES = {
    "match_points": N_("match points"),
    "board_points": N_("board points"),
    "direct": N_("direct encounter"),
    "extended_direct": N_("extended direct encounter"),
    "emmsb": N_("Sonneborn-Berger of match points"),
    "emgsb": N_("match points of opponents times own board points"),
    "egmsb": N_("board points of opponents times own match points"),
    "eggsb": N_("Sonneborn-Berger of board points"),
    "buchholz": N_("Buchholz"),
    "buchholz_cut1": N_("Buchholz without the lowest"),
    "match_wins": N_("matches won"),
    "board_count": N_("board count"),
    "berlin": N_("Berlin weights of boards"),
    "top_board": N_("top board results"),
    "bottom_board": N_("bottom board elimination"),
    "lots": N_("drawing of lots"),
}
TEAM_TIE_BREAKS = tuple(TEAM_TIE_BREAK_NAMES)
"""What can place a team above another (see `app.leagues.pure.teams.tiebreaks`)."""


@dataclass(frozen=True, slots=True)
class TeamTerms:
    """All that matches and standings of teams need to know. Points are fractions."""

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
    first: str = "match_points"
    """One of `SCORES`: what standings ask first."""
    tie_breaks: tuple[str, ...] = (
        "match_points",
        "board_points",
        "extended_direct",
        "emgsb",
        "board_count",
        "bottom_board",
        "lots",
    )
    """In the order in which they are asked, after what is asked first."""
    board_order: str = "fixed"
    """One of `BOARD_ORDERS`."""
    tolerance: int = 0
    """By rating: so much weaker somebody may be who plays above another."""
    sides: str = "alternate"
    """One of `SIDES`."""
    legs: int = 1
    """Of a round robin: 2 is a double one."""
    withdrawal: str = "half"
    """One of `app.leagues.pure.terms.WITHDRAWALS`."""

    @property
    def bye_match_points(self) -> Fraction:
        return self.draw if self.bye_match is None else self.bye_match

    @property
    def bye_board_points(self) -> Fraction:
        return self.board_draw * self.boards if self.bye_board is None else self.bye_board


TEAM_USUAL = TeamTerms()


def write_team_terms(terms: TeamTerms) -> dict[str, Any]:
    """The terms as plain JSON data, without what has its usual value."""
    return without_usual(terms, TEAM_USUAL, [item.name for item in fields(TeamTerms)])


def read_team_terms(data: Mapping[str, Any]) -> TeamTerms:
    """The terms that the data describe. WrongTerm names the first key that is wrong and what is right."""
    return replace(TEAM_USUAL, **read_by(_READERS, data))


def judge_team_terms(terms: TeamTerms) -> None:
    """WrongTerm where terms, each of them right, contradict each other."""
    for win, draw, loss in (("win", "draw", "loss"), ("board_win", "board_draw", "board_loss")):
        best, middle, least = (getattr(terms, name) for name in (win, draw, loss))
        if best < middle:
            raise WrongTerm(win, Text("at least as much as a draw"))
        if middle < least:
            raise WrongTerm(draw, Text("at least as much as a loss"))
        if best == least:
            raise WrongTerm(win, Text("more than a loss"))


def _points_or_none(key: str, value: Any) -> Fraction | None:
    return None if value is None else read_points(key, value)


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "boards": read_number(1, MOST_BOARDS),
    "win": read_points,
    "draw": read_points,
    "loss": read_points,
    "board_win": read_points,
    "board_draw": read_points,
    "board_loss": read_points,
    "bye_match": _points_or_none,
    "bye_board": _points_or_none,
    "first": read_choice(SCORES),
    "tie_breaks": read_selection(TEAM_TIE_BREAK_NAMES),
    "board_order": read_choice(BOARD_ORDERS),
    "tolerance": read_number(0, 1000),
    "sides": read_choice(SIDES),
    "legs": read_number(1, 2),
    "withdrawal": read_choice(WITHDRAWALS),
}
