"""Promotion and relegation: the divisions of the next season, drafted from the final standings of this one.

Each player has one place in the draft and one reason for it. The order of steps:

1. Leavers are taken out; those below move up in the standings, so the next best is promoted instead.
2. From each division the best `promoted` go up and the last `relegated` go down.
3. Late joiners come in at the bottom.
4. Sizes are adjusted from the top down. A free place goes to the best of those who would go down from there, so that
   fewer are relegated, and then to the best of the next division. If a division is too large, the last of those who
   stayed go down; a promoted player keeps the promotion.

Places assigned by the organiser (`Numbers.placed`) come first and are not affected by sizes. Since it is a pure
function, "what if" is answered by calling it again with other standings or numbers and comparing with `changes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .why import Reason

UP, DOWN, SAME, IN, OUT = "up", "down", "same", "in", "out"
"""Kinds of moves."""


@dataclass(frozen=True, slots=True)
class Final:
    """A division at the end of a season. Level 1 is the highest; levels are 1, 2, 3 ... without a gap."""

    level: int
    name: str
    order: tuple[int, ...]
    """Everybody in it by place, the first first, including those who withdrew."""
    promoted: int = 0
    """How many are promoted from here; ignored in the highest."""
    relegated: int = 0
    """How many are relegated from here; ignored in the lowest."""
    replaced: int = 0
    """How many of them left their places to substitutes, who are in it, too."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers for the next season."""

    least: int = 4
    most: int = 12
    """Bounds of a division's size. They are exceeded only if no division could keep them, with a warning."""
    placed: Mapping[int, int] = field(default_factory=dict)
    """Levels assigned by the organiser."""


@dataclass(frozen=True, slots=True)
class Move:
    """A player's division next season, and the reason."""

    player: int
    before: int | None
    """Level; None for joiners."""
    after: int | None
    """Level; None for leavers."""
    why: Reason

    @property
    def kind(self) -> str:
        """Return one of up, down, same, in, out."""
        if self.before is None:
            return IN
        if self.after is None:
            return OUT
        return SAME if self.before == self.after else UP if self.after < self.before else DOWN


@dataclass(frozen=True, slots=True)
class Next:
    """A division of the draft."""

    level: int
    name: str
    """Empty for a new one, which has to be named."""
    members: tuple[int, ...]
    """In the order of seeds: relegated players, then those who stayed, those promoted, and new ones."""


@dataclass(frozen=True, slots=True)
class DivisionDraft:
    """The next season; everybody of the last one and every joiner has one move."""

    divisions: tuple[Next, ...]
    moves: tuple[Move, ...]
    warnings: tuple[Reason, ...] = ()


def next_season(
    divisions: Sequence[Final],
    leavers: Iterable[int] = (),
    joiners: Sequence[int] = (),
    numbers: Numbers | None = None,
) -> DivisionDraft:
    """Draft the next season.

    `joiners` come in the order of their sign-up. Raises ValueError for levels with a gap, people who are in two
    divisions, or joiners who are in one.
    """
    finals = sorted(divisions, key=lambda final: final.level)
    everybody = [who for final in finals for who in final.order]
    new = list(joiners)
    if [final.level for final in finals] != list(range(1, len(finals) + 1)) or not finals:
        raise ValueError("levels are 1, 2, 3 ... without a gap")
    if len(set(everybody)) < len(everybody) or set(everybody) & set(new) or len(set(new)) < len(new):
        raise ValueError("a player is in two divisions")
    return _Drafting(finals, set(leavers), new, numbers or Numbers()).draft()


def balanced_sizes(total: int, before: Sequence[int], least: int, most: int) -> list[int]:
    """Return how many play in each division.

    As before if that fits; else one by one more in the smallest or fewer in the largest, the lowest first; more or
    fewer divisions if the bounds require it. 25 after 8, 8, 8 are 8, 8, 9. If no number of divisions keeps the bounds,
    there are as few as keep `least`, some with more than `most`.
    """
    if total == 0:
        return []
    count = max(len(before), 1)
    while count * most < total:
        count += 1
    while count > 1 and count * least > total:
        count -= 1
    sizes = [min(max(size, least), most) for size in before[:count]] + [least] * (count - len(before[:count]))
    lowest_first = range(count - 1, -1, -1)
    while sum(sizes) < total:
        sizes[min(lowest_first, key=lambda at: sizes[at])] += 1
    while sum(sizes) > total:
        sizes[max(lowest_first, key=lambda at: sizes[at])] -= 1
    return sizes


