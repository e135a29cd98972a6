"""The search behind tables of several: exchanges between tables, seat orders within one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

from .cards import Card

Progress = Callable[[int, int], None]
FAIR = 60
"""Divisible by 3, 4 and 5: a game at a table of n is a claim of FAIR/n to each of its seats."""
REACH = 12
"""Tables on either side of one that its players are exchanged with."""
TENURE = 3
"""So many steps, and up to four more, nobody moves again."""
DEALS = 3
"""Ways to deal that are tried, until one leaves nothing to wish for."""
STEPS, SEAT_STEPS = 120, 80
"""The most exchanges after each deal: for opponents, and then for seats as well."""
BLOCK, SEAT, MET, CROWD = 10**14, 10**12, 10**10, 10**6


@dataclass(frozen=True, slots=True)
class Terms:
    """What the event says: sizes of tables, and whether they are made of neighbours in the standings.

    Raises ValueError unless 2 <= least <= prefer <= most <= 6.
    """

    least: int = 3
    most: int = 5
    prefer: int = 4
    by_score: bool = False
    respect_blocks: bool = True

    def __post_init__(self) -> None:
        if not 2 <= self.least <= self.prefer <= self.most <= 6:
            raise ValueError("tables need 2 <= least <= prefer <= most <= 6")


@dataclass(slots=True)
class History:
    """Where somebody has sat so far."""

    seats: Counter[int] = field(default_factory=Counter)
    claims: Counter[int] = field(default_factory=Counter)
    """In parts of `FAIR`: what would have been fair for each seat."""
    tables: Counter[int] = field(default_factory=Counter)
    byes: int = 0


def excess(history: History, seat: int, size: int) -> int:
    """How many times oftener somebody sat there than in the seat of this table sat in least."""
    return history.seats[seat] - min(history.seats[other] for other in range(size))


def seat_order(table: tuple[int, ...], past: dict[int, History]) -> tuple[int, ...]:
    """The players of a table in the order of turns that keeps their seats in balance best."""
    return _seating(table, past)[1]


def _seating(table: tuple[int, ...], past: dict[int, History]) -> tuple[int, tuple[int, ...]]:
    """The least cost of seating a table, and how; the best of all orders by trying seat after seat."""
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
    """Tables, and exchanges that make them better: a tabu search without any chance."""

    def __init__(
        self,
        seated: Sequence[int],
        table_sizes: Sequence[int],
        made: dict[int, Card],
        past: dict[int, History],
        blocks: AbstractSet[frozenset[int]],
        terms: Terms,
    ) -> None:
        self.terms = terms
        self.made = made
        self.past = past
        self.blocks = blocks if terms.respect_blocks else set()
        self.level = {who: sum(made[other].score > made[who].score for other in seated) for who in seated}
        self.pair_cost: dict[tuple[int, int], int] = {}
        self.seat_cost: dict[frozenset[int], int] = {}
        self.seated = seated
        self.sizes = table_sizes
        self.tables: list[list[int]] = []

    def best(self, progress: Progress | None) -> list[list[int]]:
        """The best tables found from several ways to deal."""
        found: list[list[int]] = []
        least = -1
        deals = 1 if self.terms.by_score else DEALS
        rounds = max((sum(self.past[who].seats.values()) for who in self.seated), default=0)
        for deal in range(deals):
            if progress:
                progress(deal, deals)
            self.tables = self._deal(rounds + deal)  # the first deal of each round is another one
            cost = self._improve_seats(self._improve())
            if least < 0 or cost < least:
                found, least = self.tables, cost
            if not least:
                break
        if progress:
            progress(deals, deals)
        return found

    def _deal(self, shift: int) -> list[list[int]]:
        """Neighbours together, or row by row to all tables, each row begun further on than the last."""
        tables: list[list[int]] = [[] for _ in self.sizes]
        if self.terms.by_score:
            at = 0
            for table, size in zip(tables, self.sizes, strict=True):
                table += self.seated[at : at + size]
                at += size
            return tables
        for at, who in enumerate(self.seated):
            row, column = divmod(at, len(tables))
            tables[(column + shift * row) % len(tables)].append(who)  # the last row makes some tables greater
        return tables

    def between(self, one: int, other: int) -> int:
        """What is against two players at one table."""
        key = (one, other) if one < other else (other, one)
        cost = self.pair_cost.get(key)
        if cost is None:
            met = len(self.made[one].met.get(other, ()))
            cost = (2 * met - 1) * MET if met else 0
            if frozenset(key) in self.blocks:
                cost += BLOCK
            if self.terms.by_score:
                cost += (self.level[one] - self.level[other]) ** 2
            self.pair_cost[key] = cost
        return cost

    def crowd(self, who: int, size: int) -> int:
        """What is against a table of another size than the preferred one: how often it was so before."""
        if size == self.terms.prefer:
            return 0
        return CROWD * sum(count for other, count in self.past[who].tables.items() if other != self.terms.prefer)

    def company(self, who: int, table: Sequence[int], without: int) -> int:
        """What is against a player at a table that another one leaves."""
        return sum(self.between(who, other) for other in table if other not in (who, without))

    def _improve(self) -> int:
        """Exchange players for the sake of opponents; the cost without seats comes back."""
        best, best_cost = [list(table) for table in self.tables], self.cost()
        cost, tabu = best_cost, dict[int, int]()
        for step in range(STEPS):
            move = self._best_exchange(tabu, step, cost, best_cost)
            if not cost:
                break
            if move is None:
                continue  # all are held; wait until one is free
            change, one, other = move
            cost += change
            self._exchange(one, other)
            tabu[self.tables[one[0]][one[1]]] = tabu[self.tables[other[0]][other[1]]] = step + TENURE + step % 5
            if cost < best_cost:
                best, best_cost = [list(table) for table in self.tables], cost
        self.tables = best
        return best_cost

    def _improve_seats(self, cost: int) -> int:
        """Go on with seats in the balance too; the whole cost comes back."""
        cost += sum(map(self._seats_of, self.tables))
        best, best_cost, tabu = [list(table) for table in self.tables], cost, dict[int, int]()
        for step in range(SEAT_STEPS):
            moves = [
                (change, (a, at), (b, to))
                for a, here in enumerate(self.tables)
                if self._seats_of(here) or any(self.company(who, here, who) >= MET for who in here)
                for at in range(len(here))
                for b, there in self._near(a)
                for to in range(len(there))
                if (change := self._change_with_seats(a, at, b, to)) is not None
                and (max(tabu.get(here[at], 0), tabu.get(there[to], 0)) <= step or cost + change < best_cost)
            ]
            if not cost:
                break
            if not moves:
                continue
            change, one, other = min(moves)
            cost += change
            self._exchange(one, other)
            tabu[self.tables[one[0]][one[1]]] = tabu[self.tables[other[0]][other[1]]] = step + TENURE + step % 5
            if cost < best_cost:
                best, best_cost = [list(table) for table in self.tables], cost
        self.tables = best
        return best_cost

    def _change_with_seats(self, a: int, at: int, b: int, to: int) -> int | None:
        """What an exchange changes, seats included; None if many would meet again for it."""
        here, there = self.tables[a], self.tables[b]
        who, them = here[at], there[to]
        change = self._change(a, who, b, them)
        if change > 4 * MET:
            return None
        change += self._seats_of([*here[:at], them, *here[at + 1 :]])
        change += self._seats_of([*there[:to], who, *there[to + 1 :]])
        return change - self._seats_of(here) - self._seats_of(there)

    def cost(self) -> int:
        """The sum over all tables, seats left aside."""
        return sum(
            sum(self.between(one, other) for one, other in combinations(table, 2))
            + sum(self.crowd(who, len(table)) for who in table)
            for table in self.tables
        )

    def _near(self, a: int) -> list[tuple[int, list[int]]]:
        """The other tables that are looked at for an exchange: all in a small field."""
        first = max(a - REACH, 0)
        return [(b, table) for b, table in enumerate(self.tables[first : a + REACH + 1], start=first) if b != a]

    def _exchange(self, one: tuple[int, int], other: tuple[int, int]) -> None:
        (a, at), (b, to) = one, other
        self.tables[a][at], self.tables[b][to] = self.tables[b][to], self.tables[a][at]

    def _change(self, a: int, who: int, b: int, them: int) -> int:
        here, there = self.tables[a], self.tables[b]
        return (
            self.company(who, there, them)
            + self.company(them, here, who)
            - self.company(who, here, who)
            - self.company(them, there, them)
            + self.crowd(who, len(there))
            + self.crowd(them, len(here))
            - self.crowd(who, len(here))
            - self.crowd(them, len(there))
        )

    def _best_exchange(
        self, tabu: dict[int, int], step: int, cost: int, best_cost: int
    ) -> tuple[int, tuple[int, int], tuple[int, int]] | None:
        """The best exchange of somebody who has something against the table; None if nobody has."""
        best: tuple[int, tuple[int, int], tuple[int, int]] | None = None
        for a, here in enumerate(self.tables):
            for at, who in enumerate(here):
                if not self.company(who, here, who) + self.crowd(who, len(here)):
                    continue
                for b, there in self._near(a):
                    for to, them in enumerate(there):
                        change = self._change(a, who, b, them)
                        held = tabu.get(who, 0) > step or tabu.get(them, 0) > step
                        if (not held or cost + change < best_cost) and (best is None or change < best[0]):
                            best = (change, (a, at), (b, to))
        return best

    def _seats_of(self, table: Sequence[int]) -> int:
        """What is against the seats of a table when it is seated as well as possible."""
        key = frozenset(table)
        cost = self.seat_cost.get(key)
        if cost is None:
            cost = self.seat_cost[key] = SEAT * _seating(tuple(sorted(table)), self.past)[0]
        return cost
