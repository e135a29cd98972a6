"""The rounds of divisions as they are kept: their matches, who sits where, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col, select

from app.base.refusals import NoSuch
from app.leagues import sharing
from app.leagues.pure.model import VOID
from app.leagues.pure.why import ACTORS, Reason
from app.leagues.tables import Entry, EventRound, Match, MatchSeat
from app.people.tables import Player
from engine.kernel.text import N_

if TYPE_CHECKING:
    from sqlmodel import Session


class NoSuchRound(NoSuch):
    """There is no round with this number."""

    sentence = N_("There is no club, event or round at this address.")


@dataclass(frozen=True, slots=True)
class SeatNow:
    """Who sits where in a match, and what they got."""

    place: int
    entry_id: int
    player_id: int
    name: str
    points: Fraction | None
    score: int | None
    by_time: bool
    is_divided: bool
    """It changed hands, and somebody else has a part of its points."""


@dataclass(frozen=True, slots=True)
class MatchNow:
    """A pairing or a bye of a round."""

    id: int
    number: int
    leg: int
    game_id: int | None
    ended: str
    source: str
    seats: tuple[SeatNow, ...]
    why: tuple[Reason, ...]
    rejected: tuple[tuple[int, Reason], ...]
    """Opponents that were looked at before, each with the reason against."""

    @property
    def is_bye(self) -> bool:
        return len(self.seats) == 1


@dataclass(frozen=True, slots=True)
class RoundNow:
    """A round of a division with its matches."""

    id: int
    event_id: int
    division_id: int
    number: int
    status: str
    version: int
    published_at: datetime | None
    due_at: datetime | None
    closed_at: datetime | None
    warnings: tuple[Reason, ...]
    matches: tuple[MatchNow, ...]

    @property
    def open_matches(self) -> list[MatchNow]:
        return [match for match in self.matches if not match.ended]


def rounds_of(session: Session, division_id: int, *, drafts: bool = False) -> list[RoundNow]:
    """The rounds of a division in order; drafts are for its organisers only."""
    asked = select(EventRound).where(col(EventRound.division_id) == division_id).order_by(col(EventRound.number))
    if not drafts:
        asked = asked.where(col(EventRound.status) != "draft")
    return _rounds(session, session.exec(asked).all())


def get(session: Session, round_id: int, *, lock: bool = False) -> RoundNow:
    """A round; NoSuchRound."""
    asked = select(EventRound).where(col(EventRound.id) == round_id)
    rows = session.exec(asked.with_for_update() if lock else asked).all()
    if not rows:
        raise NoSuchRound(round_id)
    return _rounds(session, rows)[0]


def final_seeds(session: Session, division_id: int) -> list[int]:
    """The entries of the finals in the order of seeds, as they were when the first round was paired; else none."""
    first = sa.select(col(EventRound.why)).where(
        col(EventRound.division_id) == division_id, col(EventRound.number) == 1
    )
    why = session.scalar(first)
    return list(why.get("order", ())) if why else []


def actors_of(session: Session, round: RoundNow) -> dict[int, str]:
    """The names of those who seated games or byes of a round by hand, by player; empty for an erased account."""
    found = {
        value for match in round.matches for why in match.why for key, value in why.values.items() if key in ACTORS
    }
    if not found:
        return {}
    rows = session.execute(sa.select(col(Player.id), col(Player.name)).where(col(Player.id).in_(found))).all()
    return dict.fromkeys(found, "") | {row.id: row.name for row in rows}


def _rounds(session: Session, rows: Sequence[Any]) -> list[RoundNow]:
    ids = [row.id for row in rows]
    found = session.execute(
        sa.select(
            col(MatchSeat.match_id).label("id"),
            col(MatchSeat.place),
            col(MatchSeat.entry_id),
            col(Entry.player_id),
            col(Player.name),
            col(MatchSeat.points),
            col(MatchSeat.score),
            col(MatchSeat.by_time),
            col(MatchSeat.played_by),
            col(Match.game_id),
            col(Match.ended),
            col(Match.round_id),
        )
        .join(Match, col(Match.id) == col(MatchSeat.match_id))
        .join(Entry, col(Entry.id) == col(MatchSeat.entry_id))
        .join(Player, col(Player.id) == col(Entry.player_id))
        .where(col(Match.round_id).in_(ids))
        .order_by(col(MatchSeat.place))
    ).all()
    shared = _shared(session, rows, found)
    seats: dict[int, list[SeatNow]] = {}
    for seat in found:
        points = None if seat.points is None else Fraction(seat.points)
        seats.setdefault(seat.id, []).append(
            SeatNow(
                seat.place, seat.entry_id, seat.player_id, seat.name, points, seat.score, seat.by_time,
                (seat.id, seat.place) in shared,
            )
        )  # fmt: skip
    matches: dict[int, list[MatchNow]] = {}
    asked = select(Match).where(col(Match.round_id).in_(ids)).order_by(col(Match.number))
    for match in session.exec(asked):
        matches.setdefault(match.round_id, []).append(
            MatchNow(
                match.id, match.number, match.leg, match.game_id, match.ended, match.source,
                tuple(seats.get(match.id, ())), _reasons(match.why.get("why", ())),
                tuple((opponent, Reason(code, **values)) for opponent, code, values in match.why.get("rejected", ())),
            )
        )  # fmt: skip
    return [
        RoundNow(
            row.id, row.event_id, row.division_id, row.number, row.status, row.version, row.published_at, row.due_at,
            row.closed_at, _reasons(row.why.get("warnings", ())), tuple(matches.get(row.id, ())),
        )
        for row in rows
    ]  # fmt: skip


def _shared(session: Session, rows: Sequence[Any], seats: Sequence[Any]) -> set[tuple[int, int]]:
    """The seats whose points are divided, by match and place. Nothing is asked where no seat changed hands."""
    division = {row.id: row.division_id for row in rows}
    held: dict[int, list[Any]] = {}
    for seat in seats:
        if seat.played_by and seat.ended not in ("", VOID):
            held.setdefault(division[seat.round_id], []).append(seat)
    return {at for number, there in held.items() for at in sharing.divided(session, number, there)}


def _reasons(data: Sequence[Sequence[Any]]) -> tuple[Reason, ...]:
    return tuple(Reason(code, **values) for code, values in data)
