"""All rounds of a round robin at once: a preview of the games and mails, and the button that begins them."""

from __future__ import annotations

from typing import Any

from flask import Response

from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.leagues.events.term_words import BYE_NAMES
from app.leagues.pages.common import acting_in, moment_of, read_moment, reading
from app.leagues.pages.events.public import blueprint
from app.leagues.pages.rounds.review import EndForm
from app.leagues.pure.why import sentence
from app.leagues.rounds import all_rounds
from app.leagues.rounds.all_rounds import RoundsAhead
from app.leagues.tables import Role
from app.web import visit
from app.web.forms import Typed, answers, on_to

PATH = "/events/<number:event_id>/all-rounds"


class AllRoundsForm(EndForm):
    """The previewed rounds, and when they end, in the zone of the club."""

    seen: Typed = ""


@blueprint.get(PATH)
def all_rounds_page(event_id: int) -> Response:
    """Show all games that would begin, round by round, and the mails that would be sent. Changes nothing."""
    voice, ahead, wrong = visit.voice(), None, None
    with reading(event_id, Role.DEPUTY) as (session, event, club, _):
        try:
            ahead = all_rounds.foresee(session, event, visit.now())
        except NotAccepted as no:
            wrong = no
    ends = moment_of(ahead.ends, club.zone) if ahead else ""
    return visit.show(
        "leagues/rounds/all_rounds.html",
        event=event,
        club=club,
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
                "part": division.name if len(ahead.parts) > 1 else "",
                "number": round.number,
                "games": [tuple(who[seat] for seat in pair.seats) for pair in round.pairings],
                "byes": [(who[bye.entrant], kinds[bye.kind]) for bye in round.byes],
                "warnings": [voice.say(sentence(reason, who)) for reason in round.warnings],
            }
            for division, rounds in ahead.parts
            for round in rounds
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
        all_rounds.begin(acting, seen=form.seen, until=until)
    return on_to(".manage_page", "rounds-begun", event_id=event_id)
