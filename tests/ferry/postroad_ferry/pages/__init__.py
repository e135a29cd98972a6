"""The pages of Ferry: the shore with everybody's cards as a board, the reader's cards, and a page of rules."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from app.titles.pages import PlainPages
from app.titles.parts import PlainParts
from app.titles.touch import UNTOUCHED, Touch

if TYPE_CHECKING:
    from app.base.words.speech import Voice
    from app.titles.contract import View
    from engine.kernel.title import Title

ROW, STEP, LEFT = 34, 26, 84


class FerryParts(PlainParts):
    """What Ferry shows in its own way."""

    def mine(self, view: View, seat: str) -> Markup:
        return self._section("titles/ferry/hand.html", cards=view["sides"][seat]["hand"])

    def others(self, view: View, seat: str | None, names: Mapping[str, str]) -> Markup:
        return self._section("titles/ferry/others.html", view=view, names=names)


class FerryPages(PlainPages):
    """Ferry has templates, and a board with classes only, whose colours stand in `boards.css`."""

    folder = Path(__file__).parent
    has_drawing = True

    def parts(self, title: Title, lang: str) -> FerryParts:
        return FerryParts(title, lang)

    def draw(self, view: View, voice: Voice, changed: frozenset[str], touch: Touch = UNTOUCHED) -> str:
        """Draw a row for each seat: its name and points, the cards that it has kept, and its hand face down."""
        rows = Markup("").join(_row(at, seat, view, voice) for at, seat in enumerate(view["sides"]))
        most = max(len(one["kept"]) + one["cards"] for one in view["sides"].values())
        svg = '<svg xmlns="http://www.w3.org/2000/svg" class="board ferry" role="img" viewBox="0 0 {} {}">{}{}</svg>'
        title = Markup("<title>{}</title>").format(voice.gettext("On the shore"))
        return Markup(svg).format(LEFT + STEP * max(most, 8), ROW * len(view["sides"]) + 4, title, rows)


def _row(at: int, seat: str, view: View, voice: Voice) -> Markup:
    side: Mapping[str, Any] = view["sides"][seat]
    cards = [(f"{card[0]}{card[-1]}", f"card {card[:3]}") for card in side["kept"]] + [("", "card down")] * side[
        "cards"
    ]
    y, named = at * ROW, f"{voice.name('seat', seat)} {view['scores'][seat]}"
    drawn = [Markup('<text class="name" x="4" y="{}">{}</text>').format(y + 22, named)]
    for n, (said, look) in enumerate(cards):
        x = LEFT + n * STEP
        shape = '<rect class="{}" x="{}" y="{}" width="22" height="28"/><text x="{}" y="{}">{}</text>'
        drawn.append(Markup(shape).format(look, x, y + 4, x + 3, y + 22, said))
    return Markup("").join(drawn)


PAGES = FerryPages()
