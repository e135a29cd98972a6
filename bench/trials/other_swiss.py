"""Compares our Swiss rounds with another engine of FIDE's Dutch system: caissify-pairings (Apache-2.0).

    python -m bench.trials.other_swiss [--events 1000] [--first 1] [--least 4] [--most 20]

Random events with draws, walkovers, requested byes and late entries are paired by both, round after round, by FIDE's
limit for sides; results follow from ours. Ours weighs the whole round and theirs bracket by bracket, so pairs may
differ; what both keep must not: games repeated, second byes, the score of the player with the bye, and who must both
have the same side. Nor may ours have more who play down from the highest score group, where both begin. A round that
breaks this is printed; then the program ends with 1.
"""

from __future__ import annotations

import argparse
import logging
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from caissify_pairings import generate_pairings

from app.leagues.pure.model import PAIRING_BYE, WALKOVER, Competitor, Result, Round
from app.leagues.pure.pairing.cards import PairingCard, cards
from app.leagues.pure.pairing.swiss import pair_round
from app.leagues.pure.pairing.swiss_weights import BEFORE_FLOATS, Field, SwissTerms
from tests.support.tournaments import DRAW, LOSS, WIN, finished

Seats = tuple[int, int | None]
"""First and second side; a bye has nobody on the second."""
SIDES_OF = ("white", "black")
TERMS = SwissTerms(limit=2)


@dataclass(frozen=True, slots=True)
class Compared:
    """A round paired by both: its pairs, and what both count of it (`_counted`)."""

    event: int
    number: int
    ours: frozenset[Seats]
    theirs: frozenset[Seats]
    our_count: tuple[int, ...]
    their_count: tuple[int, ...]

    @property
    def is_equal(self) -> bool:
        return self.ours == self.theirs

    @property
    def is_sound(self) -> bool:
        """Whether ours keeps what both keep, at least as well."""
        return self.our_count <= self.their_count


def compared(event: int, least: int, most: int) -> Iterator[Compared]:
    """Yield the rounds of a random event; equal numbers give equal events."""
    chance = random.Random(event)
    count = chance.randint(least, most)
    rounds = min(chance.randint(3, 9), max(3, count // 2))
    draws = chance.choice([0, 0.2, 0.5])
    entrants = [
        Competitor(
            number,
            f"P{number}",
            number,
            joined=2 if chance.random() < 0.03 else 1,
            byes=frozenset(round for round in range(1, rounds + 1) if chance.random() < 0.03),
        )
        for number in range(1, count + 1)
    ]
    results: list[Result] = []
    for number in range(1, rounds + 1):
        last = number == rounds
        ours = pair_round(entrants, results, number, terms=TERMS, last=last)
        made = cards(entrants, results)
        mine, theirs = _seats(ours), _by_the_other(made, number, rounds)
        field = _field(made, number, last)
        yield Compared(event, number, mine, theirs, _counted(field, mine), _counted(field, theirs))
        results += _results(chance, ours, draws)


def _seats(paired: Round) -> frozenset[Seats]:
    byes = {(bye.entrant, None) for bye in paired.byes if bye.kind == PAIRING_BYE}
    return frozenset({(pairing.seats[0], pairing.seats[1]) for pairing in paired.pairings} | byes)


def _by_the_other(made: dict[int, PairingCard], number: int, rounds: int) -> frozenset[Seats]:
    playing = [card for card in made.values() if card.entrant.is_paired_in(number)]
    met = {(card.entrant.id, other) for card in playing for other in card.met}
    found = generate_pairings(
        system="dutch",
        players=[_as_they_say(card, number) for card in playing],
        previous_pairings=met,
        round_number=number,
        total_rounds=rounds,
        initial_color=SIDES_OF[0],
    )
    return frozenset((one["white_id"], one["black_id"]) for one in found)


def _as_they_say(card: PairingCard, number: int) -> dict[str, Any]:
    seed = card.entrant.seed
    floats = ["down" if at in card.downs else "up" if at in card.ups else "none" for at in range(1, number)]
    return {
        "id": card.entrant.id,
        "name": card.entrant.name,
        "score": float(card.score),
        "rating": 3000 - seed,
        "starting_number": seed,
        "pairing_number": seed,
        "color_hist": [SIDES_OF[side] for side in card.sides],
        "float_history": floats,
        "bye_count": int(card.had_bye),
        "forfeit_win_count": 0,
    }


def _field(made: dict[int, PairingCard], number: int, last: bool) -> Field:
    ranked = [card for card in made.values() if card.entrant.is_paired_in(number)]
    ranked.sort(key=lambda card: (-card.score, card.entrant.seed))
    return Field(ranked, number, frozenset(), TERMS, last=last)


def _counted(field: Field, seats: frozenset[Seats]) -> tuple[int, ...]:
    """Return the criteria before floats, each summed over the round, and then who leaves the highest score group."""
    at = {card.entrant.id: place for place, card in enumerate(field.ranked)}
    pairs = [tuple(sorted(field.count if who is None else at[who] for who in pair)) for pair in seats]
    found = [field.criteria(one, other) for one, other in pairs]
    down = sum(field.group[one] == 0 and field.floats_of(one, other) > 0 for one, other in pairs)
    return (*(sum(one.get(name, 0) for one in found) for name in BEFORE_FLOATS), down)


def _results(chance: random.Random, paired: Round, draws: float) -> list[Result]:
    found = finished(Round(paired.number, (), paired.byes))
    for pairing in paired.pairings:
        one, other = pairing.seats
        drawn = chance.random()
        if drawn < 0.02:
            found.append(Result(paired.number, pairing.seats, (WIN, LOSS), WALKOVER))
            continue
        won = DRAW if chance.random() < draws else Fraction(chance.random() < 0.5 + (other - one) / 60)
        found.append(Result(paired.number, pairing.seats, (won, WIN - won)))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1000)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--least", type=int, default=4)
    parser.add_argument("--most", type=int, default=20)
    given = parser.parse_args(arguments)
    logging.disable(logging.WARNING)  # theirs, when a field is too small for its rounds
    seen: Counter[str] = Counter()
    for event in range(given.first, given.first + given.events):
        for one in compared(event, given.least, given.most):
            seen["equal" if one.is_equal else "other pairs" if one.is_sound else "worse"] += 1
            if not one.is_sound:
                ours, theirs = (sorted(map(str, side)) for side in (one.ours - one.theirs, one.theirs - one.ours))
                print(f"event {event}, round {one.number}: {' '.join(ours)} / {' '.join(theirs)}")
    print(f"{given.events} events, {seen.total()} rounds")
    for name, count in seen.most_common():
        print(f"{count:6} {name}")
    return int(bool(seen["worse"]))


if __name__ == "__main__":
    raise SystemExit(main())
