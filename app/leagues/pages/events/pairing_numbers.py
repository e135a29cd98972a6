"""Pairing numbers before the first round: an order to preview, and a number to type for each player."""

from __future__ import annotations

from flask import Response, request

from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.leagues.pages.common import acting_in, reading
from app.leagues.pages.events.public import blueprint
from app.leagues.rounds import pairing_numbers, seeding
from app.leagues.rounds.seeding import SeedSource
from app.leagues.tables import Role
from app.web import visit
from app.web.forms import Form, Id, Typed, answers, on_to

PATH = "/events/<number:event_id>/numbers"


class NumbersForm(Form):
    """A number for each entrant, as typed."""

    number: dict[Id, Typed]


@blueprint.get(PATH)
def numbers_page(event_id: int) -> Response:
    """The current numbers, or those of another order (`?by=`), to be changed and set. Changes nothing."""
    voice, by, wrong = visit.voice(), request.args.get("by", ""), None
    with reading(event_id, Role.ORGANISER) as (session, event, club, _):
        against = pairing_numbers.why_not(session, event)
        there = [] if against else seeding.sources(session, event)
        try:
            seen = pairing_numbers.propose(session, event, "" if against else by)
        except NotAccepted as no:
            seen, wrong = pairing_numbers.propose(session, event), no
    typed = NumbersForm.shown().number
    return visit.show(
        "leagues/events/numbers.html",
        422 if wrong else 200,
        event=event,
        club=club,
        against=voice.say(against) if against else "",
        sources=[(source.key, called(source, voice)) for source in there],
        by=seen.source.key if seen.source else "",
        is_season=bool(seen.source and seen.source.is_season),
        lines=[
            {
                "entry": entrant,
                "name": voice.person(entrant.name),
                "number": typed.get(str(entrant.id), number),
                "where": (seen.source.where or {}).get(entrant.player_id) if seen.source else None,
                "division": event.division(entrant.division_id).name if len(event.divisions) > 1 else "",
            }
            for number, entrant in enumerate(seen.order, 1)
        ],
        **({"error": voice.say(wrong.why)} if wrong else {}),
    )


def called(source: SeedSource, voice: Voice) -> str:
    """Return a source of an order in words."""
    words = {
        seeding.RATING: voice.gettext("by rating, then by lot"),
        seeding.MEMBERS: voice.gettext("by the last place on the list of members"),
        seeding.BEFORE: voice.gettext("as they were before the last change"),
    }
    return words.get(source.key) or voice.gettext("by the final table of {season}", season=source.name)


@blueprint.post(PATH)
@answers(NumbersForm, again=numbers_page)
def set_numbers(form: NumbersForm, event_id: int) -> Response:
    """Number everybody as it was typed."""
    with acting_in(event_id) as acting:
        order = pairing_numbers.read(pairing_numbers.numbered(acting.session, acting.event), form.number)
        changed = pairing_numbers.put(acting, order)
    return on_to(".manage_page", "numbers-set" if changed else "numbers-same", event_id=event_id)
