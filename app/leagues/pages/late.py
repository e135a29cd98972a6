"""Somebody comes into a round robin late: who and where, what it would change, and the button that does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Response, request

from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.leagues import clubs, late
from app.leagues.pages.common import attempt, event_for, named, number, on, typed
from app.leagues.pages.desk import once
from app.leagues.pages.events import blueprint
from app.leagues.tables import Event
from app.web import visit
from app.web.reader import house

if TYPE_CHECKING:
    from app.base.speech import Voice
    from app.leagues.late import Coming

PATH = "/events/<number:event_id>/late"


@blueprint.get(PATH)
def late_page(event_id: int) -> Response:
    """Whom and where; once both are chosen, what would change. Changes nothing."""
    visit.need_person()
    return _late(event_id)


def _chosen(name: str) -> int:
    return whole(request.values.get(name, "")) or 0


def _late(event_id: int, error: str = "", status: int = 200) -> Response:
    voice = visit.voice()
    player_id, division_id = _chosen("player"), _chosen("division")
    coming = None
    with house().database.read() as session:
        event, _ = event_for(session, event_id, "deputy")
        club = clubs.get(session, event.club_id)
        people = late.candidates(session, event)
        against = {one.id: late.why_not(session, event, one) for one in event.divisions}
        if player_id:
            try:
                division = late.find_division(event, division_id)
                coming = late.foresee(session, event, division, player_id)
            except NotAccepted as no:
                if not error:
                    error, status = voice.say(no.why), 422
    is_open = [division for division in event.divisions if against[division.id] is None]
    why_not = "" if is_open else voice.say(against[event.divisions[-1].id])
    return visit.show(
        "leagues/late.html", status, voice=voice, event=event, club=club, error=error, people=people, why_not=why_not,
        divisions=is_open, player=player_id, division=division_id or event.divisions[-1].id, reason=typed("reason"),
        once=once(), coming=_shown(coming, event, voice) if coming else None, who=lambda name: named(voice, name),
        states={"": "", "reserve": voice.gettext("in reserve"), "withdrawn": voice.gettext("withdrawn"),
                "removed": voice.gettext("taken out")},
    )  # fmt: skip


def _shown(coming: Coming, event: Event, voice: Voice) -> dict[str, Any]:
    about = voice.about(event.title)
    sides = [about.name("seat", seat) for seat in event.title.seats[:2]]
    games = {one.round: (named(voice, one.opponent), sides[one.place]) for one in coming.games}
    return {
        "name": named(voice, coming.name), "division": coming.division, "stay": coming.stay, "draft": coming.draft,
        "before": coming.before, "after": coming.after, "more": coming.after - coming.before, "starts": coming.starts,
        "later": [(one, games.get(one.number)) for one in coming.later], "games": len(coming.games),
        "lead": max(coming.leads), "told": [named(voice, name) for _, name, _ in coming.told], "seen": coming.seen,
    }  # fmt: skip


@blueprint.post(PATH)
def take_in(event_id: int) -> Response:
    """Take somebody in, as the preview said."""
    me = visit.need_person()
    with house().database.read() as session:
        event_for(session, event_id, "deputy")

    def act() -> Response:
        form = request.form
        late.take_in(
            house().database, event_id, number("division"), number("player"), me.id,
            reason=form.get("reason", ""), token=form.get("once", ""), seen=form.get("seen", ""), now=visit.now(),
        )  # fmt: skip
        return on(f"/events/{event_id}/manage", "entry-late")

    return attempt(act, lambda why, status: _late(event_id, why, status))
