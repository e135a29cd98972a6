"""`postroad league`: what an operator does for clubs on the server itself. All else is on their pages."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import click

from app.games.work import Work
from app.leagues.clubs import club_rights
from app.server.commands.common import open_server


@click.group()
def league() -> None:
    """Found clubs."""


@league.group()
def club() -> None:
    """Clubs: found one."""


@club.command()
@click.argument("slug")
@click.option("--name", required=True)
@click.option("--owner", required=True, metavar="ADDRESS", help="Who owns it; no mail goes out.")
@click.option("--about", default="", help="What the club says of itself.")
@click.option("--language", default="en", show_default=True, help="Of what the server writes in its name.")
@click.option("--zone", default="", help="Of its days; else that of its owner.")
@click.option("--json", "as_json", is_flag=True, help="One JSON value, for programs.")
def new(slug: str, name: str, owner: str, about: str, language: str, zone: str, as_json: bool) -> None:
    """Found a club with the page /clubs/SLUG."""
    now = datetime.now(UTC)
    with open_server() as server, Work(server.database) as work:
        made = club_rights.make_for(
            work, owner, slug=slug, name=name, about=about, language=language, zone=zone, now=now
        )
    page = f"/clubs/{made}"
    click.echo(json.dumps({"club": made, "page": page}) if as_json else f"The club has the page {page}.")
