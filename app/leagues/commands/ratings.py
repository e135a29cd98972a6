"""`postroad league ratings`: the ratings of all titles, as stored or recomputed."""

from __future__ import annotations

import json

import click
from rich.console import Console
from rich.progress import track

from app.leagues.results import casual, rate
from app.server.commands.common import open_server
from app.titles.registry import TITLES


@click.command()
@click.option("--title", default="", help="One title; else all that have ratings.")
@click.option("--recompute", is_flag=True, help="Make all ratings anew from the results first.")
@click.option("--json", "as_json", is_flag=True, help="One JSON value, for programs.")
def ratings(title: str, recompute: bool, as_json: bool) -> None:
    """List the ratings; the same results always give the same numbers."""
    if title and title not in TITLES:
        raise click.ClickException(f"There is no title {title!r}.")
    with open_server() as server:
        with server.database.read() as session:
            known = [title] if title else rate.titles(session)
        changed = 0
        if recompute:
            for one in track(known, "Rating", console=Console(stderr=True), transient=True):
                changed += rate.recompute(server.database, one)
            with server.database.read() as session:
                outside = [one for one in casual.titles(session) if not title or one == title]
            for one in outside:  # ratings of casual play are on profiles
                casual.recompute(server.database, one)
        with server.database.read() as session:
            found = [(one, system, rate.table(session, one, system)) for one in known for system in rate.SYSTEMS]
    if as_json:
        click.echo(
            json.dumps(
                [
                    {
                        "title": one,
                        "system": system,
                        "player": row.player_id,
                        "name": row.name,
                        "rating": row.rating,
                        "deviation": row.deviation,
                        "games": row.games,
                        "changed_at": row.changed_at.isoformat(),
                    }
                    for one, system, rows in found
                    for row in rows
                ]
            )
        )
        return
    for one, system, rows in found:
        if not rows:
            continue
        click.echo(f"{one} ({'Glicko-2' if system == rate.SYSTEMS[0] else 'OpenSkill'})")
        for place, row in enumerate(rows, 1):
            click.echo(f"{place:4}. {row.rating:6.0f} ± {row.deviation:3.0f}  {row.games:4} games  {row.name}")
    if recompute:
        click.echo(f"Made anew; {changed} rows changed.")
