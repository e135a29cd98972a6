"""The pages of Ferry: the reader's cards beside what lies open, and a page of rules; all else is shown plainly."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from app.titles.pages import PlainPages
from app.titles.parts import PlainParts

if TYPE_CHECKING:
    from markupsafe import Markup

    from app.titles.contract import View
    from engine.kernel.title import Title


class FerryParts(PlainParts):
    """What Ferry shows in its own way."""

    def mine(self, view: View, seat: str) -> Markup:
        return self._section("titles/ferry/hand.html", cards=view["sides"][seat]["hand"])

    def others(self, view: View, seat: str | None, names: Mapping[str, str]) -> Markup:
        return self._section("titles/ferry/others.html", view=view, names=names)


class FerryPages(PlainPages):
    """Ferry has templates, and no drawing."""

    folder = Path(__file__).parent

    def parts(self, title: Title, lang: str) -> FerryParts:
        return FerryParts(title, lang)


PAGES = FerryPages()
