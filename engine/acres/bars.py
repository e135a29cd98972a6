"""Why something cannot be done, written once: listing asks whether, judging and explaining ask why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVarTuple

from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Text

Things = TypeVarTuple("Things")


@dataclass(frozen=True, slots=True)
class Bar(Generic[*Things]):
    """One reason. `stops` and `why` are asked about the same things: a position, then a place or a card of it."""

    code: str
    rule: str
    stops: Callable[[*Things], bool]
    """Whether it holds now. In a list of bars each may rely on it that those before do not."""
    why: Callable[[*Things], Text]

    def refusal(self, *about: *Things) -> IllegalAction:
        return IllegalAction(self.code, self.why(*about), rule=self.rule)


@dataclass(frozen=True, slots=True)
class Bars(Generic[*Things]):
    """All reasons of a kind about the same things, the first to be told first."""

    each: tuple[Bar[*Things], ...]

    def leave_open(self, *about: *Things) -> bool:
        """Whether none of them stops this; for listing, so no sentence is made."""
        for bar in self.each:
            if bar.stops(*about):
                break
        else:
            return True
        return False

    def first(self, *about: *Things) -> IllegalAction | None:
        """The refusal of the first that stops this; None if it can be done."""
        for bar in self.each:
            if bar.stops(*about):
                return bar.refusal(*about)
        return None

    def need_open(self, *about: *Things) -> None:
        """Refuse what one of them stops."""
        refusal = self.first(*about)
        if refusal is not None:
            raise refusal
