"""The examples that the rules draw: the map around a place, with a few pieces more than at the beginning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.base.words.speech import Voice
from app.titles.acres import drawing
from app.titles.lessons import opening_view
from app.titles.registry import TITLES
from app.titles.touch import Touch
from engine.acres.data import BRITISH, FRENCH, SEATS, VILLAGE


@dataclass(frozen=True)
class Example:
    """Who holds what besides the opening position, a siege, and what is pointed at."""

    touch: Touch
    held: Mapping[str, str] = field(default_factory=dict)
    sieges: tuple[Mapping[str, Any], ...] = ()


EXAMPLES = {
    "settle": Example(
        Touch(
            chosen=frozenset({"deerfield"}),
            curves=(("new-haven", "deerfield", "bateaux"),),
            window="deerfield",
        )
    ),
    "siege": Example(
        Touch(curves=(("halifax", "louisbourg", "ship"),), window="louisbourg"),
        held={"halifax": BRITISH},
        sieges=({"attacker": BRITISH, "place": "louisbourg", "strength": 1},),
    ),
    "raid": Example(
        Touch(chosen=frozenset({"fort-halifax", "pemaquid", "deerfield", "boston"}), window="fort-halifax"),
        held={"kennebec": FRENCH, "fort-halifax": BRITISH, "deerfield": BRITISH},
    ),
}


def drawn(name: str, voice: Voice) -> str:
    """Draw the map of an example. Its places have no ids in the page, which has several maps."""
    example, opening = EXAMPLES[name], opening_view(TITLES["acres"], SEATS)
    more = {place: {"owner": owner, "piece": VILLAGE, "fort": False} for place, owner in example.held.items()}
    view = {**opening, "board": {**opening["board"], **more}, "sieges": list(example.sieges)}
    shown = drawing.draw(view, voice, frozenset(), example.touch)
    return re.sub(r' id="at-[a-z-]+"', "", shown)
