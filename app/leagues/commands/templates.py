"""`postroad league template`: terms of events, kept as a start for others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from app.leagues.clubs import clubs
from app.leagues.commands.common import AS, JSON, acting, club_and_actor, opened, right_now, tell
from app.leagues.events import event_templates, events
from app.leagues.pure.terms import write_terms
from app.leagues.tables import CompetitionTemplate

if TYPE_CHECKING:
    from sqlmodel import Session


@click.group()
def template() -> None:
    """Templates of events."""


def _find(session: Session, club_id: int, name: str) -> CompetitionTemplate:
    for one in event_templates.of_club(session, club_id):
        if one.name.lower() == name.lower():
            return one
    raise click.ClickException(f"The club has no template “{name}”.")


@template.command(name="list")
@click.argument("club")
@JSON
def list_templates(club: str, as_json: bool) -> None:
    """The templates of a club, by name."""
    with opened() as server, server.database.read() as session:
        data: list[dict[str, Any]] = [
            {
                "name": one.name,
                "title": one.title_id,
                "format": one.format,
                "options": one.options,
                "terms": write_terms(one.terms),
                "divisions": [{"name": name, "promoted": up, "relegated": down} for name, up, down in one.parts],
            }
            for one in event_templates.of_club(session, clubs.find(session, club).id)
        ]
    tell(as_json, data, (f"{one['name']}: {one['title']}, {one['format']}" for one in data))


@template.command()
@click.argument("event_id", metavar="EVENT", type=int)
@click.argument("name")
@AS
@JSON
def keep(event_id: int, name: str, address: str, as_json: bool) -> None:
    """Keep the terms of an event as a template of its club."""
    with acting(event_id, address) as (server, actor):
        event_templates.keep(server.database, event_id, actor, name, now=right_now())
    tell(as_json, {"template": name}, [f"Kept as {name}."])


@template.command()
@click.argument("club")
@click.argument("template_name", metavar="TEMPLATE")
@click.option("--name", required=True, help="Of the event.")
@click.option("--season", default="")
@AS
@JSON
def start(club: str, template_name: str, name: str, season: str, address: str, as_json: bool) -> None:
    """Prepare an event from a template."""
    with opened() as server:
        club_id, actor = club_and_actor(server, club, address)
        with server.database.read() as session:
            kept = _find(session, club_id, template_name)
        parts = [{"name": part, "promoted": up, "relegated": down} for part, up, down in kept.parts]
        draft = events.NewEvent(
            name=name,
            title_id=kept.title_id,
            format=kept.format,
            options=kept.options,
            pace=kept.pace,
            calendar_id=kept.calendar_id,
            terms=write_terms(kept.terms),
            divisions=parts if len(parts) > 1 else (),
            season=season,
        )
        made = events.make(server.database, club_id, actor, draft, now=right_now())
    tell(as_json, {"event": made}, [f"Event {made} is prepared."])


@template.command()
@click.argument("club")
@click.argument("template_name", metavar="TEMPLATE")
@AS
@JSON
def forget(club: str, template_name: str, address: str, as_json: bool) -> None:
    """Delete a template."""
    with opened() as server:
        club_id, actor = club_and_actor(server, club, address)
        with server.database.read() as session:
            kept = _find(session, club_id, template_name)
        event_templates.forget(server.database, club_id, actor, kept.id, now=right_now())
    tell(as_json, {"template": kept.name, "forgotten": True}, [f"{kept.name} is thrown away."])
