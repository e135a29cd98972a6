"""`postroad league`: clubs and their events, for operators and scripts on the server itself.

Each command acts as the club's longest-standing owner, or as `--as ADDRESS`, whose role counts. With `--json` the
output is one JSON value. Exit status 0: done; 1: refused, with the sentence on standard error; 2: not understood.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click
from rich.console import Console
from rich.progress import Progress as Bar

from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.base.speech import Voice
from app.leagues.clubs import clubs
from app.leagues.commands.club_matches import match
from app.leagues.commands.common import (
    AS,
    JSON,
    MOMENT,
    acting,
    club_and_actor,
    in_utc,
    opened,
    right_now,
    tell,
    who_acts,
)
from app.leagues.commands.desk import act, desk, message, undo
from app.leagues.commands.late import late
from app.leagues.commands.members import members
from app.leagues.commands.news import news
from app.leagues.commands.players import bye, enter, take_out
from app.leagues.commands.ratings import ratings
from app.leagues.commands.reserves import reserve
from app.leagues.commands.rulings import appeal, claim, correct, rule, ruling, rulings, say, undo_ruling
from app.leagues.commands.seasons import club, season
from app.leagues.commands.seeds import seeds
from app.leagues.commands.teams import captain, line_up, substitute, teams
from app.leagues.commands.templates import template
from app.leagues.commands.trf import check_trf, from_trf, trf
from app.leagues.commands.week import week
from app.leagues.desk import autopilot
from app.leagues.events import entries, events, round_rows
from app.leagues.events.term_words import terms_in_words
from app.leagues.pure.standings import said_value
from app.leagues.pure.terms import write_terms
from app.leagues.pure.tiebreaks import usual_tie_breaks
from app.leagues.results import standings
from app.leagues.rounds import all_rounds, final_places, publishing, rounds
from app.leagues.seasons import endings
from app.leagues.tables import Competition, Division, Role, RoundStatus
from app.server.commands.common import option_value, pairs
from app.time import paces
from app.titles.pages import pages_of
from engine.kernel.refusals import Refusal
from engine.kernel.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.progress import TaskID

    from app.base.server import Server
    from app.leagues.pure.matching import Progress
    from app.leagues.tables import CompetitionRound

DIVISION = click.option("--division", default="", help="Name or number of one division; else all.")


@click.group()
def league() -> None:
    """Run clubs, their events and rounds."""


league.add_command(ratings)
league.add_command(club)
league.add_command(season)
league.add_command(trf)
league.add_command(check_trf)
league.add_command(members)
league.add_command(news)
league.add_command(template)
league.add_command(week)


# -- events -------------------------------------------------------------------------------------------


@league.group()
def event() -> None:
    """Events: prepare, open, start, end."""


for one in (
    *(late, correct, rulings, ruling, claim, say, appeal, undo_ruling, rule, reserve, seeds, from_trf),
    *(teams, match, captain, line_up, substitute, desk, act, undo, message, enter, take_out, bye),
):
    event.add_command(one)


@event.command(name="list")
@click.argument("club")
@JSON
def list_events(club: str, as_json: bool) -> None:
    """The events of a club, the newest first, drafts too."""
    with opened() as server, server.database.read() as session:
        found = events.events_of(session, clubs.find(session, club).id, drafts=True)
    data = [_event_data(one) for one in found]
    tell(as_json, data, (f"{one.id}  {one.name}  {one.title.id}, {one.format}, {one.status}" for one in found))


def _event_data(event: Competition) -> dict[str, Any]:
    return {
        "id": event.id,
        "name": event.name,
        "season": event.season or None,
        "title": event.title.id,
        "format": event.format,
        "status": event.status,
        "sign_up": [None if at is None else at.isoformat() for at in (event.sign_up_from, event.sign_up_until)],
        "options": dict(event.options),
        "terms": write_terms(event.terms),
        "divisions": [
            {"id": one.id, "name": one.name, "promoted": one.promoted, "relegated": one.relegated}
            for one in event.divisions
        ],
    }


@event.command()
@click.argument("number", type=int)
@JSON
def show(number: int, as_json: bool) -> None:
    """An event: terms, entrants, rounds."""
    with opened() as server, server.database.read() as session:
        found = events.get(session, number)
        people = entries.entrants(session, number)
        played = {one.name: round_rows.rounds_of(session, one.id, drafts=True) for one in found.divisions}
    data = _event_data(found)
    data["entries"] = [
        {"entry": one.id, "name": one.name, "division": one.division_id, "status": one.status, "number": one.seed}
        for one in people
    ]
    data["rounds"] = [
        {
            "division": name,
            "round": round.number,
            "page": round.place,
            "status": round.status,
            "version": round.version,
            "open_games": len(round.open_matches),
        }
        for name, there in played.items()
        for round in there
    ]
    lines = [f"{found.name} ({found.status})", *terms_in_words(found, Voice())]
    lines += [f"{one.name}: {one.status}" for one in people]
    lines += [f"{each['division']}, round {each['round']}: {each['status']}" for each in data["rounds"]]
    tell(as_json, data, lines)


class _EventOptions(TypedDict):
    title: str
    name: str
    format_: str
    options: tuple[str, ...]
    terms: str
    divisions: tuple[str, ...]
    pace: str
    season: str
    opens: datetime | None
    closes: datetime | None


@event.command()
@click.argument("club")
@click.argument("title")
@click.option("--name", required=True)
@click.option("--format", "format_", required=True, help="round_robin, swiss, knockout, ladder, tables or stages.")
@click.option("--option", "options", multiple=True, metavar="K=V", help="Of the title.")
@click.option("--terms", default="{}", help="The terms as JSON, such as '{\"rounds\": 5}'.")
@click.option("--division", "divisions", multiple=True, metavar="NAME[:UP:DOWN]", help="The highest first.")
@click.option("--pace", default="7d", show_default=True)
@click.option("--season", default="")
@click.option("--opens", type=MOMENT, help="When the autopilot opens sign-up, in UTC.")
@click.option("--closes", type=MOMENT, help="When sign-up closes, in UTC.")
@AS
@JSON
def new(club: str, address: str, as_json: bool, **said: Unpack[_EventOptions]) -> None:
    """Prepare an event. Prints its number."""
    try:
        given = json.loads(said["terms"])
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise click.BadParameter("The terms are a JSON object.")
    scores = pages_of(said["title"]).scores
    given = {"tie_breaks": list(usual_tie_breaks(said["format_"], scores=scores))} | given
    with opened() as server:
        club_id, actor = club_and_actor(server, club, address)
        draft = events.NewEvent(
            name=said["name"],
            title_id=said["title"],
            format=said["format_"],
            season=said["season"],
            terms=given,
            options={key: option_value(value) for key, value in pairs(said["options"], "K=V")},
            pace=paces.parse_pace(said["pace"]),
            divisions=[_division_row(text) for text in said["divisions"]],
            sign_up_from=in_utc(said["opens"]),
            sign_up_until=in_utc(said["closes"]),
        )
        number = events.make(server.database, club_id, actor, draft, now=right_now())
    tell(as_json, {"event": number}, [str(number)])


def _division_row(text: str) -> dict[str, Any]:
    name, *moving = text.split(":")
    up, down = map(whole, moving) if len(moving) == 2 else (None if moving else 0,) * 2
    if up is None or down is None:
        raise click.BadParameter(f"“{text}” is not of the form NAME[:UP:DOWN].")
    return {"name": name, "promoted": up, "relegated": down}


def _on_event(number: int, address: str, act: Callable[[Server, int], Any]) -> None:
    with acting(number, address) as (server, actor):
        act(server, actor)


@event.command(name="open")
@click.argument("number", type=int)
@AS
def open_(number: int, address: str) -> None:
    """Open sign-up."""
    _on_event(number, address, lambda server, by: events.open_sign_up(server.database, number, by, now=right_now()))
    click.echo("Sign-up is open.")


@event.command()
@click.argument("number", type=int)
@AS
def start(number: int, address: str) -> None:
    """End sign-up and give everybody a pairing number."""
    _on_event(number, address, lambda server, by: rounds.start(server.database, number, by, now=right_now()))
    click.echo("The event has started.")


@event.command()
@click.argument("number", type=int)
@click.option("--anyway", is_flag=True, help="Although a ruling can still change the standings.")
@click.option("--no-mails", is_flag=True, help="Without the mail to each player.")
@AS
def finish(number: int, address: str, anyway: bool, no_mails: bool) -> None:
    """End an event whose rounds are closed; a mail tells each player the place."""
    with acting(number, address) as (server, by):
        endings.finish(server.database, number, by, now=right_now(), sure=anyway, tells=not no_mails)
    click.echo("The event is over.")


@event.command("autopilot")
@click.argument("number", type=int)
@click.option("--pause/--resume", "paused", default=None, help="Stop what the event does by itself, or let it go on.")
@AS
@JSON
def autopilot_of(number: int, paused: bool | None, address: str, as_json: bool) -> None:
    """What an event with an autopilot does next, and when, in UTC."""

    def act(server: Server, by: int) -> None:
        if paused is not None:
            autopilot.pause(server.database, number, by, paused=paused, now=right_now())
        with server.database.read() as session:
            found = events.need(session, number, by, Role.DEPUTY)
            ahead = autopilot.next_acts(session, found)
        data = [
            {
                "act": one.kind,
                "division": None if one.division is None else one.division.name,
                "round": one.number or None,
                "at": None if one.at is None else one.at.isoformat(),
                "asks": one.asks,
            }
            for one in ahead
        ]
        words = [
            " ".join(str(word) for word in (one["act"], one["division"], one["round"], one["at"]) if word)
            + (" waits for the organisers" if one["asks"] else "")
            for one in data
        ]
        state = "none" if found.terms.autopilot is None else "paused" if found.paused_at else "on"
        tell(as_json, {"autopilot": state, "next": data}, [f"autopilot: {state}", *words])

    _on_event(number, address, act)


@event.command()
@click.argument("number", type=int)
@click.option("--reason", required=True, help="Stands in the audit trail.")
@AS
def cancel(number: int, reason: str, address: str) -> None:
    """Cancel an event. Running games go on but do not count."""
    _on_event(
        number, address, lambda server, by: endings.cancel(server.database, number, by, reason=reason, now=right_now())
    )
    click.echo("The event is cancelled.")


# -- the round loop -----------------------------------------------------------------------------------


def _each_division(
    number: int,
    division: str,
    address: str,
    doing: str,
    as_json: bool,
    act: Callable[[Server, Division, int, Progress], dict[str, Any]],
) -> None:
    """Run `act` for one or all divisions; the refusal of one is reported, does not stop the others, and ends with 1.

    On a terminal a bar shows the progress; `act` gets a callback to report its own.
    """
    with opened() as server:
        with server.database.read() as session:
            found = events.get(session, number)
            actor = who_acts(session, found.club_id, address)
        wanted = [one for one in found.divisions if division in ("", str(one.id), one.name)]
        if not wanted:
            raise click.ClickException(f"The event has no division {division}.")
        console = Console(stderr=True)
        done: list[dict[str, Any]] = []
        with Bar(console=console, transient=True, disable=not console.is_terminal) as bar:
            for one in wanted:
                said = f"{doing} {one.name}" if len(wanted) > 1 else doing
                task = bar.add_task(said, total=None)  # indeterminate until more is known
                try:
                    done.append({"division": one.name, **act(server, one, actor, _onto(bar, task))})
                except Refusal as no:
                    done.append({"division": one.name, "refused": no.code, "why": Voice().say(no.why)})
                bar.update(task, completed=1, total=1)
    refused = [each for each in done if "refused" in each]
    if as_json:
        click.echo(json.dumps(done, ensure_ascii=False, indent=2))
    for each in done:
        if "refused" in each:
            click.echo(f"{each['division']}: {each['why']}", err=True)
        elif not as_json:
            said = ", ".join(f"{key} {value}" for key, value in each.items() if key != "division")
            click.echo(f"{each['division']}: {said}")
    if refused:
        raise click.exceptions.Exit(1)


def _onto(bar: Bar, task: TaskID) -> Progress:
    return lambda done, of: bar.update(task, completed=done, total=of)


@league.command()
@click.argument("number", type=int)
@DIVISION
@AS
@JSON
def pair(number: int, division: str, address: str, as_json: bool) -> None:
    """Pair the next round of an event's divisions as drafts, which only organisers see."""

    def act(server: Server, one: Division, by: int, progress: Progress) -> dict[str, Any]:
        round_id = rounds.pair(server.database, one.id, by, now=right_now(), progress=progress)
        with server.database.read() as session:
            made = round_rows.get(session, round_id)
        byes = sum(match.is_bye for match in made.matches)
        return {"round": made.number, "games": len(made.matches) - byes, "byes": byes, "warnings": len(made.warnings)}

    _each_division(number, division, address, "Pairing", as_json, act)


