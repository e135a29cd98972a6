"""What a reader has chosen on a page and what can be touched next. Boards and cards are drawn the same without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Touch:
    """What is chosen, where the parts of a board or a hand lead, and how much of the board is shown.

    The keys are the title's own ids: places of Acres on the map (`halifax`), cards in a hand (`militia`).
    """

    links: Mapping[str, str] = field(default_factory=dict)
    """Where each thing leads when it is touched; what is not named leads nowhere."""
    chosen: frozenset[str] = frozenset()
    """What is chosen."""
    possible: frozenset[str] = frozenset()
    """What can take part in what is chosen."""
    curves: Sequence[tuple[str, str, str]] = ()
    """What a chosen card joins: from a place, to a place, and by what (in Acres `ship`, `bateaux` or `wagon`)."""
    window: str = ""
    """Around which part the board is cropped, at the same scale; nothing shows the whole board."""


UNTOUCHED = Touch()
