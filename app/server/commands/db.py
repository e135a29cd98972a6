"""`postroad db`: the database and its history."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime

import click

from app.base.stored import fingerprint
from app.base.stored.database import Database
from app.server.commands.common import migrate, settings
from app.upkeep import migrating, schema


@click.group()
def db() -> None:
    """Look after the database."""


@db.command()
def upgrade() -> None:
    """Bring the database to the newest migration."""
    config = settings()
    migrate(config)
    with closing(Database(config.database_url)) as database, database.read() as session:
        revision = schema.revision_of(session)
    click.echo(f"The database is at {revision}.")


@db.command()
def check() -> None:
    """Compare the database with what this version needs; exit code 1 when they differ."""
    with closing(Database(settings().database_url)) as database, database.read() as session:
        revision = schema.revision_of(session)
        differences = migrating.drift(session) if revision == schema.newest() else []
    if revision is None:
        raise click.ClickException("There is no database yet; `postroad db upgrade` or the first start makes it.")
    if revision != schema.newest():
        raise click.ClickException(f"The database is at {revision}, needed is {schema.newest()}.")
    if differences:
        raise click.ClickException("The tables differ from the models:\n" + "\n".join(map(str, differences)))
    click.echo(f"The database is at {revision}, as it should be.")


@db.command()
@click.argument("what")
def revision(what: str) -> None:
    """Write a new migration from what has changed in the models; for developers."""
    migrating.new_revision(what)


@db.command(name="new-key")
def new_key() -> None:
    """Go on with the key of this machine, where the old one is lost: all links in mails end."""
    config = settings()
    migrate(config)
    with closing(Database(config.database_url)) as database:
        fingerprint.adopt(database, config.secret_keys[-1], datetime.now(UTC))
    click.echo(f"Links are signed with the key {fingerprint.of(config.secret_keys[-1])} from now on.")
