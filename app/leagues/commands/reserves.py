"""`postroad league event reserve`: call a reserve for a player's place, also between rounds."""

from __future__ import annotations

import secrets

import click

from app.leagues.changes import reserves
from app.leagues.clubs.acting import ActRequest
from app.leagues.commands.common import AS, JSON, TOKEN, find_player, opened, right_now, tell, who_acts_in
from app.leagues.events import entries


@click.command()
@click.argument("number", type=int)
@click.argument("player")
@click.option("--reason", required=True, help="Stands in the audit trail.")
@TOKEN
@AS
@JSON
def reserve(number: int, player: str, reason: str, token: str, address: str, as_json: bool) -> None:
    """Call the first reserve of an event for the place of PLAYER (an address)."""
    with opened() as server:
        with server.database.read() as session:
            actor = who_acts_in(session, number, address)
            entrant = entries.entrant_of(session, number, find_player(session, player))
        if entrant is None:
            raise click.ClickException(f"{player} is not in this event.")
        asked = ActRequest(actor, reason, token or secrets.token_hex(12))
        made = reserves.call(server.database, number, entrant.id, asked, now=right_now())
    if made is None:
        tell(as_json, {"done": "before"}, ["This has been done before."])
        return
    data = {"done": "now", "call": made.id, "asked": made.name, "answer_by": made.answer_by.isoformat()}
    tell(as_json, data, [f"{made.name} is asked, until {made.answer_by:%Y-%m-%d %H:%M} UTC."])
