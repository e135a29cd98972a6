"""The operator's own pages, such as imprint, privacy and terms: Markdown files in the folder `pages` of the data.

`imprint.md` is shown at `/about/imprint`, `imprint.fr.md` to those who read French; the first heading is its name in
the footer of every page. Files are read once per process.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from flask import Blueprint, Response
from markupsafe import Markup

from app.base.words.i18n import LANGUAGES
from app.web import visit
from app.web.reader import server

blueprint = Blueprint("own", __name__)
log = logging.getLogger("postroad.pages")
MOST = 12
_NAME = re.compile(r"([a-z0-9-]{1,40})(?:\.([a-z]{2}))?\.md")
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class OwnPage:
    """A page of the operator's in one language; `lang` is None if the file names none."""

    name: str
    lang: str | None
    title: str
    body: Markup


@blueprint.app_template_global("own_pages")
def shown(lang: str) -> list[OwnPage]:
    """Return the pages for a reader of this language: in it, or else without one."""
    found = _read(server().config.data / "pages")
    names = sorted({name for name, _ in found})
    pages = [found.get((name, lang)) or found.get((name, None)) for name in names]
    return [page for page in pages if page is not None][:MOST]


@cache
def _read(folder: Path) -> dict[tuple[str, str | None], OwnPage]:
    found = {}
    for file in sorted(folder.glob("*.md")):
        named = _NAME.fullmatch(file.name)
        if named is None or named[2] not in (None, *LANGUAGES):
            continue
        from markdown_it import MarkdownIt  # noqa: PLC0415  only where there are such pages

        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            log.error("the page %s cannot be read: %s", file.name, error)
            continue
        heading = _HEADING.search(text)
        body = Markup(MarkdownIt("commonmark", {"html": False}).enable("table").disable("image").render(text))
        found[named[1], named[2]] = OwnPage(named[1], named[2], heading[1].strip() if heading else named[1], body)
    return found


@blueprint.get("/about/<name>")
def page(name: str) -> Response:
    """Show one of them, to anybody."""
    named = (one for one in shown(visit.voice().lang) if one.name == name)
    return visit.show("web/own.html", page=visit.there(next(named, None)))
