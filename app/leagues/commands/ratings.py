"""`postroad league ratings`: the ratings of all titles, as stored or recomputed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from app.base.stored.columns import moment
from app.base.stored.database import Database
from app.leagues.results import casual, event_ratings
from app.leagues.tables import Rating
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
            known = [title] if title else event_ratings.titles(session)
        changed = 0
        if recompute:
            changed = _recompute(server.database, known, title)
        with server.database.read() as session:
            found = [
                (one, system, event_ratings.table(session, one, system))
                for one in known
                for system in event_ratings.SYSTEMS
            ]
    if as_json:
        click.echo(json.dumps([_as_data(one, system, row) for one, system, rows in found for row in rows]))
        return
    for one, system, rows in found:
        if not rows:
            continue
        click.echo(f"{one} ({'Glicko-2' if system == event_ratings.SYSTEMS[0] else 'OpenSkill'})")
        for place, row in enumerate(rows, 1):
            click.echo(f"{place:4}. {row.rating:6.0f} ± {row.deviation:3.0f}  {row.games:4} games  {row.name}")
    if recompute:
        click.echo(f"Made anew; {changed} rows changed.")


def _recompute(database: Database, titles: Sequence[str], title: str) -> int:
    """Recompute the ratings of these titles, and those of casual play (of one title or all); how many rows changed."""
    changed = sum(event_ratings.recompute(database, one) for one in titles)
    with database.read() as session:
        outside = [one for one in casual.titles(session) if not title or one == title]
    for one in outside:  # those of casual play stand on profiles
        casual.recompute(database, one)
    return changed


def _as_data(title: str, system: str, row: Rating) -> dict[str, Any]:
    return {
        "title": title,
        "system": system,
        "player": row.player_id,
        "name": row.name,
        "rating": row.rating,
        "deviation": row.deviation,
        "games": row.games,
        "changed_at": moment(row.changed_at),
    }
