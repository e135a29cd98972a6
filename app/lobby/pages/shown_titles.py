"""Titles as the front page and a new game present them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from markupsafe import Markup
from sqlmodel import Session

from app.base.words.speech import Voice
from app.lobby import front
from app.play.pages.lessons import lesson_course
from app.time.pace_words import number_of
from app.titles.boards import small_svg
from app.titles.lessons import opening_view
from app.titles.pages import pages_of, parts_of
from app.titles.registry import TITLES
from engine.kernel.title import Title

STRIP = (344, 172)
"""Width and height on a phone of the picture of a title."""
DAYS = "duration-day"


@dataclass(frozen=True)
class ShownTitle:
    """A title as it is presented."""

    title: Title
    picture: Markup
    about: Markup
    time: str
    """How long a game takes here; empty while unknown."""
    learn: bool
    """Whether there is a lesson that teaches it."""


def shown_titles(session: Session, voice: Voice) -> list[ShownTitle]:
    """Return all titles, presented in a language."""
    return [_shown(title, session, voice) for title in TITLES.values()]


def _shown(title: Title, session: Session, voice: Voice) -> ShownTitle:
    usual = front.usual_length(session, title.id)
    time = "" if usual is None else number_of(voice.lang, max(1, round(usual.total_seconds() / 86400)), DAYS)
    learn = pages_of(title.id).lesson is not None
    about = parts_of(title.id, voice.lang).presented()
    return ShownTitle(title, example(title, voice.lang, STRIP), about, time, learn)


@cache
def example(title: Title, lang: str, box: tuple[int, int]) -> Markup:
    """Return the board at the end of the lesson, or else before the first turn."""
    taught = lesson_course.course(title.id)
    seats = title.seats[: title.least_seats]
    view = title.view(taught.end.state, None) if taught else opening_view(title, seats)
    prefix = f"{title.id}-{box[1]}-"
    return Markup(small_svg(title.id, view, Voice(lang, title=title), prefix=prefix, box=box))
