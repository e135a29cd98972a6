"""A player's page, public unless the player has switched it off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from babel.dates import format_timedelta
from flask import Blueprint, Response
from sqlmodel import Session

from app.account import archive, profiles
from app.base.words.speech import Voice
from app.games.rating_tables import RatingSystem
from app.people import blocks
from app.titles.registry import TITLES
from app.web import visit
from app.web.reader import server

blueprint = Blueprint("profiles", __name__)
Ratings = Callable[["Session", int, "Voice"], Sequence[Mapping[str, Any]]]


def _unrated(session: Session, player_id: int, voice: Voice) -> Sequence[Mapping[str, Any]]:
    return ()


_rated: Ratings = _unrated


def show_ratings(rated: Ratings) -> Ratings:
    """Have the page show what this gives for a player: what its template asks of a rating, for each."""
    global _rated
    _rated = rated
    return rated


@blueprint.get("/players/<number:player_id>")
def profile(player_id: int) -> Response:
    """Show results by title and side, answer times as quartiles, and time-outs."""
    with server().database.read() as session:
        me = visit.person(session)
        found = profiles.find(session, player_id)
        is_mine = me is not None and me.id == player_id
        found = visit.there(found if found and (is_mine or archive.player(session, player_id)) else None)
        voice = visit.voice()
        ratings = _rated(session, player_id, voice)
        set_about = blocks.kinds_about(session, me.id, player_id) if me and me.id != player_id else set()
    rows = [
        (voice.gettext(one.title.name), one.seat, voice.about(one.title).name("seat", one.seat), one)
        for one in found.results
    ]
    return visit.show(
        "account/profile.html",
        profile=found,
        rows=rows,
        spans=[_span(seconds, voice.lang) for seconds in found.times],
        since=voice.date(found.since),
        set_about=set_about,
        ratings=ratings,
        casual=[
            (voice.gettext(TITLES[one.title].name), one.system == RatingSystem.OPENSKILL, round(one.rating), one)
            for one in found.casual
        ],
        has_shared=any(one.shared for one in found.results),
    )


def _span(seconds: int, lang: str) -> str:
    """Return a span of time in one unit, such as `5 hours`."""
    return format_timedelta(seconds, granularity="minute", threshold=1.5, locale=lang)
