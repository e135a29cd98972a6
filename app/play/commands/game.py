"""`postroad game`: start games, and look after what is stored of them."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from app.server.commands.common import open_server, option_value, pairs


@click.group()
def game() -> None:
    """Start and look after games."""


@game.command()
@click.argument("title")
@click.option("--seat", "seats", multiple=True, required=True, metavar="SEAT=ADDRESS", help="In turn order.")
@click.option("--option", "options", multiple=True, metavar="K=V", help="yes, no, none, a number or a word.")
@click.option(
    "--pace",
    default="7d",
    show_default=True,
    help="Time for each decision (7d, 36h, 90m, 20s), the name of a pace (week-weekends, fischer ...) or JSON.",
)
def new(title: str, seats: tuple[str, ...], options: tuple[str, ...], pace: str) -> None:
    """Start a game at once and mail the seat that decides first. Prints the game's number."""
    from app.play.turn import starting
    from app.time import paces

    chosen = {key: option_value(value) for key, value in pairs(options, "K=V")}
    with open_server() as server:
        number = starting.new_game(
            server.database,
            title,
            pairs(seats, "SEAT=ADDRESS"),
            options=chosen,
            pace=paces.parse_pace(pace),
            language=server.config.language,
            now=datetime.now(UTC),
        )
    click.echo(number)


@game.command()
@click.argument("number", type=int)
def verify(number: int) -> None:
    """Compare the log of a game with its stored state, and with today's rules."""
    from app.play.turn import starting

    with open_server() as server:
        differing = starting.verify(server.database, number)
    click.echo(f"Game {number}: the kept state is that of its log.")
    for entry in differing:
        click.echo(f"Entry {entry} would be played otherwise by today's rules; it stays as it happened.")


@game.command()
@click.argument("number", type=int)
def rebuild(number: int) -> None:
    """Rebuild the stored state of a game from its log."""
    from app.play.turn import starting

    with open_server() as server:
        changed = starting.rebuild(server.database, number)
    click.echo(
        f"Game {number}: " + ("the kept state was another one; it is the log's now." if changed else "nothing to do.")
    )


@game.command()
@click.argument("number", type=int)
def record(number: int) -> None:
    """Write the record of a game as JSON; without secrets while it runs."""
    import json

    from app.play.past.records import record_of

    with open_server() as server:
        click.echo(json.dumps(record_of(server.database, number), ensure_ascii=False, indent=1))


@game.command(name="import")
@click.argument("files", nargs=-1, required=True)
def import_(files: tuple[str, ...]) -> None:
    """Read records in (`-`: standard input) as finished games; prints their numbers, and what is wrong with others."""
    from app.base.words.speech import Voice
    from app.play.past.records import KEPT, KnownRecord, UnfinishedRecord, import_record
    from app.titles.registry import TITLES
    from engine.kernel.records import NotARecord, RecordRefused, load

    refused = 0
    with open_server() as server:
        for file in files:
            try:
                with click.open_file(file, "rb") as opened:
                    data = opened.read()
                number = import_record(server.database, data, now=datetime.now(UTC))
            except KnownRecord as known:
                click.echo(f"{file}: {Voice().say(known.why)}", err=True)
            except (NotARecord, RecordRefused, UnfinishedRecord) as no:
                refused += 1
                click.echo(f"{file}: {Voice().say(no.why)}", err=True)
            except Exception as error:  # a title that fails: the files after it are read all the same
                refused += 1
                click.echo(f"{file}: {type(error).__name__}: {error}", err=True)
            else:
                unread = ", ".join(load(data, TITLES).other.keys() - KEPT)
                click.echo(f"{number} (not read: {unread})" if unread else number)
    if refused:
        raise click.ClickException(f"{refused} of {len(files)} were not read in.")
