"""`postroad league event teams`, `captain` and `line-up`: the teams of an event, their standings and line-ups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

import click

from app.leagues.changes import substitutes
from app.leagues.clubs.acting import ActRequest
from app.leagues.commands.common import AS, JSON, opened, right_now, tell, who_acts
from app.leagues.events import events, round_rows
from app.leagues.pure.standings import said_value
from app.leagues.teams import captains, line_ups, team_standings
from app.leagues.teams import teams as service

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.leagues.tables import Team


@click.command()
@click.argument("number", type=int)
@click.option("--enter", "lines", type=click.File("r", encoding="utf-8"), help="Teams to enter, one a line.")
@AS
@JSON
def teams(number: int, lines: TextIO | None, address: str, as_json: bool) -> None:
    """The teams of an event with their players, and their standings once it runs.

    A line of --enter is `Harbour: Alice, Bob*, Carla`: the players in the order of the boards, by name or mail address;
    a star marks the captain, by default the first.
    """
    with opened() as server:
        if lines is not None:
            text = lines.read()
            with server.database.read() as session:
                event = events.get(session, number)
                actor = who_acts(session, event.club_id, address)
                given = service.read_lines(session, event, text, actor)
            service.enter(server.database, number, actor, given, now=right_now())
        with server.database.read() as session:
            data = _data(session, number)
    tell(as_json, data, [_said(one) for one in data["teams"]])


def _data(session: Session, number: int) -> dict[str, Any]:
    event = events.get(session, number)
    playing = service.of_event(session, event.id)
    there = round_rows.rounds_of(session, event.divisions[0].id) if event.started_at else ()
    table = team_standings.of_event(session, event, there, playing) if event.started_at else None
    places = {} if table is None else {one.team: one for one in table.places}
    made = [
        {
            "id": team.id,
            "name": team.name,
            "captain": team.captain,
            "players": [one.name for one in team.players],
            "place": places[team.id].place if team.id in places else None,
            "match_points": said_value("points", places[team.id].match_points) if team.id in places else None,
            "board_points": said_value("points", places[team.id].board_points) if team.id in places else None,
        }
        for team in playing
    ]
    matches = [
        {
            "round": one.round.number,
            "teams": [team.name for team in one.teams],
            "board_points": [said_value("points", points) for points in one.score.board_points],
            "bye": bool(one.result.bye),
            "open_boards": one.score.open_boards,
        }
        for one in (table.matches if table else ())
    ]
    return {"teams": sorted(made, key=lambda one: one["place"] or 0), "matches": matches}


def _said(one: dict[str, Any]) -> str:
    stands = f"{one['place']}. " if one["place"] else ""
    points = f" {one['match_points']} ({one['board_points']})" if one["place"] else ""
    return f"{stands}{one['name']}{points}: {', '.join(one['players'])}"


def _named(session: Session, number: int, name: str) -> Team:
    its = next((one for one in service.of_event(session, number) if one.name.casefold() == name.casefold()), None)
    if its is None:
        raise click.ClickException(f"There is no team {name} in this event.")
    return its


@click.command()
@click.argument("number", type=int)
@click.argument("team")
@click.argument("game", type=int)
@click.argument("player")
@click.option("--reason", required=True, help="Stands in the audit trail.")
@AS
@JSON
def substitute(number: int, team: str, game: int, player: str, reason: str, address: str, as_json: bool) -> None:
    """Let PLAYER (a name) of TEAM take over its running GAME of an event."""
    with opened() as server:
        with server.database.read() as session:
            event = events.get(session, number)
            actor = who_acts(session, event.club_id, address)
            its = _named(session, number, team)
            board = next((one for one in substitutes.running_boards(session, event, its) if one.game_id == game), None)
        if board is None:
            raise click.ClickException(f"Game {game} is no running game of {its.name}.")
        free = next((one for one in board.bench if one.name.casefold() == player.casefold()), None)
        if free is None:
            bench = ", ".join(one.name for one in board.bench) or "nobody"
            raise click.ClickException(f"{player} cannot take this game over; who can: {bench}.")
        substitutes.send_in(
            server.database, number, its.id, board.match_id, free.entry_id, ActRequest(actor, reason), now=right_now()
        )
    data = {"game": game, "board": board.board, "from": board.player.name, "to": free.name}
    tell(as_json, data, [f"Game {game}: {free.name} plays on for {board.player.name}."])


@click.command(name="captain")
@click.argument("number", type=int)
@click.argument("team")
@click.argument("player")
@AS
@JSON
def captain(number: int, team: str, player: str, address: str, as_json: bool) -> None:
    """Make PLAYER (a name) the captain of TEAM, even while the event runs."""
    with opened() as server:
        with server.database.read() as session:
            event = events.get(session, number)
            actor = who_acts(session, event.club_id, address)
            its = _named(session, number, team)
            found = [who for who, name in captains.able(session, event, its) if name.casefold() == player.casefold()]
        if len(found) != 1:
            raise click.ClickException(f"Nobody, or more than one, of the team and the club is called {player}.")
        captains.name(server.database, number, its.id, actor, found[0], now=right_now())
    tell(as_json, {"team": its.name, "captain": player}, [f"{its.name}: {player} is captain."])


@click.command(name="line-up")
@click.argument("number", type=int)
@click.argument("team")
@click.argument("players", nargs=-1)
@AS
@JSON
def line_up(number: int, team: str, players: tuple[str, ...], address: str, as_json: bool) -> None:
    """Who plays for TEAM in the next round of an event; with PLAYERS (names) choose them."""
    with opened() as server:
        with server.database.read() as session:
            event = events.get(session, number)
            actor = who_acts(session, event.club_id, address)
            its = _named(session, number, team)
            coming = captains.next_round(session, event)
        if coming is None:
            raise click.ClickException("No round is to come for which a line-up could be chosen.")
        by_name = {one.name.casefold(): one.entry_id for one in its.players}
        unknown = [name for name in players if name.casefold() not in by_name]
        if unknown:
            raise click.ClickException(f"{', '.join(unknown)}: not in {its.name}.")
        if players:
            chosen = [by_name[name.casefold()] for name in players]
            captains.set_line_up(server.database, number, its.id, actor, coming[0], chosen, now=right_now())
        with server.database.read() as session:
            service.need_lead(session, event, its, actor)
            named = line_ups.named(session, number, coming[0]).get(its.id)
        names = {one.entry_id: one.name for one in its.players}
        sits = [
            None if one is None else names[one] for one in line_ups.line_up(event, its, named[1] if named else None)
        ]
    data = {"team": its.name, "round": coming[0], "boards": sits}
    tell(as_json, data, [f"{board}. {name or '-'}" for board, name in enumerate(sits, 1)])