@league.command()
@click.argument("number", type=int)
@DIVISION
@click.option("--until", type=MOMENT, help="When the round ends, in UTC.")
@click.option("--at", "hour", type=MOMENT, help="Not now, but then, in UTC.")
@click.option("--not-at", "is_called_off", is_flag=True, help="Call the hour off: the drafts wait for you again.")
@AS
@JSON
def publish(
    number: int,
    division: str,
    until: datetime | None,
    hour: datetime | None,
    is_called_off: bool,
    address: str,
    as_json: bool,
) -> None:
    """Publish the drafts of an event: games start, mails go out."""
    if is_called_off and (until or hour):
        raise click.UsageError("--not-at calls an hour off; leave out --at and --until.")
    ends, at = map(in_utc, (until, hour))

    def act(server: Server, one: Division, by: int, _: Progress) -> dict[str, Any]:
        draft = _first(server, one, RoundStatus.DRAFT)
        if is_called_off:
            done = publishing.call_off(server.database, draft.id, by, draft.version, now=right_now())
            return {"round": draft.number, "called_off": done}
        if at is not None:
            publishing.name_hour(server.database, draft.id, by, draft.version, at, until=ends, now=right_now())
            return {"round": draft.number, "published_at": at.isoformat()}
        games = rounds.publish(server.database, draft.id, by, draft.version, until=ends, now=right_now())
        return {"round": draft.number, "games": games}

    _each_division(number, division, address, "Publishing", as_json, act)


