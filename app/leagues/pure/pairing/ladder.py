"""A ladder: an order of players, who may challenge whom, and the effect of a result on the order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ..model import Pairing, Points
from ..terms import REST_DAYS, Terms
from ..why import Reason
from .cards import PairingCard


@dataclass(frozen=True, slots=True)
class Ladder:
    """The order from the top, the open challenges as (challenger, opponent), and how many days ago each pair last
    finished a game.
    """

    order: tuple[int, ...]
    open: tuple[tuple[int, int], ...] = ()
    days_since: Mapping[frozenset[int], float] | None = None

    def place(self, who: int) -> int:
        """Return the place from 1 at the top."""
        return self.order.index(who) + 1


def why_not(
    ladder: Ladder, challenger: int, opponent: int, terms: Terms, blocks: AbstractSet[frozenset[int]]
) -> Reason | None:
    """Return why a challenge cannot be made; None if it can."""
    if challenger == opponent:
        return Reason("ladder.self")
    for who in (challenger, opponent):
        if who not in ladder.order:
            return Reason("ladder.unknown", entrant=who)
    above = ladder.place(challenger) - ladder.place(opponent)
    if above < 0:
        return Reason("ladder.below", entrant=challenger, opponent=opponent)
    if above > terms.reach:
        return Reason("ladder.too_far", entrant=challenger, opponent=opponent, n=above, most=terms.reach)
    pair = frozenset((challenger, opponent))
    if pair in blocks:
        return Reason("blocked")
    for who in (challenger, opponent):
        if any(who in challenge for challenge in ladder.open):
            return Reason("ladder.busy", entrant=who)
    days = (ladder.days_since or {}).get(pair)
    if days is not None and days < REST_DAYS:
        return Reason("ladder.again", entrant=challenger, opponent=opponent, days=int(days), least=REST_DAYS)
    return None


def pair(ladder: Ladder, challenger: PairingCard, opponent: PairingCard) -> Pairing:
    """Return the game of a challenge: the player with fewer games on the first side gets it, of equals the challenged
    player.
    """
    one, other = opponent.entrant.id, challenger.entrant.id
    seats = (one, other) if opponent.difference <= challenger.difference else (other, one)
    why = Reason(
        "ladder.challenge", entrant=other, opponent=one, place=ladder.place(other), other_place=ladder.place(one)
    )
    return Pairing(seats, 1, (why,))


def after_game(
    order: Sequence[int], challenger: int, opponent: int, points: tuple[Points, Points], terms: Terms
) -> tuple[tuple[int, ...], Reason]:
    """Return the order after a challenge was played, and why; `points` of the challenger first.

    Only a challenger with more points who is still below moves; a draw changes nothing. Raises ValueError for a player
    who is not on the ladder.
    """
    now = list(order)
    below, above = now.index(challenger), now.index(opponent)
    if points[0] <= points[1] or below < above:
        return tuple(now), Reason("ladder.stays", opponent=opponent)
    if terms.on_win == "swaps":
        now[below], now[above] = opponent, challenger
        return tuple(now), Reason("ladder.swaps", entrant=challenger, opponent=opponent)
    now.insert(above, now.pop(below))
    return tuple(now), Reason("ladder.takes", entrant=challenger, place=above + 1)
