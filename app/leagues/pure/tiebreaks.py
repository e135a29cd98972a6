"""The values that break ties, after the FIDE Handbook, C.07 (Tie-Break Regulations, in force from 1 March 2026).

Rounds without a game, where pairings are made round by round (articles 16.1 to 16.5):

- An entrant's points from such a round count among the entrant's own points as they were given.
- A round that an entrant chose not to play (a requested bye, an absence, a late start, a withdrawal) or lost without
  playing is a *voluntarily unplayed round*. The pairing-allocated bye and a win without playing are not.
- Seen by opponents (16.3), such byes and absences count as draws when no round follows in which the entrant was
  available to play; everything else counts as it was given.
- Seen by the entrant (16.4), a round without a game is one against a dummy who has the entrant's own points, but not
  more than the scheduled opponent (a win or loss without playing) or than a draw in each round (all others).
- Cut-1 takes away the lowest of the voluntarily unplayed rounds if there are any, else the lowest of all (16.5).

Where every game is known beforehand, as in a round robin (15.2), a game won or lost without playing counts like any
other, and rounds without a game do not count.

Tables of three and more: FIDE has no rule for them, so this is ours. Buchholz adds for each table the *mean* of the
points of the others at it, so that a table of five is worth no more than a table of three. Sonneborn-Berger adds for
each table the mean over the others of their points times 1, ½ or 0 for being above, equal or below in that game. Direct
encounter compares two people in the same way. If one round has several games of the same entrant, Buchholz takes their
mean. With two players all of this is FIDE's rule.

Seats that changed hands: FIDE has no rule either. A game counts for the final holder of the seat (wins, time-outs,
victory points, direct encounter, opponents); its points are divided, among the players' points and in Sonneborn-Berger.
Opponents met the *place*: all its games count for them, under any holder and undivided, so nobody's Buchholz or
Sonneborn-Berger depends on whether an opponent was replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, lcm

from .formats import FORMATS
from .model import DOUBLE_FORFEIT, FULL_BYE, PAIRING_BYE, PLAYED, VOID, WALKOVER, Competitor, Part, Result
from .terms import Terms
from .tie_break_names import TIE_BREAKS

RECIPES: Mapping[str, tuple[str, ...]] = {
    "difference": ("points", "direct", "wins", "difference", "timeouts", "lots"),
    "share": ("points", "wins", "share", "timeouts", "lots"),
    "buchholz": ("points", "buchholz_cut1", "buchholz", "sonneborn_berger", "wins", "timeouts", "lots"),
    "sonneborn_berger": ("points", "direct", "sonneborn_berger", "wins", "timeouts", "lots"),
}
"""Orders of tie-breaks that are offered, each by the name of the tie-break that makes it what it is."""


def recipes_of(format: str) -> tuple[str, ...]:
    """Return the recipes that make sense in a format; opponents' points only where not everybody meets everybody."""
    plays = FORMATS[format]
    return (
        "share" if plays.at_tables else "difference",
        "sonneborn_berger",
        *(("buchholz",) if plays.by_round else ()),
    )


def usual_tie_breaks(format: str, *, scores: bool) -> tuple[str, ...]:
    """Return the tie-breaks of a new event. `scores`: the victory points of its games tell how clearly they were won;
    without them it is the opponents' points, as in chess: Buchholz where equals meet, else Sonneborn-Berger."""
    offered = recipes_of(format)
    return RECIPES[offered[0] if scores else offered[-1]]


Scaled = int | Fraction
"""Points times the scale of the book: whole numbers as long as nothing has to be divided, which is fast."""

_GAME, _WON, _LOST, _BYE, _ABSENT = range(5)
"""A game; won, lost without playing (16.2.2, 16.2.4); the pairing-allocated or full bye (16.2.1); a requested bye or a
round missed (16.2.3, 16.2.5)."""


