"""Boards as SVG, drawn on the server by putting strings together.

`board_svg` is for pages: classes only, whose rules stand in `static/boards.css`, so a strict CSP holds.
`standalone_svg` is the same drawing with its own style and fixed light colours, for pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from app.titles.drawing.style import with_style

if TYPE_CHECKING:
    from app.base.speech import Voice

_DRAWERS = {"acres": "app.titles.drawing.acres", "new-world": "app.titles.drawing.new_world"}
"""Where each title's `draw` stands; a module is imported when its first board is drawn."""


def board_svg(
    title_id: str,
    view: Mapping[str, Any],
    voice: Voice,
    *,
    changed: Iterable[str] = frozenset(),
    legal: Sequence[Any] = (),
) -> str:
    """The board of a view as one inline `<svg>`; empty for a title without a drawing.

    `changed` names what is new to the reader: places of Acres, cells `x,y` of New World (there the view itself
    knows when nothing is said). `legal` names what can be chosen: places, or cells (pairs, `x,y`, or mappings and
    actions with `x` and `y`); for New World the view's own cells are taken when nothing is said.
    """
    draw = _drawer(title_id)
    return "" if draw is None else draw(view, voice, frozenset(changed), legal)


def standalone_svg(
    title_id: str,
    view: Mapping[str, Any],
    voice: Voice,
    *,
    changed: Iterable[str] = frozenset(),
    legal: Sequence[Any] = (),
) -> str:
    """The drawing of `board_svg` as a document of its own, in light colours."""
    drawn = board_svg(title_id, view, voice, changed=changed, legal=legal)
    return with_style(drawn) if drawn else ""


def has_drawing(title_id: str) -> bool:
    """Whether boards of this title can be drawn."""
    return title_id in _DRAWERS


def _drawer(title_id: str) -> Callable[..., str] | None:
    module = _DRAWERS.get(title_id)
    return None if module is None else import_module(module).draw
