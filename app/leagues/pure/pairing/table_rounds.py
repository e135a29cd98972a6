"""Rounds at tables of several, such as 3 to 5 for New World: who sits together, and in which order of turns.

First the sizes are chosen, then everybody is dealt out, and then pairs of players change tables as long as that makes
the round better. The criteria, in order: players who block each other; players who would get a seat of the turn order
twice more often than another; repeated opponents (by the square of the meetings, so that nobody meets the same people
again and again); tables of another size than preferred; and, if tables are made by score, how far apart scores are. The
search is a tabu search (F. Glover, 1986) without randomness: equal input gives an equal round. It finds good rounds and
does not prove that there is no better one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations

from ..model import PAIRING_BYE, VOID, Bye, Competitor, Pairing, Result, Round, requested_byes
from ..why import Reason
from .cards import PairingCard, cards
from .table_search import FAIR, History, Progress, Search, TableTerms, excess, seat_order


def sizes(players: int, terms: TableTerms) -> tuple[list[int], int]:
    """Return the sizes of the tables, largest first, and how many players are left over.

    As few byes as possible, then sizes as near to the preferred one as possible, then more and smaller tables: 19 give
    4, 4, 4, 4, 3; 10 give 4, 3, 3; 2 give two byes.
    """
    for seated in range(players, 0, -1):
        counts = [count for count in range(1, seated + 1) if terms.least * count <= seated <= terms.most * count]
        if counts:
            count = min(counts, key=lambda count: (abs(seated - terms.prefer * count), -count))
            small, rest = divmod(seated, count)
            return [small + 1] * rest + [small] * (count - rest), players - seated
    return [], players


def histories(entrants: Sequence[Competitor], results: Iterable[Result]) -> dict[int, History]:
    """Return everybody's seats, table sizes and pairing byes, from games that were played."""
    found = {entrant.id: History() for entrant in entrants}
    for result in results:
        for seat, who in enumerate(result.seats):
            history = found.get(who)
            if history is None or result.ended == VOID:
                continue
            if result.ended == PAIRING_BYE:
                history.byes += 1
            elif result.was_played:
                history.seats[seat] += 1
                history.tables[len(result.seats)] += 1
                for other in range(len(result.seats)):
                    history.claims[other] += FAIR // len(result.seats)
    return found


def pair_round(
    entrants: Sequence[Competitor],
    results: Sequence[Result],
    round: int,
    *,
    terms: TableTerms | None = None,
    lots: Sequence[int] = (),
    blocks: AbstractSet[frozenset[int]] = frozenset(),
    progress: Progress | None = None,
) -> Round:
    """Seat everybody who plays in this round.

    `lots` is an order of entrants that decides between equals and deals the first round; without it seeds do. Players
    left over have the bye: those with the fewest byes so far, then the lowest score, then the last in order.
    """
    terms = terms or TableTerms()
    byes = requested_byes(entrants, round)
    earlier = [result for result in results if result.round < round]
    made, past = cards(entrants, earlier), histories(entrants, earlier)
    place = {who: at for at, who in enumerate(lots)}
    present = [entrant for entrant in entrants if entrant.is_paired_in(round)]
    present.sort(key=lambda entrant: (place.get(entrant.id, len(place)), entrant.seed))
    order = [entrant.id for entrant in present]
    table_sizes, left = sizes(len(order), terms)
    rank = {who: at for at, who in enumerate(order)}
    free = sorted(order, key=lambda who: (past[who].byes, made[who].score, -rank[who]))[:left]
    standing = sorted((who for who in order if who not in free), key=lambda who: (-made[who].score, rank[who]))
    seated = standing if terms.by_score else [who for who in order if who not in free]
    seating = Search(seated, table_sizes, made, past, blocks, terms).best(progress)
    byes += [_bye(who, len(order), terms) for who in free]
    warnings = [] if table_sizes else [Reason("warn.alone")]
    tables = sorted(seating, key=lambda table: min(standing.index(who) for who in table))
    pairings = []
    for number, table in enumerate(tables, start=1):
        seats = seat_order(tuple(sorted(table, key=rank.__getitem__)), past)
        why = [Reason("tables.sizes", players=len(order), sizes=", ".join(map(str, table_sizes)))]
        if terms.by_score:
            places = sorted(standing.index(who) + 1 for who in table)
            why.append(Reason("tables.score", first=places[0], last=places[-1]))
        why += _meetings(seats, made)
        why += [_seat_reason(who, at, len(seats), past) for at, who in enumerate(seats)]
        pairings.append(Pairing(seats, number, tuple(why)))
        warnings += _blocked(seats, blocks)
    totals = {
        "blocked": sum(frozenset(pair) in blocks for table in tables for pair in combinations(table, 2)),
        "repeat": sum(len(made[one].met.get(two, ())) for table in tables for one, two in combinations(table, 2)),
        "bye_again": sum(past[who].byes > 0 for who in free),
    }
    return Round(round, tuple(pairings), tuple(byes), tuple(warnings), totals)


def _bye(who: int, players: int, terms: TableTerms) -> Bye:
    reason = Reason("bye.table", entrant=who, players=players, least=terms.least, most=terms.most)
    return Bye(who, PAIRING_BYE, (reason,))


def _meetings(seats: Sequence[int], made: dict[int, PairingCard]) -> list[Reason]:
    found = [
        Reason("tables.met", entrant=one, opponent=two, n=len(made[one].met[two]))
        for one, two in combinations(seats, 2)
        if made[one].met.get(two)
    ]
    return found or [Reason("tables.new")]


def _seat_reason(who: int, seat: int, size: int, past: dict[int, History]) -> Reason:
    code = "tables.seat_more" if excess(past[who], seat, size) else "tables.seat"
    return Reason(code, entrant=who, seat=seat + 1, n=past[who].seats[seat])


def _blocked(seats: Sequence[int], blocks: AbstractSet[frozenset[int]]) -> list[Reason]:
    return [
        Reason("warn.blocked", entrant=one, opponent=two)
        for one, two in combinations(seats, 2)
        if frozenset((one, two)) in blocks
    ]
