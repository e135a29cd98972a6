"""What all pages share: the frame's helpers, strict headers, the style sheet and the fonts."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path

from flask import Blueprint, Response, send_from_directory

from app.base.words.speech import Voice
from app.time.pace_words import short_number_of
from app.titles import rule_texts, style
from app.titles.registry import TITLES
from app.web import visit
from app.web.local_mailbox import has_mailbox
from engine.kernel.title import Title

blueprint = Blueprint("pages", __name__)
STATIC = Path(__file__).resolve().parent.parent / "static"
A_YEAR = 365 * 24 * 3600


@blueprint.get("/static/<path:name>")
def static(name: str) -> Response:
    """Send a static file. Its address changes with its contents, so it is cached for a year."""
    return _for_a_year(send_from_directory(STATIC, name, max_age=A_YEAR))


@blueprint.get("/static/boards/<title_id>.<any(css, svg):kind>")
def board(title_id: str, kind: str) -> Response:
    """Send the style sheet for the boards of a title, or what is the same on each of them, also cached for a year."""
    visit.there(TITLES.get(title_id))
    if kind == "css":
        return _for_a_year(Response(style.sheet_of(title_id), mimetype="text/css"))
    return _for_a_year(Response(visit.there(style.ground_of(title_id) or None), mimetype="image/svg+xml"))


def _for_a_year(response: Response) -> Response:
    response.headers["Cache-Control"] = f"public, max-age={A_YEAR}, immutable"
    return response


@blueprint.app_template_global()
@cache
def board_style_address(title: Title) -> str:
    """Return the address of the style sheet for the boards of a title."""
    return f"/static/boards/{title.id}.css?v={sha256(style.sheet_of(title.id).encode()).hexdigest()[:10]}"


blueprint.add_app_template_global(rule_texts.cited)
blueprint.add_app_template_global(has_mailbox)


@blueprint.app_template_global()
@cache
def static_address(name: str) -> str:
    """Return the address of a file in `app/static`."""
    return f"/static/{name}?v={sha256((STATIC / name).read_bytes()).hexdigest()[:10]}"


def time_left(voice: Voice, until: datetime, now: datetime) -> str:
    """Return days and hours, or hours and minutes, such as `2 days 3 hr`, or the days of a long time; empty when the
    moment is past."""
    left = until - now
    return "" if left < timedelta(0) else _span(voice.lang, int(left.total_seconds()) // 60)


LONG = 10
"""Days of which nobody needs the hours."""


@lru_cache(maxsize=4096)
def _span(lang: str, minutes: int) -> str:
    days, hours, rest = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [
        ("duration-day", days),
        ("duration-hour", hours if days < LONG else 0),
        ("duration-minute", 0 if days else rest),
    ]
    said = [short_number_of(lang, n, unit) for unit, n in parts if n]
    return " ".join(said) or short_number_of(lang, 0, "duration-minute")