@league.command("all-rounds")
@click.argument("number", type=int)
@DIVISION
@click.option("--until", type=MOMENT, help="When they end, in UTC.")
@click.option("--preview", is_flag=True, help="Only say what would begin.")
@AS
@JSON
def begin_all(number: int, division: str, until: datetime | None, preview: bool, address: str, as_json: bool) -> None:
    """Pair and publish all rounds of a round robin at once; each player gets one mail with all the games."""
    ends = in_utc(until)

    def act(server: Server, one: Division, by: int, _: Progress) -> dict[str, Any]:
        if not preview:
            begun, games = all_rounds.begin(server.database, one.id, by, until=ends, now=right_now())
            return {"rounds": begun, "games": games}
        with server.database.read() as session:
            ahead = all_rounds.foresee(session, events.need(session, number, by, Role.DEPUTY), one, right_now())
        mails = sum(player.mail for player in ahead.players)
        return {"rounds": len(ahead.rounds), "games": ahead.games, "mails_of_rounds": mails}

    _each_division(number, division, address, "Beginning", as_json, act)


@league.command()
@click.argument("number", type=int)
@DIVISION
@AS
@JSON
def close(number: int, division: str, address: str, as_json: bool) -> None:
    """Close the oldest published round of each division; where games still run, they are named instead."""

    def act(server: Server, one: Division, by: int, _: Progress) -> dict[str, Any]:
        published = _first(server, one, RoundStatus.PUBLISHED)
        rounds.close(server.database, published.id, by, now=right_now())
        return {"round": published.number, "status": RoundStatus.CLOSED}

    _each_division(number, division, address, "Closing", as_json, act)


