"""The link by which a reserve accepts or declines a seat: looking shows, a button acts."""

from __future__ import annotations

from flask import Response, request
from sqlmodel import col, select

from app.base.links import BadLink
from app.base.refusals import NotAccepted
from app.base.speech import Voice
from app.leagues import events, handover, reserves
from app.leagues.pages.common import named
from app.leagues.pages.desk import blueprint
from app.leagues.reserves import CallEnded
from app.leagues.tables import Entry
from app.people.tables import Player
from app.web import visit
from app.web.reader import house
from engine.kernel.text import Text


def _call_of(token: str) -> tuple[int, int]:
    payload = house().links.read("reserve", token)
    if len(payload) != 2 or not all(isinstance(part, int) for part in payload):
        raise BadLink("reserve")
    return payload[0], payload[1]


@blueprint.get("/reserve/<token>")
def look(token: str) -> Response:
    """What would be taken over, and two buttons."""
    return _look(token)


def _look(token: str, error: str = "", status: int = 200) -> Response:
    try:
        call_id, player_id = _call_of(token)
        with house().database.read() as session:
            call = reserves.find(session, call_id, player_id)
            event = events.get(session, call.event_id)
            games = handover.running_games(session, event.id, call.leaver_id)
            others = handover.opponents(session, event.id, call.leaver_id)
            people = {
                row.id: row for row in session.exec(select(Player).where(col(Player.id).in_([player_id, *others])))
            }
            leaver = session.scalar(
                select(col(Player.name))
                .join(Entry, col(Entry.player_id) == col(Player.id))
                .where(col(Entry.id) == call.leaver_id)
            )
    except BadLink:
        return _unknown()
    except CallEnded as ended:
        return _ended(ended)
    voice = Voice(people[player_id].language, people[player_id].zone, event.title)
    return visit.show(
        "leagues/reserves/call.html", status, voice=voice, link=token, event=event, call=call, error=error,
        games=games, leaver=named(voice, leaver or ""), others=[named(voice, people[one].name) for one in others],
        over=visit.now() > call.answer_by,
    )  # fmt: skip


@blueprint.post("/reserve/<token>")
def answer(token: str) -> Response:
    """Accept or decline, without a login: the link is the right to do so."""
    try:
        call_id, player_id = _call_of(token)
    except BadLink:
        return _unknown()

    def act() -> Response:
        given, voice = request.form.get("answer"), visit.voice()
        if given not in ("accept", "decline"):
            raise NotAccepted("answer.which", Text("Choose whether you accept or decline."))
        taken = reserves.answer(house().database, call_id, player_id, accepts=given == "accept", now=visit.now())
        if given == "decline":
            text = voice.gettext("Somebody else is asked. You stay on the list of reserves.")
            return visit.message(200, voice.gettext("Declined"), text)
        text = voice.ngettext(
            "You play on in {n} game. Where it is your move, a mail with the link is on its way.",
            "You play on in {n} games. Where it is your move, a mail with the link is on its way.",
            len(taken),
        ).format(n=len(taken))
        return visit.message(200, voice.gettext("The seat is yours"), text)

    try:
        return visit.attempt(act, lambda why, status: _look(token, why, status), by_link=True)
    except CallEnded as ended:
        return _ended(ended)


def _ended(ended: CallEnded) -> Response:
    voice = visit.voice()
    words = {
        "accepted": voice.gettext("You have accepted already, and the seat is yours."),
        "declined": voice.gettext("You have declined already."),
        "expired": voice.gettext("The time to answer is over, and somebody else is asked."),
        "withdrawn": voice.gettext("The organisers do not need a reserve for this seat any more."),
    }
    text = words.get(ended.status, voice.gettext("There is nothing to answer any more."))
    return visit.message(410, voice.gettext("This link has ended"), text)


def _unknown() -> Response:
    voice = visit.voice()
    text = voice.gettext("This link is not complete or was not made here. Open it from the mail once more.")
    return visit.message(404, voice.gettext("Link not known"), text)
