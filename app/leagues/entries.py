"""Who plays in an event: signing up with its checks, reserves, late entries, withdrawals, rounds off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from app.base.refusals import NotAccepted, NotAllowed
from app.games.tables import Game, GameSeat
from app.games.work import Work
from app.leagues import audit, clubs, events, handover
from app.leagues.pure.model import Entrant
from app.leagues.pure.ratings import GLICKO2, OPENSKILL
from app.leagues.tables import Entry, EventRound, Rating
from app.people.tables import Player, SignIn
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.base.database import Database
    from app.leagues.events import EventNow

_ENTRY, _PLAYER, _ROUND = Entry.__table__, Player.__table__, EventRound.__table__  # type: ignore[attr-defined]
_GAME, _SEAT, _RATING = Game.__table__, GameSeat.__table__, Rating.__table__  # type: ignore[attr-defined]
_SIGN_IN = SignIn.__table__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class EntryNow:
    """Somebody in an event."""

    id: int
    player_id: int
    name: str
    division_id: int | None
    status: str
    seed: int
    rating: float | None
    joined_round: int
    withdrawn_after: int | None
    away: tuple[int, ...]
    byes: tuple[int, ...]
    entered_at: datetime

    def as_entrant(self, division: str = "") -> Entrant:
        """For pairing and standings."""
        return Entrant(
            self.id, self.name, self.seed, self.rating, division, self.joined_round, self.withdrawn_after,
            frozenset(self.away), frozenset(self.byes),
        )  # fmt: skip


def entries(connection: Connection, event_id: int, *, division_id: int | None = None) -> list[EntryNow]:
    """All entries of an event or a division, by seed and then in the order in which they came."""
    asked = (
        sa.select(
            _ENTRY.c.id, _ENTRY.c.player_id, _PLAYER.c.name, _ENTRY.c.division_id, _ENTRY.c.status, _ENTRY.c.seed,
            _ENTRY.c.rating, _ENTRY.c.joined_round, _ENTRY.c.withdrawn_after, _ENTRY.c.away, _ENTRY.c.byes,
            _ENTRY.c.entered_at,
        )
        .join(_PLAYER, _PLAYER.c.id == _ENTRY.c.player_id)
        .where(_ENTRY.c.event_id == event_id)
        .order_by(_ENTRY.c.seed, _ENTRY.c.id)
    )  # fmt: skip
    if division_id is not None:
        asked = asked.where(_ENTRY.c.division_id == division_id)
    return [EntryNow(*row[:9], tuple(row.away), tuple(row.byes), row.entered_at) for row in connection.execute(asked)]


def entry_of(connection: Connection, event_id: int, player_id: int | None) -> EntryNow | None:
    """The entry of a player; None for somebody who has none."""
    if player_id is None:
        return None
    return next((entry for entry in entries(connection, event_id) if entry.player_id == player_id), None)


# -- signing up ---------------------------------------------------------------------------------------


def sign_up(database: Database, event_id: int, player_id: int, *, now: datetime, by_id: int | None = None) -> str:
    """Enter a player: `entered`, or `reserve` where the event is full. Signing up again changes nothing.

    `by_id` is an organiser who enters somebody else, for whom the limits of sign-up do not hold. NoSuchEvent,
    NotAllowed, NotAccepted with the check that failed.
    """
    with Work(database) as work:
        connection = work.connection
        event = events.get(connection, event_id, lock=True)
        if by_id is not None:
            clubs.need(connection, event.club_id, by_id, "deputy")
        mine = entry_of(connection, event_id, player_id)
        if mine is not None and mine.status in ("entered", "reserve"):
            return mine.status
        if mine is not None and mine.status == "removed" and by_id is None:
            raise NotAccepted("entry.removed", Text("An organiser has taken you out of this event; ask them."))
        division_id = _division(event)
        joined = _first_round(connection, event, division_id)
        if mine is not None:
            need_free_place(connection, event, mine)
        if by_id is None:
            _check(connection, event, player_id, now)
        status = place(connection, event)
        values: dict[str, Any] = {
            "status": status, "entered_at": now, "joined_round": joined, "withdrawn_after": None,
            "rating": rating_of(connection, event, player_id),
            "division_id": division_id,
        }  # fmt: skip
        if event.status == "running":
            values["seed"] = next_seed(connection, event_id)
        write_entry(connection, event_id, player_id, mine, values)
        audit.write(
            connection, event.club_id, "entry.made", at=now, by_id=by_id or player_id, event_id=event_id,
            subject=f"player:{player_id}", after={"status": status},
        )  # fmt: skip
        work.commit()
        return status


def _division(event: EventNow) -> int | None:
    """Where somebody who signs up plays: a late entry begins at the bottom; before the start organisers divide."""
    return event.divisions[-1].id if len(event.divisions) == 1 or event.status == "running" else None


def next_seed(connection: Connection, event_id: int) -> int:
    """The pairing number of somebody who comes after the start."""
    return 1 + (connection.scalar(sa.select(sa.func.max(_ENTRY.c.seed)).where(_ENTRY.c.event_id == event_id)) or 0)


def write_entry(
    connection: Connection, event_id: int, player_id: int, mine: EntryNow | None, values: dict[str, Any]
) -> None:
    """Write an entry, or change the one that the player has. NotAccepted for an account that is erased."""
    player = sa.select(_PLAYER.c.id).where(_PLAYER.c.id == player_id, _PLAYER.c.erased_at.is_(None))
    if connection.execute(player.with_for_update(read=True, key_share=True)).first() is None:
        raise NotAccepted("player.unknown", Text("There is no such player."))
    if mine is None:
        row = {"event_id": event_id, "player_id": player_id, "seed": 0, "away": [], "byes": []} | values
        connection.execute(sa.insert(_ENTRY).values(**row))
    else:
        connection.execute(sa.update(_ENTRY).where(_ENTRY.c.id == mine.id).values(**values))


def why_not(connection: Connection, event: EventNow, player_id: int, now: datetime) -> Text | None:
    """Why a player cannot sign up now; None when nothing is against it. Changes nothing."""
    mine = entry_of(connection, event.id, player_id)
    try:
        if mine is not None and mine.status == "removed":
            raise NotAccepted("entry.removed", Text("An organiser has taken you out of this event; ask them."))
        _first_round(connection, event, _division(event))
        if mine is not None:
            need_free_place(connection, event, mine)
        _check(connection, event, player_id, now)
    except NotAccepted as no:
        return no.why
    return None


def _first_round(connection: Connection, event: EventNow, division_id: int | None) -> int:
    if event.status == "sign_up" or event.status == "draft":
        return 1
    if event.status == "running" and not event.takes_late_entries:
        raise NotAccepted("event.late", Text("This event has started; somebody new can only come as a reserve."))
    return late_round(connection, event, division_id)


def late_round(connection: Connection, event: EventNow, division_id: int | None) -> int:
    """The first round that somebody plays who comes into a division now. NotAccepted where the event is not running or
    its terms take nobody in any more."""
    if event.status != "running":
        raise NotAccepted("event.closed", Text("This event takes no more entries."))
    last = connection.scalar(
        sa.select(sa.func.max(_ROUND.c.number)).where(_ROUND.c.division_id == division_id, _ROUND.c.status != "draft")
    )
    latest = event.terms.late_entries
    if latest == 0:
        raise NotAccepted("event.late", Text("By the terms of this event nobody new comes in after the start."))
    if latest is not None and event.format != "ladder" and int(last or 0) >= latest:
        raise NotAccepted(
            "event.late",
            Text("By its terms somebody new can begin with round {n} at the latest, which is published.", n=latest),
        )
    return int(last or 0) + 1


def need_free_place(connection: Connection, event: EventNow, entry: EntryNow) -> None:
    """NotAccepted for somebody who left and whose place a substitute has."""
    if entry.id in handover.replaced(connection, event.id):
        raise NotAccepted(
            "entry.replaced", Text("A substitute has taken this player's place, so they cannot come back as an entry.")
        )


def _check(connection: Connection, event: EventNow, player_id: int, now: datetime) -> None:
    """What somebody who signs up has to fulfil."""
    if event.status == "draft":
        raise NotAccepted("event.draft", Text("This event is not open for sign-up yet."))
    if event.status == "sign_up" and event.sign_up_until is not None and now > event.sign_up_until:
        raise NotAccepted("event.too_late", Text("Sign-up has ended; ask an organiser."))
    if event.terms.members_only and clubs.role_of(connection, event.club_id, player_id) is None:
        raise NotAccepted("entry.member", Text("This event is for members of the club; join the club first."))
    confirmed = sa.select(_SIGN_IN.c.id).where(_SIGN_IN.c.player_id == player_id).limit(1)
    if connection.scalar(confirmed) is None:
        raise NotAccepted("entry.address", Text("Sign in by a mailed link first, so that your address is confirmed."))
    if event.terms.running is not None:
        running = connection.scalar(
            sa.select(sa.func.count())
            .select_from(_SEAT.join(_GAME, _GAME.c.id == _SEAT.c.game_id))
            .where(_SEAT.c.player_id == player_id, _GAME.c.status == "running")
        )
        if (running or 0) > event.terms.running:
            raise NotAccepted(
                "entry.running",
                Text(
                    "You have {n} running games; this event wants {most} at most.", n=running, most=event.terms.running
                ),
            )
    if event.terms.floor is not None:
        rating = rating_of(connection, event, player_id)
        if rating is None or rating < event.terms.floor:
            raise NotAccepted(
                "entry.rating", Text("This event needs a rating of {floor} or more.", floor=event.terms.floor)
            )


def place(connection: Connection, event: EventNow) -> str:
    """`entered`, or `reserve` where the event is full."""
    if event.terms.limit is None:
        return "entered"
    full = connection.scalar(
        sa.select(sa.func.count()).where(_ENTRY.c.event_id == event.id, _ENTRY.c.status == "entered")
    )
    return "entered" if (full or 0) < event.terms.limit else "reserve"


def rating_of(connection: Connection, event: EventNow, player_id: int) -> float | None:
    """The player's rating at the event's title, of the system that the event's games move; None before the first rated
    game. Where tables of two and larger ones move both, that of the best size counts, or else the other."""
    asked = sa.select(_RATING.c.system, _RATING.c.rating).where(
        _RATING.c.player_id == player_id, _RATING.c.title == event.title.id
    )
    there = {row.system: row.rating for row in connection.execute(asked)}
    return next((there[system] for system in systems_of(event) if system in there), None)


def systems_of(event: EventNow) -> list[str]:
    """The systems that rate an event's games, that of its best size of tables first."""
    sizes = event.terms.sizes if event.format == "tables" else (2,)
    return list(dict.fromkeys(GLICKO2 if size == 2 else OPENSKILL for size in sizes))


