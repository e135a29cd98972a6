"""Assigns sides (FIDE's colour allocation, C.04.3 article 5.2)."""

from __future__ import annotations

from ..why import Reason
from .cards import ABSOLUTE, PairingCard
from .swiss_weights import SwissTerms


def allot(higher: PairingCard, lower: PairingCard, terms: SwissTerms) -> tuple[tuple[int, int], Reason]:
    """Return the two entrants in the order of seats, and why; `higher` is ranked before `lower`."""
    side, much = higher.due(terms.limit)
    their_side, their_much = lower.due(terms.limit)
    one, other = higher.entrant.id, lower.entrant.id
    if side is None and their_side is None:
        side = 1 - higher.entrant.seed % 2
        return _seated(higher, lower, side), Reason("side.lot")
    if side is None and their_side is not None:
        side = 1 - their_side
    if side is not None and side != their_side:
        return _seated(higher, lower, side), Reason("side.both")
    assert side is not None
    if much == their_much == ABSOLUTE:
        much, their_much = abs(higher.difference), abs(lower.difference)
    if much != their_much:
        stronger = one if much > their_much else other
        return _seated(higher, lower, side if much > their_much else 1 - side), Reason(
            "side.stronger", entrant=stronger
        )
    for mine, theirs in zip(reversed(higher.sides), reversed(lower.sides), strict=False):
        if mine != theirs:
            return _seated(higher, lower, theirs), Reason("side.alternate")
    return _seated(higher, lower, side), Reason("side.rank", entrant=one)


def _seated(higher: PairingCard, lower: PairingCard, side: int) -> tuple[int, int]:
    one, other = higher.entrant.id, lower.entrant.id
    return (one, other) if side == 0 else (other, one)
