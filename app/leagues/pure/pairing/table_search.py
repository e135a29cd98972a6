"""The search behind tables of several: exchanges between tables, seat orders within one.

For every two neighbouring tables the exchanges between them are stored with the effect of each, the best one first. An
exchange touches two tables, so only the entries of those two are recomputed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

from .cards import PairingCard

Progress = Callable[[int, int], None]
FAIR = 60
"""Divisible by 3, 4 and 5: a game at a table of n entitles each of its seats to FAIR/n."""
REACH = 12
"""How many tables on either side a table exchanges players with; if seats are unbalanced, all tables."""
TENURE, HELD = 12, 6
"""After a move a player stays for this many steps, and up to four more; in small fields fewer, by the number of
players.
"""
DEALS = 3
"""How many ways to deal are tried, until one leaves nothing to improve."""
STEPS, PATIENCE = 600, 150
"""The most exchanges after each deal, first for opponents and then for seats as well; and how many in a row without
improvement end a phase.
"""
PHASES = 3
TELL_EVERY = 20
"""Exchanges between two progress reports."""
MOST_MEETINGS = 4
"""An exchange for the sake of seats may not add more repeated meetings than this many new ones."""
BLOCK, SEAT, MET, CROWD = 10**14, 10**12, 10**10, 10**6


@dataclass(frozen=True, slots=True)
class TableTerms:
    """The event's terms: sizes of tables, and whether they are made of neighbours in the standings.

    Raises ValueError unless 2 <= least <= prefer <= most <= 6.
    """

    least: int = 3
    most: int = 5
    prefer: int = 4
    by_score: bool = False

    def __post_init__(self) -> None:
        if not 2 <= self.least <= self.prefer <= self.most <= 6:
            raise ValueError("tables need 2 <= least <= prefer <= most <= 6")


@dataclass(slots=True)
class History:
    """A player's earlier seats."""

    seats: Counter[int] = field(default_factory=Counter)
    claims: Counter[int] = field(default_factory=Counter)
    """In units of `FAIR`: the fair share of each seat."""
    tables: Counter[int] = field(default_factory=Counter)
    byes: int = 0


def excess(history: History, seat: int, size: int) -> int:
    """Return how many times more often a player sat there than in this table's least used seat."""
    return history.seats[seat] - min(history.seats[other] for other in range(size))


def seat_order(table: tuple[int, ...], past: dict[int, History]) -> tuple[int, ...]:
    """Return the players of a table in the order of turns that best balances their seats."""
    return _seating(table, past)[1]


def _seating(table: tuple[int, ...], past: dict[int, History]) -> tuple[int, tuple[int, ...]]:
    """Return the least cost of seating a table, and how; the best of all orders by trying seat after seat."""
    size = len(table)
    price = [
        [
            (excess(past[who], seat, size) ** 2, FAIR * past[who].seats[seat] - past[who].claims[seat])
            for seat in range(size)
        ]
        for who in table
    ]

    @cache
    def best(seat: int, used: int) -> tuple[int, int, tuple[int, ...]]:
        if seat == size:
            return 0, 0, ()
        options = []
        for at in range(size):
            if not used & 1 << at:
                over, claim, rest = best(seat + 1, used | 1 << at)
                options.append((over + price[at][seat][0], claim + price[at][seat][1], (at, *rest)))
        return min(options)

    over, _, order = best(0, 0)
    return over, tuple(table[at] for at in order)


