"""Finds the heaviest perfect matching of a complete graph: who plays whom when every possible pair has a weight.

Edmonds' blossom method with dual prices (J. Edmonds, "Maximum matching and a polyhedron with 0,1-vertices", 1965), one
alternating tree at a time. Prices start from a greedy guess, and only the few cheapest edges of every vertex are
considered. Afterwards the prices are checked against all edges: if the prices of an edge's two ends are never below its
weight, no matching of the whole graph is heavier (weak duality). Edges that violate this are added, and the search runs
again, so the answer is always exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush

Weights = Sequence[Sequence[int]]
Progress = Callable[[int, int], None]
"""Called with how much is done, and the total."""

FREE, OUTER, INNER = 0, 1, 2
"""Not in the tree; at an even distance from its root (S); at an odd one (T)."""
NEAREST = 10
"""How many edges of each vertex are considered first."""


def heaviest(weights: Weights, progress: Progress | None = None) -> list[int]:
    """Return the partner of each vertex in the perfect matching with the greatest sum of weights.

    `weights` is a symmetric square of whole numbers of any size with an even number of rows; the diagonal is not read.
    Equal input gives equal output. Raises ValueError for an odd number of rows.
    """
    size = len(weights)
    if size % 2:
        raise ValueError("an odd number of vertices has no perfect matching")
    if not size:
        return []
    prices = _first_prices(weights)
    chosen = _nearest(weights, prices, min(NEAREST, size - 1))
    while True:
        search = _Search(weights, list(prices), chosen, progress)
        if not search.run():
            chosen = _nearest(weights, prices, min(size - 1, 2 * min(len(near) for near in chosen)))
            continue
        broken = search.broken()
        if not broken:
            return search.mate
        for one, other in broken:
            chosen[one].add(other)
            chosen[other].add(one)


def _first_prices(weights: Weights) -> list[int]:
    """Return prices (doubled, to stay whole) that cover every edge, and leave each vertex an edge without slack."""
    size = len(weights)
    prices = [max(row[:at] + row[at + 1 :]) for at, row in enumerate(map(list, weights))]
    for at in range(size):
        row = weights[at]
        prices[at] = max(2 * row[other] - prices[other] for other in range(size) if other != at)
    return prices


def _nearest(weights: Weights, prices: Sequence[int], count: int) -> list[set[int]]:
    """Return for each vertex the other ends of its edges with the least slack; both ends know of an edge."""
    size = len(weights)
    chosen: list[set[int]] = [set() for _ in range(size)]
    for at in range(size):
        row = weights[at]
        slack = [prices[other] - 2 * row[other] for other in range(size)]
        order = sorted(range(size), key=slack.__getitem__)
        near = [other for other in order[: count + 1] if other != at][:count]
        chosen[at].update(near)
        for other in near:
            chosen[other].add(at)
    return chosen


class _Search:
    """Matches along the chosen edges.

    Vertices are 0 to size - 1, blossoms are numbered from there. `price` is valid as of `since`, the last change of the
    label: while the tree grows, prices in outer blossoms fall with `now` and those in inner ones rise.
    """

    def __init__(
        self, weights: Weights, prices: list[int], chosen: Sequence[set[int]], progress: Progress | None
    ) -> None:
        self.size = len(weights)
        self.weights = weights
        self.price = prices
        self.edges = [[(other, 2 * weights[at][other]) for other in sorted(near)] for at, near in enumerate(chosen)]
        self.near = chosen
        self.progress = progress
        self.mate = [-1] * self.size
        self.top = list(range(self.size))
        """The outermost blossom (or the vertex itself) that a vertex lies in."""
        self.parent: dict[int, int] = {}
        self.children: dict[int, list[int]] = {}
        """The odd cycle of a blossom, from the child with its base; `links[i]` goes from child i to child i + 1."""
        self.links: dict[int, list[tuple[int, int]]] = {}
        self.base = {at: at for at in range(self.size)}
        self.extra: dict[int, int] = {}
        """The price of a blossom, which all edges inside it pay as well."""
        self.label: dict[int, int] = {}
        self.entry: dict[int, tuple[int, int]] = {}
        """The edge by which a labelled blossom was reached: from outside to inside."""
        self.since: dict[int, int] = {}
        self.events: list[tuple[int, int, int, int]] = []
        self.now = 0
        self.next = self.size

    def run(self) -> bool:
        """Match every vertex; return False if the chosen edges do not allow it."""
        self._greedy()
        waiting = [at for at in range(self.size) if self.mate[at] < 0]
        for done, root in enumerate(waiting):
            if self.mate[root] < 0 and not self._grow_from(root):
                return False
            if self.progress:
                self.progress(done + 1, len(waiting))
        return True

    def broken(self) -> list[tuple[int, int]]:
        """Return the unused edges that weigh more than the prices of their ends."""
        found = []
        price, size = self.price, self.size
        for one in range(size):
            mine, row, near = price[one], self.weights[one], self.near[one]
            found += [
                (one, other)
                for other in range(one + 1, size)
                if mine + price[other] < 2 * row[other]
                and other not in near
                and mine + price[other] + self._shared(one, other) < 2 * row[other]
            ]
        return found

    def _greedy(self) -> None:
        mate, price = self.mate, self.price
        for one in range(self.size):
            if mate[one] < 0:
                for other, double in self.edges[one]:
                    if mate[other] < 0 and price[one] + price[other] == double:
                        mate[one], mate[other] = other, one
                        break

    def _shared(self, one: int, other: int) -> int:
        """Return the total price of the blossoms that contain both vertices."""
        around, total = set(), 0
        at = one
        while at in self.parent:
            at = self.parent[at]
            around.add(at)
        at = other
        while at in self.parent:
            at = self.parent[at]
            if at in around:
                total += self.extra[at]
        return total

    # One tree.

    def _grow_from(self, root: int) -> bool:
        """Find an alternating path from a free vertex to another along edges without slack, and match along it."""
        self.label, self.entry, self.since, self.events, self.now = {}, {}, {}, [], 0
        self._make_outer(self.top[root], None)
        while self.events:
            time, one, other, double = heappop(self.events)
            if other < 0:  # an inner blossom whose price is used up
                if self._is_spent(one, time):
                    self.now = time
                    self._open(one)
                continue
            mine, theirs = self.top[one], self.top[other]
            kind = self.label.get(theirs, FREE)
            if mine == theirs or kind == INNER:
                continue
            slack = self._price(one, time) + self._price(other, time) - double
            if slack:
                heappush(self.events, (time + (slack if kind == FREE else slack // 2), one, other, double))
                continue
            self.now = time
            if kind == OUTER:
                self._close(one, other)
                continue
            end = self.base[theirs]
            if self.mate[end] < 0:
                self._flip(one, other)
                self._settle_all()
                return True
            self._label(theirs, INNER, (one, other))
            if theirs >= self.size:
                heappush(self.events, (time + self.extra[theirs] // 2, theirs, -1, 0))
            partner = self.mate[end]
            self._make_outer(self.top[partner], (end, partner))
        return False

    def _price(self, vertex: int, time: int) -> int:
        top = self.top[vertex]
        kind = self.label.get(top, FREE)
        if kind == FREE:
            return self.price[vertex]
        passed = time - self.since[top]
        return self.price[vertex] + (passed if kind == INNER else -passed)

    def _label(self, blossom: int, kind: int, entry: tuple[int, int] | None) -> None:
        self.label[blossom] = kind
        self.since[blossom] = self.now
        if entry is not None:
            self.entry[blossom] = entry

    def _make_outer(self, blossom: int, entry: tuple[int, int] | None) -> None:
        self._label(blossom, OUTER, entry)
        for vertex in self._leaves(blossom):
            self._look_from(vertex)

    def _look_from(self, vertex: int) -> None:
        """Record when each edge of an outer vertex will have no slack left."""
        now, events, top, label, since = self.now, self.events, self.top, self.label, self.since
        home = top[vertex]
        mine = self.price[vertex] + since[home] - now
        for other, double in self.edges[vertex]:
            theirs = top[other]
            if theirs == home:
                continue
            kind = label.get(theirs, FREE)
            if kind == FREE:
                heappush(events, (now + mine + self.price[other] - double, vertex, other, double))
            elif kind == OUTER:
                slack = mine + self.price[other] + since[theirs] - now - double
                heappush(events, (now + slack // 2, vertex, other, double))

    def _leaves(self, blossom: int) -> Iterator[int]:
        if blossom < self.size:
            yield blossom
        else:
            for child in self.children[blossom]:
                yield from self._leaves(child)

    def _settle(self, blossom: int) -> None:
        """Update the prices in a labelled outermost blossom to now."""
        kind, passed = self.label[blossom], self.now - self.since[blossom]
        if passed:
            change = passed if kind == INNER else -passed
            for vertex in self._leaves(blossom):
                self.price[vertex] += change
            if blossom >= self.size:
                self.extra[blossom] -= 2 * change
        self.since[blossom] = self.now

    def _settle_all(self) -> None:
        for blossom in self.label:
            self._settle(blossom)

    # Blossoms.

    def _close(self, one: int, other: int) -> None:
        """An edge between two outer blossoms closes an odd cycle: from now on one outer blossom."""
        meeting, cycle, links = self._cycle(one, other)
        new = self.next
        self.next += 1
        fresh: list[int] = []
        for child in cycle:
            self._settle(child)
            if self.label[child] == INNER:
                fresh += self._leaves(child)
        entry = self.entry.get(meeting)
        for child in cycle:
            del self.label[child], self.since[child]
            self.entry.pop(child, None)
            self.parent[child] = new
        self.children[new], self.links[new] = cycle, links
        self.base[new] = self.base[meeting]
        self.extra[new] = 0
        for vertex in self._leaves(new):
            self.top[vertex] = new
        self._label(new, OUTER, entry)
        for vertex in fresh:
            self._look_from(vertex)

    def _cycle(self, one: int, other: int) -> tuple[int, list[int], list[tuple[int, int]]]:
        """The blossom where the ways back from both ends of an edge meet, the cycle from there by way of the edge, and
        the edges that hold it together."""
        seen, at = set(), self.top[one]
        while True:
            seen.add(at)
            if at not in self.entry:
                break
            at = self.top[self.entry[at][0]]
        meeting = self.top[other]
        while meeting not in seen:
            meeting = self.top[self.entry[meeting][0]]

        cycle: list[int] = []
        links: list[tuple[int, int]] = []
        at = self.top[one]
        while at != meeting:
            cycle.append(at)
            links.append(self.entry[at])
            at = self.top[self.entry[at][0]]
        cycle.append(meeting)
        cycle.reverse()
        links.reverse()
        links.append((one, other))
        at = self.top[other]
        while at != meeting:
            cycle.append(at)
            outside, inside = self.entry[at]
            links.append((inside, outside))
            at = self.top[outside]
        return meeting, cycle, links

    def _is_spent(self, blossom: int, time: int) -> bool:
        if self.label.get(blossom) != INNER or blossom not in self.children or blossom in self.parent:
            return False
        return self.extra[blossom] == 2 * (time - self.since[blossom])

    def _open(self, blossom: int) -> None:
        """Take an inner blossom apart: the way through it stays in the tree, the other children leave it."""
        self._settle(blossom)
        outside, inside = self.entry.pop(blossom)
        del self.label[blossom], self.since[blossom], self.extra[blossom]
        cycle, links = self.children.pop(blossom), self.links.pop(blossom)
        for child in cycle:
            del self.parent[child]
            for vertex in self._leaves(child):
                self.top[vertex] = child
        at = cycle.index(self.top[inside])
        step = 1 if at % 2 else -1  # an even number of steps leads to the base, at 0
        entry, kind = (outside, inside), INNER
        kept = set()
        while True:
            child = cycle[at % len(cycle)]
            kept.add(child)
            if kind == INNER:
                self._label(child, INNER, entry)
                if child >= self.size:
                    heappush(self.events, (self.now + self.extra[child] // 2, child, -1, 0))
            else:
                self._make_outer(child, entry)
            if at % len(cycle) == 0 and kind == INNER:
                break
            if step == 1:
                entry = links[at % len(cycle)]
            else:
                inner, outer = links[(at - 1) % len(cycle)]
                entry = (outer, inner)
            at += step
            kind = OUTER if kind == INNER else INNER
        for child in cycle:
            if child not in kept:
                for vertex in self._leaves(child):
                    self._look_back(vertex)

    def _look_back(self, vertex: int) -> None:
        """Record the edges from outer vertices to one that has left the tree."""
        for other, double in self.edges[vertex]:
            if self.label.get(self.top[other], FREE) == OUTER:
                slack = self._price(other, self.now) + self.price[vertex] - double
                heappush(self.events, (self.now + slack, other, vertex, double))

    # Matching along a path.

    def _flip(self, one: int, other: int) -> None:
        """Match an outer vertex with a free one, and rematch every vertex on the way to the root."""
        theirs = self.top[other]
        if theirs >= self.size:
            self._rebase(theirs, other)
        self.mate[other] = one
        while True:
            mine = self.top[one]
            before = self.entry.get(mine)
            if mine >= self.size:
                self._rebase(mine, one)
            self.mate[one] = other
            if before is None:
                return
            inner = self.top[before[0]]
            outside, inside = self.entry[inner]
            if inner >= self.size:
                self._rebase(inner, inside)
            self.mate[inside] = outside
            one, other = outside, inside

    def _rebase(self, blossom: int, vertex: int) -> None:
        """Match inside a blossom so that a vertex of it is left over and becomes its base."""
        child = vertex
        while self.parent[child] != blossom:
            child = self.parent[child]
        if child >= self.size:
            self._rebase(child, vertex)
        cycle, links = self.children[blossom], self.links[blossom]
        count = len(cycle)
        start = at = cycle.index(child)
        step = 1 if at % 2 else -1
        while at % count:
            if step == 1:
                left, right = links[(at + 1) % count]
                first, second = (at + 1) % count, (at + 2) % count
            else:
                right, left = links[(at - 2) % count]
                first, second = (at - 1) % count, (at - 2) % count
            if cycle[first] >= self.size:
                self._rebase(cycle[first], left)
            if cycle[second] >= self.size:
                self._rebase(cycle[second], right)
            self.mate[left], self.mate[right] = right, left
            at += 2 * step
        self.children[blossom] = cycle[start:] + cycle[:start]
        self.links[blossom] = links[start:] + links[:start]
        self.base[blossom] = vertex
