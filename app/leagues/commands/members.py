"""`postroad league members`: inviting, and a club's own spreadsheet in and out."""

from __future__ import annotations

from typing import BinaryIO

import click

from app.base.speech import Voice
from app.leagues.clubs import clubs, joining, notes
from app.leagues.clubs import members as service
from app.leagues.commands.common import AS, JSON, club_and_actor, opened, right_now, tell
from app.leagues.seasons import imports, sheets
from app.leagues.tables import Role


@click.group()
def members() -> None:
    """The members of a club."""


@members.command(name="list")
@click.argument("club")
@JSON
def list_members(club: str, as_json: bool) -> None:
    """Everybody with address, role and whether they have answered."""
    with opened() as server, server.database.read() as session:
        people = service.members(session, clubs.find(session, club).id)
    data = [{"name": one.name, "address": one.address, "role": one.role, "status": one.status} for one in people]
    tell(as_json, data, (f"{one.name} <{one.address}>  {one.role}, {one.status}" for one in people))


@members.command()
@click.argument("club")
@click.argument("address")
@click.option("--role", default=Role.MEMBER.value, show_default=True)
@click.option("--as", "by", metavar="ADDRESS", default="", help="Act as this member; else as the owner.")
def invite(club: str, address: str, role: str, by: str) -> None:
    """Invite a person by mail."""
    with opened() as server:
        club_id, actor = club_and_actor(server, club, by)
        service.invite(server.database, club_id, actor, address, role=service.read_role(role), now=right_now())
    click.echo(f"{address} is invited, or belongs to the club already.")


@members.command()
@click.argument("club")
@JSON
def requests(club: str, as_json: bool) -> None:
    """Requests to join, by the numbers that `members admit` takes."""
    with opened() as server, server.database.read() as session:
        found = joining.waiting(session, clubs.find(session, club).id)
        data = [
            {"player": one.player_id, "name": one.name, "asked": one.asked_at.isoformat(), "words": one.text}
            for one in found
        ]
    tell(as_json, data, (f"{one['player']}  {one['name']}, {one['asked']}: {one['words']}" for one in data))


@members.command()
@click.argument("club")
@click.argument("player", type=int)
@click.option("--decline", is_flag=True, help="Decline instead.")
@click.option("--words", default="", help="For them alone, in the mail.")
@AS
@JSON
def admit(club: str, player: int, decline: bool, words: str, address: str, as_json: bool) -> None:
    """Answer a request to join (a number of `members requests`); the player is told by mail."""
    with opened() as server:
        club_id, actor = club_and_actor(server, club, address)
        done = joining.decide(server.database, club_id, actor, player, admits=not decline, words=words, now=right_now())
    if not done:
        raise click.ClickException("No request of this player waits.")
    tell(as_json, {"player": player, "admitted": not decline}, ["Declined." if decline else "Taken in."])


@members.command(name="import")
@click.argument("club")
@click.argument("file", type=click.File("rb"))
@click.option("--kind", type=click.Choice(["members", "seasons"]), default="members", show_default=True)
@click.option("--column", "columns", multiple=True, metavar="HEADING=MEANING", help="Instead of what is guessed.")
@click.option("--skip", is_flag=True, help="Leave wrong lines out.")
@click.option("--look", "only_look", is_flag=True, help="Show what would be taken; write nothing.")
@AS
@JSON
def import_members(
    club: str,
    file: BinaryIO,
    kind: str,
    columns: tuple[str, ...],
    skip: bool,
    only_look: bool,
    address: str,
    as_json: bool,
) -> None:
    """Import a spreadsheet (CSV; - for standard input): invite everybody in it and keep their columns, or
    import the tables of earlier seasons. All or nothing: one bad line refuses the file.

    MEANING is address, name, first, rating, division, place, language, role, note, own1, own2, own3 or empty to leave a
    column out; of seasons also season and points.
    """
    with opened() as server:
        club_id, actor = club_and_actor(server, club, address)
        table = sheets.read(file.read())
        meant = imports.guessed(table, kind)
        for one in columns:
            heading, _, meaning = one.rpartition("=")
            if heading not in table.heading:
                raise click.ClickException(f"There is no column “{heading}”.")
            meant[table.heading.index(heading)] = meaning
        given = imports.GivenList(kind, table, meant)
        found = imports.look(server.database, club_id, actor, given)
        taken, invited = 0, 0
        if not only_look:
            taken, invited = imports.take(
                server.database, club_id, actor, given, skip=skip, limited=False, now=right_now()
            )
    wrong = [{"line": line, "why": Voice().say(why)} for line, why in found.complaints]
    said = [Voice().say(one) for one in (*table.notes, *found.notes)]
    data = {"columns": dict(zip(table.heading, meant, strict=True)), "taken": taken, "invited": invited, "wrong": wrong}
    lines = [f"{heading}: {meaning or 'left out'}" for heading, meaning in zip(table.heading, meant, strict=True)]
    lines += [*said, *(f"line {one['line']}: {one['why']}" for one in wrong)]
    tell(as_json, data | ({"notes": said} if said else {}), [*lines, f"{taken} taken, {invited} invited."])


@members.command()
@click.argument("club")
@AS
def remind(club: str, address: str) -> None:
    """Mail their invitation again to those who have not answered for two days."""
    with opened() as server:
        club_id, actor = club_and_actor(server, club, address)
        count = service.remind(server.database, club_id, actor, now=right_now())
    click.echo(f"{count} invited again.")


@members.command(name="export")
@click.argument("club")
def export_members(club: str) -> None:
    """The members with what the club keeps about them, as CSV that the import takes back."""
    with opened() as server, server.database.read() as session:
        found = clubs.find(session, club)
        click.echo(notes.as_csv(found, notes.of_members(session, found.id)), nl=False)
