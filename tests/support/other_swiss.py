"""Compares our FIDE Dutch system with another engine: caissify-pairings (Apache-2.0), itself compared with bbpPairings.

    python -m tests.support.other_swiss [--events 1000] [--first 1] [--least 4] [--most 20]

Random events with draws, walkovers, requested byes and late entries are paired by both, round after round; results
follow from ours. A round that differs is printed with the rule that the other engine breaks; 1 if one differs without.
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

from app.leagues.pure.cards import PairingCard, cards
from app.leagues.pure.model import PAIRING_BYE, WALKOVER, Competitor, Result, Round
from app.leagues.pure.swiss import pair_round
from app.leagues.pure.swiss_weights import PAIRED_BY
from tests.support.tournaments import DRAW, LOSS, WIN, finished

Seats = tuple[int, int | None]
"""First and second side; a bye has nobody on the second."""
SIDES_OF = ("white", "black")


@dataclass(frozen=True, slots=True)
class Compared:
    """A round paired by both."""

    event: int
    number: int
    ours: frozenset[Seats]
    theirs: frozenset[Seats]
    rule: str
    """Why they differ: the rule that only ours keeps; empty if they are equal, or if none is known."""

    @property
    def is_equal(self) -> bool:
        return self.ours == self.theirs


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
        ours = pair_round(entrants, results, number, terms=PAIRED_BY["fide"], last=last)
        made = cards(entrants, results)
        mine, theirs = _seats(ours), _by_the_other(made, number, rounds)
        yield Compared(event, number, mine, theirs, _rule(ours, made, mine, theirs))
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


def _rule(paired: Round, made: dict[int, PairingCard], ours: frozenset[Seats], theirs: frozenset[Seats]) -> str:
    """Return the rule that explains all pairs that differ, or none."""
    if ours == theirs:
        return ""
    if {frozenset(one) for one in ours} != {frozenset(one) for one in theirs}:
        return ""
    for pairing in paired.pairings:
        if pairing.seats in theirs:
            continue
        one, other = sorted((made[who] for who in pairing.seats), key=lambda card: card.entrant.seed)
        codes = {reason.code for reason in pairing.why}
        if one.score >= other.score or not codes & {"side.rank", "side.lot"}:
            return ""
    return "1.2 and 5.2.4: of two who are due the same side, the one with more points ranks higher"


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
            seen["equal" if one.is_equal else one.rule or "not explained"] += 1
            if not one.is_equal:
                ours, theirs = (sorted(map(str, side)) for side in (one.ours - one.theirs, one.theirs - one.ours))
                print(f"event {event}, round {one.number}: {' '.join(ours)} / {' '.join(theirs)}; {one.rule or '?'}")
    print(f"{given.events} events, {seen.total()} rounds")
    for name, count in seen.most_common():
        print(f"{count:6} {name}")
    return int(bool(seen["not explained"]))


if __name__ == "__main__":
    raise SystemExit(main())
