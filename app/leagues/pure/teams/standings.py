"""Standings of teams, with FIDE's tie-breaks for them (Handbook C.07, in force from 1 March 2026).

Match points, then board points, then direct encounter, each applied only to teams tied on all before it; lots in the
end.

- `extended_direct` (6, 13.3): match points in matches among the tied teams; if those do not separate them, their board
  points there, and again from the beginning for those who are still tied.

Rounds without a match count like those without a game (`app.leagues.pure.tiebreaks`). A match counts once all its
boards have ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..formats import Format
from ..model import PLAYED, VOID, Competitor, Points, Result
from ..standings import drawing, settled
from ..terms import USUAL, Terms
from ..tiebreaks import Book, Scaled
from .model import BoardResult, TeamMatch
from .outcomes import all_board_points, match_points
from .terms import TEAM_TIE_BREAK_NAMES, TeamTerms

Value = Points | int
NAMES = tuple(TEAM_TIE_BREAK_NAMES)


@dataclass(frozen=True, slots=True)
class TeamPlace:
    """One line of the standings of teams."""

    place: int
    """1 is the first; places are never shared, since lots decide in the end."""
    team: int
    match_points: Points
    board_points: Points
    played: int
    won: int
    drawn: int
    lost: int
    """Matches in which a game was played."""
    values: dict[str, Value | None]
    """The value of each tie-break in the order in which they apply; None for a direct encounter that was not needed."""
    decided: str = ""
    """The tie-break that puts this team above the next, or `void`; empty for the last."""
    is_void: bool = False
    """Withdrew, and the matches count for nobody."""


def team_standings(
    teams: Sequence[Competitor],
    matches: Sequence[TeamMatch],
    terms: TeamTerms,
    lots: str,
    *,
    format: str = Format.ROUND_ROBIN,
) -> tuple[TeamPlace, ...]:
    """Return all teams in order, the first first.

    Matches with open boards are left out; `lots` and `format` are those of `app.leagues.pure.standings.standings`, and
    withdrawals are applied as there.
    """
    return _TeamRanking(teams, matches, terms, lots, format).places()


def as_results(matches: Sequence[TeamMatch], terms: TeamTerms, points: str) -> list[Result]:
    """Return finished matches, and byes, as results of entrants; `points` are `match_points` or `board_points`."""
    count = match_points if points == "match_points" else all_board_points
    return [
        Result(match.round, match.teams, count(match, terms), match.ended()) for match in matches if match.has_ended
    ]


def as_terms(terms: TeamTerms, points: str) -> Terms:
    """Return the value of a match in points of one kind, as the terms of entrants have it."""
    worth = (terms.win, terms.draw, terms.loss)
    if points == "board_points":
        worth = (
            terms.board_win * terms.boards,
            terms.board_draw * terms.boards,
            terms.board_loss * terms.boards,
        )
    win, draw, loss = worth
    return replace(USUAL, win=win, draw=draw, loss=loss, legs=terms.legs, withdrawal=terms.withdrawal)


def counted_matches(
    teams: Sequence[Competitor], matches: Sequence[TeamMatch], terms: TeamTerms, format: str
) -> tuple[list[TeamMatch], frozenset[int]]:
    """Return the matches that count once withdrawals are applied, including those a leaver has still to lose, and the
    teams whose matches are void.
    """
    ended = [match for match in matches if match.has_ended and match.ended() != VOID]
    results = as_results(ended, terms, "match_points")
    of = {id(result): match for result, match in zip(results, ended, strict=True)}
    counted, void = settled(teams, results, as_terms(terms, "match_points"), format=format)
    found = []
    for result in counted:
        match = of.get(id(result))
        if match is None:  # lost by the team that left
            lost = [points == terms.loss for points in result.points]
            points = tuple(terms.board_loss if one else terms.board_win for one in lost)
            board = BoardResult((None, None), (points[0], points[1]), result.ended)
            match = TeamMatch(result.round, result.seats[0], result.seats[1], (board,) * terms.boards)
        found.append(match)
    return found, void


class _TeamRanking:
    """Orders teams by one tie-break after the other."""

    def __init__(
        self, teams: Sequence[Competitor], matches: Sequence[TeamMatch], terms: TeamTerms, lots: str, format: str
    ) -> None:
        self.terms = terms
        self.matches, self.void = counted_matches(teams, matches, terms, format)
        self.books = {
            points: Book(teams, as_results(self.matches, terms, points), as_terms(terms, points), format, self.void)
            for points in ("match_points", "board_points")
        }
        self.drawn = drawing(teams, lots)
        self.met: dict[int, Points] = {}

    def places(self) -> tuple[TeamPlace, ...]:
        order, cuts = self.split([team for team in self.drawn if team not in self.void], NAMES)
        last, between = self.split([team for team in self.drawn if team in self.void], NAMES)
        cuts = [*cuts, *(["void"] if order and last else []), *between]
        found = []
        for at, team in enumerate(order + last):
            ends = self._ends(team)
            found.append(
                TeamPlace(
                    at + 1,
                    team,
                    self.points(team, "match_points"),
                    self.points(team, "board_points"),
                    len(ends),
                    ends.count(1),
                    ends.count(0),
                    ends.count(-1),
                    {name: self.value(name, team) for name in NAMES},
                    cuts[at] if at < len(cuts) else "",
                    team in self.void,
                )
            )
        return tuple(found)

    def _ends(self, team: int) -> list[int]:
        """Return 1, 0 or -1 for each match that was played."""
        found = []
        for match in self.matches:
            if match.ended() == PLAYED and team in match.teams and team not in self.void:
                points = all_board_points(match, self.terms)
                mine, theirs = points if match.first == team else points[::-1]
                found.append((mine > theirs) - (mine < theirs))
        return found

    def points(self, team: int, kind: str) -> Points:
        book = self.books[kind]
        return Fraction(book.cards[team].points, book.scale)

    # -- order -----------------------------------------------------------------------------------------

    def split(self, group: list[int], names: Sequence[str]) -> tuple[list[int], list[str]]:
        """Return the group in order, and the tie-break between neighbours."""
        if len(group) < 2:
            return group, []
        name, rest = names[0], names[1:]
        parts = self._direct(group) if name == "extended_direct" else self._by_value(group, name)
        order: list[int] = []
        cuts: list[str] = []
        for at, part in enumerate(parts):
            placed, inner = self.split(part, rest)
            order += placed
            cuts += inner
            if at + 1 < len(parts):
                cuts.append(name)
        return order, cuts

    def _by_value(self, group: list[int], name: str) -> list[list[int]]:
        found: dict[Value | None, list[int]] = {}
        for team in group:
            found.setdefault(self.value(name, team), []).append(team)
        ranked = sorted(found, reverse=name != "lots")  # type: ignore[type-var]
        return [found[value] for value in ranked]

    def _direct(self, group: list[int]) -> list[list[int]]:
        for kind in ("match_points", "board_points"):
            parts = self._encounter(group, kind)
            if len(parts) > 1:
                return [made for part in parts for made in (self._direct(part) if len(part) > 1 else [part])]
        return [group]

    def _encounter(self, group: list[int], kind: str) -> list[list[int]]:
        """Apply the matches among the group once.

        If some have not met, only a team that cannot be reached is put first (6.3).
        """
        book = self.books[kind]
        met = book.encounters(group)
        sums: dict[int, Scaled] = {team: sum(met[team].values()) for team in group}
        for team in group:
            self.met.setdefault(team, Fraction(sums[team]) / book.scale)
        best = {team: sums[team] + (len(group) - 1 - len(met[team])) * book.most for team in group}
        if best == sums:
            return [
                [team for team in group if sums[team] == value] for value in sorted(set(sums.values()), reverse=True)
            ]
        first: list[list[int]] = []
        left = sorted(group, key=lambda team: -sums[team])
        while len(left) > 1 and sums[left[0]] > max(best[team] for team in left[1:]):
            first.append([left.pop(0)])
        return [*first, [team for team in group if team in left]]

    # -- values ----------------------------------------------------------------------------------------

    def value(self, name: str, team: int) -> Value | None:
        """Return the value of a tie-break as it is shown and compared."""
        if name == "extended_direct":
            return self.met.get(team)
        return self.drawn[team] if name == "lots" else self.points(team, name)
