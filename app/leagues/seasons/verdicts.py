"""What the end of an event says to each player: the place, and whether up or down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.outbox import PlannedMail
from app.leagues.clubs.acting import Acting
from app.leagues.events import entries
from app.leagues.rulings.opening import WAITING
from app.leagues.seasons import next_season
from app.leagues.tables import Competition, EntrantStatus, Ruling, RulingStatus
from app.people import accounts

SAID = ("division", "place", "of", "move", "to")
"""What the mail says of a verdict."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How an event ended for one player; `move` is `up`, `down` or empty, `to` the division of the next season."""

    player_id: int
    name: str
    division: str
    place: int
    of: int
    move: str = ""
    to: str = ""


def of_event(session: Session, event: Competition, now: datetime) -> list[Verdict]:
    """Return everybody who has played to the end, by division and place; of teams the place of their team."""
    people = {one.id: one for one in entries.entrants(session, event.id)}
    parts = {level: division.name for level, division in enumerate(event.entry_divisions, 1)}
    moves = next_season.moves(session, event, now)
    several = len(event.divisions) > 1
    found = []
    for name, order in _in_order(session, event, now):
        for place, members in enumerate(order, 1):
            for entrant in (people[one] for one in members):
                if entrant.status != EntrantStatus.ENTERED or not entrant.name:
                    continue
                move = moves.get(entrant.player_id)
                kind = move.kind if move is not None and move.kind in ("up", "down") else ""
                to = parts.get(move.after or 0, "") if kind and move is not None else ""
                division = name if several or event.boards else ""
                found.append(Verdict(entrant.player_id, entrant.name, division, place, len(order), kind, to))
    return found


def _in_order(session: Session, event: Competition, now: datetime) -> list[tuple[str, list[list[int]]]]:
    """Return the final order of each division, each place with its entrants: one, or those of a team."""
    if event.boards:
        return [("", [members for _, _, members in next_season.team_order(session, event)])]
    return [(part.name, [[one] for one in order]) for part, order in next_season.final_order(session, event, now)]


def tell(acting: Acting) -> None:
    """Mail everybody how the event ended for them, in the caller's transaction."""
    event = acting.event
    told = of_event(acting.session, event, acting.now)
    address = dict(accounts.addresses(acting.session, [one.player_id for one in told]))
    mails = [
        PlannedMail(
            f"event_over:{event.id}:{one.player_id}:{acting.now:%Y%m%d%H%M%S%f}",  # it can be reopened, and end again
            "event_over",
            address[one.player_id],
            one.player_id,
            details={"event": event.id, **{name: getattr(one, name) for name in SAID}},
        )
        for one in told
        if one.player_id in address
    ]
    acting.work.outbox.add(mails, acting.now)


def unsettled(session: Session, event_id: int, now: datetime) -> int:
    """Return how many rulings of an event wait to be decided or can still be appealed against."""
    open_to_appeal = sa.and_(col(Ruling.status) == RulingStatus.DECIDED, col(Ruling.appeal_until) > now)
    waits = sa.or_(col(Ruling.status).in_(WAITING), open_to_appeal)
    asked = sa.select(sa.func.count()).select_from(Ruling).where(col(Ruling.event_id) == event_id, waits)
    return session.scalar(asked) or 0
