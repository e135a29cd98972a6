"""What a title shows in its own way on the pages of a turn: its cards, its actions in words, what a seat has.

Most titles have macros for it, in `templates/games/<title>/parts.html`, and what they leave out stands in
`templates/games/_generic/parts.html`. A title whose pages are drawn most has a class here with methods of the same
names: strings put together cost a tenth of what macros cost.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from app.web.reader import templates

_CLASSES = {"acres": "app.titles.parts.acres:Parts"}


def parts_of(title_id: str, lang: str = "en") -> Any:
    """The macros or methods of a title in one language."""
    if title_id in _CLASSES:
        return _made(title_id, lang)
    names = [f"games/{title_id}/parts.html", "games/_generic/parts.html"]
    return templates(lang).select_template(names).module


@cache
def _made(title_id: str, lang: str) -> Any:
    module, _, name = _CLASSES[title_id].partition(":")
    return getattr(import_module(module), name)(lang)