class _Drafting:
    """The steps above on one state: everybody's level and the reason for it."""

    def __init__(self, finals: list[Final], leavers: set[int], joiners: list[int], numbers: Numbers) -> None:
        self.finals = finals
        self.numbers = numbers
        self.leavers = leavers & {who for final in finals for who in final.order}
        self.joiners = joiners
        self.before = {who: final.level for final in finals for who in final.order}
        self.place = {who: place for final in finals for place, who in enumerate(final.order, 1)}
        self.sign_up = {who: at for at, who in enumerate(joiners)}
        self.level: dict[int, int] = {}
        self.why: dict[int, Reason] = {}
        left = len(self.before) - len(self.leavers)
        sizes = [len(final.order) - final.replaced for final in finals]
        self.sizes = balanced_sizes(left + len(joiners), sizes, numbers.least, numbers.most)

    def draft(self) -> DivisionDraft:
        self._promote_and_relegate()
        self._take_in_joiners()
        self._place_by_hand()
        self._put_sizes_right()
        warnings: tuple[Reason, ...] = ()
        sizes = [len(self._in(level)) for level in range(1, max(self.level.values(), default=0) + 1)]
        if any(not self.numbers.least <= size <= self.numbers.most for size in sizes):
            warnings = (Reason("division.sizes", least=self.numbers.least, most=self.numbers.most),)
        moves = [Move(who, self.before.get(who), self.level[who], self.why[who]) for who in self.level]
        for who in self.leavers:
            reason = Reason(
                "division.leaves", entrant=who, place=self.place[who], division=self._name(self.before[who])
            )
            moves.append(Move(who, self.before[who], None, reason))
        moves.sort(key=lambda move: (move.before or len(self.finals) + 1, self._standing(move.player)))
        names = {final.level: final.name for final in self.finals}
        made = [Next(level, names.get(level, ""), tuple(self._members(level))) for level in range(1, len(sizes) + 1)]
        return DivisionDraft(tuple(made), tuple(moves), warnings)

    # -- steps ------------------------------------------------------------------------------------------

    def _promote_and_relegate(self) -> None:
        lowest = len(self.finals)
        for final in self.finals:
            left = [who for who in final.order if who not in self.leavers]
            up = left[: final.promoted] if final.level > 1 else []
            rest = left[len(up) :]
            down = rest[max(len(rest) - final.relegated, 0) :] if final.level < lowest else []
            for who in left:
                level = final.level - (who in up) + (who in down)
                self.level[who] = level
                if who in up and self.place[who] > final.promoted:
                    self._say(who, "division.promoted_instead")
                elif who in up:
                    self._say(who, "division.promoted")
                else:
                    self._say(who, "division.relegated" if who in down else "division.stays")

    def _take_in_joiners(self) -> None:
        lowest = max(len(self.sizes), 1)
        for who in self.joiners:
            self.level[who] = lowest
            self.why[who] = Reason("division.joins", entrant=who, division=self._name(lowest))

    def _place_by_hand(self) -> None:
        for who, level in self.numbers.placed.items():
            if who in self.level:
                self.level[who] = min(max(level, 1), max(len(self.sizes), 1))
                self.why[who] = Reason("division.placed", entrant=who, division=self._name(self.level[who]))

    def _put_sizes_right(self) -> None:
        for level, size in enumerate(self.sizes, 1):
            while len(self._in(level)) < size:
                who = self._best_below(level)
                if who is None:
                    break  # the others were placed by hand
                if self.before.get(who) == level:
                    self._say(who, "division.stays_free")
                elif who in self.before:
                    self._say(who, "division.promoted_free", level)
                else:
                    self.why[who] = Reason("division.joins_free", entrant=who, division=self._name(level))
                self.level[who] = level
            while len(self._in(level)) > size and level < len(self.sizes):
                who = self._last_of(level)
                if who is None:
                    break
                self.level[who] = level + 1
                if who in self.before:
                    self._say(who, "division.relegated_full", level + 1)
                else:
                    self.why[who] = Reason("division.joins", entrant=who, division=self._name(level + 1))
        for who, level in self.level.items():
            if level > len(self.sizes):  # of a division that no longer exists
                self.level[who] = len(self.sizes)
                self._say(who, "division.promoted_free", len(self.sizes))

    def _best_below(self, level: int) -> int | None:
        """Return who takes a free place: from the nearest lower division with players, who would go down from here
        before the others.
        """

        def key(who: int) -> tuple[int, bool, tuple[int, int, int]]:
            return (self.level[who], self.before.get(who) != level, self._standing(who))

        free = [who for who in self.level if self.level[who] > level and who not in self.numbers.placed]
        return min(free, key=key, default=None)

    def _last_of(self, level: int) -> int | None:
        """Return who goes down from a division that is too large: joiners first, then those who stayed, those
        relegated, and last those promoted.
        """

        def key(who: int) -> tuple[int, tuple[int, int, int]]:
            before = self.before.get(who)
            rank = 3 if before is None else 2 if before == level else 1 if before < level else 0
            return (rank, self._standing(who))

        return max((who for who in self._in(level) if who not in self.numbers.placed), key=key, default=None)

    # -- words and orders ---------------------------------------------------------------------------------

    def _in(self, level: int) -> list[int]:
        return [who for who in self.level if self.level[who] == level]

    def _standing(self, who: int) -> tuple[int, int, int]:
        """Return a player's rank among all: by level and place; joiners after all others, in the order of sign-up."""
        if who in self.before:
            return (self.before[who], self.place[who], 0)
        return (len(self.finals) + 1, 0, self.sign_up[who])

    def _members(self, level: int) -> list[int]:
        return sorted(self._in(level), key=self._standing)

    def _name(self, level: int) -> str:
        """Return the name for sentences; a new division has only a number."""
        return self.finals[level - 1].name if level <= len(self.finals) else str(level)

    def _say(self, who: int, code: str, level: int | None = None) -> None:
        self.why[who] = Reason(
            code,
            entrant=who,
            place=self.place[who],
            division=self._name(self.before[who]),
            other_division=self._name(level or self.level[who]),
        )
