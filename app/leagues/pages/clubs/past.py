"""Importing earlier results from a list."""

from __future__ import annotations

from flask import Response

from app.leagues.pages.clubs.clubs import blueprint, club_for, find_club
from app.leagues.pages.clubs.members import ListForm, bad_lines
from app.leagues.seasons import past_results
from app.leagues.tables import Role
from app.lobby.pages.open_games import titles
from app.web import visit
from app.web.forms import Field, Tick, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.text import N_


class ResultsForm(ListForm):
    """Results of a title."""

    title: Typed = Field("", title=N_("Game"))
    rated: Tick = Field(title=N_("These games count for ratings"))


@blueprint.get("/clubs/<slug>/import")
def import_page(slug: str) -> Response:
    """What the list should look like, and the form."""
    visit.need_person()
    with server().database.read() as session:
        club, _ = club_for(session, slug, Role.ORGANISER)
    form = ResultsForm.shown()
    return visit.show(
        "leagues/clubs/import.html",
        club=club,
        form=form,
        text=ResultsForm.again(),
        titles=titles(),
        bad=bad_lines(),
        columns=past_results.COLUMNS,
    )


@blueprint.post("/clubs/<slug>/import")
@answers(ResultsForm, again=import_page)
def import_results(form: ResultsForm, slug: str) -> Response:
    """Import the results: all or nothing, and bad lines are named."""
    me, club = visit.need_person(), find_club(slug)
    text, now = form.text(), visit.now()
    past_results.import_results(server().database, club.id, me.id, form.title, text, rated=form.rated, now=now)
    return on_to(".club_page", "imported", slug=slug)
