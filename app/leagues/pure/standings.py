"""Standings: everybody in order, each with the tie-break that puts them above the next.

The list of tie-breaks is the event's (`Terms.tie_breaks`); points come first if the list does not name them, and
drawing of lots always comes last, so the order is always total. Nobody's place depends on the order in which entrants
or results are given.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from .formats import FORMATS, Format
from .model import DOUBLE_FORFEIT, PLAYED, VOID, WALKOVER, Competitor, Points, Result, said_points
from .terms import Terms
from .tie_break_names import TIE_BREAKS
from .tiebreaks import Book, Scaled, holder_of
from .why import Reason

Value = Fraction | int | None


@dataclass(frozen=True, slots=True)
class Place:
    """One line of the standings."""

    place: int
    """1 is the first; places are never shared, since lots decide in the end."""
    entrant: int
    points: Points
    values: Mapping[str, Value]
    """The value of each tie-break in the event's order.

    `direct` is None for an entrant who was tied with nobody at that point; `lots` is the place in the drawing, 1 the
    best.
    """
    decided: str = ""
    """The tie-break that puts this entrant above the next, or `void`; empty for the last."""
    why: Reason | None = None
    """The same as a sentence with both values; None for the last."""
    is_void: bool = False
    """Withdrew, and the games count for nobody."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What separates two neighbours: the tie-break and both values as they are shown."""

    name: str
    better: str = ""
    worse: str = ""


def standings(
    entrants: Sequence[Competitor],
    results: Sequence[Result],
    terms: Terms,
    lots: str,
    *,
    format: str = Format.ROUND_ROBIN,
) -> tuple[Place, ...]:
    """Return everybody in a division in order, the first first.

    `results` are those of games that ended, with byes; open games are left out. `lots` is public and makes the drawing
    of lots reproducible: the order of SHA-256("lots:number of the entrant"). `format` is one of `FORMATS`: it
    says how unplayed games count (C.07, articles 15 and 16). Withdrawals are applied here (see `settled`).
    """
    ranking = _ranking(entrants, results, terms, lots, format)
    order, cuts = ranking.ranked()
    return tuple(
        Place(
            at + 1,
            who,
            ranking.points(who),
            ranking.shown(who),
            cuts[at].name.removesuffix("_sure") if at < len(cuts) else "",
            _reason(cuts[at], who, order[at + 1]) if at < len(cuts) else None,
            who in ranking.book.void,
        )
        for at, who in enumerate(order)
    )


def order_of(
    entrants: Sequence[Competitor],
    results: Sequence[Result],
    terms: Terms,
    lots: str,
    *,
    format: str = Format.ROUND_ROBIN,
) -> dict[int, Points]:
    """Return everybody's points in the order of the standings.

    Without values and reasons: tie-breaks are computed only for those who need them, which takes half the time.
    """
    ranking = _ranking(entrants, results, terms, lots, format)
    return {who: ranking.points(who) for who in ranking.ranked()[0]}


def listed(terms: Terms) -> tuple[str, ...]:
    """Return the tie-breaks in order: points first if the event does not name them, lots last."""
    named = tuple(name for name in terms.tie_breaks if name != "lots")
    return (*(() if "points" in named else ("points",)), *named, "lots")


def drawing(entrants: Iterable[Competitor], lots: str) -> dict[int, int]:
    """Return everybody's place in the drawing of lots, 1 the best, in that order."""
    by_lot = sorted(entrants, key=lambda entrant: hashlib.sha256(f"{lots}:{entrant.id}".encode()).digest())
    return {entrant.id: at for at, entrant in enumerate(by_lot, 1)}


