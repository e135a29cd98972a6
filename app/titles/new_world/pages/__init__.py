"""The pages of New World."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.titles.new_world import drawing, examples
from app.titles.new_world.pages.parts import NewWorldParts
from app.titles.pages import PlainPages
from app.titles.touch import UNTOUCHED, Touch

if TYPE_CHECKING:
    from app.base.speech import Voice
    from app.titles.contract import View
    from engine.kernel.title import Title


class NewWorldPages(PlainPages):
    """A map of tiles, and what `NewWorldParts` shows beside it."""

    folder = Path(__file__).parent.parent
    has_drawing = True
    by_touch = False

    def draw(
        self, view: View, voice: Voice, changed: frozenset[str], legal: Sequence[Any], touch: Touch = UNTOUCHED
    ) -> str:
        return drawing.draw(view, voice, changed, legal)

    def parts(self, title: Title, lang: str) -> NewWorldParts:
        return NewWorldParts(title, lang)

    def rule_drawing(self, name: str, voice: Voice) -> str:
        return examples.drawn(name, voice)


PAGES = NewWorldPages()
