"""Plays a season of teams by HTTP and mail: founded, joined, entered, lined up by captains, paired, published, ended.

    python -m bench.trials.team_season [TEAMS [BOARDS]]

Everybody signs in by the link of a mail and resigns, or wins, on the page of the game. Every other round each captain
replaces one player by the substitute. The tables are then recomputed from the games alone.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from flask import Flask

from app.base.process.config import load
from app.base.server import Server
from app.leagues.events import lifecycle, round_rows
from app.leagues.tables import CompetitionRound, LineUpPlace, MatchOfTeams
from app.leagues.teams import rosters
from app.server.factory import create_app
from app.upkeep import migrating
from tests.support.club_pages import club_of, joined, prepared
from tests.support.people import BASE, Browser, PostOffice, sign_in
from tests.support.tables import KEYS


@dataclass
class TeamFigures:
    """The outcome of a season."""

    rounds: int = 0
    matches: int = 0
    games: int = 0
    substituted: int = 0
    """Boards at which the substitute played."""
    mails: Counter[str] = field(default_factory=Counter)
    """By the first word of their subject."""
    table: list[tuple[str, str, str]] = field(default_factory=list)
    """Team, match points, board points, as the page shows them."""


def run(app: Flask, size: int = 8, boards: int = 4) -> TeamFigures:
    """Play the season to its end. Raises AssertionError if a table does not follow from the games."""
    server: Server = app.extensions["postroad"]
    post = PostOffice(server)

    sources = itertools.count(1)

    def enter(name: str, **more: Any) -> Browser:
        return sign_in(app, post, f"{name}@example.org", source=f"192.0.2.{next(sources)}", **more)

    squads = {f"Team {at}": [f"t{at}p{n}" for n in range(boards + 1)] for at in range(size)}
    names = [name for squad in squads.values() for name in squad]
    olga = club_of(enter, *names)
    people = {name: joined(post, enter, name) for name in names}
    event = prepared(olga, format="round_robin", legs="2", boards=str(boards), rounds="", tie_breaks__1="points")
    olga.post(f"/events/{event}/open")
    olga.get(f"/events/{event}/teams")
    lines = "\n".join(f"{team}: {', '.join(f'{one}@example.org' for one in squad)}" for team, squad in squads.items())
    olga.post(f"/events/{event}/teams", lines=lines)
    with server.database.write() as session:  # founded the club, and plays in no team
        there = {team.name: team.id for team in rosters.of_event(session, event)}
        entries = {one.entry_id: one.player_id for team in rosters.of_event(session, event) for one in team.players}
    assert set(there) == set(squads)
    olga.get(f"/events/{event}/manage")
    olga.post(f"/events/{event}/start")
    found, points = TeamFigures(), {team: [Fraction(0), Fraction(0)] for team in squads}
    browsers = {_number(server, f"{name}@example.org"): browser for name, browser in people.items()}
    with server.database.read() as session:
        division = lifecycle.get(session, event).divisions[0].id
    for number in range(1, 2 * (size - 1 + size % 2) + 1):
        if number % 2 == 0:
            for team, squad in squads.items():
                _line_up(people[squad[0]], event, there[team])
        olga.get(f"/events/{event}/manage")
        olga.post(f"/events/{event}/pair", division=str(division))
        path = olga.page.request.path
        version = re.search(r'name="version" value="(\d+)"', olga.page.get_data(as_text=True))
        assert version is not None
        olga.get(path)
        olga.post(f"{path}/publish", version=version[1])
        _play(server, path, browsers, entries, found)
        olga.get(path)
        olga.post(f"{path}/close")
        found.rounds += 1
        _count(server, path, {number: name for name, number in there.items()}, points, found)
    olga.get(f"/events/{event}/manage")
    olga.post(f"/events/{event}/finish")
    page = olga.get(f"/events/{event}")
    found.table = re.findall(
        r'<tr><td>\d+</td>\s*<th scope="row" class="who"><a href="[^"]+">([^<]+)</a>.*?<td class="points">([^<]+)</td>'
        r"<td>([^<]+)</td>", page, re.DOTALL,
    )  # fmt: skip
    ours = {team: (_said(one), _said(other)) for team, (one, other) in points.items()}
    assert {team: (one, other) for team, one, other in found.table} == ours
    made = [float(points[team][0]) for team, _, _ in found.table]
    assert made == sorted(made, reverse=True) and len(made) == size
    found.mails = Counter(re.split(r"[:,#]", str(mail["Subject"]))[0].split(" ")[0] for mail in post.all())
    return found


def _said(points: Fraction) -> str:
    whole, half = divmod(points, 1)
    return f"{whole or '' if half else whole}{'½' if half else ''}"


def _number(server: Server, address: str) -> int:
    with server.database.read() as session:
        return int(session.execute(sa.text("SELECT id FROM player WHERE address = :a"), {"a": address}).scalar_one())


def _line_up(captain: Browser, event: int, team: int) -> None:
    """Choose all but the first of the team."""
    page = captain.get(f"/events/{event}/teams/{team}")
    number = re.search(r'name="round" value="(\d+)"', page)
    assert number is not None, "the captain sees the line-up of the next round"
    plays = re.findall(r'name="plays" value="(\d+)"', page)
    captain.post(f"/events/{event}/teams/{team}/line-up", round=number[1], plays=plays[1:])


def _play(server: Server, path: str, browsers: dict[int, Browser], entries: dict[int, int], found: TeamFigures) -> None:
    """Play a round; chance, by the number of a game, decides who resigns."""
    with server.database.read() as session:
        round = round_rows.get(session, int(path.rpartition("/")[2]))
        games = [(one.game_id, [entries[seat.entry_id] for seat in one.seats]) for one in round.matches]
    for game, seats in games:
        assert game is not None
        loser = browsers[seats[random.Random(game).randrange(2)]]
        loser.resign(game)
        found.games += 1


def _count(
    server: Server, path: str, called: dict[int, str], points: dict[str, list[Fraction]], found: TeamFigures
) -> None:
    """Add the results of a round's games, from its rows."""
    with server.database.read() as session:
        round: CompetitionRound = round_rows.get(session, int(path.rpartition("/")[2]))
        squads = {one.entry_id: team.id for team in rosters.of_event(session, round.event_id) for one in team.players}
        order = {one.entry_id: one.place for team in rosters.of_event(session, round.event_id) for one in team.players}
        met = session.scalars(sa.select(MatchOfTeams).where(MatchOfTeams.round_id == round.id)).all()  # type: ignore[arg-type]
        chosen = session.scalar(sa.select(sa.func.count()).select_from(LineUpPlace)) or 0
        assert chosen == 0 or found.rounds > 1
    made = {match: Fraction(0) for match in squads.values()}
    for match in round.matches:
        for seat in match.seats:
            made[squads[seat.entry_id]] += seat.points or 0
        found.substituted += sum(order[seat.entry_id] > len(round.matches) // len(met) for seat in match.seats)
    for one in met:
        found.matches += 1
        first, second = made[one.first_id], made[one.second_id]
        for team, own, other in ((one.first_id, first, second), (one.second_id, second, first)):
            points[called[team]][1] += own
            points[called[team]][0] += 2 if own > other else 1 if own == other else 0


def main() -> None:
    """Print the figures."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("teams", type=int, nargs="?", default=8)
    given.add_argument("boards", type=int, nargs="?", default=4)
    asked = given.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environ = {
            "POSTROAD_DATABASE_URL": f"sqlite:///{folder}/teams.sqlite3", "POSTROAD_BASE_URL": BASE,
            "POSTROAD_SECRET_KEY": KEYS[0],
        }  # fmt: skip
        migrating.upgrade(environ["POSTROAD_DATABASE_URL"])
        app = create_app(load(environ, Path(folder)))
        begun = time.monotonic()
        found = run(app, asked.teams, asked.boards)
        print(f"{found.rounds} rounds, {found.matches} matches, {found.games} games, "
              f"{found.substituted} boards with a substitute, {sum(found.mails.values())} mails, "
              f"{time.monotonic() - begun:.0f} s")  # fmt: skip
        for team, match_points, board_points in found.table:
            print(f"{team:12} {match_points:>4} {board_points:>5}")


if __name__ == "__main__":
    main()