@dataclass(slots=True)
class TieBreakLine:
    """One game, bye or absence from one entrant's point of view."""

    round: int
    points: int
    kind: int
    opponents: tuple[int, ...] = ()
    """The opponents who count; at a table without those whose games are void."""
    pairs: tuple[int, ...] = ()
    """At tables of three and more: 2, 1 or 0 for being above, equal to or below each of the opponents."""
    part: Fraction | int = 1
    """The entrant's share of `points`, which are those of the seat."""
    held: bool = True
    """False for an entrant who handed the seat over during the game, and has only a share of its points."""


@dataclass(slots=True)
class TieBreakCard:
    """An entrant's results, independent of everybody else's points."""

    entrant: Competitor
    points: int = 0
    lines: list[TieBreakLine] = field(default_factory=list)
    wins: int = 0
    timeouts: int = 0
    own: int = 0
    others: Scaled = 0
    """Victory points: the entrant's own, and those of an average opponent at each table."""
    seen: int = 0
    """The points as they count for opponents (16.3): of all holders of the place, one after the other."""


def holder_of(substitutes: Mapping[int, int], who: int) -> int:
    """Return the current holder of an entrant's place."""
    while who in substitutes:
        who = substitutes[who]
    return who


def mean(values: Sequence[int]) -> Scaled:
    """Return the mean, as a whole number if there is only one value."""
    return values[0] if len(values) == 1 else Fraction(sum(values), len(values))


