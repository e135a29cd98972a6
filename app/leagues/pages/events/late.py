"""A late entry: the player and the division, a preview of the changes, and the button."""

from __future__ import annotations

from flask import Response, request

from app.base.words.refusals import NotAccepted
from app.leagues.changes import late
from app.leagues.clubs.acting import ActRequest
from app.leagues.desk.act_changes import ENTRANT_STATUSES
from app.leagues.pages.common import ChosenId, ReasonForm, once, reader_of, reading
from app.leagues.pages.events.public import blueprint
from app.leagues.tables import Role
from app.web import visit
from app.web.forms import Form, Id, Typed, answers, on_to
from app.web.reader import server

PATH = "/events/<number:event_id>/late"


class ComingForm(Form):
    """The player and the division."""

    player: ChosenId = None
    division: ChosenId = None


class LateForm(ReasonForm):
    """The previewed entry, with a reason."""

    player: Id
    division: Id
    seen: Typed = ""
    once: Typed = ""


@blueprint.get(PATH)
def late_page(event_id: int) -> Response:
    """Show the choice of player and division; once both are made, what would change. Changes nothing."""
    voice, chosen = visit.voice(), ComingForm.of(request.values)
    coming, wrong = None, None
    with reading(event_id, Role.DEPUTY) as (session, event, club, _):
        people = late.candidates(session, event)
        against = {one.id: late.why_not(session, event, one) for one in event.divisions}
        if chosen.player:
            try:
                division = late.find_division(event, chosen.division or 0)
                coming = late.foresee(session, event, division, chosen.player)
            except NotAccepted as no:
                wrong = None if visit.refused() else no
    is_open = [division for division in event.divisions if against[division.id] is None]
    return visit.show(
        "leagues/events/late.html",
        422 if wrong else 200,
        event=event,
        club=club,
        people=people,
        why_not="" if is_open else voice.say(against[event.divisions[-1].id]),
        divisions=is_open,
        player=chosen.player,
        division=chosen.division or event.divisions[-1].id,
        form=LateForm.shown(),
        once=once(),
        coming=coming,
        who=voice.person(coming.name) if coming else "",
        mailed=[voice.person(name) for _, name, _ in coming.told] if coming else [],
        states={name: words for name, words in ENTRANT_STATUSES.items() if name != "entered"},
        **({"error": voice.say(wrong.why)} if wrong else {}),
    )


@blueprint.post(PATH)
@answers(LateForm, again=late_page)
def take_in(form: LateForm, event_id: int) -> Response:
    """Enter the player, as previewed."""
    asked, seen = ActRequest(reader_of(event_id), form.reason, form.once), form.seen
    late.take_in(server().database, event_id, form.division, form.player, asked, seen=seen, now=visit.now())
    return on_to(".manage_page", "entry-late", event_id=event_id)
