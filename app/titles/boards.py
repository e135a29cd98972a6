"""The boards of titles as SVG: for pages, and as drawings that stand alone."""

from __future__ import annotations

from collections.abc import Iterable

from app.base.words.speech import Voice
from app.titles import style
from app.titles.contract import View
from app.titles.registry import PAGES
from app.titles.touch import UNTOUCHED, Touch


def board_svg(
    title_id: str,
    view: View,
    voice: Voice,
    *,
    changed: Iterable[str] = frozenset(),
    touch: Touch = UNTOUCHED,
) -> str:
    """Draw the board of a view as one inline `<svg>`; empty for a title without a drawing. It uses only classes, whose
    rules are in the style sheet of its boards, so a strict CSP holds.

    `changed` names what is new to the reader: places of Acres, cells `x,y` of New World (there the view itself knows
    when nothing is said). `touch` is for a board on which one chooses.
    """
    pages = PAGES.get(title_id)
    return "" if pages is None else pages.draw(view, voice, frozenset(changed), touch)


def small_svg(
    title_id: str,
    view: View,
    voice: Voice,
    *,
    changed: Iterable[str] = frozenset(),
    prefix: str = "",
    box: tuple[int, int] | None = None,
) -> str:
    """Draw a small board, of what is newest; empty for a title without a drawing. Several fit on one page when each has
    its own prefix. `box` is for one that is shown large: its width and height in pixels of a phone."""
    pages = PAGES.get(title_id)
    return "" if pages is None else pages.crop(view, voice, prefix, frozenset(changed), box)


def standalone_svg(title_id: str, view: View, voice: Voice, *, changed: Iterable[str] = frozenset()) -> str:
    """Return the drawing of `board_svg` as a document of its own, in light colours."""
    drawn = board_svg(title_id, view, voice, changed=changed)
    return style.with_style(drawn, style.fixed_style(title_id)) if drawn else ""


def standalone_small_svg(title_id: str, view: View, voice: Voice, *, changed: Iterable[str] = frozenset()) -> str:
    """Return the drawing of `small_svg` as a document of its own, in light colours."""
    drawn = small_svg(title_id, view, voice, changed=changed)
    return style.with_style(drawn, style.fixed_style(title_id)) if drawn else ""


def has_drawing(title_id: str) -> bool:
    """Return whether boards of this title can be drawn."""
    pages = PAGES.get(title_id)
    return pages is not None and pages.has_drawing