class Ranking:
    """Orders everybody by one tie-break after the other; values are computed when they are needed.

    Points, and games among equals, are those of the first of the `books`; what these do not separate in direct
    encounter the next may.
    """

    def __init__(self, entrants: Sequence[Competitor], books: Sequence[Book], names: Sequence[str], lots: str) -> None:
        self.books = books
        self.book = books[0]
        self.names = names
        self.drawn = drawing(entrants, lots)
        self.direct: dict[int, Scaled] = {}
        self._known: dict[tuple[str, int], Scaled] = {}

    def ranked(self) -> tuple[list[int], list[Cut]]:
        """Return everybody in order, void entrants last, and what separates neighbours."""
        void = self.book.void
        order, cuts = self.split([who for who in self.drawn if who not in void], self.names)
        last, between = self.split([who for who in self.drawn if who in void], self.names)
        return order + last, [*cuts, *([Cut("void")] if order and last else []), *between]

    def value(self, name: str, who: int) -> Scaled:
        """Return the value of a tie-break other than direct encounter."""
        if name == "lots":
            return self.drawn[who]
        known = self._known.get((name, who))
        if known is None:
            known = self._known[name, who] = self.book.value(name, self.book.cards[who])
        return known

    def points(self, who: int, book: int = 0) -> Points:
        """Return the points of an entrant."""
        return Fraction(self.books[book].cards[who].points, self.books[book].scale)

    def shown(self, who: int) -> dict[str, Value]:
        """Return all values of one entrant, as they are shown."""
        found: dict[str, Value] = {}
        for name in self.names:
            value = self.direct.get(who) if name == "direct" else self.value(name, who)
            found[name] = None if value is None else self.book.said(name, value)
        return found

    def split(self, group: list[int], names: Sequence[str]) -> tuple[list[int], list[Cut]]:
        """Return the group in order, and what separates neighbours."""
        if len(group) < 2:
            return group, []
        name, rest = names[0], names[1:]
        parts, between = self._direct(group) if name == "direct" else self._by_value(group, name)
        order: list[int] = []
        cuts: list[Cut] = []
        for at, part in enumerate(parts):
            placed, inner = self.split(part, rest)
            order += placed
            cuts += [*inner, *between[at : at + 1]]
        return order, cuts

    def _by_value(self, group: list[int], name: str) -> tuple[list[list[int]], list[Cut]]:
        return self._in_order(name, {who: self.value(name, who) for who in group}, self.book)

    def _in_order(self, name: str, values: Mapping[int, Scaled], book: Book) -> tuple[list[list[int]], list[Cut]]:
        """Return those with equal values, the best first, and what separates them."""
        found: dict[Scaled, list[int]] = {}
        for who, value in values.items():
            found.setdefault(value, []).append(who)
        ranked = sorted(found, reverse=not TIE_BREAKS[name].least_first)
        said = [said_value(name, book.said(name, value)) for value in ranked] if len(ranked) > 1 else []
        return [found[value] for value in ranked], [Cut(name, one, other) for one, other in pairwise(said)]

    def _direct(self, group: list[int]) -> tuple[list[list[int]], list[Cut]]:
        """Apply article 6 (`_encounter`), and again among those who are still tied."""
        for book in self.books if len(group) > 1 else ():
            parts, between = self._encounter(book, group)
            if len(parts) > 1:
                order: list[list[int]] = []
                cuts: list[Cut] = []
                for at, part in enumerate(parts):
                    placed, inner = self._direct(part)
                    order += placed
                    cuts += [*inner, *between[at : at + 1]]
                return order, cuts
        return [group], []

    def _encounter(self, book: Book, group: list[int]) -> tuple[list[list[int]], list[Cut]]:
        """Order a group by points in the games among it.

        If some have not met, only an entrant whose points nobody can reach, whatever the unplayed games would have
        brought, is put first; then the second is determined in the same way, and so on.
        """
        met = book.encounters(group)
        sums: dict[int, Scaled] = {who: sum(met[who].values()) for who in group}
        for who in group:
            self.direct.setdefault(who, sums[who])
        best = {who: sums[who] + (len(group) - 1 - len(met[who])) * book.most for who in group}
        if best == sums:
            return self._in_order("direct", sums, book)
        first: list[int] = []
        left = sorted(group, key=lambda who: -sums[who])
        while len(left) > 1 and sums[left[0]] > max(best[who] for who in left[1:]):
            first.append(left.pop(0))
        rest = [who for who in group if who in left]
        return [*([who] for who in first), rest], [Cut("direct_sure") for _ in first]


def _ranking(
    entrants: Sequence[Competitor], results: Sequence[Result], terms: Terms, lots: str, format: str
) -> Ranking:
    counted, void = settled(entrants, results, terms, format=format)
    return Ranking(entrants, [Book(entrants, counted, terms, format, void)], listed(terms), lots)


def _reason(cut: Cut, entrant: int, opponent: int) -> Reason:
    code = f"place.{cut.name}"
    if cut.name in ("direct_sure", "lots", "void"):
        return Reason(code, entrant=entrant, opponent=opponent)
    return Reason(code, entrant=entrant, opponent=opponent, value=cut.better, other_value=cut.worse)


@lru_cache(maxsize=4096)
def said_value(name: str, value: Value) -> str:
    """Return a value as people write it in any language: 7¼, 54.2 %, −3 (see `said_points`)."""
    if value is None:
        return "–"
    if name == "share":
        return f"{float(value) * 100:.1f} %"
    sign = "−" if value < 0 else "+" if value > 0 and name == "difference" else ""
    return sign + said_points(abs(Fraction(value)))


