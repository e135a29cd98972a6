"""Knock-out: a bracket by seeds, matches of one or two legs, tie-breaking of drawn matches, and the final places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from ..model import NOTHING, VOID, ZERO_BYE, Bye, Competitor, Pairing, Result, Round, said_points
from ..terms import USUAL, Terms
from ..why import Reason

SCORE, EXTRA, SEED, LOT = "score", "extra", "seed", "lot"
"""The ways to decide a drawn match (`Terms.drawn`): victory points over all games; one more game; the better seed; the
order of lots. Else it is victory points on the second side.
"""


class FilledBy(StrEnum):
    """How a match of the bracket gets its players: by two seeds, or as winners or losers of two earlier matches."""

    SEED = "seed"
    WINNER = "winner"
    LOSER = "loser"


@dataclass(frozen=True, slots=True)
class BracketMatch:
    """A place in the bracket. Its two sides come from seeds, winners, or losers of earlier matches."""

    number: int
    round: int
    source: FilledBy
    first: int
    second: int
    """Seed or number of a match; a seed beyond the field means that the first goes through without playing."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The state of a match: its players, and once it is over the winner and the reason; no winner if both withdrew."""

    players: tuple[int | None, int | None]
    over: bool = False
    winner: int | None = None
    why: Reason | None = None
    needs_extra: bool = False

    @property
    def loser(self) -> int | None:
        """Return the loser, if there is one."""
        if not self.over or self.winner is None:
            return None
        return self.players[1] if self.winner == self.players[0] else self.players[0]


def seed_order(size: int) -> list[int]:
    """Return the seeds of a full bracket from top to bottom, for a size that is a power of two.

    The best two can meet only in the final, the best four in the semi-finals, and so on.
    """
    order = [1]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) + 1 - one)]
    return order


