"""`postroad calendar`: calendars of holidays on which the clocks of games stand still."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from app.server.commands.common import open_server
from app.time.away import calendars
from app.time.tables import HolidayCalendar

LARGEST = 200_000
"""Bytes; no calendar is larger."""


@click.group()
def calendar() -> None:
    """Look after the calendars of holidays."""


@calendar.command(name="list")
def list_() -> None:
    """Name all calendars: their number of days, and in how many games they are used."""
    with open_server() as server, server.database.read() as session:
        for one, games in calendars.every(session):
            click.echo(f"{one.name}: {len(one.days)} days, used in {games} games")


@calendar.command()
@click.argument("name")
def show(name: str) -> None:
    """Write the days of a calendar, one a line."""
    with open_server() as server, server.database.read() as session:
        number = calendars.find(session, name)
        found = session.get(HolidayCalendar, number)
        if found is not None and found.days:
            click.echo("\n".join(found.days))


@calendar.command(name="import")
@click.argument("name")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def import_(name: str, file: Path) -> None:
    """Make a calendar of the days in a text or CSV file, or give an existing one these days instead.

    Each line begins with a day such as 2026-12-25. All deadlines that depend on the calendar move at once.
    """
    with file.open("rb") as opened:
        data = opened.read(LARGEST)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise click.ClickException(f"{file} is no text in UTF-8.") from None
    with open_server() as server:
        with server.database.read() as session:
            known = {one.name: one.id for one, _ in calendars.every(session)}
        now, named = datetime.now(UTC), " ".join(name.split())
        if named in known:
            moved = calendars.change(server.database, None, known[named], None, text, now=now)
            click.echo(f"{named}: changed, {moved} deadlines moved.")
        else:
            calendars.make(server.database, None, named, text, now=now)
            click.echo(f"{named}: made.")
