"""All rounds of a round robin at once: how many games, until when, and the button that begins them."""

from __future__ import annotations

from flask import Response

from app.base.words.refusals import NotAccepted
from app.leagues.pages.common import acting_in, moment_of, read_moment, reading
from app.leagues.pages.events.public import blueprint
from app.leagues.pages.rounds.review import EndForm
from app.leagues.rounds import all_rounds
from app.leagues.tables import Role
from app.web import visit
from app.web.forms import answers, on_to

PATH = "/events/<number:event_id>/all-rounds"


@blueprint.get(PATH)
def all_rounds_page(event_id: int) -> Response:
    """How many games would begin, and when they end. Changes nothing."""
    voice, wrong, games, ends = visit.voice(), None, 0, None
    with reading(event_id, Role.DEPUTY) as (session, event, club, _):
        try:
            games, ends = all_rounds.foresee(session, event, visit.now())
        except NotAccepted as no:
            wrong = no
    offered = moment_of(ends, club.zone)
    return visit.show(
        "leagues/rounds/all_rounds.html",
        event=event,
        club=club,
        against=voice.say(wrong.why) if wrong else "",
        games=games,
        form=EndForm.shown(until=offered),
        offered=offered,
        club_zone=club.zone,
    )


@blueprint.post(PATH)
@answers(EndForm, again=all_rounds_page)
def begin_all_rounds(form: EndForm, event_id: int) -> Response:
    """Pair and publish them all."""
    until = None if form.until == form.offered else read_moment(form.until, form.club_zone)
    with acting_in(event_id, Role.DEPUTY) as acting:
        all_rounds.begin(acting, until=until)
    return on_to(".manage_page", "rounds-begun", event_id=event_id)