def _first(server: Server, division: Division, status: RoundStatus) -> CompetitionRound:
    """Return the first round of a division in a status. Raises NotAccepted if there is none."""
    with server.database.read() as session:
        there = round_rows.rounds_of(session, division.id, drafts=True)
    for round in there:
        if round.status == status:
            return round
    if status == RoundStatus.DRAFT:
        raise NotAccepted("round.no_draft", Text("There is no draft; pair a round first."))
    raise NotAccepted("round.none_published", Text("There is no published round to close."))


@league.command("standings")
@click.argument("number", type=int)
@DIVISION
@JSON
def show_standings(number: int, division: str, as_json: bool) -> None:
    """The standings of an event, with the reason for each place; a ladder or a knock-out in its order."""

    def is_asked(one: final_places.Ranking | standings.Standing) -> bool:
        return division in ("", str(one.division.id), one.division.name)

    with opened() as server, server.database.read() as session:
        found = events.get(session, number)
        orders = [one for one in final_places.tables(session, found, right_now()) if is_asked(one)]
        tables = [one for one in final_places.by_points(session, found) if is_asked(one)]
    lines: list[str] = []
    for order in orders:
        lines.append(order.division.name)
        lines += [f"{line.place or '-':>4}{'.' if line.place else ' '} {line.name}" for line in order.lines]
    for table in tables:
        reasons = [*table.reasons(Voice()), ""]
        withdrawn = table.withdrawn
        lines.append(table.division.name)
        for place, why in zip(table.places, reasons, strict=True):
            points = said_value("points", place.points)
            left = f"withdrawn after round {withdrawn[place.entrant]}. " if place.entrant in withdrawn else ""
            lines.append(f"{place.place:>4}. {table.names[place.entrant]:<30} {points:>6}  {left}{why}".rstrip())
    data = [*map(final_places.as_data, orders), *map(standings.as_data, tables)]
    tell(as_json, data, lines or ["The event has not started."])
