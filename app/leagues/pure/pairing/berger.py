"""Round robin by Berger tables (FIDE Handbook C.05, annex 1): everybody plays everybody, once or twice.

The table of n players follows a rule: the last number stays, alternating between the first and the second side; its
opponent moves on by half the number of players each round, and the others are arranged opposite each other around that
place. With an odd number of players the last number is left out, and its opponent is free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from ..model import VOID, ZERO_BYE, Bye, Competitor, Pairing, Result, Round, requested_byes
from ..why import Reason
from .cards import cards
from .matching import heaviest


def berger_table(players: int) -> list[list[tuple[int, int]]]:
    """Return the rounds of a single round robin as pairs of numbers from 1, the first side first.

    Each pair meets once, and nobody has one side more than one game more often than the other. Raises ValueError for an
    odd number or fewer than 2. Source: FIDE Handbook C.05, annex 1.
    """
    if players < 2 or players % 2:
        raise ValueError("a Berger table needs an even number of players")
    others = players - 1
    table = []
    for round in range(others):
        lead = (round * (players // 2)) % others
        pairs = [(lead + 1, players) if round % 2 == 0 else (players, lead + 1)]
        pairs += [((lead + at) % others + 1, (lead - at) % others + 1) for at in range(1, players // 2)]
        table.append(pairs)
    return table


def berger_rounds(players: int, *, double: bool = False) -> list[list[tuple[int, int]]]:
    """Return the rounds for any number of players from 2, free places left out; in a double one the sides are
    exchanged.

    A double one exchanges the last two rounds of its first half, so that nobody has a side three times in a row (annex
    1, recommendation; four players are too few for that).
    """
    table = [[pair for pair in pairs if max(pair) <= players] for pairs in berger_table(players + players % 2)]
    if not double:
        return table
    if len(table) > 1:
        table[-1], table[-2] = table[-2], table[-1]
    return table + [[(second, first) for first, second in pairs] for pairs in table]


def schedule(order: Sequence[Competitor], *, double: bool = False) -> list[Round]:
    """Return all rounds of a round robin. `order` gives the numbers of the table: seeds, or the order of lots.

    A player who is not in the event in a round (late entry, drop-out) or is away has no game there, and the opponent is
    free. A late entry to an odd field can be added at the end of `order` without changing anybody's rounds; otherwise
    use `remaining`. Raises ValueError for fewer than two entrants.
    """
    if len(order) < 2:
        raise ValueError("a round robin needs two entrants")
    half = len(order) + len(order) % 2 - 1
    rounds = []
    for at, pairs in enumerate(berger_rounds(len(order), double=double)):
        number = at + 1
        pairings: list[Pairing] = []
        free = {entrant.id for entrant in order if entrant.is_paired_in(number)}
        for first, second in pairs:
            one, other = order[first - 1], order[second - 1]
            if not (one.is_paired_in(number) and other.is_paired_in(number)):
                continue
            why = [Reason("berger.row", round=at % half + 1, players=len(order), first=first, second=second)]
            if at >= half:
                why.append(Reason("berger.return", round=number - half))
            pairings.append(Pairing((one.id, other.id), len(pairings) + 1, tuple(why), leg=1 + (at >= half)))
            free -= {one.id, other.id}
        rounds.append(Round(number, tuple(pairings), _free(order, number, free)))
    return rounds


def _free(order: Sequence[Competitor], number: int, free: set[int]) -> tuple[Bye, ...]:
    asked = requested_byes(order, number)
    free = free - {bye.entrant for bye in asked}
    byes = [
        Bye(entrant.id, ZERO_BYE, (Reason("bye.berger", entrant=entrant.id),))
        for entrant in order
        if entrant.id in free
    ]
    return (*byes, *asked)


def rest(
    entrants: Sequence[Competitor], results: Iterable[Result], first_round: int, *, double: bool = False
) -> list[Round]:
    """Return the rounds from `first_round` on, for entrants in the order of the table.

    `results` are the games dealt before.

    The table continues as long as all games follow it; after a late entry or a round seated otherwise, the missing
    games are laid out again (`remaining`).
    """
    results = list(results)
    present = [who.id for who in entrants if who.is_in(first_round)]
    if len(present) < 2:
        return []
    table = schedule(entrants, double=double)[first_round - 1 :]
    sat = _sat(results, first_round)
    sat.update((pairing.seats[0], pairing.seats[1]) for paired in table for pairing in paired.pairings)
    for at, one in enumerate(present):
        for other in present[at + 1 :]:
            both = (sat[one, other], sat[other, one])
            if both != (1, 1) if double else sum(both) != 1:
                return remaining(entrants, results, first_round, double=double)
    return table


def _sat(results: Iterable[Result], first_round: int) -> Counter[tuple[int, int]]:
    """Count how often two players met before a round, the first side first; annulled games are left out."""
    return Counter(
        (result.seats[0], result.seats[1])
        for result in results
        if result.round < first_round and result.ended != VOID and len(result.seats) == 2
    )


def remaining(
    entrants: Sequence[Competitor], results: Iterable[Result], first_round: int, *, double: bool = False
) -> list[Round]:
    """Return rounds for all unplayed games of a round robin between those in the event from `first_round` on.

    For late entries, or when the table was left in any other way. Each round has as many games as possible, first those
    of the players with the most to play; usually there are no more rounds than the busiest player needs, rarely one
    more. Sides: in a double one each pair plays both; in a single one they end as balanced as the earlier games allow.
    A player who is away in a round plays the game later.
    """
    present = sorted((who for who in entrants if who.is_in(first_round)), key=lambda who: who.seed)
    earlier = [result for result in results if result.round < first_round and result.ended != VOID]
    sat = _sat(earlier, first_round)
    made = cards(present, earlier)
    lead = Counter({who.id: made[who.id].difference for who in present})
    open_games = Counter(
        {frozenset(pair): max(1 + double - sat[pair] - sat[pair[::-1]], 0) for pair in combinations(made, 2)}
    )
    found: list[list[tuple[int, int]]] = []
    legs: dict[tuple[int, int], int] = {}
    while any(open_games.values()):
        number = first_round + len(found)
        found.append([])
        here = [who.id for who in present if number not in who.away | who.byes]
        for one_id, other_id in _most_games(here, open_games):
            seats = _seats(one_id, other_id, sat, lead, double=double)
            legs[number, len(found[-1])] = 1 + sat[seats] + sat[seats[::-1]]
            open_games[frozenset(seats)] -= 1
            sat[seats] += 1
            lead.update({seats[0]: 1, seats[1]: -1})
            found[-1].append(seats)
    if not double:
        _even_out(found, lead)
    rounds = []
    for number, games in enumerate(found, start=first_round):
        why = (Reason("berger.left", round=first_round),)
        pairings = tuple(Pairing(seats, at + 1, why, leg=legs[number, at]) for at, seats in enumerate(games))
        free = {who.id for who in present} - {seat for seats in games for seat in seats}
        rounds.append(Round(number, pairings, _free(present, number, free)))
    return rounds


def _even_out(rounds: list[list[tuple[int, int]]], lead: Counter[int]) -> None:
    """Exchange sides along chains of games, from players with too many games on the first side to those with fewer, and
    from those with more to those with too few, as long as there is such a chain.
    """
    while True:
        chain = next((chain for who in lead if lead[who] > 1 and (chain := _chain(rounds, lead, who, -1))), None)
        if chain is None:
            chain = next((chain for who in lead if lead[who] > 0 and (chain := _chain(rounds, lead, who, -2))), None)
        if chain is None:
            return
        for at, game in chain:
            first, second = rounds[at][game]
            rounds[at][game] = (second, first)
            lead[first] -= 2
            lead[second] += 2


def _chain(rounds: list[list[tuple[int, int]]], lead: Counter[int], start: int, least: int) -> list[tuple[int, int]]:
    """Return the shortest chain of games, each on the first side, from `start` to a player whose lead is `least` or
    lower.
    """
    came: dict[int, tuple[int, int] | None] = {start: None}
    queue = [start]
    for who in queue:
        if lead[who] <= least:
            chain = []
            step = came[who]
            while step is not None:
                chain.append(step)
                step = came[rounds[step[0]][step[1]][0]]
            return chain
        for at, games in enumerate(rounds):
            for game, (first, second) in enumerate(games):
                if first == who and second not in came:
                    came[second] = (at, game)
                    queue.append(second)
    return []


def _most_games(players: Sequence[int], open_games: Counter[frozenset[int]]) -> list[tuple[int, int]]:
    """Return a round with as many open games as possible, those of the busiest players first (before any number of less
    busy ones), then those of pairs with more than one to play.
    """
    left = {who: sum(count for pair, count in open_games.items() if who in pair) for who in players}
    size = len(players) + len(players) % 2
    level = {count: at for at, count in enumerate(sorted(set(left.values())))}
    rank = {who: size ** level[left[who]] for who in players}
    square = [[0] * size for _ in range(size)]
    for at, one in enumerate(players):
        for further, other in enumerate(players[at + 1 :], start=at + 1):
            if count := open_games[frozenset((one, other))]:
                square[at][further] = square[further][at] = 4 * size * (rank[one] + rank[other]) + count
    mate = heaviest(square) if size else []
    return [
        (one, players[mate[at]])
        for at, one in enumerate(players)
        if at < mate[at] < len(players) and open_games[frozenset((one, players[mate[at]]))]
    ]


def _seats(one: int, other: int, sat: Counter[tuple[int, int]], lead: Counter[int], *, double: bool) -> tuple[int, int]:
    if double and sat[one, other] != sat[other, one]:
        return (one, other) if sat[one, other] < sat[other, one] else (other, one)
    return (one, other) if lead[one] <= lead[other] else (other, one)
