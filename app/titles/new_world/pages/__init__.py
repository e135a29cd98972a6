"""The pages of New World. Must not know persons, the database or another title."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.base.words.speech import Voice
from app.titles import lessons
from app.titles.contract import ActionPart, Touching, View
from app.titles.new_world import drawing, outlines, tiles, touches
from app.titles.new_world.pages.parts import NewWorldParts
from app.titles.new_world.pages.touching import ChosenPlacement
from app.titles.new_world.touches import selection
from app.titles.pages import PlainPages, parts_of
from app.titles.touch import UNTOUCHED, Touch
from engine.kernel.title import Title
from engine.new_world.actions import Place, ScoreOrder
from engine.new_world.places import cell_name
from engine.new_world.state import State
from engine.new_world.title import NEW_WORLD


class NewWorldPages(PlainPages):
    """A map of tiles, and what `NewWorldParts` shows beside it."""

    folder = Path(__file__).parent.parent
    has_drawing = True
    turns = len(tiles.shipped().bag)
    lesson = lessons.read(folder / "lesson.toml")

    def draw(self, view: View, voice: Voice, changed: frozenset[str], touch: Touch = UNTOUCHED) -> str:
        return drawing.draw(view, voice, changed, touch)

    def crop(
        self, view: View, voice: Voice, prefix: str, changed: frozenset[str], box: tuple[int, int] | None = None
    ) -> str:
        return drawing.crop(view, voice, prefix)

    def on_page(self, view: View, voice: Voice, changed: frozenset[str], at: Sequence[str]) -> str:
        return drawing.on_page(view, voice, changed, at) + legend(view, voice, at)

    def control(self, view: View, voice: Voice, changed: frozenset[str], touching: Touching) -> str:
        """Draw the board for choosing: lit cells are links and say what they bring; the chosen tile already lies on the
        board, as a preview. A tile links to the outline of what lies on it, keeping the choice."""
        chosen = ChosenPlacement(touching, view)
        found = chosen.found(touching.title)
        lit = {(one.x, one.y): one for one in chosen.merits if one is not chosen.merit}
        tokens, kept = touching.looked_at, touching.selection.touched
        links = outlines.links(view, kept) | {f"{x},{y}": f"?at={selection(cell_name(x, y))}" for x, y in lit}
        told = legend(view, voice, tokens, kept)
        if found is None:
            return drawing.control(view, voice, changed, Touch(links=links), lit, tokens) + told
        here = frozenset([",".join(map(str, found["cell"]))])
        free = [one if part["free"] else [] for one, part in zip(found["view"]["marked"], found["parts"], strict=True)]
        shown = {
            **found["view"],
            "decision": view["decision"],
            "recent": view["recent"] + 1,
            "marked": free,
            "features": view["features"],
            "quiet": view["quiet"],
        }
        return drawing.control(shown, voice, changed, Touch(links=links, chosen=here), lit, tokens) + told

    def touches(self, title: Title, state: State, item: Place | ScoreOrder) -> tuple[ActionPart, ...]:
        return touches.touches(state, item)

    def parts(self, title: Title, lang: str) -> NewWorldParts:
        return NewWorldParts(title, lang)

    def rule_drawing(self, name: str, voice: Voice) -> str:
        """Draw the coast before the first turn (`coast`), with both surveyors."""
        if name != "coast":
            raise KeyError(name)
        return drawing.draw(lessons.opening_view(NEW_WORLD, NEW_WORLD.seats[:2]), voice, frozenset())


def legend(view: View, voice: Voice, tokens: Sequence[str], kept: Sequence[str] = ()) -> str:
    """Return a line for each feature outlined on the map, links to what else was touched with them, and one to remove
    the outlines; nothing if none is outlined. `kept` are the touches that stay."""
    features = outlines.all_of(view)
    found = outlines.touched(features, tokens)
    if not found:
        return ""
    parts: Any = parts_of("new-world", voice.lang).among(dict(voice.people))
    laid = outlines.laid_in(view)
    beside = [
        (parts.feature_of_tile(one, laid, here), outlines.to([outlines.token(here)], kept))
        for one, here in outlines.beside(features, tokens)
    ]
    return str(parts.legend(found, beside, outlines.to((), kept)))


PAGES = NewWorldPages()
