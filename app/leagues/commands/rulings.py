"""`postroad league event correct`, `rulings`, `rule`, `undo-ruling`: correcting results and deciding rulings."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, TypedDict, Unpack

import click
import sqlalchemy as sa
from sqlmodel import col

from app.base.speech import Voice
from app.leagues.clubs.acting import ActRequest
from app.leagues.commands.common import AS, JSON, REASON, acting, opened, right_now, tell, who_acts, who_acts_in
from app.leagues.events import events, two_clubs
from app.leagues.rulings import applying, correcting, deciding
from app.leagues.rulings.applying import DECISIONS
from app.leagues.tables import CompetitionRound, Match, RulingStatus

if TYPE_CHECKING:
    from sqlmodel import Session


@click.command()
@click.argument("number", type=int)
@click.argument("game", type=int)
@REASON
@click.option("--points", multiple=True, metavar="POINTS", help="Of each seat in order: decide at once. Else it waits.")
@AS
@JSON
def correct(number: int, game: int, reason: str, points: tuple[str, ...], address: str, as_json: bool) -> None:
    """Open a ruling about the result of a GAME, acting as a member who does not play in the event."""
    with opened() as server:
        with server.database.read() as session:
            actor = who_acts_in(session, number, address)
            match_id = _match(session, number, game)
        asked = ActRequest(actor, reason, secrets.token_hex(12))
        if points:
            ruling_id = correcting.set_result(server.database, number, match_id, points, asked, now=right_now())
        else:
            ruling_id = deciding.claim(server.database, number, match_id, actor, reason, now=right_now())
        assert ruling_id is not None  # the token is new
        with server.database.read() as session:
            row = deciding.find(session, number, ruling_id)
            _, match = deciding.match_of(session, match_id)
    standing = [str(seat.points) for seat in match.seats]
    data = {"ruling": row.id, "status": row.status, "game": game, "points": standing}
    data["appeal_until"] = row.appeal_until.isoformat() if row.appeal_until else None
    until = f" An appeal is possible until {Voice().moment(row.appeal_until)}." if row.appeal_until else ""
    tell(as_json, data, [f"Ruling {row.id}: {row.status}; points {' – '.join(standing)}.{until}"])


@click.command()
@click.argument("number", type=int)
@AS
@JSON
def rulings(number: int, address: str, as_json: bool) -> None:
    """List the rulings of an event, open ones first."""
    with opened() as server, server.database.read() as session:
        event = events.get(session, number)
        two_clubs.need_ruler(session, event, who_acts(session, event.club_id, address))
        rows = [
            {
                "ruling": row.id,
                "status": row.status,
                "round": row.round,
                "game": row.game_id,
                "asked": row.details.get("round_end") or ("deadline" if row.case_id else "claim"),
                "claim": row.claim,
                "opened_at": row.opened_at.isoformat(),
                "decision": row.decision,
                "appeal_until": row.appeal_until and row.appeal_until.isoformat(),
            }
            for row in deciding.of_event(session, number)
        ]
    said = "{ruling}: {status}, round {round}, game {game} ({asked}) {claim}"
    tell(as_json, rows, [said.format(**row).strip() for row in rows])


class _Verdict(TypedDict):
    decision: str
    reason: str
    days: str
    loses: str
    points: tuple[str, ...]


@click.command()
@click.argument("number", type=int)
@click.argument("ruling", type=int)
@click.option("--decision", required=True, type=click.Choice(DECISIONS))
@REASON
@click.option("--days", default="", help="Of an extension.")
@click.option("--loses", default="", help="The seat that loses (forfeit): 0 for the first.")
@click.option("--points", multiple=True, metavar="POINTS", help="Of each seat in order (result).")
@AS
@JSON
def rule(number: int, ruling: int, address: str, as_json: bool, **said: Unpack[_Verdict]) -> None:
    """Decide a RULING of an event that waits, or the appeal against it."""
    with opened() as server:
        with server.database.read() as session:
            actor = who_acts_in(session, number, address)
            row = deciding.find(session, number, ruling)
            seats = len(deciding.match_of(session, row.match_id)[1].seats)
        verdict = applying.read_verdict(said["decision"], said["days"], said["loses"], said["points"], seats)
        asked = ActRequest(actor, said["reason"], secrets.token_hex(12))
        deciding.decide(server.database, number, ruling, verdict, asked, now=right_now())
        with server.database.read() as session:
            row = deciding.find(session, number, ruling)
    data = {"ruling": row.id, "status": row.status, "decision": row.decision}
    tell(as_json, data, [f"Ruling {row.id}: {row.status}, {row.decision}."])


@click.command("undo-ruling")
@click.argument("number", type=int)
@click.argument("ruling", type=int)
@REASON
@AS
@JSON
def undo_ruling(number: int, ruling: int, reason: str, address: str, as_json: bool) -> None:
    """Withdraw the decision of a RULING while it can be appealed against: it waits again."""
    with acting(number, address) as (server, actor):
        asked = ActRequest(actor, reason, secrets.token_hex(12))
        deciding.take_back(server.database, number, ruling, asked, now=right_now())
        with server.database.read() as session:
            row = deciding.find(session, number, ruling)
    tell(as_json, {"ruling": row.id, "status": row.status}, [f"Ruling {row.id}: {row.status}."])


@click.command()
@click.argument("number", type=int)
@click.argument("ruling", type=int)
@AS
@JSON
def ruling(number: int, ruling: int, address: str, as_json: bool) -> None:
    """Show a RULING: the request, what the players have said, the decision, the appeal."""
    with opened() as server, server.database.read() as session:
        event = events.get(session, number)
        actor = who_acts(session, event.club_id, address)
        two_clubs.need_ruler(session, event, actor)
        found = deciding.packet(session, number, ruling, actor, Voice().about(event.title))
        row = found.ruling
    said = [{"name": found.names.get(who, ""), "words": words} for who, words in found.said.items()]
    data = {
        "ruling": row.id,
        "status": row.status,
        "round": found.round,
        "game": found.match.game_id,
        "players": [seat.name for seat in found.match.seats],
        "points": [None if seat.points is None else str(seat.points) for seat in found.match.seats],
        "claim": row.claim,
        "said": said,
        "decision": row.decision or None,
        "reason": row.reason,
        "appeal": row.appeal or None,
        "appeal_until": row.appeal_until and row.appeal_until.isoformat(),
    }
    lines = [f"Ruling {row.id}: {row.status}; round {found.round}, game {found.match.game_id}", row.claim]
    lines += [f"{one['name']}: {one['words']}" for one in said]
    lines += [f"{row.decision}: {row.reason}"] if row.decision else []
    tell(as_json, data, [*lines, f"Appeal: {row.appeal}"] if row.appeal else lines)


@click.command()
@click.argument("number", type=int)
@click.argument("game", type=int)
@click.option("--reason", required=True, help="What it is about.")
@AS
@JSON
def claim(number: int, game: int, reason: str, address: str, as_json: bool) -> None:
    """Ask for a ruling about a GAME, as one of its players (`--as`)."""
    with opened() as server:
        with server.database.read() as session:
            actor = who_acts_in(session, number, address)
            match_id = _match(session, number, game)
        made = deciding.claim(server.database, number, match_id, actor, reason, now=right_now())
    tell(as_json, {"ruling": made}, [f"Ruling {made} waits for a decision."])


@click.command()
@click.argument("number", type=int)
@click.argument("ruling", type=int)
@click.argument("words")
@AS
@JSON
def say(number: int, ruling: int, words: str, address: str, as_json: bool) -> None:
    """Comment on a RULING before it is decided, as one of its players (`--as`)."""
    with acting(number, address) as (server, actor):
        deciding.say(server.database, number, ruling, actor, words, now=right_now())
    tell(as_json, {"ruling": ruling}, ["It stands beside the ruling."])


@click.command()
@click.argument("number", type=int)
@click.argument("ruling", type=int)
@click.argument("words")
@AS
@JSON
def appeal(number: int, ruling: int, words: str, address: str, as_json: bool) -> None:
    """Appeal against the decision of a RULING, as one of its players (`--as`)."""
    with acting(number, address) as (server, actor):
        deciding.appeal(server.database, number, ruling, actor, words, now=right_now())
    tell(as_json, {"ruling": ruling, "status": RulingStatus.APPEALED}, [f"Ruling {ruling}: appealed."])


def _match(session: Session, number: int, game: int) -> int:
    asked = sa.select(col(Match.id)).join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
    found: int | None = session.scalar(
        asked.where(col(CompetitionRound.event_id) == number, col(Match.game_id) == game)
    )
    if found is None:
        raise click.ClickException(f"The event has no game {game}.")
    return found
