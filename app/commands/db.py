"""`postroad db`: the database and its history."""

from __future__ import annotations

import click

from app.base import database
from app.commands.common import migrate, settings
from app.upkeep import schema


@click.group()
def db() -> None:
    """Look after the database."""


@db.command()
def upgrade() -> None:
    """Bring the database to the newest migration."""
    migrate(settings())
    click.echo(f"The database is at {schema.newest()}.")


@db.command()
def check() -> None:
    """Compare the database with what this version needs; exit code 1 when they differ."""
    opened = database.Database(settings().database_url)
    with opened.read() as session:
        revision = schema.revision_of(session)
        differences = schema.drift(session) if revision == schema.newest() else []
    opened.close()
    if revision != schema.newest():
        raise click.ClickException(f"The database is at {revision or 'nothing'}, needed is {schema.newest()}.")
    if differences:
        raise click.ClickException("The tables differ from the models:\n" + "\n".join(map(str, differences)))
    click.echo(f"The database is at {revision}, as it should be.")


@db.command()
@click.argument("what")
def revision(what: str) -> None:
    """Write a new migration from what has changed in the models; for developers."""
    schema.new_revision(settings().database_url, what)
