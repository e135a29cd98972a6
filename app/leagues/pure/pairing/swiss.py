"""Swiss rounds: one weighted matching of the whole round, modelled on FIDE's Dutch system (Handbook C.04.3, 2026).

The same as in FIDE's: the order of players (score, then pairing number), the absolute criteria C1 to C3, the bye for
the lowest score (C5), as few floaters as possible from the highest score group down (C6 to C8), colour preferences (C10
to C13), floats of the last two rounds (C14 to C17), upper half against lower half within a score group with exchanges
and transpositions in the Dutch order, and the allocation of colours (5.2).

What differs:

- One matching weighs the whole round, so the needs of lower brackets are known when the upper ones are paired; brackets
  are not tried one after another, and there is no collapsed last bracket.
- A side is due absolutely as soon as sides differ by one, because sides of our games are not equal; `limit=2`, FIDE's
  rule, is for comparing with other programs. Where the seats of a title are alike, sides do not influence the pairing
  (`by_sides=False`).
- Repeats, second byes and third games on a side are not impossible but cost more than everything else, so that a small
  event can be paired too. Those that could not be avoided become warnings.
- Score differences of repeated floaters (C18 to C21) are ignored, and several moved-down players of one bracket share
  one place in the order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from ..model import PAIRING_BYE, Bye, Competitor, Pairing, RejectedOpponent, Result, Round, requested_byes, said_points
from ..why import Reason
from .cards import PairingCard, cards
from .matching import Progress, heaviest
from .sides import allot
from .swiss_weights import (
    APART,
    BLOCKED,
    CRITERIA,
    DOWN_AGAIN,
    DOWN_BEFORE,
    DUE,
    DUE_STRONG,
    FLOATS,
    REPEAT,
    SAME_SIDE,
    TOPSCORER,
    UP_AGAIN,
    UP_BEFORE,
    USUAL,
    Field,
    SwissTerms,
    weights,
)

REJECTED_MOST = 4
"""How many rejected opponents are named for a pairing."""


def pair_round(
    entrants: Sequence[Competitor],
    results: Iterable[Result],
    round: int,
    *,
    terms: SwissTerms = USUAL,
    blocks: AbstractSet[frozenset[int]] = frozenset(),
    last: bool = False,
    progress: Progress | None = None,
) -> Round:
    """Pair everybody who plays in this round, from the results of earlier rounds.

    `blocks` are pairs of entrants, paired only if nothing else is possible; `last` says that it is the last round, in
    which FIDE lets topscorers have the same side again. Equal input gives an equal round.
    """
    byes = requested_byes(entrants, round)
    earlier = [result for result in results if result.round < round]
    made = cards(entrants, earlier)
    ranked = [made[entrant.id] for entrant in entrants if entrant.is_paired_in(round)]
    ranked.sort(key=lambda card: (-card.score, card.entrant.seed))
    field = Field(ranked, round, blocks, terms, last=last)
    mate = heaviest(weights(field), progress)
    pairs = sorted(
        ((one, other) for one, other in enumerate(mate) if one < other < field.count),
        key=lambda pair: (-ranked[pair[0]].score, -ranked[pair[0]].score - ranked[pair[1]].score, pair[0]),
    )
    pairings = []
    warnings = [] if field.count > 1 else [Reason("warn.alone")]
    for table, (one, other) in enumerate(pairs, start=1):
        seats, why = allot(ranked[one], ranked[other], terms)
        pairings.append(
            Pairing(seats, table, (*_why(field, one, other), why), tuple(_rejected(field, mate, one, other)))
        )
        warnings += _warnings(field, one, other, seats)
    if field.count % 2:
        lone = mate[field.count]
        byes.append(_bye(field, lone))
        if ranked[lone].had_bye:
            warnings.append(Reason("warn.bye", entrant=ranked[lone].entrant.id))
    return Round(round, tuple(pairings), tuple(byes), tuple(warnings), _totals(field, mate))


def _totals(field: Field, mate: Sequence[int]) -> dict[str, int]:
    totals = dict.fromkeys(CRITERIA, 0)
    for one, other in enumerate(mate):
        if one < other:
            for name, value in field.criteria(one, other).items():
                totals[name] += value
            crossed = field.floats_of(one, other)
            totals[FLOATS] += crossed > 0
            totals[APART] += max(crossed - 1, 0)
    return totals


def _why(field: Field, one: int, other: int) -> list[Reason]:
    card, opponent = field.ranked[one], field.ranked[other]
    group = field.group[one]
    if group == field.group[other]:
        found = [Reason("swiss.same_score", points=said_points(card.score))]
        place, their_place, ideal = field.place[one], field.place[other], field.ideal(one)
        if their_place == ideal:
            found.append(Reason("swiss.natural", place=place, other_place=their_place))
        else:
            found.append(Reason("swiss.shifted", place=place, other_place=their_place, ideal=ideal))
        return found
    who, them = card.entrant.id, opponent.entrant.id
    found = [
        Reason(
            "swiss.float",
            entrant=who,
            opponent=them,
            points=said_points(card.score),
            fewer=said_points(opponent.score),
        )
    ]
    odd = sum(field.sizes[: group + 1]) % 2
    found.append(Reason("swiss.float_odd" if odd else "swiss.float_forced", entrant=who))
    return found


def _bye(field: Field, lone: int) -> Bye:
    card = field.ranked[lone]
    who = card.entrant.id
    code = "bye.last" if field.count == 1 else "bye.again" if card.had_bye else "bye.odd"
    return Bye(who, PAIRING_BYE, (Reason(code, entrant=who),))


def _rejected(field: Field, mate: Sequence[int], one: int, other: int) -> list[RejectedOpponent]:
    """Return the opponents nearer to the ideal than the one found, and what was against each."""
    group = field.group[one]
    start = one - field.place[one] + 1
    own = range(start, start + field.sizes[group])
    ideal = field.ideal(one)
    found = sorted((at for at in own if at != one), key=lambda at: (abs(field.place[at] - ideal), at))
    if field.group[other] == group:
        limit = abs(field.place[other] - ideal)
        found = [at for at in found if at != other and abs(field.place[at] - ideal) < limit]
    else:
        found = found[: REJECTED_MOST // 2]
        first = other - field.place[other] + 1
        found += range(first, other)
    return [
        RejectedOpponent(field.ranked[at].entrant.id, _against(field, mate, one, other, at))
        for at in found[:REJECTED_MOST]
    ]


def _against(field: Field, mate: Sequence[int], one: int, other: int, instead: int) -> Reason:
    """Return the first criterion by which `instead` is worse than `other`; else that others need `instead`."""
    chosen = field.criteria(one, other)
    low, high = sorted((one, instead))
    looked_at = field.criteria(low, high)
    for name in CRITERIA:
        if name == FLOATS:
            if field.floats_of(low, high) > field.floats_of(one, other):
                return Reason("floats_more")
            continue
        if looked_at.get(name, 0) > chosen.get(name, 0):
            if name == REPEAT:
                instead_id = field.ranked[instead].entrant.id
                return Reason("met", round=field.ranked[one].met[instead_id][-1])
            return Reason(_CODES[name])
    theirs = mate[instead]
    if theirs == field.count or field.cost(low, high) > field.cost(one, other):
        return Reason("order")
    return Reason("needed", opponent=field.ranked[instead].entrant.id, other=field.ranked[theirs].entrant.id)


_CODES = {
    BLOCKED: "blocked",
    SAME_SIDE: "same_side",
    TOPSCORER: "side_due_strong",
    DUE: "side_due",
    DUE_STRONG: "side_due_strong",
    DOWN_AGAIN: "float_again",
    UP_AGAIN: "float_again",
    DOWN_BEFORE: "float_again",
    UP_BEFORE: "float_again",
}


def _warnings(field: Field, one: int, other: int, seats: tuple[int, ...]) -> list[Reason]:
    found = []
    card, opponent = field.ranked[one], field.ranked[other]
    who, them = card.entrant.id, opponent.entrant.id
    if (one, other) in field.blocked:
        found.append(Reason("warn.blocked", entrant=who, opponent=them))
    if field.met[one].get(other):
        found.append(Reason("warn.repeat", entrant=who, opponent=them))
    for side, seat in enumerate(seats if field.terms.by_sides else ()):
        mine: PairingCard = card if seat == who else opponent
        after = mine.difference + (1 if side == 0 else -1)
        if abs(after) > max(field.terms.limit, abs(mine.difference)):
            found.append(Reason("warn.side", entrant=seat))
    return found
