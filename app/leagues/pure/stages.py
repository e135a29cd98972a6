"""Events of several stages: groups dealt by seeds, who goes through, and the order for the final stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .why import Reason


@dataclass(frozen=True, slots=True)
class Qualifier:
    """An entrant who goes through: from which place of which group, and why."""

    entrant: int
    group: int
    """From 0."""
    place: int
    why: Reason


@dataclass(frozen=True, slots=True)
class Qualified:
    """Those who go through to the final stage, in the order of seeds there, and why everybody else does not."""

    qualifiers: tuple[Qualifier, ...]
    out: Mapping[int, Reason]


def letter(group: int) -> str:
    """Return the name of a group: A, B ... Z, AA, AB."""
    name = ""
    group += 1
    while group:
        group, at = divmod(group - 1, 26)
        name = chr(ord("A") + at) + name
    return name


def snake(order: Sequence[int], groups: int) -> tuple[list[list[int]], dict[int, Reason]]:
    """Deal groups of sizes within one in a snake: A B C, C B A, A B C; return them with the reason for each entrant.

    `order` are entrants from the best seed on. Raises ValueError without a group, or for a group with fewer than 2.
    """
    if groups < 1 or len(order) < 2 * groups:
        raise ValueError("each group needs two entrants")
    dealt: list[list[int]] = [[] for _ in range(groups)]
    why = {}
    for at, who in enumerate(order):
        row, column = divmod(at, groups)
        group = column if row % 2 == 0 else groups - 1 - column
        dealt[group].append(who)
        why[who] = Reason("stage.snake", entrant=who, seed=at + 1, row=row + 1, group=letter(group))
    return dealt, why


def through(
    standings: Sequence[Sequence[int]], each: int, *, best_of_rest: Sequence[int] = (), rest: int = 0
) -> Qualified:
    """Return who goes through: the first `each` of every group, and `rest` more of those in the next place.

    `standings` are the groups with their entrants in final order. `best_of_rest` ranks those who came next in their
    groups (by the event's tie-breaks over unequal groups); it has to hold all of them if `rest` is not 0. The
    qualifiers are ordered by place, then by group in turn from one end and the other, so that a bracket or a new snake
    keeps members of one group apart for long. Raises ValueError if the numbers do not match.
    """
    if each < 0 or rest < 0 or each + rest == 0 or any(len(group) < each for group in standings):
        raise ValueError("at least one has to go through, and at most a whole group")
    next_place = {group[each]: at for at, group in enumerate(standings) if len(group) > each}
    if rest and (rest > len(next_place) or set(best_of_rest) != set(next_place)):
        raise ValueError("the ranking of the rest must contain everybody in the next place")
    found = []
    for place in range(each):
        numbers = range(len(standings)) if place % 2 == 0 else reversed(range(len(standings)))
        for number in numbers:
            who = standings[number][place]
            why = Reason("stage.place", entrant=who, place=place + 1, group=letter(number))
            found.append(Qualifier(who, number, place + 1, why))
    for who in list(best_of_rest)[:rest]:
        why = Reason("stage.best_of_rest", entrant=who, place=each + 1)
        found.append(Qualifier(who, next_place[who], each + 1, why))
    inside = {qualifier.entrant for qualifier in found}
    out = {
        who: Reason("stage.not_through", entrant=who, place=at + 1, group=letter(number), through=each)
        for number, group in enumerate(standings)
        for at, who in enumerate(group)
        if who not in inside
    }
    return Qualified(tuple(found), out)


def final_order(qualifiers: Sequence[Qualifier]) -> list[int]:
    """Return the seeds of a knock-out after groups; members of a group do not meet in the first round if that can be
    avoided.

    The order of the qualifiers is kept; in the lower half, which meets the upper one from below (last against first),
    entrants change places until nobody faces their own group.
    """
    order = list(qualifiers)
    size = 1 << max(len(order) - 1, 0).bit_length()
    for seed in range(size - len(order) + 1, size // 2 + 1):
        against = size - seed
        if order[seed - 1].group != order[against].group:
            continue
        for other in sorted(range(size // 2, len(order)), key=lambda at: (abs(at - against), at)):
            opposite = order[size - 1 - other]
            if order[other].group != order[seed - 1].group and order[against].group != opposite.group:
                order[against], order[other] = order[other], order[against]
                break
    return [qualifier.entrant for qualifier in order]
