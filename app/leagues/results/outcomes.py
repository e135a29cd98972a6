"""Turns the end of a game into the points of a match, and collects a division's results for pairing and standings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.leagues.events import sharing
from app.leagues.pure.formats import of_which
from app.leagues.pure.model import BYES, NOTHING, Ending, Part, Result
from app.leagues.pure.terms import Terms
from app.leagues.tables import Competition, CompetitionRound, Match, MatchSeat, RoundStatus, Source

_BY_CHALLENGE = of_which(lambda one: one.by_challenge)


def points_for(terms: Terms, places: Sequence[int], late: Sequence[bool]) -> tuple[Fraction, ...]:
    """Return the points of each seat of a game from its place (1 is the first; equal places are shared) and who was
    late.

    Two seats: win, draw, loss. Tables: equals share the points of the places they take. Where the event says so, a
    player who lost on time gets nothing.
    """
    if len(places) == 2:
        draw = places[0] == places[1]
        points = [terms.worth.draw if draw else terms.worth.win if place == 1 else terms.worth.loss for place in places]
    else:
        scale = terms.places[len(places)]
        points = []
        for place in places:
            first, count = sum(other < place for other in places), places.count(place)
            points.append(sum(scale[first : first + count], Fraction(0)) / count)
    if terms.timeout == "zero":
        points = [Fraction(0) if was_late else given for given, was_late in zip(points, late, strict=True)]
    return tuple(points)


def ranked(seats: Sequence[str], winners: Sequence[str], scores: Mapping[str, int], left: Sequence[str]) -> list[int]:
    """Return the place of each seat: winners first, then by victory points, then those who left the game (the first to
    leave is last).

    If nobody wins, all but those who left share the first place.
    """

    def key(seat: str) -> tuple[int, int]:
        if seat in winners:
            return (0, 0)
        if seat in left:
            return (2, len(left) - left.index(seat))
        return (0, 0) if not winners else (1, -scores.get(seat, 0))

    keys = [key(seat) for seat in seats]
    return [1 + sum(other < mine for other in keys) for mine in keys]


class PlayedSeat(NamedTuple):
    """What a game says about a seat beside its points."""

    score: int | None
    by_time: bool
    """Whether it was late and lost by that."""


def settle(
    session: Session,
    match_id: int,
    ended: str,
    source: str,
    points: Sequence[Fraction],
    now: datetime,
    played: Sequence[PlayedSeat] = (),
) -> None:
    """Record how a match ended, with the points of its seats in their order, and for a game what each has `played`.

    A challenge on a ladder is a round of its own, which closes with it.
    """
    session.exec(sa.update(Match).where(col(Match.id) == match_id).values(ended=ended, source=source, ended_at=now))
    challenge = sa.and_(
        col(CompetitionRound.id) == sa.select(col(Match.round_id)).where(col(Match.id) == match_id).scalar_subquery(),
        col(CompetitionRound.status) == RoundStatus.PUBLISHED,
        col(CompetitionRound.event_id).in_(
            sa.select(col(Competition.id)).where(col(Competition.format).in_(_BY_CHALLENGE))
        ),
    )
    session.exec(sa.update(CompetitionRound).where(challenge).values(status=RoundStatus.CLOSED, closed_at=now))
    for place, given in enumerate(points):
        values: dict[str, Any] = {"points": given}
        if played:
            values |= played[place]._asdict()
        here = sa.and_(col(MatchSeat.match_id) == match_id, col(MatchSeat.place) == place)
        session.exec(sa.update(MatchSeat).where(here).values(**values))


def results_of(session: Session, division_id: int) -> list[Result]:
    """Return the results of a division, byes included, in the order of rounds; open matches are left out.

    Seats that changed hands come with the shares of their points, which costs two statements more in total.
    """
    return results_by_division(session, [division_id]).get(division_id, [])


def results_by_division(session: Session, divisions: Sequence[int]) -> dict[int, list[Result]]:
    """Return the results of these divisions; those without any are left out.

    One statement, and two more for each division in which seats changed hands.
    """
    rows = session.exec(
        select(CompetitionRound, Match, MatchSeat)
        .join(Match, col(Match.round_id) == col(CompetitionRound.id))
        .join(MatchSeat, col(MatchSeat.match_id) == col(Match.id))
        .where(col(CompetitionRound.division_id).in_(divisions), col(CompetitionRound.status) != RoundStatus.DRAFT)
        .where(col(Match.ended) != Ending.OPEN)
        .order_by(col(CompetitionRound.number), col(Match.number), col(Match.id), col(MatchSeat.place))
    ).all()
    found: dict[int, dict[int, tuple[CompetitionRound, Match, list[MatchSeat]]]] = {}
    for round, match, seat in rows:
        there = found.setdefault(round.division_id, {})
        there.setdefault(match.id, (round, match, []))[2].append(seat)
    return {division: _results(session, division, list(there.values())) for division, there in found.items()}


def _results(
    session: Session, division_id: int, there: Sequence[tuple[CompetitionRound, Match, Sequence[MatchSeat]]]
) -> list[Result]:
    counting = [(match, seat) for _, match, seats in there if match.ended != Ending.VOID for seat in seats]
    shares = sharing.divided(session, division_id, counting)
    return [
        Result(
            round=round.number,
            seats=tuple(seat.entry_id for seat in seats),
            points=tuple(seat.points or NOTHING for seat in seats),
            ended=match.ended,
            scores=_scores(seats),
            timeouts=frozenset(seat.entry_id for seat in seats if seat.by_time),
            parts=tuple(
                Part(at, entrant, part)
                for at, seat in enumerate(seats)
                for entrant, part in shares.get((match.id, seat.place), {}).items()
                if part > 0 or entrant == seat.entry_id
            ),
            is_ruled=match.source == Source.RULING,
        )
        for round, match, seats in there
    ]


def _scores(seats: Sequence[MatchSeat]) -> tuple[int, ...]:
    """Return the victory points of all seats; empty if one has none."""
    found = tuple(seat.score for seat in seats if seat.score is not None)
    return found if len(found) == len(seats) else ()


def has_results(session: Session, event_id: int) -> bool:
    """Whether a game of an event has a result that counts."""
    asked = (
        select(Match.id)
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .where(col(CompetitionRound.event_id) == event_id, col(CompetitionRound.status) != RoundStatus.DRAFT)
        .where(col(Match.ended).not_in((Ending.OPEN, Ending.VOID, *BYES)))
    )
    return session.exec(asked.limit(1)).first() is not None
