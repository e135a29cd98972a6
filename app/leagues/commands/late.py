"""`postroad league event late`: a player enters an event after the start."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import click

from app.leagues.changes import late as service
from app.leagues.clubs.acting import ActRequest
from app.leagues.commands.common import AS, JSON, TOKEN, find_player, opened, right_now, tell, who_acts
from app.leagues.events import events
from app.leagues.tables import Competition, Division, Role

if TYPE_CHECKING:
    from app.leagues.changes.late import ForeseenRound, LateArrival


@click.command()
@click.argument("number", type=int)
@click.argument("player")
@click.option("--division", default="", help="Name or number; needed where the event has several.")
@click.option("--reason", default="", help="Stands in the audit trail and in the mails.")
@click.option("--preview", is_flag=True, help="Only say what would change.")
@TOKEN
@AS
@JSON
def late(
    number: int, player: str, division: str, reason: str, preview: bool, token: str, address: str, as_json: bool
) -> None:
    """Take PLAYER (an address) into an event that runs. Published rounds stay, later ones are paired again."""
    with opened() as server:
        with server.database.read() as session:
            event = events.get(session, number)
            actor = who_acts(session, event.club_id, address)
            into, player_id = _division(event, division), find_player(session, player)
            if preview:
                events.need(session, number, actor, Role.DEPUTY)
                coming: LateArrival | None = service.foresee(session, event, into, player_id)
        if not preview:
            asked = ActRequest(actor, reason, token or secrets.token_hex(12))
            coming = service.take_in(server.database, number, into.id, player_id, asked, now=right_now())
    if coming is None:
        tell(as_json, {"done": "before"}, ["This has been done before."])
        return
    tell(as_json, {"done": "nothing" if preview else "now", **_data(coming)}, _lines(coming))


def _division(event: Competition, given: str) -> Division:
    found = [one for one in event.divisions if given in (str(one.id), one.name) or not given]
    if len(found) != 1:
        raise click.ClickException(f"The event has no division {given}." if given else "Say which division.")
    return found[0]


def _data(coming: LateArrival) -> dict[str, Any]:
    return {
        "player": coming.name,
        "division": coming.division.name,
        "published": list(coming.stay),
        "draft_thrown_away": coming.draft,
        "rounds_before": coming.before,
        "rounds": coming.after,
        "begins": coming.starts,
        "games": [{"round": one.round, "opponent": one.opponent, "seat": one.place + 1} for one in coming.games],
        "later": [{"round": one.number, "games": one.games, "free": one.free} for one in coming.later],
        "mails": len(coming.told),
        "players": coming.size,
        "other_divisions": dict(coming.others),
        "next": None if coming.next is None else _next(coming.next),
    }


def _next(one: ForeseenRound) -> dict[str, Any]:
    return {
        "round": one.number,
        "tables": list(one.sizes),
        "tables_before": list(one.had),
        "free": one.free,
        "bye": one.bye or None,
        "seated_by_hand_lost": one.by_hand,
        "games": [{"players": list(game.names), "as_in_the_draft": game.stays} for game in one.games],
    }


def _lines(coming: LateArrival) -> list[str]:
    lines = [
        f"{coming.name} in {coming.division.name}, from round {coming.starts} on.",
        f"Rounds: {coming.after}; before: {coming.before}. Published rounds stay: {len(coming.stay)}.",
    ]
    if coming.draft:
        lines.append(f"The draft of round {coming.draft} is thrown away.")
    lines.append(f"Players of the division: {coming.size}.")
    if coming.next is None:
        return lines + [f"round {one.round}: {one.opponent}" for one in coming.games]
    if coming.stay:
        lines.append(f"Rounds that are lost, without points: {', '.join(map(str, coming.stay))}.")
    new = coming.next
    lines.append(f"round {new.number}: {len(new.sizes)} games, before {len(new.had)}; without a game: {new.free}")
    lines += [f"  {' – '.join(one.names)}{'' if one.stays else ' (new)'}" for one in new.games]
    return [*lines, f"  bye: {new.bye}"] if new.bye else lines
