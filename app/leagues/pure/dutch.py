"""FIDE's Dutch system of 2026 (Handbook C.04.3, articles 1 to 4), score group by score group.

A bracket is a score group with those moved down into it. For each bracket two matchings of all unpaired players are
made, so that any choice leaves the others a complete round (C4). The first weighs C5 to C21 within the bracket, then
which of the moved-down players play in it and whom (4.2, 4.4); the second keeps these pairs and weighs exchanges
between the halves and transpositions (4.3, 4.2) of the rest. Both orders are lexicographic, so they are places of one
whole number like the criteria, and candidates need not be tried one by one.

Breaking C1 to C3 is not impossible but costs more than everything else together, so that a field too small for its
rounds is paired all the same, with warnings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .cards import ABSOLUTE, STRONG, PairingCard
from .matching import Progress, heaviest
from .swiss_weights import BEFORE_FLOATS, BYE_UNPLAYED, Field, fixed_pairs

Weigh = Callable[[int, int], int]
"""The weight of a pair, the higher ranked one first; players are places in the ranking."""


def pair(field: Field, fixed: Sequence[tuple[int, int]] = (), progress: Progress | None = None) -> list[int]:
    """Return the partner of each player; if their number is odd, `field.count` stands for the bye.

    `fixed` are pairs of entrants to be kept. Raises ValueError if they name an entrant twice or one not to be paired.
    """
    return _Round(field, fixed, progress).run()


@dataclass(frozen=True, slots=True)
class ScoreBracket:
    """A score group with those moved down into it; players in the order of the ranking."""

    moved_down: tuple[int, ...]
    residents: tuple[int, ...]
    following: tuple[int, ...]
    """The next score group."""


class _Round:
    """A round that is partly paired."""

    def __init__(self, field: Field, fixed: Sequence[tuple[int, int]], progress: Progress | None) -> None:
        self.field = field
        self.progress = progress
        self.mate = [-1] * field.size
        for one, other in fixed_pairs(field, fixed):
            self._keep(one, other)
        self.worth = PairWeights(field)

    def run(self) -> list[int]:
        moved_down: tuple[int, ...] = ()
        for group in range(len(self.field.sizes)):
            bracket = ScoreBracket(moved_down, self._open_of(group), self._open_of(group + 1))
            moved_down = self._pair_bracket(bracket)
        # What is left: the player with the bye, and in a round that breaks C1 to C3 those whom no bracket took.
        for one, other in self._match(lambda one, other: -self.worth.hard(one, other)).items():
            self._keep(one, other)
        return self.mate

    def _open(self) -> list[int]:
        return [one for one, other in enumerate(self.mate) if other < 0]

    def _open_of(self, group: int) -> tuple[int, ...]:
        field = self.field
        return tuple(one for one in self._open() if one < field.count and field.group[one] == group)

    def _keep(self, one: int, other: int) -> None:
        self.mate[one], self.mate[other] = other, one

    def _pair_bracket(self, bracket: ScoreBracket) -> tuple[int, ...]:
        """Pair the games of a bracket; return the players who move down out of it."""
        residents = set(bracket.residents)
        quality = self.worth.within(bracket)
        order, above = _order_of_moved_down(bracket, self.field.size)
        found = self._match(lambda one, other: quality(one, other) * above + order(one, other))
        leaving = [one for one in (*bracket.moved_down, *bracket.residents) if _leaves(found[one], one, bracket)]
        if len(leaving) == 1 and found[leaving[0]] == self.field.count:
            quality = self.worth.within(bracket, bye_leaves=True)
            found = self._match(lambda one, other: quality(one, other) * above + order(one, other))
        for one in bracket.moved_down:
            if found[one] in residents:
                self._keep(one, found[one])
        rest = [one for one in bracket.residents if self.mate[one] < 0]
        half = sum(found[one] in residents for one in rest) // 2
        if half:
            order, above = _order_of_rest(rest, half)
            found = self._match(lambda one, other: quality(one, other) * above + order(one, other))
            for one in rest:
                if found[one] in residents:
                    self._keep(one, found[one])
        return tuple(one for one in (*bracket.moved_down, *bracket.residents) if self.mate[one] < 0)

    def _match(self, weigh: Weigh) -> dict[int, int]:
        """Return the heaviest matching of all who are not paired yet."""
        pool = self._open()
        square = [[0] * len(pool) for _ in pool]
        for row, one in enumerate(pool):
            for column in range(row + 1, len(pool)):
                square[row][column] = square[column][row] = weigh(one, pool[column])
        found = heaviest(square, self._told if self.progress else None)
        return {one: pool[found[row]] for row, one in enumerate(pool)}

    def _told(self, _done: int, _of: int) -> None:
        if self.progress is not None:
            self.progress(self.field.size - len(self._open()), self.field.size)


def _leaves(mate: int, one: int, bracket: ScoreBracket) -> bool:
    """Whether a player of a bracket with this partner leaves it downward."""
    return mate not in bracket.residents and (one in bracket.moved_down or mate not in bracket.moved_down)


# -- the criteria -------------------------------------------------------------------------------------


class PairWeights:
    """C1 to C21 as places of one whole number, each wide enough for the sum of a whole round."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self.hard_costs: dict[tuple[int, int], int] = {}
        groups, base = len(field.sizes), field.size + 2
        self.scores: list[int] = [base ** (groups - 1 - group) for group in range(groups)]
        """A place for each score group, the highest counting most: their sums are compared from the highest score down.
        """
        counts: int = base
        sums: int = base**groups
        place = 1
        self.repeated: list[tuple[int, int, int, int]] = []
        for _ in range(2):  # C20 and C21, C18 and C19
            ups, place = place, place * sums
            downs, place = place, place * sums
            self.repeated.append((0, 0, downs, ups))
        for at in range(2):  # C16 and C17, C14 and C15
            ups, place = place, place * counts
            downs, place = place, place * counts
            self.repeated[at] = (downs, ups, *self.repeated[at][2:])
        self.strong, place = place, place * counts
        self.side, place = place, place * counts
        self.thrice, place = place, place * counts
        self.beyond, place = place, place * counts
        self.unplayed, place = place, place * (field.round + 1)
        self.next_scores, place = place, place * sums
        self.next_pairs, place = place, place * counts
        self.own_scores, place = place, place * sums
        self.own_pairs, place = place, place * counts
        self.weight: dict[str, int] = {}
        for name in reversed(BEFORE_FLOATS):
            self.weight[name], place = place, place * (max(field.round, groups) * base + 1)

    def hard(self, one: int, other: int) -> int:
        """Return the cost of a pair for the whole round: blocks, C1, C2, C3, C5."""
        pair = one, other
        if pair not in self.hard_costs:
            found = self.field.criteria(one, other)
            self.hard_costs[pair] = sum(found.get(name, 0) * weight for name, weight in self.weight.items())
        return self.hard_costs[pair]

    def within(self, bracket: ScoreBracket, *, bye_leaves: bool = False) -> Weigh:
        """Return the weights of pairs as seen from a bracket.

        Pairs within it count by all criteria, those with the next score group by C8, all others only by what counts for
        the whole round. C9 applies if the only player leaving the bracket has the bye (`bye_leaves`), as the note to it
        says.
        """
        residents, following = set(bracket.residents), set(bracket.following)
        members = residents | set(bracket.moved_down)
        known: dict[tuple[int, int], int] = {}

        def worth(one: int, other: int) -> int:
            pair = one, other
            if pair not in known:
                found = -self.hard(one, other)
                if other in residents:
                    found += self.own_pairs + self.own_scores * self._score(one) + self._quality(one, other)
                elif other in following:
                    found += self.next_pairs + self.next_scores * self._score(one)
                elif bye_leaves and other == self.field.count and one in members:
                    found -= self.unplayed * self.field.criteria(one, other).get(BYE_UNPLAYED, 0)
                known[pair] = found
            return known[pair]

        return worth

    def _score(self, one: int) -> int:
        return self.scores[self.field.group[one]]

    def _quality(self, one: int, other: int) -> int:
        """Return C10 to C21 for a pair of the bracket; reasons for pairing a player are positive."""
        field = self.field
        card, their = field.ranked[one], field.ranked[other]
        total = -self._sides(one, other)
        has_floated = field.group[one] != field.group[other]
        # A player paired here does not float down again; one who was moved down has floated already.
        for ago, (down, up, down_by, up_by) in enumerate(reversed(self.repeated), start=1):
            earlier = field.round - ago
            if earlier in their.downs:
                total += down + down_by * self._score(other)
            if earlier in card.downs:
                total += down_by * self._score(one) + (0 if has_floated else down)
            if has_floated and earlier in their.ups:
                total -= up + up_by * self._score(one)
        return total

    def _sides(self, one: int, other: int) -> int:
        """Return C10 to C13: the costs of two players who are due the same side."""
        field = self.field
        side, much = field.due[one]
        their_side, their_much = field.due[other]
        if side is None or side != their_side:
            return 0
        card, their = field.ranked[one], field.ranked[other]
        total = self.side
        if much == their_much == ABSOLUTE:
            if abs(card.difference) > 1 and abs(their.difference) > 1:
                total += self.beyond
            if _has_thrice(card, their):
                total += self.thrice
        elif much >= STRONG and their_much >= STRONG:
            total += self.strong
        return total


