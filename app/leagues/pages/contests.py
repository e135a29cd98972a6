"""Ladders and brackets: challenges and their answers, deciding games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response, request

from app.base.links import BadLink
from app.base.refusals import NotAccepted
from app.leagues import brackets, ladder
from app.leagues.pages.common import attempt, event_for, named, number, on
from app.leagues.pages.events import blueprint, event_again
from app.leagues.pages.manage import manage
from app.web import visit
from app.web.reader import house
from engine.kernel.text import Text

if TYPE_CHECKING:
    from app.leagues.ladder import Challenge, LadderNow

# -- brackets -----------------------------------------------------------------------------------------


@blueprint.post("/events/<number:event_id>/rounds/<number:round_id>/extra")
def extra(event_id: int, round_id: int) -> Response:
    """Start deciding games for the drawn matches of a round."""
    me = visit.need_person()
    with house().database.read() as session:
        event_for(session, event_id, "deputy")

    def act() -> Response:
        brackets.add_extra(house().database, round_id, me.id, now=visit.now())
        return on(f"/events/{event_id}/rounds/{round_id}", "extra")

    return attempt(act, lambda why, status: manage(event_id, why, status))


# -- ladders ------------------------------------------------------------------------------------------


@blueprint.post("/events/<number:event_id>/challenge")
def challenge(event_id: int) -> Response:
    """Challenge somebody on the ladder."""
    me = visit.need_person()
    with house().database.read() as session:
        event_for(session, event_id, None)

    def act() -> Response:
        ladder.challenge(house().database, event_id, me.id, number("entry"), now=visit.now())
        return on(f"/events/{event_id}", "challenged")

    return attempt(act, lambda why, status: event_again(event_id, why, status))


@blueprint.post("/events/<number:event_id>/challenges/answer")
def answer(event_id: int) -> Response:
    """Accept or decline a challenge on the page of the event, or take the own one back."""
    me = visit.need_person()

    def act() -> Response:
        return _answer(event_id, number("round"), request.form.get("made", ""), me.id)

    return attempt(act, lambda why, status: event_again(event_id, why, status))


def _answer(event_id: int, round_id: int, made: str, player_id: int) -> Response:
    given = request.form.get("answer")
    if given not in ("accept", "decline"):
        raise NotAccepted("ladder.answer", Text("Accept or decline the challenge."))
    accepts = given == "accept"
    game = ladder.answer(house().database, round_id, made, player_id, accepts=accepts, now=visit.now())
    return on(f"/events/{event_id}", "challenge-accepted" if game else "challenge-declined")


@blueprint.get("/challenge/<token>")
def challenge_page(token: str) -> Response:
    """The challenge that a mail tells of, and two buttons."""
    return _challenge(token)


def _read(token: str) -> tuple[int, str, int] | None:
    try:
        payload = house().links.read("challenge", token)
    except BadLink:
        return None
    return (payload[0], payload[1], payload[2]) if len(payload) == 3 else None


def _gone() -> Response:
    voice = visit.voice()
    text = voice.gettext("This challenge does not wait for an answer any more.")
    return visit.message(410, voice.gettext("This link has ended"), text)


def _unknown() -> Response:
    voice = visit.voice()
    text = voice.gettext("This link is not complete or was not made here. Open it from the mail once more.")
    return visit.message(404, voice.gettext("Link not known"), text)


def _found(token: str) -> tuple[LadderNow, Challenge, int] | None:
    read = _read(token)
    if read is None:
        return None
    with house().database.read() as session:
        visit.person(session)
        found = ladder.waiting(session, read[0], read[1], visit.now())
    return None if found is None else (*found, read[2])


def _challenge(token: str, error: str = "", status: int = 200) -> Response:
    if _read(token) is None:
        return _unknown()
    found = _found(token)
    if found is None:
        return _gone()
    there, one, _ = found
    voice = visit.voice()
    names = {entry: named(voice, person.name) for entry, person in there.people.items()}
    return visit.show(
        "leagues/challenge.html", status, voice=voice, event=there.event, error=error, link=token,
        challenger=names[one.challenger], opponent=names[one.opponent], until=one.answer_by,
        places=(there.ladder.place(one.challenger), there.ladder.place(one.opponent)),
        title=voice.gettext(there.event.title.name),
    )  # fmt: skip


@blueprint.post("/challenge/<token>")
def answer_by_link(token: str) -> Response:
    """Answer by the link of the mail; nobody need be signed in."""
    read = _read(token)
    if read is None:
        return _unknown()
    found = _found(token)
    if found is None:
        return _gone()
    there, _, player_id = found

    def act() -> Response:
        return _answer(there.event.id, read[0], read[1], player_id)

    return attempt(act, lambda why, status: _challenge(token, why, status), by_link=True)
