"""Taking earlier results over from a list."""

from __future__ import annotations

from flask import Response, request

from app.leagues import past
from app.leagues.members import BadLines
from app.leagues.pages.clubs import blueprint, club_for, find_club
from app.leagues.pages.common import attempt, on
from app.leagues.pages.members import LARGEST_LIST, read_text
from app.lobby.pages.home import titles
from app.web import visit
from app.web.reader import house
from engine.kernel.text import Text


@blueprint.get("/clubs/<slug>/import")
def import_page(slug: str) -> Response:
    """What the list should look like, and the form."""
    visit.need_person()
    return _import(slug)


def _import(slug: str, error: str = "", status: int = 200, bad: list[tuple[int, Text]] | None = None) -> Response:
    voice = visit.voice()
    with house().database.read() as session:
        club, _ = club_for(session, slug, "organiser")
    return visit.show(
        "leagues/import.html", status, voice=voice, club=club, error=error, form=request.form, titles=titles(),
        bad=[(line, voice.say(why)) for line, why in bad or []], columns=past.COLUMNS,
    )  # fmt: skip


@blueprint.post("/clubs/<slug>/import")
def import_results(slug: str) -> Response:
    """Take the results over: all or nothing, and bad lines are named."""
    me, club = visit.need_person(), find_club(slug)
    bad: list[tuple[int, Text]] = []

    def act() -> Response:
        text = request.form.get("list", "")
        file = request.files.get("file")
        if file is not None and file.filename:
            text = read_text(file.stream.read(LARGEST_LIST + 1))
        chosen = request.form.get("title", "")
        try:
            past.import_results(
                house().database, club.id, me.id, chosen, text,
                rated="rated" in request.form, now=visit.now(),
            )  # fmt: skip
        except BadLines as wrong:
            bad.extend(wrong.complaints)
            raise
        return on(f"/clubs/{slug}", "imported")

    return attempt(act, lambda why, status: _import(slug, why, status, bad))
