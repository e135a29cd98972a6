"""`postroad league event seeds`: the pairing numbers of an event, taken from a season or a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

import click

from app.base.refusals import NotAccepted
from app.base.speech import FORMER_PLAYER
from app.leagues.commands.common import AS, JSON, find_player, opened, right_now, tell, who_acts
from app.leagues.events import entries, events
from app.leagues.rounds import pairing_numbers, seeding
from app.leagues.tables import Role
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.leagues.tables import Entrant


@click.command()
@click.argument("number", type=int)
@click.option("--by", metavar="KEY", default="", help="rating, last-season, or a key that is printed without options.")
@click.option("--order", type=click.File("r", encoding="utf-8"), help="Addresses, one a line, number 1 first.")
@click.option("--preview", is_flag=True, help="Show the order; change nothing.")
@AS
@JSON
def seeds(number: int, by: str, order: TextIO | None, preview: bool, address: str, as_json: bool) -> None:
    """The pairing numbers of an event and their possible sources; with --by or --order they are set, until the first
    round is published.
    """
    if by and order:
        raise click.UsageError("Use --by or --order, not both.")
    with opened() as server:
        with server.database.read() as session:
            event = events.get(session, number)
            actor = who_acts(session, event.club_id, address)
            events.need(session, number, actor, Role.ORGANISER)
            keys = {one.key: one.name for one in seeding.sources(session, event)}
            wanted = list(pairing_numbers.propose(session, event, by).order)
            if order is not None:
                wanted = _listed(session, number, wanted, order.read().split())
        changed = False
        if (by or order) and not preview:
            changed = pairing_numbers.put(server.database, number, actor, [one.id for one in wanted], now=right_now())
    numbers = [
        {"number": at, "name": one.name or FORMER_PLAYER, "rating": one.rating} for at, one in enumerate(wanted, 1)
    ]
    lines = [f"{one['number']}. {one['name']}" for one in numbers]
    lines += ["The numbers are set."] if changed else [f"--by {key}  {name}".rstrip() for key, name in keys.items()]
    tell(as_json, {"changed": changed, "numbers": numbers, "sources": list(keys)}, lines)


def _listed(session: Session, event_id: int, playing: list[Entrant], addresses: list[str]) -> list[Entrant]:
    """Return the entrants of these addresses, which must name every player once."""
    found = [entries.entrant_of(session, event_id, find_player(session, one)) for one in addresses]
    wanted = [one for one in found if one is not None]
    if sorted(one.id for one in wanted) != sorted(one.id for one in playing) or len(wanted) < len(found):
        raise NotAccepted("numbers.everybody", Text("The list names everybody who plays in the event, each once."))
    return wanted
