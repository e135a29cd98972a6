"""`postroad league event match`: a match of two clubs, from the invitation to the start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

from app.leagues.clubs import clubs
from app.leagues.commands.common import AS, JSON, opened, right_now, tell, who_acts
from app.leagues.events import events, two_clubs
from app.leagues.seasons import club_matches as service
from app.leagues.teams import teams
from app.people.tables import Player

if TYPE_CHECKING:
    from sqlmodel import Session


class _Step(TypedDict):
    guest: str | None
    back: bool
    answer: str | None
    words: str
    referee: str | None
    ready: bool


@click.command(name="match")
@click.argument("number", type=int)
@click.option("--invite", "guest", metavar="CLUB", help="Invite this club to the event, a draft with boards.")
@click.option("--back", is_flag=True, help="Take the invitation back.")
@click.option("--answer", type=click.Choice(["accept", "decline"]), help="Answer for the club that is invited.")
@click.option("--words", default="", help="With an invitation or its answer.")
@click.option("--referee", metavar="NAME", help="Whom the club names as referee, of neither club; empty for nobody.")
@click.option("--ready", is_flag=True, help="The team of the club is ready; with the second one the match starts.")
@click.option("--for", "slug", metavar="CLUB", help="Act for this club of the two; else for the one that invites.")
@AS
@JSON
def match(number: int, slug: str | None, address: str, as_json: bool, **step: Unpack[_Step]) -> None:
    """A match of two clubs: how it stands; with options one step of it."""
    with opened() as server:
        database, now = server.database, right_now()
        with database.read() as session:
            event = events.get(session, number)
            actor = who_acts(session, clubs.find(session, slug).id if slug else event.club_id, address)
            guest_id = clubs.find(session, step["guest"]).id if step["guest"] else None
        if guest_id is not None:
            service.invite(database, number, actor, guest_id, step["words"], now=now)
        elif step["back"]:
            service.take_back(database, number, actor, now=now)
        elif step["answer"]:
            accepts = step["answer"] == "accept"
            service.answer(database, number, actor, accepts=accepts, words=step["words"], now=now)
        elif step["referee"] is not None:
            service.name_referee(database, number, actor, step["referee"], now=now)
        elif step["ready"]:
            service.say_ready(database, number, actor, now=now)
        with database.read() as session:
            data = _data(session, number)
    tell(
        as_json,
        data,
        [f"{data['host']} - {data['guest'] or '?'}: {data['invitation'] or 'nobody invited'}", *_said(data)],
    )


def _data(session: Session, number: int) -> dict[str, Any]:
    event = events.get(session, number)
    found = two_clubs.of_event(session, number)
    playing = {team.club_id: team.name for team in teams.of_event(session, number)}
    referee = session.get(Player, found.referee_id) if found and found.referee_id else None
    return {
        "event": number,
        "status": event.status,
        "host": clubs.get(session, event.club_id).slug,
        "guest": clubs.get(session, found.guest_id).slug if found else None,
        "invitation": found.status if found else None,
        "teams": [playing.get(one) for one in event.club_ids],
        "ready": [bool(found and found.host_ready_at), bool(found and found.guest_ready_at)],
        "referee": referee.name if referee else None,
    }


def _said(data: dict[str, Any]) -> list[str]:
    clubs_said = f"{data['host']} - {data['guest'] or '?'}: {data['invitation'] or 'nobody is invited'}"
    named = " - ".join(f"{name or 'no team'}{' (ready)' if ready else ''}" for name, ready in _sides(data))
    return [clubs_said, named, f"Referee: {data['referee'] or 'an operator'}", f"The event is {data['status']}."]


def _sides(data: dict[str, Any]) -> list[tuple[str | None, bool]]:
    return list(zip((*data["teams"], None)[:2], data["ready"], strict=True))
