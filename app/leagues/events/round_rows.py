"""The stored rounds of divisions: their matches, who sits where, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, selectinload
from sqlmodel import Session, col, select

from app.base.stored import failing
from app.base.stored.database import Database
from app.base.words.refusals import NoSuch
from app.leagues.events import sharing
from app.leagues.pure.model import Ending
from app.leagues.pure.why import ACTORS
from app.leagues.tables import Competition, CompetitionRound, CompetitionStatus, Match, RoundStatus
from app.people.tables import Player
from app.time import outages
from engine.kernel.text import N_


class NoSuchRound(NoSuch):
    """No round has this number."""

    sentence = N_("There is nothing at this address.")


_ROUNDS = select(CompetitionRound).options(selectinload(CompetitionRound.matches).selectinload(Match.seats))


def rounds_of(session: Session, division_id: int, *, drafts: bool = False) -> Sequence[CompetitionRound]:
    """Return the rounds of a division in order; drafts are for its organisers only."""
    asked = _ROUNDS.where(col(CompetitionRound.division_id) == division_id).order_by(col(CompetitionRound.number))
    if not drafts:
        asked = asked.where(col(CompetitionRound.status) != RoundStatus.DRAFT)
    return _marked(session, session.exec(asked).all())


def drafts_of(session: Session, division_id: int) -> list[CompetitionRound]:
    """Return the rounds of a division that only its organisers can see."""
    there = rounds_of(session, division_id, drafts=True)
    return [round for round in there if round.status == RoundStatus.DRAFT]


def of_event(session: Session, event_id: int) -> tuple[dict[int, list[CompetitionRound]], list[CompetitionRound]]:
    """Return the published rounds of an event by division, in order; and its drafts."""
    found: dict[int, list[CompetitionRound]] = {}
    drafts = []
    for round in session.exec(
        _ROUNDS.where(col(CompetitionRound.event_id) == event_id).order_by(col(CompetitionRound.number))
    ):
        if round.status == RoundStatus.DRAFT:
            drafts.append(round)
        else:
            found.setdefault(round.division_id, []).append(round)
    for rounds in found.values():
        _marked(session, rounds)
    return found, drafts


def by_division(session: Session, event: Competition) -> dict[int, list[CompetitionRound]]:
    """Return the published rounds of each division, in order, whether there are any or not."""
    published, _ = of_event(session, event.id)
    return {division.id: published.get(division.id, []) for division in event.divisions}


def get(session: Session, round_id: int, *, lock: bool = False) -> CompetitionRound:
    """Return a round. Raises NoSuchRound."""
    asked = _ROUNDS.where(col(CompetitionRound.id) == round_id)
    round = session.exec(asked.with_for_update() if lock else asked).first()
    if round is None:
        raise NoSuchRound(round_id)
    return _marked(session, [round])[0]


def at(session: Session, event: Competition, place: str) -> Sequence[CompetitionRound]:
    """Return the rounds an address under an event can mean (`CompetitionRound.place`): those with this number, and one
    that older mails called by the number of its row.
    """
    *division, _, number = place.split("/")
    here = sa.or_(
        col(CompetitionRound.number) == int(number),
        sa.and_(col(CompetitionRound.id) == int(number), col(CompetitionRound.was_by_row)),
    )
    if division:
        its = dict(enumerate(event.divisions, 1)).get(int(division[-1]))
        if its is None:
            return []
        here = sa.and_(col(CompetitionRound.number) == int(number), col(CompetitionRound.division_id) == its.id)
    asked = _ROUNDS.where(col(CompetitionRound.event_id) == event.id, here)
    found = session.exec(asked.order_by(col(CompetitionRound.place))).all()
    return [marked for round in found for marked in _marked(session, [round])]


def place_of(session: Session, round_id: int) -> str:
    """Return the address of a round under its event. Raises NoSuchRound."""
    place = session.exec(select(CompetitionRound.place).where(col(CompetitionRound.id) == round_id)).first()
    if place is None:
        raise NoSuchRound(round_id)
    return place


def final_seeds(session: Session, division_id: int) -> list[int]:
    """Return the entrants of the finals by seed, as they were when the first round was paired; empty before."""
    first = select(CompetitionRound.why).where(
        col(CompetitionRound.division_id) == division_id, col(CompetitionRound.number) == 1
    )
    why = session.exec(first).first()
    return list(why.get("order", ())) if why else []


def actors_of(session: Session, round: CompetitionRound) -> dict[int, str]:
    """Return the names of the organisers who seated games or byes of a round by hand, by player; empty for an erased
    account.
    """
    found = {
        value for match in round.matches for why in match.reasons for key, value in why.values.items() if key in ACTORS
    }
    if not found:
        return {}
    rows = session.exec(select(Player.id, Player.name).where(col(Player.id).in_(found)))
    return dict.fromkeys(found, "") | {player: name for player, name in rows if player is not None}


def over_due(
    database: Database,
    job: str,
    is_due: sa.ColumnElement[bool],
    by: Mapped[datetime | None],
    act: Callable[[Database, int, int, datetime], bool],
    now: datetime,
) -> int:
    """Act on each due round of a running event, in the order of `by`, with the numbers of the event and the round;
    return on how many something was done. Nothing during an outage; one that fails stops no other (`failing.over`).
    """
    with database.read() as session:
        asked = (
            select(CompetitionRound.id, CompetitionRound.event_id)
            .join(Competition, col(Competition.id) == col(CompetitionRound.event_id))
            .where(is_due, col(Competition.status) == CompetitionStatus.RUNNING)
        )
        due = session.exec(asked.order_by(by, col(CompetitionRound.id))).all()
        if not due or outages.is_down(session, now):
            return 0
    done = failing.over(
        database, job, due, lambda row: f"round {row[0]}", lambda row: act(database, row[1], row[0], now), now
    )
    return sum(done)


def _marked(session: Session, rounds: Sequence[CompetitionRound]) -> Sequence[CompetitionRound]:
    """Return these rounds of one division with their divided seats marked; without a statement if no seat changed
    hands.
    """
    held = [
        (match, seat)
        for round in rounds
        for match in round.matches
        for seat in match.seats
        if seat.played_by and match.ended not in (Ending.OPEN, Ending.VOID)
    ]
    if held:
        shared = sharing.divided(session, rounds[0].division_id, held)
        for match, seat in held:
            vars(seat)["is_divided"] = (match.id, seat.place) in shared  # not a column
    return rounds