class Bracket:
    """A whole knock-out with its results so far.

    `order` are the entrants in the order of seeds; `lots` the same people in the order that was drawn, for the decider
    `lot`. Raises ValueError for fewer than two entrants.
    """

    def __init__(
        self,
        order: Sequence[Competitor],
        results: Iterable[Result] = (),
        terms: Terms = USUAL,
        *,
        lots: Sequence[int] = (),
    ) -> None:
        if len(order) < 2:
            raise ValueError("a knock-out needs two entrants")
        self.order = order
        self.terms = terms
        self.lots = list(lots) or [entrant.id for entrant in order]
        self.size = 1 << (len(order) - 1).bit_length()
        self.rounds = self.size.bit_length() - 1
        self.by_id = {entrant.id: entrant for entrant in order}
        self.rank = {entrant.id: at for at, entrant in enumerate(order)}
        self.results = [result for result in results if result.ended != VOID and len(result.seats) == 2]
        self.matches = self._draw()

    def _draw(self) -> list[BracketMatch]:
        seeds = seed_order(self.size)
        row = [
            BracketMatch(at + 1, 1, FilledBy.SEED, *sorted(seeds[2 * at : 2 * at + 2])) for at in range(self.size // 2)
        ]
        matches = list(row)
        while len(row) > 1:
            round, semis = row[0].round + 1, row
            row = [
                BracketMatch(len(matches) + at + 1, round, FilledBy.WINNER, one.number, other.number)
                for at, (one, other) in enumerate(zip(semis[::2], semis[1::2], strict=True))
            ]
            matches += row
            if len(row) == 1 and self.terms.third_place:
                one, other = semis
                matches.append(BracketMatch(len(matches) + 1, round, FilledBy.LOSER, one.number, other.number))
        return matches

    @cached_property
    def decisions(self) -> dict[int, Decision]:
        """Return the state of every match, by its number; a match whose players are not known yet has None for them."""
        found: dict[int, Decision] = {}
        for match in self.matches:
            players = (self._player(match, match.first, found), self._player(match, match.second, found))
            found[match.number] = self._decide(match, players, found)
        return found

    def _player(self, match: BracketMatch, source: int, found: dict[int, Decision]) -> int | None:
        if match.source == FilledBy.SEED:
            return self.order[source - 1].id if source <= len(self.order) else None
        before = found[source]
        return before.winner if match.source == FilledBy.WINNER else before.loser

    def _is_known(self, match: BracketMatch, found: dict[int, Decision]) -> bool:
        return match.source == FilledBy.SEED or (found[match.first].over and found[match.second].over)

    def _decide(
        self, match: BracketMatch, players: tuple[int | None, int | None], found: dict[int, Decision]
    ) -> Decision:
        if not self._is_known(match, found):
            return Decision(players)
        here = [who for who in players if who is not None and self.by_id[who].is_in(match.round)]
        one, other = players
        if one is None or other is None:
            winner = one if one is not None else other
            why = Reason("bye.seeded", entrant=winner) if winner is not None and match.source == FilledBy.SEED else None
            return Decision(players, True, winner, why)
        games = self._games(match, one, other)
        points = {who: sum((game.points[game.seats.index(who)] for game in games), NOTHING) for who in (one, other)}
        if len(games) < self.terms.legs:
            if len(here) == 2:
                return Decision(players)
            winner = here[0] if here else None
            gone = other if winner == one else one
            why = Reason("knockout.walkover", entrant=winner, opponent=gone) if winner is not None else None
            return Decision(players, True, winner, why)
        if points[one] != points[other]:
            winner = one if points[one] > points[other] else other
            loser = other if winner == one else one
            why = Reason(
                "knockout.points",
                entrant=winner,
                points=said_points(points[winner]),
                fewer=said_points(points[loser]),
            )
            return Decision(players, True, winner, why)
        return self._break_tie(players, one, other, games)

    def _games(self, match: BracketMatch, one: int, other: int) -> list[Result]:
        return [game for game in self.results if game.round == match.round and set(game.seats) == {one, other}]

    def _break_tie(
        self, players: tuple[int | None, int | None], one: int, other: int, games: Sequence[Result]
    ) -> Decision:
        for decider in self.terms.drawn:
            if decider == EXTRA:
                if len(games) == self.terms.legs:
                    return Decision(players, needs_extra=True, why=Reason("knockout.extra"))
                continue
            mine, theirs = (self._measure(decider, who, games) for who in (one, other))
            if mine != theirs:
                winner = one if mine > theirs else other
                return Decision(players, True, winner, Reason(f"knockout.{decider}", entrant=winner))
        winner = one if self.rank[one] < self.rank[other] else other
        return Decision(players, True, winner, Reason("knockout.seed", entrant=winner))

    def _measure(self, decider: str, who: int, games: Sequence[Result]) -> int:
        """Return the value of a decider; higher is better."""
        if decider == SEED:
            return -self.rank[who]
        if decider == LOT:
            return -self.lots.index(who)
        return sum(
            game.scores[game.seats.index(who)]
            for game in games
            if game.scores and (decider == SCORE or game.seats.index(who) == 1)
        )

    def pair_round(self, round: int) -> Round:
        """Return the games of a round: all legs of the matches whose players are known, at once.

        A player who goes through without playing has a bye; matches that wait for others are warnings.
        """
        pairings: list[Pairing] = []
        byes: list[Bye] = []
        warnings: list[Reason] = []
        for match in self.matches:
            if match.round != round:
                continue
            if not self._is_known(match, self.decisions):
                warnings.append(Reason("knockout.waits", first=match.first, second=match.second))
                continue
            one, other = self.decisions[match.number].players
            if one is None or other is None:
                lone = one if one is not None else other
                if lone is not None:
                    byes.append(Bye(lone, ZERO_BYE, (Reason("bye.seeded", entrant=lone),)))
                continue
            seats = self._first_leg(one, other, round)
            for leg in range(1, self.terms.legs + 1):
                why = [self._why(match)]
                if self.terms.legs > 1:
                    why.append(Reason("knockout.leg", leg=leg, legs=self.terms.legs))
                order = seats if leg == 1 else seats[::-1]
                pairings.append(Pairing(order, len(pairings) + 1, tuple(why), leg=leg))
        return Round(round, tuple(pairings), tuple(byes), tuple(warnings))

    def extra_games(self, round: int) -> tuple[Pairing, ...]:
        """Return the deciding games of drawn matches, with sides as in the first leg."""
        found: list[Pairing] = []
        for match in self.matches:
            decision = self.decisions[match.number]
            one, other = decision.players
            if match.round == round and decision.needs_extra and one is not None and other is not None:
                seats = self._first_leg(one, other, round)
                why = (self._why(match), Reason("knockout.extra"))
                found.append(Pairing(seats, len(found) + 1, why, leg=self.terms.legs + 1))
        return tuple(found)

    def _why(self, match: BracketMatch) -> Reason:
        if match.source == FilledBy.SEED:
            return Reason("knockout.seeds", first=match.first, second=match.second, size=self.size)
        code = "knockout.winners" if match.source == FilledBy.WINNER else "knockout.losers"
        return Reason(code, first=match.first, second=match.second)

    def _first_leg(self, one: int, other: int, round: int) -> tuple[int, int]:
        """Return the sides of the first leg: the player with fewer games on the first side begins; of equals the better
        seed.
        """
        lead: Counter[int] = Counter()
        for game in self.results:
            if game.round < round and game.was_played:
                lead[game.seats[0]] += 1
                lead[game.seats[1]] -= 1
        return min((one, other), (other, one), key=lambda seats: (lead[seats[0]], self.rank[seats[0]]))

    def places(self) -> list[tuple[int, int]]:
        """Return place and entrant of all whose place is settled, best first; players eliminated in one round share a
        place.
        """
        found: dict[int, int] = {}
        for match in self.matches:
            decision = self.decisions[match.number]
            if not decision.over:
                continue
            final = match.round == self.rounds
            if final and decision.winner is not None:
                found[decision.winner] = 1 if match.source != FilledBy.LOSER else 3
            if decision.loser is not None:
                left = 1 << (self.rounds - match.round)
                if final:
                    found[decision.loser] = 2 if match.source != FilledBy.LOSER else 4
                elif match.round < self.rounds - 1 or not self.terms.third_place:
                    found[decision.loser] = left + 1
        return sorted((place, who) for who, place in found.items())

    def ranked(self) -> list[tuple[int | None, int]]:
        """Return everybody with their place: players still in, who have none yet, come first; equals by seed."""
        place = {who: at for at, who in self.places()}
        return [(place.get(who), who) for who in sorted(self.rank, key=lambda who: (place.get(who, 0), self.rank[who]))]