# -- withdrawals --------------------------------------------------------------------------------------


class Settled(NamedTuple):
    """The results that count, in the order of rounds, and whose games are void."""

    results: list[Result]
    void: frozenset[int]


def settled(
    entrants: Sequence[Competitor], results: Sequence[Result], terms: Terms, *, format: str = Format.ROUND_ROBIN
) -> Settled:
    """Return what counts once withdrawals are applied.

    - `annul`: the games of players who left are void.
    - `walkover`: in a round robin, games still open are lost without playing (by both, if both left).
    - `half` (FIDE C.05): void if fewer than half of the games were played, else walkovers. This is a rule for round
      robins (a group of stages is one); elsewhere results stand, and rounds after the withdrawal are absences
      (C.07, article 16).

    A place taken over by a substitute was never empty: its results stand, and its current holder is judged by all games
    played in it.

    A void game of two counts for nobody. At a table of three and more it stands for the others: they played it.
    """
    counted = sorted((result for result in results if result.ended != VOID), key=lambda result: result.round)
    substitutes = {entrant.id: entrant.substitute for entrant in entrants if entrant.substitute is not None}
    gone = [who for who in entrants if who.withdrawn_after is not None and who.id not in substitutes]
    if not gone:
        return Settled(counted, frozenset())
    known = FORMATS[format].is_laid_out
    seats = [
        replace(result, seats=tuple(holder_of(substitutes, who) for who in result.seats), parts=())
        for result in results
    ]
    holders = places_of(entrants)
    void = frozenset(entrant.id for entrant in gone if _is_void(entrant, holders, seats, terms, known))
    if void:
        counted = [
            result for result in counted if len(result.seats) > 2 or not any(who in void for who in result.seats)
        ]
    if known:
        lost = [who for who in gone if who.id not in void]
        counted += _walkovers(lost, [who for who in holders if who.id not in void], seats, terms)
        counted.sort(key=lambda result: result.round)
    return Settled(counted, void)


def _is_void(
    entrant: Competitor, entrants: Sequence[Competitor], results: Sequence[Result], terms: Terms, known: bool
) -> bool:
    if terms.withdrawal == "annul":
        return True
    mine = [result.ended for result in results if entrant.id in result.seats and len(result.seats) > 1]
    if mine and all(ended == VOID for ended in mine):
        return True  # as it was decided then
    if terms.withdrawal == "walkover" or not known:
        return False
    played = mine.count(PLAYED)
    return 2 * played < games_due(entrant, entrants, terms)


def places_of(entrants: Sequence[Competitor]) -> list[Competitor]:
    """Return who holds the places of an event, each counted since its first holder."""
    substitutes = {entrant.id: entrant.substitute for entrant in entrants if entrant.substitute is not None}
    since: dict[int, int] = {}
    for entrant in entrants:
        holder = holder_of(substitutes, entrant.id)
        since[holder] = min(since.get(holder, entrant.joined), entrant.joined)
    return [replace(entrant, joined=since[entrant.id]) for entrant in entrants if entrant.id not in substitutes]


def games_due(entrant: Competitor, places: Sequence[Competitor], terms: Terms) -> int:
    """Return the number of games a player who left a round robin would have had (`places` are those of `places_of`).

    They are those against everybody who was to be paired in an earlier round; later entries do not count.
    """
    last = max(entrant.withdrawn_after or 0, 1)
    return terms.legs * sum(
        other.id != entrant.id and other.withdrawn_after != 0 and other.joined <= last for other in places
    )


def _walkovers(
    lost: Sequence[Competitor], everybody: Sequence[Competitor], results: Sequence[Result], terms: Terms
) -> list[Result]:
    """Return the remaining games as losses of those who left, with the round after their last one."""
    met: dict[frozenset[int], int] = {}
    for result in results:
        if len(result.seats) == 2 and result.ended != VOID:
            pair = frozenset(result.seats)
            met[pair] = met.get(pair, 0) + 1
    made = []
    gone = {entrant.id: entrant for entrant in lost}
    for entrant in lost:
        for other in everybody:
            both = other.id in gone
            if other.id == entrant.id or (both and other.id < entrant.id):
                continue
            round = (entrant.withdrawn_after or 0) + 1
            result = Result(round, (other.id, entrant.id), (terms.worth.win, terms.worth.loss), WALKOVER)
            if both:
                result = replace(result, points=(terms.worth.loss, terms.worth.loss), ended=DOUBLE_FORFEIT)
            made += [result] * (terms.legs - met.get(frozenset((entrant.id, other.id)), 0))
    return made
