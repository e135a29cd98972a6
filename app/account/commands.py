"""`postroad moderate`: reports, mutes, bans, and the trail."""

from __future__ import annotations

from datetime import UTC, date, datetime

import click

from app.account import bans
from app.base.stored.database import Database
from app.people import accounts, sanctions, signin
from app.people.tables import SanctionKind
from app.play.agreed import reports
from app.server.commands.common import open_server

KIND = click.Choice([str(kind) for kind in SanctionKind])


@click.group()
def moderate() -> None:
    """Answer reports; mute and ban players."""


def _player(database: Database, address: str) -> int:
    with database.read() as session:
        found = accounts.find(session, address)
    if found is None:
        raise click.ClickException(f"There is no player with the address {address}.")
    return found.id


def _until(day: datetime | None, now: datetime) -> datetime | None:
    return sanctions.end_of(None if day is None else date(day.year, day.month, day.day), now)


@moderate.command(name="reports")
def reports_() -> None:
    """What was reported, lines and players, and waits for an answer."""
    with open_server() as server, server.database.read() as session:
        for one in reports.open_reports(session):
            where = f"game {one.game.id}  " if one.game else ""
            who, text = one.about, one.why
            if one.game and one.said:
                who, text = one.game.seated(one.said.seat).name or one.said.seat, one.said.text
            click.echo(f"{one.id}  {where}{who}: {' '.join(text.split())}")


@moderate.command()
@click.argument("report", type=int)
@click.option("--reason", required=True, help="The result.")
def close(report: int, reason: str) -> None:
    """Close a report."""
    with open_server() as server:
        reports.close(server.database, report, why=reason, by_id=None, now=datetime.now(UTC))
    click.echo(f"Report {report} is closed.")


@moderate.command()
@click.argument("address")
@click.option("--reason", required=True, help="The player reads it.")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="The last day, in UTC; without: until it is lifted.")
def mute(address: str, reason: str, until: datetime | None) -> None:
    """Refuse what a player says at tables."""
    now = datetime.now(UTC)
    with open_server() as server:
        who = _player(server.database, address)
        sanctions.mute(server.database, who, reason=reason, until=_until(until, now), by_id=None, now=now)
    click.echo(f"{address} is muted.")


@moderate.command()
@click.argument("address")
@click.option("--reason", required=True, help="The player reads it.")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="The last day, in UTC; without: until it is lifted.")
@click.option("--leave", is_flag=True, help="Leave all events, resign all running games; this cannot be undone.")
def ban(address: str, reason: str, until: datetime | None, *, leave: bool) -> None:
    """End a player's sign-ins, and let them make or join nothing."""
    now = datetime.now(UTC)
    with open_server() as server:
        who = _player(server.database, address)
        bans.ban(server.database, who, reason=reason, until=_until(until, now), leaves=leave, by_id=None, now=now)
    click.echo(f"{address} is banned.")


@moderate.command()
@click.argument("address")
@click.argument("kind", type=KIND)
@click.option("--reason", required=True)
def lift(address: str, kind: str, reason: str) -> None:
    """End a mute or a ban."""
    with open_server() as server:
        who = _player(server.database, address)
        sanctions.lift(server.database, who, SanctionKind(kind), reason=reason, by_id=None, now=datetime.now(UTC))
    click.echo(f"The {kind} of {address} is lifted.")


@moderate.command(name="sign-out")
@click.argument("address")
def sign_out(address: str) -> None:
    """End all of a player's sign-ins, and the links that have been mailed for some."""
    with open_server() as server:
        who = _player(server.database, address)
        with server.database.write() as session:
            signin.end_all(session, who)
    click.echo(f"{address} is signed out everywhere.")


@moderate.command()
def trail() -> None:
    """Who was muted or banned, by whom, why, and until when."""
    with open_server() as server, server.database.read() as session:
        for one, player, by, lifter in sanctions.trail(session):
            ends = f" until {one.until:%Y-%m-%d %H:%M} UTC" if one.until else ""
            who = by or "a command"
            click.echo(f"{one.made_at:%Y-%m-%d %H:%M}  {player}  {one.kind}{ends}  by {who}: {one.reason}")
            if one.lifted_at:
                who = lifter or "a command"
                click.echo(f"  lifted {one.lifted_at:%Y-%m-%d %H:%M} by {who}: {one.lifted_why}")