class Search:
    """Tables, and exchanges that make them better: a tabu search without randomness.

    Inside, players are numbered from 0 in the order in which they are seated.
    """

    def __init__(
        self,
        seated: Sequence[int],
        table_sizes: Sequence[int],
        made: dict[int, PairingCard],
        past: dict[int, History],
        blocks: AbstractSet[frozenset[int]],
        terms: TableTerms,
    ) -> None:
        self.terms = terms
        self.seated = seated
        self.sizes = table_sizes
        self.rounds = max((sum(past[who].seats.values()) for who in seated), default=0)
        self.apart = _apart(seated, made, blocks, terms)
        self.kinds: dict[tuple[int, ...], int] = {}
        self.tastes: list[tuple[int, ...]] = []
        self.kind: dict[int, list[int]] = {}
        self.crowd: dict[int, list[int]] = {}
        for size in set(table_sizes):
            self.kind[size] = [self._kind(past[who], size) for who in seated]
            self.crowd[size] = [_crowd(past[who], size, terms) for who in seated]
        self.over: dict[tuple[int, ...], int] = {}
        self.tables: list[list[int]] = []
        self.load: list[list[int]] = []
        self.moves: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        self.with_seats = False
        self.reach = REACH
        self.tenure = min(TENURE, len(seated) // HELD)

    def _kind(self, history: History, size: int) -> int:
        """Return the number of a player's seat preferences; many players share one."""
        taste = tuple([excess(history, seat, size) ** 2 for seat in range(size)])
        if taste not in self.kinds:
            self.kinds[taste] = len(self.tastes)
            self.tastes.append(taste)
        return self.kinds[taste]

    def best(self, progress: Progress | None) -> list[list[int]]:
        """Return the best tables found from several ways to deal."""
        found: list[list[int]] = []
        least = -1
        deals = 1 if self.terms.by_score else DEALS
        for deal in range(deals):
            self.tables = self._deal(self.rounds + deal)  # the first deal of each round is different
            cost = 0
            for phase, (with_seats, reach) in enumerate(((False, REACH), (True, REACH), (True, len(self.tables)))):
                if reach > REACH and cost < SEAT:
                    break  # every seat is balanced, so nobody needs a distant table
                cost = self._improve(with_seats, reach, _share(progress, PHASES * deal + phase, PHASES * deals))
            if least < 0 or cost < least:
                found, least = self.tables, cost
            if not least:
                break
        if progress:
            progress(PHASES * deals * STEPS, PHASES * deals * STEPS)
        return [[self.seated[who] for who in table] for table in found]

    def _deal(self, shift: int) -> list[list[int]]:
        """Deal neighbours together, or row by row to all tables, each row starting further on than the last."""
        tables: list[list[int]] = [[] for _ in self.sizes]
        if self.terms.by_score:
            at = 0
            for table, size in zip(tables, self.sizes, strict=True):
                table += range(at, at + size)
                at += size
            return tables
        for who in range(len(self.seated)):
            row, column = divmod(who, len(tables))
            tables[(column + shift * row) % len(tables)].append(who)  # the last row makes some tables larger
        return tables

    def _improve(self, with_seats: bool, reach: int, tell: Callable[[int], None]) -> int:
        """Exchange players for the sake of opponents, or of seats as well; return the cost."""
        self._begin(with_seats, reach)
        cost = self.cost()
        best, best_cost, found_at = [list(table) for table in self.tables], cost, 0
        tabu = [0] * len(self.seated)
        for step in range(STEPS):
            if not step % TELL_EVERY:
                tell(step)
            if not cost or step - found_at > PATIENCE:
                break
            move = self._best_move(tabu, step, best_cost - cost)
            if move is None:
                continue  # all are held; wait until one is free
            change, a, at, b, to = move
            cost += change
            tabu[self.tables[a][at]] = tabu[self.tables[b][to]] = step + self.tenure + step % 5
            self._exchange(a, at, b, to)
            if cost < best_cost:
                best, best_cost, found_at = [list(table) for table in self.tables], cost, step
        self.tables = best
        return best_cost

    def _begin(self, with_seats: bool, reach: int) -> None:
        self.with_seats, self.reach = with_seats, reach
        self.load = [[sum([row[other] for other in table]) for table in self.tables] for row in self.apart]
        count = len(self.tables)
        self.moves = {}
        for a in range(count):
            for b in range(a + 1, min(a + reach + 1, count)):
                self.moves[a, b] = self._exchanges(a, b)

    def _exchange(self, a: int, at: int, b: int, to: int) -> None:
        """Exchange two players, and recompute what that touches."""
        here, there = self.tables[a], self.tables[b]
        who, them = here[at], there[to]
        here[at], there[to] = them, who
        for row, load in zip(self.apart, self.load, strict=True):
            difference = row[them] - row[who]
            load[a] += difference
            load[b] -= difference
        for table in (a, b):
            for other in range(max(table - self.reach, 0), min(table + self.reach + 1, len(self.tables))):
                pair = (table, other) if table < other else (other, table)
                if table != other and (pair != (a, b) or table == a):
                    self.moves[pair] = self._exchanges(*pair)

    def _exchanges(self, a: int, b: int) -> list[tuple[int, int, int]]:
        """Return the effect of each exchange between two tables, with the places there; the best one first."""
        here, there, load = self.tables[a], self.tables[b], self.load
        small, great = self.crowd[len(here)], self.crowd[len(there)]
        coming = [load[them][a] - load[them][b] + small[them] - great[them] for them in there]
        found = []
        for at, who in enumerate(here):
            row = self.apart[who]
            going = load[who][b] - load[who][a] + great[who] - small[who]
            for to, them in enumerate(there):
                found.append((going + coming[to] - 2 * row[them], at, to))
        if self.with_seats:
            found = self._with_seats(here, there, found)
        found.sort()
        return found

    def _with_seats(
        self, here: list[int], there: list[int], found: list[tuple[int, int, int]]
    ) -> list[tuple[int, int, int]]:
        """Return the same exchanges with seats considered, without those that repeat many meetings."""
        ours, theirs = self.kind[len(here)], self.kind[len(there)]
        mine, yours = [ours[who] for who in here], [theirs[who] for who in there]
        before = self._over(mine) + self._over(yours)
        weighed = []
        for change, at, to in found:
            if change <= MOST_MEETINGS * MET:
                after = self._over([*mine[:at], ours[there[to]], *mine[at + 1 :]])
                after += self._over([*yours[:to], theirs[here[at]], *yours[to + 1 :]])
                weighed.append((change + SEAT * (after - before), at, to))
        return weighed

    def _over(self, kinds: list[int]) -> int:
        """Return the total seat imbalance of a table when its players are seated as well as possible."""
        key = tuple(sorted(kinds))
        cost = self.over.get(key)
        if cost is None:
            cost = self.over[key] = _least([self.tastes[kind] for kind in key])
        return cost

    def _best_move(self, tabu: list[int], step: int, wanted: int) -> tuple[int, int, int, int, int] | None:
        """Return the best exchange of two players who are not held; None if all are held.

        One that changes less than `wanted` gives the best round so far, and may move anybody.
        """
        best: tuple[int, int, int, int, int] | None = None
        for (a, b), moves in self.moves.items():
            for change, at, to in moves:
                if best is not None and change >= best[0]:
                    break
                if change < wanted or (tabu[self.tables[a][at]] <= step and tabu[self.tables[b][to]] <= step):
                    best = (change, a, at, b, to)
                    break
        return best

    def cost(self) -> int:
        """Return the sum over all tables."""
        total = 0
        for table in self.tables:
            total += sum([self.apart[one][two] for one, two in combinations(table, 2)])
            total += sum([self.crowd[len(table)][who] for who in table])
            if self.with_seats:
                total += SEAT * self._over([self.kind[len(table)][who] for who in table])
        return total


def _share(progress: Progress | None, phase: int, phases: int) -> Callable[[int], None]:
    """Return the progress callback for one phase of several."""

    def tell(step: int) -> None:
        if progress:
            progress(phase * STEPS + step, phases * STEPS)

    return tell


def _apart(
    seated: Sequence[int], made: dict[int, PairingCard], blocks: AbstractSet[frozenset[int]], terms: TableTerms
) -> list[list[int]]:
    """Return what is against every two players at one table."""
    number = {who: at for at, who in enumerate(seated)}
    square = [[0] * len(seated) for _ in seated]
    if terms.by_score:
        scores = sorted((made[who].score for who in seated), reverse=True)
        first = {score: at for at, score in reversed(list(enumerate(scores)))}
        level = [first[made[who].score] for who in seated]
        square = [[(mine - other) ** 2 for other in level] for mine in level]
    for who, at in number.items():
        for other, rounds in made[who].met.items():
            if other in number:
                square[at][number[other]] += (2 * len(rounds) - 1) * MET
    for one, two in map(tuple, blocks):
        if one in number and two in number:
            square[number[one]][number[two]] += BLOCK
            square[number[two]][number[one]] += BLOCK
    return square


def _crowd(history: History, size: int, terms: TableTerms) -> int:
    """Return what is against a table of another size than the preferred one: how often the players had one before."""
    if size == terms.prefer:
        return 0
    return CROWD * sum(count for other, count in history.tables.items() if other != terms.prefer)


def _least(prices: Sequence[Sequence[int]]) -> int:
    """Return the least sum of prices when everybody gets a seat of their own."""
    least = {0: 0}
    for price in prices:
        after: dict[int, int] = {}
        for used, so_far in least.items():
            for seat, cost in enumerate(price):
                if not used >> seat & 1:
                    now = used | 1 << seat
                    after[now] = min(after.get(now, so_far + cost), so_far + cost)
        least = after
    return min(least.values())
