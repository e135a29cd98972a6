"""What a reader has chosen on a page and what can be touched next. Boards and cards look the same without it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Touch:
    """What is chosen, where the parts of a board or a hand lead, and how much of the board is shown.

    The keys are the title's own ids: places of Acres on the map (`halifax`), cards in a hand (`militia`).
    """

    links: Mapping[str, str] = field(default_factory=dict)
    """Where each thing links to when it is touched; anything not named is not a link."""
    chosen: frozenset[str] = frozenset()
    """What is chosen."""
    possible: frozenset[str] = frozenset()
    """What can be combined with what is chosen."""
    fresh: Collection[str] = ()
    """What has just been drawn."""
    curves: Sequence[tuple[str, str, str]] = ()
    """What a chosen card joins: from a place, to a place, and by what (in Acres `ship`, `bateaux` or `wagon`)."""
    window: str = ""
    """The part around which the board is cropped, at the same scale; nothing shows the whole board."""


UNTOUCHED = Touch()


@dataclass(frozen=True, slots=True)
class Folds:
    """What is folded up on a page and drawn on demand."""

    to: str
    """The address of the page with a fold open, without the name of the fold."""
    opened: str = ""
    """The fold that is open, or `all`."""

    def shows(self, name: str) -> bool:
        """Return whether this fold is open."""
        return self.opened in (name, "all")
