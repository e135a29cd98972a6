"""The cost of a Swiss pairing: the criteria of FIDE's Dutch system (C.04.3, 2025) as places of one whole number.

Each criterion has its own place, wide enough that no sum of lesser ones over a whole round reaches it. So the pairing
with the least sum is the one that is best by the first criterion, among those by the second, and so on. First come the
criteria for the round as a whole; then, score group by score group from the top, its floaters and those of the next
group, its sides and repeated floats, and its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ..model import Points
from .cards import ABSOLUTE, MILD, PairingCard

BLOCKED, REPEAT, BYE_AGAIN, SAME_SIDE, BYE_SCORE = "blocked", "repeat", "bye_again", "same_side", "bye_score"
FLOATS, APART, BYE_UNPLAYED, TOPSCORER = "floats", "apart", "bye_unplayed", "topscorer"
DUE, DUE_STRONG, DOWN_AGAIN, UP_AGAIN = "due", "due_strong", "down_again", "up_again"
DOWN_BEFORE, UP_BEFORE = "down_before", "up_before"
BEFORE_FLOATS = (BLOCKED, REPEAT, BYE_AGAIN, SAME_SIDE, BYE_SCORE)
AFTER_FLOATS = (BYE_UNPLAYED, TOPSCORER, DUE, DUE_STRONG, DOWN_AGAIN, UP_AGAIN, DOWN_BEFORE, UP_BEFORE)
DOWNS = (DOWN_AGAIN, DOWN_BEFORE)
"""The criteria that count in the group a player leaves; all others count where the pair is made."""
CRITERIA = (*BEFORE_FLOATS, FLOATS, APART, *AFTER_FLOATS)
"""In the order of their weight: players who block each other; games repeated (C1); byes given twice (C2); pairs that
both must have the same side (C3); the score of the bye (C5); players who play down, score group by score group (C6),
and from how far above (C7, C8); unplayed games of the player with the bye (C9); the same side for topscorers (C10,
C11); sides not granted (C12), strong ones (C13); floating down or up as in the last round (C14, C15) or the one before
(C16, C17).
"""


@dataclass(frozen=True, slots=True)
class SwissTerms:
    """The event's terms for its Swiss rounds.

    `limit`: the greatest difference between games on one side and on the other. With 1, sides stay within one whenever
    that is possible; 2 is FIDE's rule.
    """

    limit: int = 1
    by_sides: bool = True
    """Whether sides influence the pairing; otherwise they are assigned afterwards."""


USUAL = SwissTerms()


class Field:
    """The players of a round in their order (score, then seed), and the cost of every possible pair.

    Players are indices into `ranked`; if the number is odd, the index after the last stands for the bye.
    """

    def __init__(
        self,
        ranked: Sequence[PairingCard],
        round: int,
        blocks: AbstractSet[frozenset[int]],
        terms: SwissTerms,
        *,
        last: bool = False,
    ) -> None:
        self.ranked = ranked
        self.round = round
        self.terms = terms
        self.count = len(ranked)
        self.size = self.count + self.count % 2
        scores = list(dict.fromkeys(card.score for card in ranked))
        self.group = [scores.index(card.score) for card in ranked]
        """The score group of each player, 0 for the highest."""
        self.place = [at - self.group.index(group) + 1 for at, group in enumerate(self.group)]
        """The place in the score group, from 1 (the Dutch system's BSN)."""
        self.sizes = [self.group.count(at) for at in range(len(scores))]
        self.due = [card.due(terms.limit) for card in ranked]
        best = max(scores, default=Points(0))
        half = Points(round - 1, 2) if best <= round - 1 else best / 2
        self.top = [last and terms.limit > 1 and card.score > half for card in ranked]
        numbers = {card.entrant.id: at for at, card in enumerate(ranked)}
        self.met: list[dict[int, int]] = [
            {numbers[who]: len(rounds) for who, rounds in card.met.items() if who in numbers} for card in ranked
        ]
        self.blocked: set[tuple[int, int]] = set()
        for pair in blocks:
            if len(pair) == 2 and all(who in numbers for who in pair):
                one, other = sorted(numbers[who] for who in pair)
                self.blocked.add((one, other))
        self._split()
        self._lay_out()

    def _split(self) -> None:
        """Set where the upper half of each score group ends, with one floater if the number of players so far is odd.

        The Dutch system divides what is left after the moved-down players were paired; here the halves are fixed
        beforehand, which differs only if more than one player floats.
        """
        self.ends: list[int] = []
        self.half: list[int] = []
        above = 0
        for size in self.sizes:
            down = above % 2
            self.half.append((size - down) // 2)
            self.ends.append(down + self.half[-1])
            above += size

    def _lay_out(self) -> None:
        """Assign each criterion its place, from the least to the most important."""
        groups = len(self.sizes)
        self.turn: list[int] = [0] * self.count
        self.swaps, self.shift, self.lowest, self.down, self.down_order, self.limbo, self.apart, self.floats = (
            [0] * groups for _ in range(8)
        )
        self.quality: dict[str, list[int]] = {name: [0] * groups for name in AFTER_FLOATS}
        place = 1
        first = self.count
        for at in reversed(range(groups)):
            first -= self.sizes[at]
            place = self._lay_out_order(at, first, place)
            for name in reversed(AFTER_FLOATS):
                self.quality[name][at] = place
                place *= (self.round if name == BYE_UNPLAYED else self.sizes[at]) + 1
            if at < groups - 2:
                place = self._lay_out_floats(at + 1, place)  # the next group is considered before this one is refined
        if groups > 1:
            place = self._lay_out_floats(0, place)
        self.weight: dict[str, int] = {}
        most = max(self.round * self.count, groups)
        for name in reversed(BEFORE_FLOATS):
            self.weight[name] = place
            place *= most + 1
        self._sum_floats()

    def _lay_out_order(self, at: int, first: int, place: int) -> int:
        """Assign the order within a group: which moved-down players play, and whom; exchanges between the halves; then
        transpositions.
        """
        size = self.sizes[at]
        for player in reversed(range(first, first + size)):
            self.turn[player] = place
            place *= size + 1
        for row, most in (
            (self.lowest, size * size),
            (self.shift, size * size),
            (self.swaps, size),
            (self.down_order, self.count * size * size),
            (self.down, size * size),
            (self.limbo, self.count * self.count),
        ):
            row[at] = place
            place *= 2 * most + 1
        return place

    def _lay_out_floats(self, at: int, place: int) -> int:
        """Assign the pairs across the boundary below a group, and from how far above."""
        pairs, groups = self.size // 2, len(self.sizes)
        self.apart[at] = place
        place *= pairs * groups * groups + 1
        self.floats[at] = place
        return place * (pairs + 1)

    def _sum_floats(self) -> None:
        """Sum the cost of playing from one group in another: every boundary between them counts."""
        groups = len(self.sizes)
        self.falls = [[0] * (groups + 1) for _ in range(groups)]
        for upper in range(groups):
            for lower in range(upper + 1, groups):
                edge = lower - 1
                more = self.floats[edge] + self.apart[edge] * (edge - upper) ** 2
                self.falls[upper][lower] = self.falls[upper][lower - 1] + more
        self.past_limbo = [0]
        for place in self.limbo:
            self.past_limbo.append(self.past_limbo[-1] + place)

    def criteria(self, one: int, other: int) -> dict[str, int]:
        """Return what is against a pair (`one` ranked before `other`, which may be the bye); what is not named is 0."""
        found: dict[str, int] = {}
        card, group = self.ranked[one], self.group[one]
        if other == self.count:
            if card.had_bye:
                found[BYE_AGAIN] = 1
            below = len(self.sizes) - 1 - group
            if below:
                found[BYE_SCORE] = below
            missed = self.round - 1 - card.played
            if missed > 0:
                found[BYE_UNPLAYED] = missed
            self._floats_again(found, card, None)
            return found
        if (one, other) in self.blocked:
            found[BLOCKED] = 1
        meetings = self.met[one].get(other)
        if meetings:
            found[REPEAT] = meetings
        side, much = self.due[one]
        their_side, their_much = self.due[other]
        if self.terms.by_sides and side is not None and side == their_side:
            if much == their_much == ABSOLUTE:
                found[TOPSCORER if self.top[one] or self.top[other] else SAME_SIDE] = 1
            found[DUE] = 1
            if much > MILD and their_much > MILD:
                found[DUE_STRONG] = 1
        if group != self.group[other]:
            self._floats_again(found, card, self.ranked[other])
        return found

    def _floats_again(self, found: dict[str, int], upper: PairingCard, lower: PairingCard | None) -> None:
        round = self.round
        if round - 1 in upper.downs:
            found[DOWN_AGAIN] = 1
        if round - 2 in upper.downs:
            found[DOWN_BEFORE] = 1
        if lower is not None and round - 1 in lower.ups:
            found[UP_AGAIN] = 1
        if lower is not None and round - 2 in lower.ups:
            found[UP_BEFORE] = 1

    def floats_of(self, one: int, other: int) -> int:
        """Return how many boundaries between score groups a pair crosses."""
        lower = len(self.sizes) - 1 if other == self.count else self.group[other]
        return lower - self.group[one]

    def cost(self, one: int, other: int) -> int:
        """Return everything against a pair as one number: the criteria, then the order within score groups."""
        upper = self.group[one]
        place = self.place[one]
        if other == self.count:
            total = self.falls[upper][len(self.sizes) - 1]
            total += (self.count - one) * (self.past_limbo[-1] - self.past_limbo[upper + 1])
            if place <= self.ends[upper]:
                total += self.swaps[upper] - (self.shift[upper] + self.lowest[upper]) * place
        else:
            lower = self.group[other]
            their_place = self.place[other]
            if upper == lower:
                total = their_place * self.turn[one]
                if their_place <= self.ends[upper]:  # both in the upper half: the second changes over
                    total += self.swaps[upper] - (self.shift[upper] + self.lowest[upper]) * their_place
                elif place > self.ends[upper]:  # both in the lower half: the first changes over
                    total += self.swaps[upper] + self.shift[upper] * place
            else:
                total = self.falls[upper][lower]
                total += (self.count - one) * (self.past_limbo[lower] - self.past_limbo[upper + 1])
                total += their_place * (self.down[lower] + (self.count - one) * self.down_order[lower])
                if place <= self.ends[upper]:
                    total += self.swaps[upper] - (self.shift[upper] + self.lowest[upper]) * place
        for name, value in self.criteria(one, other).items():
            if name in self.weight:
                total += value * self.weight[name]
            else:
                at = upper if other == self.count or name in DOWNS else self.group[other]
                total += value * self.quality[name][at]
        return total

    def ideal(self, player: int) -> int:
        """Return the ideal opponent's place in the player's own score group: half a group below, or above."""
        group, place = self.group[player], self.place[player]
        half = self.half[group]
        return place + half if place <= self.ends[group] else place - half


def weights(field: Field) -> list[list[int]]:
    """Return the square of weights of all pairs: minus the costs."""
    size = field.size
    square = [[0] * size for _ in range(size)]
    for one in range(field.count):
        row = square[one]
        for other in range(one + 1, size):
            row[other] = square[other][one] = -field.cost(one, other)
    return square
