"""An entrant's earlier rounds as pairing needs them: score, opponents, sides, floats, byes (a pairing card)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..model import FULL_BYE, NOTHING, PAIRING_BYE, VOID, WALKOVER, Competitor, Points, Result

ABSOLUTE, STRONG, MILD, NONE = 3, 2, 1, 0
"""How strongly a side is due (C.04.3, colour preferences)."""


@dataclass(slots=True)
class PairingCard:
    """One entrant before a round."""

    entrant: Competitor
    score: Points = NOTHING
    met: dict[int, list[int]] = field(default_factory=dict)
    """Rounds of the games played against each opponent."""
    sides: list[int] = field(default_factory=list)
    """0 or 1 for each game played with two sides, in the order of rounds; unplayed games are left out."""
    sided: dict[int, int] = field(default_factory=dict)
    """The same by round."""
    had_bye: bool = False
    """Had the pairing-allocated bye, or a full point without playing: cannot have the bye (C2)."""
    played: int = 0
    """Games played."""
    downs: set[int] = field(default_factory=set)
    """Rounds with a downfloat: met an opponent with a lower score, or got points without playing."""
    ups: set[int] = field(default_factory=set)

    @property
    def difference(self) -> int:
        """Return games on the first side minus games on the second."""
        return self.sides.count(0) - self.sides.count(1)

    def due(self, limit: int) -> tuple[int | None, int]:
        """Return the side that is due, and how strongly: absolute, strong, mild, or none without a game played.

        `limit` is the greatest allowed difference of a card: 2 is FIDE's rule, 1 keeps sides within one.
        """
        if not self.sides:
            return None, NONE
        difference, last = self.difference, self.sides[-1]
        if abs(difference) >= limit:
            return (1 if difference > 0 else 0), ABSOLUTE
        if len(self.sides) > 1 and self.sides[-2] == last:
            return 1 - last, ABSOLUTE
        if difference:
            return (1 if difference > 0 else 0), STRONG
        return 1 - last, MILD


def cards(entrants: Sequence[Competitor], results: Iterable[Result]) -> dict[int, PairingCard]:
    """Return the cards of all entrants after these results; annulled games are left out entirely."""
    made = {entrant.id: PairingCard(entrant) for entrant in entrants}
    rounds: dict[int, list[Result]] = {}
    for result in results:
        if result.ended != VOID:
            rounds.setdefault(result.round, []).append(result)
    for number in sorted(rounds):
        before = {who: card.score for who, card in made.items()}
        for result in rounds[number]:
            _enter(made, before, result)
    return made


def _enter(made: dict[int, PairingCard], before: dict[int, Points], result: Result) -> None:
    for gain in result.gains():
        if gain.entrant in made:  # else an entrant of another stage, or one replaced by a substitute
            made[gain.entrant].score += gain.points
    for seat, (who, points) in enumerate(zip(result.seats, result.points, strict=True)):
        card = made.get(who)
        if card is None:
            continue
        if not result.was_played:
            if points > 0:
                card.downs.add(result.round)
            if result.ended in (PAIRING_BYE, FULL_BYE) or (result.ended == WALKOVER and points > 0):
                card.had_bye = True
            continue
        card.played += 1
        for other in result.seats:
            if other == who:
                continue
            card.met.setdefault(other, []).append(result.round)
            if before.get(other, before[who]) < before[who]:
                card.downs.add(result.round)
            elif before.get(other, before[who]) > before[who]:
                card.ups.add(result.round)
        if len(result.seats) == 2:
            card.sides.append(seat)
            card.sided[result.round] = seat