class Book:
    """The cards of all entrants, and the values that follow from them.

    `results` are those that count (see `app.leagues.pure.standings.settled`); `void` are entrants whose games count for
    nobody. Seats of people who are not among the entrants are not opponents, though points against them count.
    """

    def __init__(
        self, entrants: Sequence[Competitor], results: Sequence[Result], terms: Terms, format: str, void: frozenset[int]
    ) -> None:
        self.terms = terms
        self.predetermined = not FORMATS[format].by_round
        self.void = void
        draw = terms.worth.draw
        if FORMATS[format].at_tables:
            places = terms.places[terms.sizes[0]]
            draw = sum(places, Fraction(0)) / len(places)  # an average place is what a draw is to two
        scale = draw.denominator
        for result in results:
            for points in result.points:
                if scale % points.denominator:
                    scale = lcm(scale, points.denominator)
            if result.parts:
                scale = lcm(scale, *(gain.points.denominator for gain in result.gains()))
        self.scale = scale
        self.draw = int(draw * scale)
        self.win = terms.worth.win
        self.most = Fraction(scale) if FORMATS[format].at_tables else scale * terms.worth.win
        """The greatest result of one game against one opponent, scaled."""
        self.rounds = max((result.round for result in results), default=0)
        self.cards = {entrant.id: TieBreakCard(entrant) for entrant in entrants}
        self._best: dict[int, int] = {}
        for result in results:
            if result.ended != VOID:
                self._enter(result)
        self._see()
        for card in self.cards.values():
            self._complete(card)

    def _enter(self, result: Result) -> None:
        """Add a game or a bye to the cards of its players."""
        seats, scale, cards = result.seats, self.scale, self.cards
        points = [given.numerator * (scale // given.denominator) for given in result.points]
        size = len(seats)
        best = self._best.get(size) or self._best_of(size)
        for seat, who in enumerate(seats):
            card = cards.get(who)
            if card is None or who in self.void:
                continue
            mine = points[seat]
            card.points += mine
            card.lines.append(self._line(result, seat, points))
            if mine >= best > 0 and points.count(mine) == 1:
                card.wins += 1
            if who in result.timeouts:
                card.timeouts += 1
            if result.scores and result.ended == PLAYED:
                card.own += result.scores[seat]
                card.others += mean([score for other, score in enumerate(result.scores) if other != seat])
        for part in result.parts:
            self._divide(result, part, points)

    def _line(self, result: Result, seat: int, points: Sequence[int]) -> TieBreakLine:
        seats, mine = result.seats, points[seat]
        pairs: tuple[int, ...] = ()
        if len(seats) == 2:
            opponents: tuple[int, ...] = (seats[1 - seat],) if seats[1 - seat] in self.cards else ()
        else:
            at = [other for other, whom in enumerate(seats) if other != seat and self._counts(whom)]
            pairs = tuple([1 + (mine > points[other]) - (mine < points[other]) for other in at])
            opponents = tuple([seats[other] for other in at])
        return TieBreakLine(result.round, mine, self._kind(result.ended, mine > min(points)), opponents, pairs)

    def _divide(self, result: Result, part: Part, points: Sequence[int]) -> None:
        """Give an entrant their share of a seat that changed hands. Its holder has all of it so far."""
        card = self.cards.get(part.entrant)
        if card is None or part.entrant in self.void:
            return
        if part.entrant == result.seats[part.seat]:
            line = card.lines[-1]
            card.points -= line.points
        else:
            line = self._line(result, part.seat, points)
            line.held = False
            card.lines.append(line)
        line.part = part.part
        card.points += int(line.points * part.part)

    def _counts(self, who: int) -> bool:
        return who in self.cards and who not in self.void

    def _best_of(self, size: int) -> int:
        """Return the points of a win at a table of this size, rounded up to the scale of the book."""
        win = self.terms.places[size][0] if size > 2 else self.win
        self._best[size] = best = ceil(win * self.scale)
        return best

    def _kind(self, ended: str, won: bool) -> int:
        if ended == PLAYED:
            return _GAME
        if ended in (WALKOVER, DOUBLE_FORFEIT):
            if self.predetermined:
                return _GAME
            return _WON if won and ended == WALKOVER else _LOST
        return _BYE if ended in (PAIRING_BYE, FULL_BYE) else _ABSENT

    def _complete(self, card: TieBreakCard) -> None:
        """Add the rounds of absence."""
        if self.predetermined or card.entrant.id in self.void:
            return
        present = {line.round for line in card.lines}
        for number in range(1, self.rounds + 1):
            if number not in present and not card.entrant.is_paired_in(number):
                card.lines.append(TieBreakLine(number, 0, _ABSENT))

    def _see(self) -> None:
        """Compute the points as opponents see them: those of a place, under all its holders."""
        substitutes = {
            who: card.entrant.substitute for who, card in self.cards.items() if card.entrant.substitute is not None
        }
        places: dict[int, list[TieBreakCard]] = {}
        for who, card in self.cards.items():
            if who not in self.void:
                places.setdefault(holder_of(substitutes, who), []).append(card)
        for place in places.values():
            seen = self._seen(place)
            for card in place:
                card.seen = seen

    def _seen(self, place: Sequence[TieBreakCard]) -> int:
        lines = [line for card in place for line in card.lines if line.held]
        total = sum([line.points for line in lines])
        if self.predetermined:
            return total
        available = max((line.round for line in lines if line.kind in (_GAME, _WON, _BYE)), default=0)
        after = [line for line in lines if line.round > available and line.kind == _ABSENT]
        present = {line.round for line in lines}
        missed = {
            number
            for number in range(available + 1, self.rounds + 1)
            if number not in present and not any(card.entrant.is_paired_in(number) for card in place)
        }
        return total + sum([self.draw - line.points for line in after]) + self.draw * len(missed)

    # -- values: all scaled, the greater the better, but for time-outs ---------------------------------

    def _dummy(self, card: TieBreakCard, line: TieBreakLine) -> int:
        """Return the value of the dummy opponent of a round without a game (16.4)."""
        if line.kind in (_WON, _LOST):
            most = max((self.cards[other].seen for other in line.opponents), default=0)
        else:
            most = self.draw * self.rounds
        return min(card.points, most)

    def _faced(self, card: TieBreakCard) -> list[tuple[int, bool, Scaled]]:
        """Return for each game and, if it counts, each round without one: round, voluntarily unplayed, opponent's
        points.
        """
        found: list[tuple[int, bool, Scaled]] = []
        cards = self.cards
        for line in card.lines:
            opponents = line.opponents
            if not line.held:
                continue
            if line.kind == _GAME:
                if len(opponents) == 1:
                    found.append((line.round, False, cards[opponents[0]].seen))
                elif opponents:
                    found.append((line.round, False, mean([cards[other].seen for other in opponents])))
            elif not self.predetermined:
                found.append((line.round, line.kind in (_LOST, _ABSENT), self._dummy(card, line)))
        return found

    def _by_round(self, card: TieBreakCard) -> list[tuple[bool, Scaled]]:
        faced = self._faced(card)
        rounds = {number for number, _, _ in faced}
        if len(rounds) == len(faced) or self.predetermined:
            return [(chosen, points) for _, chosen, points in faced]
        made: list[tuple[bool, Scaled]] = []
        for number in sorted(rounds):
            here = [(chosen, points) for round, chosen, points in faced if round == number]
            total = sum((Fraction(points) for _, points in here), Fraction(0))
            made.append((all(chosen for chosen, _ in here), total / len(here)))
        return made

    def buchholz(self, card: TieBreakCard) -> Scaled:
        return sum(points for _, points in self._by_round(card))

    def buchholz_cut1(self, card: TieBreakCard) -> Scaled:
        faced = self._by_round(card)
        if not faced:
            return 0
        chosen = [points for voluntary, points in faced if voluntary]
        return sum(points for _, points in faced) - min(chosen or [points for _, points in faced])

    def sonneborn_berger(self, card: TieBreakCard) -> Scaled:
        """Return Sonneborn-Berger, scaled twice: points times points."""
        total: Scaled = 0
        for line in card.lines:
            if line.kind == _GAME and line.pairs:
                seen = [pair * self.cards[other].seen for pair, other in zip(line.pairs, line.opponents, strict=True)]
                total += Fraction(sum(seen) * self.scale, 2 * len(seen)) * line.part
            elif not line.points:
                continue
            elif line.kind == _GAME:
                total += line.points * line.part * sum(self.cards[other].seen for other in line.opponents)
            elif not self.predetermined:
                total += line.points * line.part * self._dummy(card, line)
        return total

    def share(self, card: TieBreakCard) -> Fraction:
        """Return the entrant's share of the victory points between them and an average opponent; 0 without a game."""
        everything = card.own + card.others
        return Fraction(card.own) / everything if everything > 0 else Fraction(0)

    def value(self, name: str, card: TieBreakCard) -> Scaled:
        """Return the value of a tie-break of an entrant alone (not direct encounter, not lots), to be compared."""
        return _VALUES[name](self, card)

    def said(self, name: str, value: Scaled) -> Fraction | int:
        """The value as it is shown: not scaled."""
        scale = TIE_BREAKS[name].scale
        return Fraction(value, self.scale**scale) if scale else value

    # -- direct encounter (C.07, article 6) ------------------------------------------------------------

    def encounters(self, group: Iterable[int]) -> dict[int, dict[int, Scaled]]:
        """Return the points of each of the group against each other: the mean of their games, scaled.

        Walkovers count only if games are known beforehand.
        """
        among = set(group)
        found: dict[int, dict[int, Scaled]] = {}
        for who in among:
            met: dict[int, list[int]] = {}
            for line in self.cards[who].lines:
                if line.kind != _GAME or not line.held:
                    continue
                for at, other in enumerate(line.opponents):
                    if other in among:
                        one = line.pairs[at] * self.scale if line.pairs else 2 * line.points
                        met.setdefault(other, []).append(one)
            found[who] = {other: _halved(sum(given), len(given)) for other, given in met.items()}
        return found


def _halved(total: int, count: int) -> Scaled:
    return Fraction(total, 2 * count) if total % (2 * count) else total // (2 * count)


_VALUES: dict[str, Callable[[Book, TieBreakCard], Scaled]] = {
    "points": lambda book, card: card.points,
    "sonneborn_berger": Book.sonneborn_berger,
    "buchholz": Book.buchholz,
    "buchholz_cut1": Book.buchholz_cut1,
    "wins": lambda book, card: card.wins,
    "difference": lambda book, card: card.own - card.others,
    "share": Book.share,
    "timeouts": lambda book, card: card.timeouts,
}
