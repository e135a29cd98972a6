"""How a board can be touched, for whoever lets a reader choose on it. Boards are drawn the same without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Touch:
    """What is chosen on a board, where its parts lead and how much of it is shown.

    The keys are the title's own: places of Acres (`halifax`).
    """

    links: Mapping[str, str] = field(default_factory=dict)
    """Where each part leads when it is touched; what is not named leads nowhere."""
    chosen: frozenset[str] = frozenset()
    """What wears the ring of the chosen."""
    curves: Sequence[tuple[str, str, str]] = ()
    """What a chosen card joins: from a part, to a part, and by what (in Acres `ship`, `bateaux` or `wagon`)."""
    window: str = ""
    """Around which part the board is cropped, at the same scale; nothing shows the whole board."""


UNTOUCHED = Touch()
