"""`postroad league event enter`, `take-out` and `bye`: who plays in an event, and in which rounds they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from app.base.refusals import NotAccepted
from app.leagues.changes import leaving, withdrawals
from app.leagues.clubs import clubs
from app.leagues.commands.common import AS, JSON, find_player, opened, right_now, tell, who_acts, who_acts_in
from app.leagues.events import computers, entries, events, round_rows
from app.leagues.tables import Entrant, EntrantStatus, Role
from app.people.tables import COMPUTER_KEY
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session


@click.command()
@click.argument("number", type=int)
@click.argument("player")
@AS
@JSON
def enter(number: int, player: str, address: str, as_json: bool) -> None:
    """Enter PLAYER (an address, a member); the limits of sign-up do not apply.

    `computer:LEVEL` fills the odd seat of an unrated event.
    """
    with opened() as server:
        if player.startswith(COMPUTER_KEY):
            with server.database.read() as session:
                actor = who_acts_in(session, number, address)
            level = player.removeprefix(COMPUTER_KEY)
            computers.enter(server.database, server.config, number, level, actor, now=right_now())
            tell(as_json, {"status": EntrantStatus.ENTERED}, [f"{player}: {EntrantStatus.ENTERED}"])
            return
        with server.database.read() as session:
            event = events.get(session, number)
            actor, who = who_acts(session, event.club_id, address), find_player(session, player)
            if clubs.role_in(session, event, who) is None:
                raise NotAccepted("entry.member_only", Text("Choose a member of the club."))
        status = entries.sign_up(server.database, number, who, by_id=actor, now=right_now())
    tell(as_json, {"status": status}, [f"{player}: {status}"])


@click.command("take-out")
@click.argument("number", type=int)
@click.argument("player")
@click.option("--reason", default="", help="Stands in the mails and in the audit trail.")
@click.option("--preview", is_flag=True, help="Only say which games would be lost or void.")
@AS
@JSON
def take_out(number: int, player: str, reason: str, preview: bool, address: str, as_json: bool) -> None:
    """Take PLAYER (an address) out of an event: open games end as its terms say, drafts are paired again."""
    with opened() as server:
        with server.database.read() as session:
            event = events.get(session, number)
            actor = who_acts(session, event.club_id, address)
            entrant = _entry(session, number, player)
            events.need(session, number, actor, Role.DEPUTY)
            done: withdrawals.Withdrawal | None = withdrawals.foresee(session, event, entrant)
        if not preview:
            done = leaving.withdraw(server.database, number, entrant.player_id, actor, reason=reason, now=right_now())
    if done is None:
        tell(as_json, {"done": "before"}, ["This has been done before."])
        return
    data: dict[str, Any] = {
        "done": "nothing" if preview else "now",
        "lost": list(done.walkovers),
        "void": list(done.void),
        "drafts_thrown_away": len(done.drafts),
    }
    said = f"matches lost: {len(done.walkovers)}; void: {len(done.void)}; drafts thrown away: {len(done.drafts)}"
    tell(as_json, data, [said])


@click.command()
@click.argument("number", type=int)
@click.argument("player")
@click.argument("rounds", type=int, nargs=-1)
@click.option("--points", is_flag=True, help="As byes on request, with their points; else without points.")
@AS
@JSON
def bye(number: int, player: str, rounds: tuple[int, ...], points: bool, address: str, as_json: bool) -> None:
    """Set the unpublished ROUNDS in which PLAYER (an address) does not play; none: plays in all of them."""
    with opened() as server:
        with server.database.read() as session:
            actor = who_acts_in(session, number, address)
            entrant = _entry(session, number, player)
            done = len(round_rows.rounds_of(session, entrant.division_id)) if entrant.division_id else 0
        kind, other = ("byes", "away") if points else ("away", "byes")
        off = {
            kind: sorted({one for one in getattr(entrant, kind) if one <= done} | set(rounds)),
            other: sorted(set(getattr(entrant, other)) - set(rounds)),
        }
        entries.set_rounds_off(server.database, number, entrant.player_id, **off, by_id=actor, now=right_now())
    tell(as_json, off, [f"without points: {off['away']}; byes on request: {off['byes']}"])


def _entry(session: Session, number: int, player: str) -> Entrant:
    entrant = entries.entrant_of(session, number, find_player(session, player))
    if entrant is None:
        raise click.ClickException(f"{player} is not in this event.")
    return entrant
