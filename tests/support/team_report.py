"""Reads team matches out of FIDE's report file (TRF26): teams in lines 310, players and their games in lines 001."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

from app.leagues.pure.model import PLAYED, Competitor
from app.leagues.pure.teams.model import BoardResult, TeamMatch

POINTS = {"1": Fraction(1), "=": Fraction(1, 2), "0": Fraction(0)}


@dataclass(frozen=True)
class TeamReport:
    """Teams by their numbers, their matches, and what the file says of each: match points, board points, place."""

    teams: list[Competitor]
    matches: list[TeamMatch]
    said: dict[int, tuple[Fraction, Fraction, int]]


def read(text: str) -> TeamReport:
    """Return the teams and matches of a correct file. The team of the first side on the highest board is the first."""
    lines = text.splitlines()
    teams, said, place = [], {}, {}
    for line in (one for one in lines if one.startswith("310")):
        number = int(line[4:7])
        teams.append(Competitor(number, line[8:40].strip(), number))
        said[number] = (Fraction(line[54:60].strip()), Fraction(line[61:67].strip()), int(line[68:71]))
        for order, at in enumerate(range(73, len(line.rstrip()), 5)):
            place[int(line[at : at + 5])] = (number, order)
    boards: dict[tuple[int, int, int], list[tuple[tuple[int, int], int, int]]] = defaultdict(list)
    byes, results = set(), {}
    for line in (one for one in lines if one.startswith("001")):
        player = int(line[4:8])
        for round, at in enumerate(range(91, len(line.rstrip()), 10), 1):
            opponent, side, result = line[at : at + 4].strip(), line[at + 5 : at + 6], line[at + 7 : at + 8]
            if result == "U":
                byes.add((round, place[player][0]))
            elif opponent not in ("", "0000"):
                results[round, player] = POINTS[result]
                if side == "w":
                    one, other = sorted((place[player][0], place[int(opponent)][0]))
                    both = (player, int(opponent))
                    boards[round, one, other].append((min(place[who] for who in both), *both))
    matches = [TeamMatch(round, team, None) for round, team in byes]
    for (round, *pair), games in boards.items():
        first = place[sorted(games)[0][1]][0]
        second = pair[0] if first == pair[1] else pair[1]
        its = [sorted(both, key=lambda who: place[who][0] != first) for _, *both in sorted(games)]
        rows = [BoardResult((a, b), (results[round, a], results[round, b]), PLAYED) for a, b in its]
        matches.append(TeamMatch(round, first, second, tuple(rows)))
    return TeamReport(teams, sorted(matches, key=lambda one: (one.round, min(one.teams))), said)
