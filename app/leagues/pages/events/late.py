"""A late entry: the player and the division, a preview of the changes, and the button."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.leagues.changes import late
from app.leagues.changes.late import LateArrival
from app.leagues.clubs.acting import ActRequest
from app.leagues.desk.act_changes import ENTRANT_STATUSES
from app.leagues.pages.common import ChosenId, ReasonForm, once, reader_of, reading
from app.leagues.pages.events.public import blueprint
from app.leagues.tables import Competition, Role
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
        coming=_shown(coming, event, voice) if coming else None,
        states={name: words for name, words in ENTRANT_STATUSES.items() if name != "entered"},
        **({"error": voice.say(wrong.why)} if wrong else {}),
    )


def _shown(coming: LateArrival, event: Competition, voice: Voice) -> dict[str, Any]:
    about = voice.about(event.title)
    sides = [about.name("seat", seat) for seat in event.title.seats[:2]]
    games = {one.round: (voice.person(one.opponent), sides[one.place]) for one in coming.games}
    return {
        "now": coming,
        "name": voice.person(coming.name),
        "later": [(one, games.get(one.number)) for one in coming.later],
        "told": [voice.person(name) for _, name, _ in coming.told],
        "others": [f"{name}\N{NO-BREAK SPACE}{count}" for name, count in coming.others],
        "fixtures": [
            (" – ".join(map(voice.person, game.names)), game.stays)
            for game in (coming.next.games if coming.next else ())
        ],
    }


@blueprint.post(PATH)
@answers(LateForm, again=late_page)
def take_in(form: LateForm, event_id: int) -> Response:
    """Enter the player, as previewed."""
    asked, seen = ActRequest(reader_of(event_id), form.reason, form.once), form.seen
    late.take_in(server().database, event_id, form.division, form.player, asked, seen=seen, now=visit.now())
    return on_to(".manage_page", "entry-late", event_id=event_id)
