"""The drawings in the rules of New World."""

from __future__ import annotations

from app.base.words.speech import Voice
from app.titles.lessons import opening_view
from app.titles.new_world import drawing
from engine.new_world.title import NEW_WORLD


def drawn(name: str, voice: Voice) -> str:
    """Draw the coast before the first turn (`coast`), with both surveyors."""
    if name != "coast":
        raise KeyError(name)
    return drawing.draw(opening_view(NEW_WORLD, NEW_WORLD.seats[:2]), voice, frozenset())
