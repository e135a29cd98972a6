"""What the commands of `postroad league` share: the server, who acts, and the answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click
import sqlalchemy as sa
from sqlmodel import col

from app.base.refusals import TooOften
from app.base.speech import Voice
from app.leagues.clubs import clubs, members
from app.leagues.events import events, round_rows
from app.leagues.tables import Member, MemberStatus, Role
from app.people import accounts
from app.server.commands.common import open_server

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.server import Server

AS = click.option("--as", "address", metavar="ADDRESS", default="", help="Act as this member; else as the owner.")
MOMENT = click.DateTime(("%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"))
"""The type of an option that takes a day with its hour, in UTC."""
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON value, for programs.")
REASON = click.option("--reason", required=True, help="Stands in the mails and in the audit trail.")
TOKEN = click.option("--token", default="", help="8 to 40 letters and digits: given twice, it acts once.")


def in_utc(moment: datetime | None) -> datetime | None:
    """Return the value of a `MOMENT` option in UTC."""
    return None if moment is None else moment.replace(tzinfo=UTC)


@contextmanager
def opened() -> Iterator[Server]:
    """Open the server; what cannot be found is reported as a sentence."""
    with open_server() as server:
        try:
            yield server
        except clubs.NoSuchClub:
            raise click.ClickException("There is no such club.") from None
        except TooOften:
            raise click.ClickException("That is too often; try again later.") from None
        except (events.NoSuchCompetition, round_rows.NoSuchRound):
            raise click.ClickException("There is no such event or round.") from None
        except members.BadLines as bad:
            lines = [f"  line {line}: {Voice().say(why)}" for line, why in bad.complaints]
            raise click.ClickException("\n".join([Voice().say(bad.why), *lines])) from None


def who_acts(session: Session, club_id: int, address: str) -> int:
    """Return the acting player: the one at an address, or the club's longest-standing owner."""
    if address:
        return find_player(session, address)
    asked = (
        sa.select(col(Member.player_id))
        .where(
            col(Member.club_id) == club_id,
            col(Member.role) == Role.OWNER,
            col(Member.status) == MemberStatus.MEMBER,
        )
        .order_by(col(Member.since), col(Member.id))
        .limit(1)
    )
    found: int | None = session.scalar(asked)
    if found is None:
        raise click.ClickException("The club has no owner.")
    return found


def who_acts_in(session: Session, event_id: int, address: str) -> int:
    """Return the acting player in the club of an event, as `who_acts` does. Raises NoSuchCompetition."""
    return who_acts(session, events.get(session, event_id).club_id, address)


@contextmanager
def acting(event_id: int, address: str) -> Iterator[tuple[Server, int]]:
    """Open the server with the player who acts in an event. Raises NoSuchCompetition."""
    with opened() as server:
        with server.database.read() as session:
            actor = who_acts_in(session, event_id, address)
        yield server, actor


def find_player(session: Session, address: str) -> int:
    """Return the number of the player at an address."""
    found = accounts.find(session, address)
    if found is None:
        raise click.ClickException(f"There is no player {address}.")
    return found.id


def right_now() -> datetime:
    return datetime.now(UTC)


def tell(as_json: bool, data: object, lines: Iterable[str]) -> None:
    """Print the answer: data for a program, or lines for a person."""
    if as_json:
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        for line in lines:
            click.echo(line)


def club_and_actor(server: Server, slug: str, address: str) -> tuple[int, int]:
    with server.database.read() as session:
        club_id = clubs.find(session, slug).id
        return club_id, who_acts(session, club_id, address)
