"""`postroad league event correct`: a result that stands is corrected by a ruling."""

from __future__ import annotations

import secrets

import click
import sqlalchemy as sa
from sqlmodel import col

from app.base.speech import Voice
from app.leagues import disputes, events, verdicts
from app.leagues.commands.common import AS, JSON, opened, right_now, tell, who_acts
from app.leagues.tables import EventRound, Match


@click.command()
@click.argument("number", type=int)
@click.argument("game", type=int)
@click.option("--reason", required=True, help="Stands in the mails and in the audit trail.")
@click.option("--points", multiple=True, metavar="POINTS", help="Of each seat in order: decide at once. Else it waits.")
@AS
@JSON
def correct(number: int, game: int, reason: str, points: tuple[str, ...], address: str, as_json: bool) -> None:
    """Open a ruling about the result of a GAME, acting as a member who does not play in the event."""
    with opened() as house:
        asked = sa.select(col(Match.id)).join(EventRound, col(EventRound.id) == col(Match.round_id))
        here = asked.where(col(EventRound.event_id) == number, col(Match.game_id) == game)
        with house.database.read() as session:
            actor = who_acts(session, events.get(session, number).club_id, address)
            match_id = session.scalar(here)
            if match_id is None:
                raise click.ClickException(f"The event has no game {game}.")
            seats = len(disputes.match_of(session, match_id)[1].seats)
        verdict = verdicts.read_verdict("result", "", "", points, seats) if points else None
        ruling_id = disputes.claim(house.database, number, match_id, actor, reason, now=right_now())
        if verdict is not None:
            token, now = secrets.token_hex(12), right_now()
            disputes.decide(house.database, number, ruling_id, actor, verdict, reason=reason, token=token, now=now)
        with house.database.read() as session:
            row = disputes.find(session, number, ruling_id)
            _, match = disputes.match_of(session, match_id)
    standing = [str(seat.points) for seat in match.seats]
    data = {"ruling": row.id, "status": row.status, "game": game, "points": standing}
    data["appeal_until"] = row.appeal_until.isoformat() if row.appeal_until else None
    until = f" An appeal is possible until {Voice().moment(row.appeal_until)}." if row.appeal_until else ""
    tell(as_json, data, [f"Ruling {row.id}: {row.status}; points {' – '.join(standing)}.{until}"])
