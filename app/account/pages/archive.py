"""The archive: finished games, found by title, year and player."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, Response, request, url_for
from markupsafe import Markup, escape

from app.account import archive
from app.account.archive import ArchivedGame, ArchiveFilter, Key
from app.base.words.numbers import whole
from app.base.words.speech import Voice
from app.games.store import SeatHolder
from app.lobby.options import value_in_words
from app.play.lists import ends, scores
from app.titles.registry import TITLES
from app.web import visit
from app.web.reader import server
from engine.kernel.text import N_

blueprint = Blueprint("archive", __name__)

FIRST_YEAR, LAST_YEAR = 1900, 2200
ENDINGS = {
    "rules": N_("ended by the rules"),
    "resignation": N_("ended by resignation"),
    "time": N_("lost on time"),
    "agreed": N_("ended by agreement"),
}


@blueprint.get("/archive")
def index() -> Response:
    """Show a page of finished games."""
    wanted, name = _wanted(), " ".join(request.args.get("name", "").split())[:60]
    with server().database.read() as session:
        people = archive.people(session, name)
        player = archive.player(session, wanted.player_id) if wanted.player_id is not None else None
        if wanted.player_id is not None and player is None:
            page = archive.Page((), None)  # erased or not public
        else:
            page = archive.page(session, wanted, _key(request.args.get("after", "")))
        visit.person(session)
    voice = visit.voice()
    return visit.show(
        "account/index.html",
        rows=[_row(game, voice) for game in page.games],
        wanted=wanted,
        asked_name=name,
        people=people,
        player=player,
        titles=[(title.id, voice.gettext(title.name)) for title in TITLES.values()],
        following=_address(wanted, page.following),
    )


# -- what is asked for --------------------------------------------------------------------------------


def _wanted() -> ArchiveFilter:
    """Return the filter in the address; unknown values are left open."""
    args = request.args
    title = args["title"] if args.get("title") in TITLES else ""
    year = whole(args.get("year", ""), least=FIRST_YEAR, most=LAST_YEAR - 1)
    player = args.get("player", "").strip()
    # An invalid player number matches no player.
    return ArchiveFilter(title, year, (whole(player) or 0) if player else None)


def _key(given: str) -> Key | None:
    """Return where to continue; None for the first page, and for an invalid place."""
    moment, _, number = given.partition("_")
    number_read = whole(number)
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return None if number_read is None or at.tzinfo is None else Key(at.astimezone(UTC), number_read)


def _address(wanted: ArchiveFilter, after: Key | None) -> str:
    """Return the address of the next page; empty when there is none."""
    if after is None:
        return ""
    asked: dict[str, Any] = {
        "title": wanted.title,
        "year": wanted.year or "",
        "player": wanted.player_id or "",
        "after": f"{after.ended_at.isoformat()}_{after.id}",
    }
    return url_for(".index", **{name: value for name, value in asked.items() if value})


# -- a row --------------------------------------------------------------------------------------------


def _row(game: ArchivedGame, voice: Voice) -> dict[str, Any]:
    row, title = game.row, TITLES[game.row.title]
    about = voice.about(title)
    edition = row.options.get("edition")
    result = row.result or {}
    points = scores.points(result)
    names = {seated.seat: about.who(seated) for seated in game.seats}
    return {
        "id": row.id,
        "title": voice.gettext(title.name),
        "edition": value_in_words(about, edition) if edition else "",
        "seats": [(seated.seat, _who(seated, about)) for seated in game.seats],
        "result": ends.in_words(result, None, names, voice),
        "points": [(about.who(seated), points[seated.seat]) for seated in game.seats if seated.seat in points],
        "ending": voice.gettext(ENDINGS.get(str(result.get("reason")), ENDINGS["rules"])),
        "at": voice.date(row.ended_at) if row.ended_at else "",
    }


def _who(seated: SeatHolder, about: Voice) -> Markup:
    said = escape(about.who(seated))
    if not seated.player_id or not seated.name:
        return said
    page = url_for("profiles.profile", player_id=seated.player_id)
    return Markup(f'<a href="{page}">{said}</a>')
