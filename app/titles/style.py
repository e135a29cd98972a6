"""The style sheet of a title's boards, and the same with fixed colours, for standalone drawings."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from pathlib import Path

from app.titles.registry import PAGES

COMMON = Path(__file__).with_name("boards.css")
PAGES_SHEET = Path(__file__).parent.parent / "static" / "post.css"
PAGE_ONLY = "/* pages only */"
"""What follows this line in a sheet is for pages (widths, scrolling) and meaningless in a picture."""

_DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{\s*:root \{[^}]*\}\s*\}")
_SMALL = re.compile(r"@media \(max-width: 150px\) \{.*\}")
"""What is left out on boards too small to read; on one line."""
_COLOUR = re.compile(r"var\(--[a-z-]+, ?(#[0-9a-f]+)\)")


@cache
def sheet_of(title_id: str) -> str:
    """Return the rules for the boards of all titles and for those of this one, for pages."""
    return "\n".join(_sheets(title_id))


@cache
def ground_of(title_id: str) -> str:
    """Return what is the same on every board of a title, as a document of its own; empty if there is no such thing. It
    is light or dark as its reader wishes, like the pages."""
    pages = PAGES.get(title_id)
    drawn = pages.ground() if pages is not None else ""
    if not drawn:
        return ""
    return with_style(drawn, twofold_style(title_id))


@cache
def twofold_style(title_id: str) -> str:
    """Return the rules of the boards for a document that is light or dark as its reader wishes, like the pages."""
    sheets = _sheets(title_id)
    dark = [found[0] for sheet in (PAGES_SHEET.read_text(encoding="utf-8"), *sheets) for found in _DARK.finditer(sheet)]
    small = [found[0] for sheet in sheets for found in _SMALL.finditer(sheet)]
    return "\n".join([*dark, *(sheet.partition(PAGE_ONLY)[0] for sheet in sheets), *small])


@cache
def ground_address(title_id: str) -> str:
    """Return where a page finds `ground_of`; it changes with the drawing."""
    return f"/static/boards/{title_id}.svg?v={sha256(ground_of(title_id).encode()).hexdigest()[:10]}"


@cache
def fixed_style(title_id: str) -> str:
    """Return the rules of the boards, each colour replaced by the light one beside its name."""
    rules = "\n".join([sheet.partition(PAGE_ONLY)[0] for sheet in _sheets(title_id)])
    return _COLOUR.sub(r"\1", re.sub(r"/\*.*?\*/|\n\s*", "", rules, flags=re.S))


def _sheets(title_id: str) -> list[str]:
    pages = PAGES.get(title_id)
    own = [pages.folder / "boards.css"] if pages is not None and pages.folder else []
    return [path.read_text(encoding="utf-8") for path in (COMMON, *own) if path.exists()]


def with_style(svg: str, style: str) -> str:
    """Return the drawing as a document: its namespace is already there, the style becomes its first child."""
    end = svg.index(">") + 1
    return f"{svg[:end]}<style>{style}</style>{svg[end:]}"


def shapes(file: Path) -> str:
    """Return what stands in the `<defs>` of a drawing, an element on each line, for those of other drawings."""
    return "".join(file.read_text(encoding="utf-8").partition("<defs>")[2].partition("</defs>")[0].splitlines())
