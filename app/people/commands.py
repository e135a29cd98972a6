"""`postroad player`: people, by their addresses."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click
from sqlmodel import Session

from app.base.process import private
from app.base.process.logs import access
from app.base.server import Server
from app.games.work import Work
from app.people import accounts, signin
from app.people.tables import Player
from app.server.commands.common import open_server


@click.group()
def player() -> None:
    """Look after players."""


NEW = click.option("--new", is_flag=True, help="Make the account, if nobody has the address.")


def _found(session: Session, address: str, *, new: bool = False, language: str = "en") -> Player:
    """Return the player with an address; ClickException if there is none, unless one may be made."""
    if new:
        return accounts.find_or_add(session, address, now=datetime.now(UTC), language=language)
    found = accounts.find(session, address)
    if found is None:
        raise click.ClickException(f"Nobody has the address {address}; `player list` shows who is here.")
    return found


def _number(server: Server, address: str) -> int:
    """Return the number of the player with an address; ClickException if there is none."""
    with server.database.read() as session:
        return _found(session, address).id


@player.command(name="list")
@click.argument("words", default="")
def list_(words: str) -> None:
    """Show people whose name or address begins with WORDS, the newest first."""
    with open_server() as server, server.database.read() as session:
        for one in accounts.people(session, words):
            click.echo(f"{one.id}  {one.address}  {one.name}  {one.role}, running games: {one.games}")


@player.command()
@click.argument("address")
def show(address: str) -> None:
    """Show what is known of a person."""
    with open_server() as server, server.database.read() as session:
        one = _found(session, address)
        for name in ("id", "name", "address", "second_address", "role", "language", "zone", "created_at", "acted_at"):
            click.echo(f"{name}: {getattr(one, name)}")


@player.command()
@click.argument("old")
@click.argument("new")
def address(old: str, new: str) -> None:
    """Move an account to another address: both get a mail, and it happens in three days unless one objects."""
    with open_server() as server:
        who = _number(server, old)
        by = f"An operator of {server.config.host}"
        due = signin.move(server.database, who, new, by=by, now=datetime.now(UTC))
    click.echo(f"{old} becomes {new} at {due:%Y-%m-%d %H:%M} UTC, unless one of the two objects.")


@player.command()
@click.argument("address")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def export(address: str, file: Path) -> None:
    """Write what is kept about a person into a zip (or `-`: standard output): with the hands of their games, so only
    for them."""
    from app.account import export as exporting

    with open_server() as server:
        who = _number(server, address)
        content = exporting.export(server.database, who, now=datetime.now(UTC))
    if str(file) == "-":
        return click.echo(content, nl=False)
    try:
        with private.replaced(file) as out:
            out.write(content)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}.") from None
    click.echo(f"{file} is written.")


@player.command()
@click.argument("address")
@click.confirmation_option(prompt="Running games are resigned, and nothing brings the account back. Erase it?")
def erase(address: str) -> None:
    """Erase an account, as its owner can."""
    from app.account import my_data

    with open_server() as server:
        who = _number(server, address)
        my_data.erase(server.database, who, now=datetime.now(UTC))
    click.echo(f"The account of {address} is erased.")


@player.command()
@click.argument("kept")
@click.argument("other")
def merge(kept: str, other: str) -> None:
    """Give the account KEPT all that OTHER has, of the same person, and close that one."""
    from app.account import joining

    with open_server() as server:
        both = _number(server, kept), _number(server, other)
        joining.join(server.database, *both, now=datetime.now(UTC))
    click.echo(f"{kept} has what {other} had.")


@player.command()
@click.argument("address")
@click.argument("role", type=click.Choice(list(accounts.ROLE_NAMES)))
@NEW
def role(address: str, role: str, *, new: bool) -> None:
    """Make a person an operator, or a player again."""
    with open_server() as server, Work(server.database) as work:
        found = _found(work.session, address, new=new, language=server.config.language)
        accounts.settle(found, role=role)
        work.session.add(found)
        access.info("player %s is %s now, by a command", found.id, role)
    click.echo(f"{found.address} is {role} now.")


@player.command(name="set")
@click.argument("address")
@click.option("--name")
@click.option("--language", help="en, fr, es or it.")
@click.option("--zone", help="A time zone, such as Europe/Paris.")
@NEW
def set_(address: str, name: str | None, language: str | None, zone: str | None, *, new: bool) -> None:
    """Change a person's name, language or zone."""
    with open_server() as server, Work(server.database) as work:
        found = _found(work.session, address, new=new, language=server.config.language)
        accounts.settle(found, name=name, language=language, zone=zone)
        work.session.add(found)
    click.echo(f"{found.address}: {found.name}, {found.language}, {found.zone}")
