"""Events of several stages: groups dealt by seeds, who goes through, and the order for the final stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Qualifier(NamedTuple):
    """An entrant who goes through, and from which group."""

    entrant: int
    group: int
    """From 0."""


def letter(group: int) -> str:
    """Return the name of a group: A, B ... Z, AA, AB."""
    name = ""
    group += 1
    while group:
        group, at = divmod(group - 1, 26)
        name = chr(ord("A") + at) + name
    return name


def snake(order: Sequence[int], groups: int) -> list[list[int]]:
    """Deal groups of sizes within one in a snake: A B C, C B A, A B C.

    `order` are entrants from the best seed on. Raises ValueError without a group, or for a group with fewer than 2.
    """
    if groups < 1 or len(order) < 2 * groups:
        raise ValueError("each group needs two entrants")
    dealt: list[list[int]] = [[] for _ in range(groups)]
    for at, who in enumerate(order):
        row, column = divmod(at, groups)
        dealt[column if row % 2 == 0 else groups - 1 - column].append(who)
    return dealt


def through(standings: Sequence[Sequence[int]], each: int) -> list[Qualifier]:
    """Return who goes through: the first `each` of every group.

    `standings` are the groups with their entrants in final order. The qualifiers are ordered by place, then by group in
    turn from one end and the other, so that a bracket keeps members of one group apart for long. Raises ValueError if
    nobody is to go through, or more than a group has.
    """
    if each < 1 or any(len(group) < each for group in standings):
        raise ValueError("at least one has to go through, and at most a whole group")
    forth = range(len(standings))
    return [
        Qualifier(standings[group][place], group)
        for place in range(each)
        for group in (forth if place % 2 == 0 else reversed(forth))
    ]


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