def sign_up_as_reserve(database: Database, event_id: int, player_id: int, *, now: datetime) -> None:
    """Stand ready to take over a seat, also after the start. NoSuchEvent, NotAccepted."""
    with Work(database) as work:
        connection = work.connection
        event = events.get(connection, event_id, lock=True)
        if event.status not in ("sign_up", "running"):
            raise NotAccepted("event.closed", Text("This event takes no more entries."))
        if event.terms.members_only and clubs.role_of(connection, event.club_id, player_id) is None:
            raise NotAccepted("entry.member", Text("This event is for members of the club; join the club first."))
        if entry_of(connection, event_id, player_id) is not None:
            raise NotAccepted("entry.there", Text("You are on the list of this event already."))
        row = {
            "event_id": event_id, "player_id": player_id, "status": "reserve", "seed": 0, "away": [], "byes": [],
            "joined_round": 1, "entered_at": now, "rating": rating_of(connection, event, player_id),
        }  # fmt: skip
        connection.execute(sa.insert(_ENTRY).values(**row))
        audit.write(
            connection, event.club_id, "entry.reserve", at=now, by_id=player_id, event_id=event_id,
            subject=f"player:{player_id}",
        )  # fmt: skip
        work.commit()


# -- rounds off ---------------------------------------------------------------------------------------


