"""`postroad player`: people, by their addresses."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from app.base.process.logs import access
from app.games.work import Work
from app.people import accounts
from app.server.commands.common import open_server


@click.group()
def player() -> None:
    """Look after players."""


@player.command()
@click.argument("address")
@click.argument("role", type=click.Choice(list(accounts.ROLE_NAMES)))
def role(address: str, role: str) -> None:
    """Make a person an operator, or a player again. An unknown address becomes a player first."""
    with open_server() as server, Work(server.database) as work:
        found = accounts.find_or_add(work.session, address, now=datetime.now(UTC), language=server.config.language)
        accounts.settle(found, role=role)
        work.session.add(found)
        access.info("player %s is %s now, by a command", found.id, role)
    click.echo(f"{found.address} is {role} now.")


@player.command(name="set")
@click.argument("address")
@click.option("--name")
@click.option("--language", help="en, fr, es or it.")
@click.option("--zone", help="A time zone, such as Europe/Paris.")
def set_(address: str, name: str | None, language: str | None, zone: str | None) -> None:
    """Change a person's name, language or zone. An unknown address becomes a player first."""
    with open_server() as server, Work(server.database) as work:
        found = accounts.find_or_add(work.session, address, now=datetime.now(UTC), language=server.config.language)
        accounts.settle(found, name=name, language=language, zone=zone)
        work.session.add(found)
    click.echo(f"{found.address}: {found.name}, {found.language}, {found.zone}")
