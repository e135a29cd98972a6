"""Why something cannot be done, written once: listing asks whether, judging and explaining ask why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVarTuple

from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Text

Things = TypeVarTuple("Things")


@dataclass(frozen=True, slots=True)
class Bar(Generic[*Things]):
    """One reason. `stops` and `why` take the same arguments: a position, then a place or a card of it."""

    code: str
    rule: str
    stops: Callable[[*Things], bool]
    """Whether it holds now. In a list of bars, each may rely on those before it not holding."""
    why: Callable[[*Things], Text]
    finer: tuple[Bar[*Things], ...] = ()
    """More telling reasons for the same condition, looked for only once it holds; this one is given if none fits."""
    of_all: tuple[str, Text] | None = None
    """Code and sentence used when it stops the last of all cards or places in question."""

    def refusal(self, *about: *Things) -> IllegalAction:
        for bar in self.finer:
            if bar.stops(*about):
                return bar.refusal(*about)
        return IllegalAction(self.code, self.why(*about), rule=self.rule)

    def refusal_of_all(self) -> IllegalAction:
        """Return the refusal for when it stops everything; only for a bar that has `of_all`."""
        assert self.of_all is not None
        code, why = self.of_all
        return IllegalAction(code, why, rule=self.rule)

    def need_open(self, *about: *Things) -> None:
        """Raise the refusal if it stops these."""
        if self.stops(*about):
            raise self.refusal(*about)


class Bars(Generic[*Things]):
    """All reasons of a kind about the same things, in the order in which they are reported."""

    __slots__ = ("each", "stops")

    def __init__(self, *each: Bar[*Things]) -> None:
        self.each = each
        self.stops = _any_of([bar.stops for bar in each])
        """Whether one of them stops this; for listing, so no sentence is made."""

    def first(self, *about: *Things) -> IllegalAction | None:
        """Return the refusal of the first bar that stops this; None if it can be done."""
        for bar in self.each:
            if bar.stops(*about):
                return bar.refusal(*about)
        return None

    def need_open(self, *about: *Things) -> None:
        """Raise the refusal of the first bar that stops this."""
        refusal = self.first(*about)
        if refusal is not None:
            raise refusal

    def why_none(self, candidates: Iterable[tuple[*Things]]) -> IllegalAction:
        """Return why none of these can be done: the reason that stops the last of them. All its bars must have
        `of_all`."""
        left = list(candidates)
        for bar in self.each:
            left = [about for about in left if not bar.stops(*about)]
            if not left:
                return bar.refusal_of_all()
        raise AssertionError("one of them can be done")


def _any_of(conditions: Sequence[Callable[[*Things], bool]]) -> Callable[[*Things], bool]:
    """Combine several conditions into one. Listing asks it for every card and place, so two and three are spelt out."""
    if len(conditions) == 2:
        one, two = conditions
        return lambda *about: one(*about) or two(*about)
    if len(conditions) == 3:
        one, two, three = conditions
        return lambda *about: one(*about) or two(*about) or three(*about)
    return lambda *about: any(stops(*about) for stops in conditions)
