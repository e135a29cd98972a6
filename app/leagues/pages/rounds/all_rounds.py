"""All rounds of a round robin at once: a preview of the games and mails, and the button that begins them."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.leagues.changes import late
from app.leagues.events.term_words import BYE_NAMES
from app.leagues.pages.common import ChosenId, acting_in, moment_of, read_moment, reading
from app.leagues.pages.events.public import blueprint
from app.leagues.pages.rounds.review import EndForm
from app.leagues.pure.why import sentence
from app.leagues.rounds import all_rounds
from app.leagues.rounds.all_rounds import RoundsAhead
from app.leagues.tables import Role
from app.web import visit
from app.web.forms import Form, Id, Typed, answers, on_to

PATH = "/events/<number:event_id>/all-rounds"


class DivisionForm(Form):
    """The division."""

    division: ChosenId = None


class AllRoundsForm(EndForm):
    """The previewed rounds, and when they end, in the zone of the club."""

    division: Id
    seen: Typed = ""


@blueprint.get(PATH)
def all_rounds_page(event_id: int) -> Response:
    """Show all games that would begin, round by round, and the mails that would be sent. Changes nothing."""
    voice, chosen, now = visit.voice(), DivisionForm.of(request.values), visit.now()
    ahead, wrong = None, None
    with reading(event_id, Role.DEPUTY) as (session, event, club, _):
        division = late.find_division(event, chosen.division or event.divisions[0].id)
        try:
            ahead = all_rounds.foresee(session, event, division, now)
        except NotAccepted as no:
            wrong = no
    ends = moment_of(ahead.ends, club.zone) if ahead else ""
    return visit.show(
        "leagues/rounds/all_rounds.html",
        event=event,
        club=club,
        division=division,
        against=voice.say(wrong.why) if wrong else "",
        ahead=_shown(ahead, voice) if ahead else None,
        form=AllRoundsForm.shown(until=ends),
        offered=ends,
        club_zone=club.zone,
    )


def _shown(ahead: RoundsAhead, voice: Voice) -> dict[str, Any]:
    who = {entrant: voice.person(name) for entrant, name in ahead.names.items()}
    kinds = {kind: voice.gettext(name) for kind, name in BYE_NAMES.items()}
    return {
        "rounds": [
            {
                "number": round.number,
                "games": [tuple(who[seat] for seat in pair.seats) for pair in round.pairings],
                "byes": [(who[bye.entrant], kinds[bye.kind]) for bye in round.byes],
                "warnings": [voice.say(sentence(reason, who)) for reason in round.warnings],
            }
            for round in ahead.rounds
        ],
        "now": ahead,
        "mails": sum(one.mail + one.turns for one in ahead.players),
    }


@blueprint.post(PATH)
@answers(AllRoundsForm, again=all_rounds_page)
def begin_all_rounds(form: AllRoundsForm, event_id: int) -> Response:
    """Pair and publish them all."""
    until = None if form.until == form.offered else read_moment(form.until, form.club_zone)
    with acting_in(event_id, Role.DEPUTY) as acting:
        division = late.find_division(acting.event, form.division)
        all_rounds.begin(acting, division, seen=form.seen, until=until)
    return on_to(".manage_page", "rounds-begun", event_id=event_id)
