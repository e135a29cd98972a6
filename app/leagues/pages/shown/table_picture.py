"""The top of an event's table as a picture, for programs that show a link to it."""

from __future__ import annotations

from xml.sax.saxutils import escape

from sqlmodel import Session

from app.base.words.speech import Voice
from app.leagues.pages.shown.by_position import reached_shown
from app.leagues.pure.model import said_points
from app.leagues.rounds import final_places
from app.leagues.tables import Competition

WIDE, TALL, MARGIN, LINE = 1000, 525, 60, 52
MOST_LINES, LONGEST_NAME = 7, 34
INK, QUIET, PAPER, RULE = "#1d1a15", "#6b6152", "#fbf6ea", "#b23a2e"


def lines_of(session: Session, event: Competition, voice: Voice) -> list[tuple[str, str, str]]:
    """Return place, name and points of the first in the first division, or in a bracket or ladder."""
    for table in final_places.by_points(session, event):
        return [
            (f"{one.place}", voice.person(table.names[one.entrant]), said_points(one.points))
            for one in table.places[:MOST_LINES]
        ]
    for order in reached_shown(session, event, voice):
        return [(str(one["place"] or ""), one["name"], "") for one in order["lines"][:MOST_LINES]]
    return []


def drawn(name: str, below: str, lines: list[tuple[str, str, str]]) -> str:
    """Return the picture as an SVG document, in the typefaces and colours of the pages."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {TALL}" width="{WIDE}" height="{TALL}">',
        f'<rect width="{WIDE}" height="{TALL}" fill="{PAPER}"/><rect width="{WIDE}" height="8" fill="{RULE}"/>',
        _text(MARGIN, 82, _short(name), "serif", 52),
        _text(MARGIN, 122, _short(below, 70), "sans-serif", 24, QUIET),
    ]
    for at, (place, who, points) in enumerate(lines):
        y = 186 + at * LINE
        parts.append(_text(MARGIN + 40, y, place, "sans-serif", 28, QUIET, "end"))
        parts.append(_text(MARGIN + 70, y, _short(who), "serif", 34))
        parts.append(_text(WIDE - MARGIN, y, points, "sans-serif", 30, INK, "end"))
    return "".join([*parts, "</svg>"])


def _text(x: int, y: int, said: str, family: str, size: int, colour: str = INK, anchor: str = "start") -> str:
    look = f'font-family="{family}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"'
    return f'<text x="{x}" y="{y}" {look}>{escape(said)}</text>'


def _short(text: str, most: int = LONGEST_NAME) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