def set_rounds_off(
    database: Database, event_id: int, player_id: int, *, away: Sequence[int], byes: Sequence[int], by_id: int,
    now: datetime,
) -> None:  # fmt: skip
    """Say in which rounds somebody does not play: `away` without points, `byes` with the points of a requested bye.

    Only rounds that are not published yet can be changed; byes are granted by an organiser (`by_id`). NoSuchEvent,
    NotAllowed, NotAccepted.
    """
    with Work(database) as work:
        connection = work.connection
        event = events.get(connection, event_id, lock=True)
        if by_id != player_id:
            clubs.need(connection, event.club_id, by_id, "deputy")
        entry = entry_of(connection, event_id, player_id)
        if entry is None or entry.status != "entered":
            raise NotAccepted("entry.none", Text("This player does not play in the event."))
        changed = set(away) ^ set(entry.away) | set(byes) ^ set(entry.byes)
        if by_id == player_id and set(byes) ^ set(entry.byes):
            raise NotAllowed("entry.bye", Text("Byes with points are granted by an organiser; ask for one."))
        published = connection.scalar(
            sa.select(sa.func.max(_ROUND.c.number)).where(
                _ROUND.c.event_id == event_id, _ROUND.c.division_id == entry.division_id, _ROUND.c.status != "draft"
            )
        )
        if any(not 1 <= number <= 99 or number <= (published or 0) for number in changed):
            raise NotAccepted("entry.round", Text("Only rounds that are not published yet can be changed."))
        if not changed:
            return
        values = {"away": sorted(set(away)), "byes": sorted(set(byes))}
        connection.execute(sa.update(_ENTRY).where(_ENTRY.c.id == entry.id).values(**values))
        audit.write(
            connection, event.club_id, "entry.rounds_off", at=now, by_id=by_id, event_id=event_id,
            subject=f"player:{player_id}", before={"away": list(entry.away), "byes": list(entry.byes)}, after=values,
        )  # fmt: skip
        work.commit()
