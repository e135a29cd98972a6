"""Divides the points of a seat that changed hands, by the event's rule and the decisions made from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.games.tables import DecisionMade, GameSeat
from app.leagues.pure.terms import Terms
from app.leagues.tables import Competition, Division, Match, MatchSeat

Shares = dict[tuple[int, int], dict[int, Fraction]]
"""By match and place of the seat: the share of each entrant that held it."""


def shares(
    terms: Terms,
    holder: int,
    played_by: Sequence[tuple[int, int | None]],
    numbers: Sequence[int],
    *,
    as_recorded: bool = False,
) -> dict[int, Fraction]:
    """Return the share of a seat's points that each of its entrants gets.

    `numbers` are the decisions that were made from the seat, `played_by` who held it up to which of them
    (`MatchSeat.played_by`), `holder` who has it now.

    `seat` gives all to the holder, `both` all to the holder and to each who made a decision before, `split` divides by
    the decisions made; if nobody made one, the holder has all. `as_recorded` (`MatchSeat.as_recorded`): with `both`
    everybody has all, and `split` divides evenly if nobody made a decision.
    """
    if not played_by or terms.share == "seat":
        return {holder: Fraction(1)}
    everybody = [*(entrant for entrant, _ in played_by), holder]
    made = [
        next((entrant for entrant, until in played_by if until is None or number < until), holder) for number in numbers
    ]
    if terms.share == "both":
        return {entrant: Fraction(as_recorded or entrant == holder or entrant in made) for entrant in everybody}
    counted = made or (everybody if as_recorded else [holder])
    return {entrant: Fraction(counted.count(entrant), len(counted)) for entrant in everybody}


def shares_of(session: Session, terms: Terms, seats: Iterable[tuple[Match, MatchSeat]]) -> Shares:
    """Return the shares of all seats that changed hands; the others are left out. One statement at most."""
    held = [(match, seat) for match, seat in seats if seat.played_by]
    if not held or terms.share == "seat":
        return {}
    numbers: dict[tuple[int, int], list[int]] = {}
    asked = (
        select(DecisionMade.game_id, GameSeat.place, DecisionMade.number)
        .join(
            GameSeat,
            sa.and_(col(GameSeat.game_id) == col(DecisionMade.game_id), col(GameSeat.seat) == col(DecisionMade.seat)),
        )
        .where(col(DecisionMade.game_id).in_({match.game_id for match, _ in held}))
        .where(col(DecisionMade.orders).is_not(None))  # decisions taken by the server have none
    )
    for game_id, place, number in session.exec(asked):
        numbers.setdefault((game_id, place), []).append(number)
    return {
        (match.id, seat.place): shares(
            terms,
            seat.entry_id,
            seat.played_by,
            numbers.get((match.game_id or 0, seat.place), ()),
            as_recorded=seat.as_recorded,
        )
        for match, seat in held
    }


def divided(session: Session, division_id: int, seats: Sequence[tuple[Match, MatchSeat]]) -> Shares:
    """Return `shares_of` under the terms of a division's event, for the seats whose points are divided."""
    if not any(seat.played_by for _, seat in seats):
        return {}
    asked = select(Competition).join(Division, col(Division.event_id) == col(Competition.id))
    event = session.exec(asked.where(col(Division.id) == division_id)).one()
    if not event.plays.by_points:
        return {}  # the holder continues the line
    holders = {(match.id, seat.place): seat.entry_id for match, seat in seats}
    return {
        at: parts
        for at, parts in shares_of(session, event.terms, seats).items()
        if any(part > 0 for entrant, part in parts.items() if entrant != holders[at])
    }
