"""The style sheet of the boards with its colours fixed, for drawings that stand alone."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

SHEET = Path(__file__).resolve().parents[2] / "static" / "boards.css"
PAGE_ONLY = "/* pages only */"
"""What follows this line in the sheet is about pages (widths, scrolling) and means nothing in a picture."""

_COLOUR = re.compile(r"var\(--[a-z-]+, ?(#[0-9a-f]+)\)")


@cache
def fixed_style() -> str:
    """The rules of the boards, each colour replaced by the light one that stands beside its name."""
    rules = SHEET.read_text(encoding="utf-8").partition(PAGE_ONLY)[0]
    return _COLOUR.sub(r"\1", re.sub(r"/\*.*?\*/|\n\s*", "", rules, flags=re.S))


def with_style(svg: str) -> str:
    """The drawing as a document: its namespace is there already, the style becomes its first child."""
    end = svg.index(">") + 1
    return f"{svg[:end]}<style>{fixed_style()}</style>{svg[end:]}"
