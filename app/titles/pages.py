"""The pages of any title, using its text board and its lines of notation. Titles build on these."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import cast

from app.base.words.speech import Voice
from app.titles.contract import KIND, ActionPart, Opaque, Touching, View
from app.titles.lessons import Lesson
from app.titles.parts import PlainParts
from app.titles.registry import PAGES, TITLES
from app.titles.touch import UNTOUCHED, Touch
from engine.kernel.title import Choice, Title


class PlainPages:
    """What the pages need from a title; one without its own has these."""

    folder: Path | None = None
    """The folder of its `boards.css` and `templates/` (known to pages as `titles/ID/...`), if it has them. Its
    rules are `rules/en.md` and so on (`app.titles.rule_texts`)."""
    has_drawing = False
    """Whether `draw` draws."""
    turns = 0
    """About how many turns of all players a game has; 0 if nothing tells."""
    scores = True
    """Whether victory points tell how clearly a game was won, so that tables of its events break ties by them; else
    ties are broken as in chess."""
    lesson: Lesson | None = None
    """A first game that teaches; None if it has none."""

    def draw(self, view: View, voice: Voice, changed: frozenset[str], touch: Touch = UNTOUCHED) -> str:
        """Draw the board of a view as one `<svg xmlns="http://www.w3.org/2000/svg" class="board ...">` with classes
        only.

        `changed` names what is new to the reader, in the words of `places_of` its events; `touch` says what is chosen
        and can be, and where what is touched leads.
        """
        return ""

    def ground(self) -> str:
        """Return the part that is the same on every board, as one `<svg>`, for boards that fetch it once
        (`style.ground_address`); empty if every board is drawn whole."""
        return ""

    def crop(
        self, view: View, voice: Voice, prefix: str, changed: frozenset[str], box: tuple[int, int] | None = None
    ) -> str:
        """Draw a small board, of what is newest, for lists and mails; its ids begin with `prefix`, as far as it has
        any, so that several fit on one page. `changed` is as for `draw`. `box` is the width and height available for it
        in pixels, if it is shown large enough for names; a board without names may ignore it."""
        return self.draw(view, voice, frozenset())

    def on_page(self, view: View, voice: Voice, changed: frozenset[str], at: Sequence[str]) -> str:
        """Draw the board as on a page on which nobody chooses. What can be looked at closely links to the same page
        with `?at=…`, and is described if it was touched (`at`)."""
        return self.draw(view, voice, changed)

    def control(self, view: View, voice: Voice, changed: frozenset[str], touching: Touching) -> str:
        """Draw the board for choosing by touch: with links, and with what is chosen and can be."""
        return self.draw(view, voice, changed)

    def parts(self, title: Title, lang: str) -> PlainParts:
        """Return its parts in one language; called once per process."""
        return PlainParts(title, lang)

    def touches(self, title: Title, state: Opaque, item: Opaque) -> tuple[ActionPart, ...]:
        """Return the touches for a legal action, or for the fixed part of a `Choice`, in the order in which they are
        asked; the kind comes first. No two actions have the same, and none has only a part of another's: if something
        may be left out, leaving it out is a touch, too."""
        action = item.smallest()[0] if isinstance(item, Choice) else item
        kind, _, rest = title.write(state, action).partition(" ")
        if isinstance(item, Choice):
            return ActionPart(KIND, item.kind), ActionPart("way", f"{_slug(rest)}-and-more")
        return ActionPart(KIND, kind), ActionPart("way", _slug(rest) or "-")

    def item_touch(self, choice: Opaque, item: str) -> ActionPart:
        """Return the touch for one of the items of a free choice; two equal ones are touched twice."""
        return ActionPart("item", _slug(item))

    def rule_drawing(self, name: str, voice: Voice) -> str:
        """Return the drawing that its rules call `{draw NAME}`, as markup."""
        return ""


def _slug(words: str) -> str:
    """Return words in a form for addresses: anything but letters and digits is written by its number, so that different
    words stay different."""
    return "".join(
        [one if one.isalnum() and one.isascii() else "_" if one == " " else f"~{ord(one):x}~" for one in words]
    )


_PLAIN = PlainPages()


def pages_of(title_id: str) -> PlainPages:
    """Return a title's own pages, or the plain ones."""
    return cast("PlainPages", PAGES.get(title_id, _PLAIN))


@cache
def parts_of(title_id: str, lang: str = "en") -> PlainParts:
    """Return the parts of a title in one language."""
    return pages_of(title_id).parts(TITLES[title_id], lang)
