"""The page of somebody who plays, for everybody unless the player has switched it off."""

from __future__ import annotations

from babel.dates import format_timedelta
from flask import Blueprint, Response, abort

from app.services import archive, blocks, profiles
from app.services.leagues import rate
from app.titles import TITLES
from app.web import session
from app.web.leagues.rating_chart import rating_chart
from app.web.reader import house

blueprint = Blueprint("profiles", __name__)
NEWEST = 20
"""Games of a rating that are listed."""


@blueprint.get("/players/<number:player_id>")
def profile(player_id: int) -> Response:
    """Results by title and side, answer times as quartiles, time-outs."""
    with house().database.read() as connection:
        me = session.person(connection)
        found = profiles.find(connection, player_id)
        is_mine = me is not None and me.id == player_id
        if found is None or not (is_mine or archive.player(connection, player_id)):
            abort(404)
        rated = rate.ratings_of(connection, player_id)
        set_about = blocks.kinds_about(connection, me.id, player_id) if me and me.id != player_id else set()
    voice = session.voice()
    rows = [
        (voice.gettext(one.title.name), one.seat, voice.about(one.title).name("seat", one.seat), one)
        for one in found.results
    ]
    ratings = [
        {
            "title": voice.gettext(TITLES[own.title].name), "tables": own.system == "openskill", "now": own,
            "chart": rating_chart(own),
            "steps": [(step, voice.date(step.at)) for step in reversed(own.steps[-NEWEST:])],
        }
        for own in rated
        if own.title in TITLES
    ]  # fmt: skip
    times = found.times
    spans = [_span(n, voice.lang) for n in (times.quarter, times.half, times.three_quarters)] if times else []
    return session.show(
        "archive/profile.html", profile=found, rows=rows, spans=spans, since=voice.date(found.since),
        set_about=set_about, ratings=ratings, has_shared=any(one.shared for one in found.results),
    )  # fmt: skip


def _span(seconds: int, lang: str) -> str:
    """A span of time in one unit, such as `5 hours`."""
    return format_timedelta(seconds, granularity="minute", threshold=1.5, locale=lang)
