"""FIDE's report file of a team event (TRF26): teams in lines 310, players and their games in lines 001 as always.

Matches are derived from games: those of players of the same two teams in a round are one match, in the order of the
squads; the first-named team has the first side on the highest board. A team all of whose players have the
pairing-allocated bye has it. Anything that says otherwise is refused with its line: boards out of order (300), points
given by hand (299), matches forfeited without games (330), other match points (362).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from app.leagues.pure.terms import Format
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text

from .. import trf
from ..model import PAIRING_BYE, Competitor, Points, Result
from .model import BoardResult, SquadPlayer, TeamMatch, first_side
from .standings import team_standings
from .terms import TeamTerms

OTHER_RECORDS = ("299", "300", "330", "362")
FIRST_PLAYER, PLAYER_WIDTH = 73, 5
CODES = {
    "PTS": "match_points",
    "MPTS": "match_points",
    "GPTS": "board_points",
    "MPVGP": "board_points",
    "DE": "direct",
    "EDE": "extended_direct",
    "EMMSB": "emmsb",
    "EMGSB": "emgsb",
    "EGMSB": "egmsb",
    "EGGSB": "eggsb",
    "BH": "buchholz",
    "BC": "board_count",
    "TBR": "top_board",
    "BBE": "bottom_board",
}
"""Tie-breaks as line 212 calls them; others, and variants, are left out."""


@dataclass(frozen=True, slots=True)
class TeamLine:
    """A team in a file: its number, its points and its place."""

    team: int
    match_points: Points
    board_points: Points
    place: int


@dataclass(frozen=True, slots=True)
class TeamFile:
    """A team event in such a file: teams and players are identified by their pairing numbers."""

    name: str
    rounds: int
    """The number of rounds to be played."""
    players: tuple[Competitor, ...]
    teams: tuple[Competitor, ...]
    squads: dict[int, tuple[SquadPlayer, ...]]
    matches: tuple[TeamMatch, ...]
    terms: TeamTerms
    said: tuple[TeamLine, ...]
    kind: str = "Team: Swiss-System"
    """The type of tournament (line 092)."""
    first_side: int = 0


def read_teams(text: str) -> TeamFile:
    """Return the team event of a file. Raises Unreadable, which names the bad line."""
    made = trf.read(text)
    if others := [one for one in made.against if one.code not in (trf.TEAMS, "trf.system")]:
        raise others[0]
    if made.scoring != trf.USUAL:
        raise Unreadable("trf.scoring", Text("A file of teams can be read only if a game is worth 1, ½ and 0."))
    ratings = {one.id: one.rating for one in made.entrants}
    teams, said = list[Competitor](), list[TeamLine]()
    squads: dict[int, tuple[SquadPlayer, ...]] = {}
    terms = TeamTerms()
    for at, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        code = line[:3]
        if code in OTHER_RECORDS:
            raise trf.bad_line(at)
        if code == "212":
            named = [CODES[one] for one in line[4:].strip().upper().split(",") if one in CODES]
            terms = replace(terms, tie_breaks=tuple(dict.fromkeys(named)))
        elif code == "320":
            terms = replace(terms, bye_match=_points(line[4:8], at), bye_board=_points(line[9:13], at))
        elif code == "310":
            number = trf.whole_number(line[4:7], at)
            strength = line[47:53].strip()
            rating = float(trf.whole_number(strength, at)) if strength else None
            teams.append(Competitor(number, line[8:40].strip(), number, rating))
            place = trf.whole_number(line[68:71], at)
            said.append(TeamLine(number, _points(line[54:60], at), _points(line[61:67], at), place))
            players = [
                trf.whole_number(line[start : start + PLAYER_WIDTH], at)
                for start in range(FIRST_PLAYER, len(line.rstrip()), PLAYER_WIDTH)
            ]
            squads[number] = tuple(SquadPlayer(who, order, ratings.get(who)) for order, who in enumerate(players, 1))
    matches = _matches(made.results, squads)
    boards = max((len(match.boards) for match in matches), default=1)
    terms = replace(terms, boards=boards)
    if terms.bye_board is None:  # the players of the team have a point each
        terms = replace(terms, bye_board=terms.board_win * boards)
    return TeamFile(
        made.name, made.rounds, made.entrants, tuple(teams), squads, matches, terms, tuple(said),
        made.kind, made.first_side,
    )  # fmt: skip


def write_teams(made: TeamFile) -> str:
    """Return the file of such an event; lines 310 have the results of its matches, and not what is `said`.

    Raises Unreadable for anything `read_teams` could not read back: a board with one player or none, boards that are
    not in the order of the squads, points other than 1, ½ and 0, board points before match points.
    """
    terms, names = made.terms, {name: code for code, name in reversed(CODES.items())}
    results = _results(made)
    text = trf.write(
        trf.CompetitionFile(made.name, made.rounds, made.players, results, made.first_side, kind=made.kind)
    )
    head, _, people = text.partition("\n001 ")
    lines = [
        head,
        f"082 {len(made.teams)}",
        "212 " + ",".join(names[one] for one in ("match_points", *terms.tie_breaks) if one in names),
    ]
    bye = terms.bye_match_points, terms.bye_board_points
    if terms.bye_match is not None or bye[1] != terms.board_win * terms.boards:
        lines.append(f"320 {float(bye[0]):4.1f} {float(bye[1]):4.1f}")
    format = Format.ROUND_ROBIN if "Robin" in made.kind else Format.SWISS
    places = {one.team: one for one in team_standings(made.teams, made.matches, terms, "", format=format)}
    for team in made.teams:
        strength = "" if team.rating is None else str(round(team.rating))
        its = places[team.id]
        points = f"{float(its.match_points):6.1f} {float(its.board_points):6.1f} {its.place:3}"
        squad = " ".join(f"{player.id:4}" for player in made.squads[team.id])
        lines.append(f"310 {team.id:3} {team.name[:32]:32} {'':6}{strength:>6} {points}  {squad}")
    written = "\n".join(lines) + f"\n001 {people}"
    if terms.first != "match_points" or read_teams(written).matches != made.matches:
        raise _cannot_say()
    return written


def _cannot_say() -> Unreadable:
    return Unreadable(
        "trf.teams",
        Text("A team file holds matches whose boards all have two players, in the order of the teams, for 1, ½ or 0."),
    )


def _results(made: TeamFile) -> tuple[Result, ...]:
    """Return the games of the matches, and the byes of the players whose team has one."""
    found = []
    for match in made.matches:
        if match.bye:
            squad = made.squads[match.first][: made.terms.boards]
            found += [Result(match.round, (player.id,), (Points(1),), PAIRING_BYE) for player in squad]
        for at, board in enumerate(match.boards, 1):
            players, points = board.players, board.points
            if players[0] is None or players[1] is None or points is None:
                raise _cannot_say()
            if any(one not in (Points(0), Points(1, 2), Points(1)) for one in points):
                raise _cannot_say()
            side = first_side(at, made.terms)
            seats = (players[0], players[1]) if side == 0 else (players[1], players[0])
            found.append(Result(match.round, seats, points if side == 0 else points[::-1], board.ended))
    return tuple(found)


def _points(said: str, line: int) -> Points:
    try:
        return Fraction(said.strip())
    except ValueError:
        raise trf.bad_line(line) from None


def _matches(results: Sequence[Result], squads: dict[int, tuple[SquadPlayer, ...]]) -> tuple[TeamMatch, ...]:
    """Return the matches formed by games of players, in the order of rounds and teams."""
    place = {player.id: (team, player.order) for team, squad in squads.items() for player in squad}
    games: dict[tuple[int, int, int], list[Result]] = defaultdict(list)
    byes: dict[tuple[int, int], int] = defaultdict(int)
    for result in results:
        if len(result.seats) == 1:
            if result.ended == PAIRING_BYE and result.seats[0] in place:
                byes[result.round, place[result.seats[0]][0]] += 1
        elif all(who in place for who in result.seats):
            one, other = sorted(place[who][0] for who in result.seats)
            games[result.round, one, other].append(result)
    found = [TeamMatch(round, team, None, bye=PAIRING_BYE) for round, team in byes]
    for (round, one, other), boards in games.items():
        boards.sort(key=lambda game: sorted(place[who] for who in game.seats))
        first = place[boards[0].seats[0]][0]
        found.append(
            TeamMatch(round, first, other if first == one else one, tuple(_board(g, first, place) for g in boards))
        )
    return tuple(sorted(found, key=lambda match: (match.round, min(match.teams))))


def _board(game: Result, first: int, place: dict[int, tuple[int, int]]) -> BoardResult:
    players, points = game.seats, game.points
    if place[players[0]][0] != first:
        players, points = players[::-1], points[::-1]
    return BoardResult((players[0], players[1]), (points[0], points[1]), game.ended)