def _has_thrice(card: PairingCard, their: PairingCard) -> bool:
    """Whether one of two players absolutely due the same side has the other side for the third time.

    It is the one with the lesser difference, since the other one is given the side; either, if they are equal.
    """
    if abs(card.difference) == abs(their.difference):
        return _is_repeated(card) and _is_repeated(their)
    return _is_repeated(min(card, their, key=lambda one: abs(one.difference)))


def _is_repeated(card: PairingCard) -> bool:
    return len(card.sides) > 1 and card.sides[-1] == card.sides[-2]


# -- the order of candidates --------------------------------------------------------------------------


def _order_of_moved_down(bracket: ScoreBracket, size: int) -> tuple[Weigh, int]:
    """Return the order in which moved-down players are paired in the bracket, then of their opponents.

    With it a number beyond all sums.
    """
    count = len(bracket.moved_down)
    index = {one: count - 1 - at for at, one in enumerate(bracket.moved_down)}
    place = {one: at for at, one in enumerate(bracket.residents)}
    opponents: int = size**count
    turns: list[int] = [size**at for at in range(count)]

    def order(one: int, other: int) -> int:
        if one not in index or other not in place:
            return 0
        return (opponents << index[one]) - place[other] * turns[index[one]]

    return order, (opponents << count) + 1


def _order_of_rest(rest: Sequence[int], half: int) -> tuple[Weigh, int]:
    """Return the order of exchanges between the first `half` of the rest and the others, then of transpositions.

    With it a number beyond all sums.

    The higher ranked of a pair is in the upper half: one from below was exchanged. Fewest exchanges come first, then
    the least difference of places, then the lowest of the upper half to leave it, then the highest of the lower half to
    come up; then the opponents of the upper half in its order.
    """
    count = len(rest)
    place = {one: at for at, one in enumerate(rest)}
    turns: list[int] = [count**at for at in range(count + 1)]
    transposed = turns[count]
    upward = transposed
    downward = upward << (count + 1)
    difference = downward << (count + 1)
    exchange = difference * 2 * count * count

    def left(at: int) -> int:
        """Whether a player of the upper half leaves it: as the lower ranked of a pair, or without one."""
        return difference * at + (downward << at) if at < half else 0

    def order(one: int, other: int) -> int:
        if other not in place or one not in place:
            return sum(left(place[who]) for who in (one, other) if who in place)
        at, their = place[one], place[other]
        total = left(their) - their * turns[count - 1 - at]
        if at >= half:
            total += (upward << (count - at)) - exchange - difference * at
        return total

    return order, exchange * 2 * count
