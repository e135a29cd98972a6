"""Ladders and brackets: what the page of an event shows of them, challenges and their answers, deciding games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Response, request

from app.leagues.standings import said_value
from app.leagues.why import sentence
from app.links import BadLink
from app.services.leagues import brackets, ladder, reached
from app.services.people import NotAccepted
from app.web import session
from app.web.leagues.common import attempt, event_for, named, number, on, withdrawn_in_words
from app.web.leagues.events import blueprint
from app.web.reader import house
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.services.leagues.events import EventNow
    from app.services.leagues.ladder import Challenge, LadderNow
    from app.speech import Voice

NEWEST = 12
"""Changes of the order that are listed."""


def contests(connection: Connection, event: EventNow, voice: Voice, own: int | None) -> dict[str, Any]:
    """The ladder and the brackets of an event for its page; `own` is the reader's entry."""
    if event.format == "ladder":
        there = None if event.started_at is None else ladder.read(connection, event, session.now())
        return {"ladder": there and _ladder(there, voice, own), "orders": []}
    return {"ladder": None, "orders": reached_shown(connection, event, voice, own)}


def reached_shown(
    connection: Connection, event: EventNow, voice: Voice, own: int | None = None
) -> list[dict[str, Any]]:
    """The order of a ladder, or of each bracket with its matches, without anything that can be pressed."""
    by_round = event.format == "knockout"  # finals count their rounds anew
    return [
        {
            "id": one.division.id, "name": one.division.name,
            "lines": [
                {
                    "place": line.place, "name": named(voice, line.name), "own": line.entry == own,
                    "withdrawn": withdrawn_in_words(voice, line.withdrawn_after, by_round=by_round),
                }
                for line in one.lines
            ],
            "bracket": None
            if one.bracket is None
            else _bracket(one.bracket, {line.entry: named(voice, line.name) for line in one.lines}, voice),
        }
        for one in reached.tables(connection, event, session.now())
    ]  # fmt: skip


# -- brackets -----------------------------------------------------------------------------------------


def _bracket(drawn: Any, who: dict[int, str], voice: Voice) -> list[dict[str, Any]]:
    rounds = brackets.slots(drawn)
    return [
        {"name": _stage(len(rounds) - at, voice), "slots": [_slot(slot, who, voice) for slot in row]}
        for at, row in enumerate(rounds)
    ]


def _stage(left: int, voice: Voice) -> str:
    """The name of a round with so many rounds to go, itself included."""
    if left == 1:
        return voice.gettext("Final")
    if left == 2:
        return voice.gettext("Semi-finals")
    return voice.gettext("Round of {n}", n=2**left)


def _slot(slot: brackets.Slot, who: dict[int, str], voice: Voice) -> dict[str, Any]:
    sides = []
    for at, player in enumerate(slot.players):
        if player is None:
            source = slot.sources[at]
            words = {
                "seed": voice.gettext("no opponent"), "winner": voice.gettext("winner of match {n}", n=source),
                "loser": voice.gettext("loser of match {n}", n=source),
            }  # fmt: skip
            sides.append({"name": words[slot.source], "open": True, "won": False, "points": ""})
            continue
        points = sum((game.points[game.seats.index(player)] for game in slot.games), start=0)
        sides.append(
            {
                "name": who[player], "open": False, "won": slot.is_over and slot.winner == player,
                "points": said_value("points", points) if slot.games else "",
            }
        )  # fmt: skip
    return {
        "number": slot.number, "sides": sides, "third": slot.source == "loser",
        "why": voice.say(sentence(slot.why, who)) if slot.why is not None else "",
    }  # fmt: skip


@blueprint.post("/events/<number:event_id>/rounds/<number:round_id>/extra")
def extra(event_id: int, round_id: int) -> Response:
    """Start deciding games for the drawn matches of a round."""
    from app.web.leagues.manage import manage

    me = session.need_person()
    with house().database.read() as connection:
        event_for(connection, event_id, "deputy")

    def act() -> Response:
        brackets.add_extra(house().database, round_id, me.id, now=session.now())
        return on(f"/events/{event_id}/rounds/{round_id}", "extra")

    return attempt(act, lambda why, status: manage(event_id, why, status))


# -- ladders ------------------------------------------------------------------------------------------


def _ladder(there: LadderNow, voice: Voice, own: int | None) -> dict[str, Any]:
    who = {entry: named(voice, one.name) for entry, one in there.people.items()}
    plays = own in there.ladder.order and there.event.status == "running"
    lines = []
    for place, entry in enumerate(there.ladder.order, 1):
        asked = plays and own is not None and entry != own
        why_not = there.why_not(own, entry) if asked and own is not None else None
        below = asked and own is not None and there.ladder.place(own) < place  # the heading says it once for all
        lines.append(
            {
                "place": place, "entry": entry, "name": who[entry], "player": there.people[entry].player_id,
                "own": entry == own, "may": plays and entry != own and why_not is None,
                "why_not": "" if why_not is None or below else voice.say(why_not),
            }
        )  # fmt: skip
    challenges = [
        {
            "round": one.round_id, "made": ladder.stamp(one.made_at), "challenger": who[one.challenger],
            "opponent": who[one.opponent], "game": one.game_id, "until": one.answer_by,
            "waits": one.status == "draft", "mine": one.opponent == own, "own": one.challenger == own,
        }
        for one in there.challenges
    ]  # fmt: skip
    changes = [
        (change.challenge.ended_at, change.challenge.game_id, voice.say(sentence(change.why, who)))
        for change in there.changes[:NEWEST]
    ]
    return {
        "lines": lines, "challenges": sorted(challenges, key=lambda one: not one["mine"]), "changes": changes,
        "terms": there.terms,
    }  # fmt: skip


@blueprint.post("/events/<number:event_id>/challenge")
def challenge(event_id: int) -> Response:
    """Challenge somebody on the ladder."""
    from app.web.leagues.events import event_again

    me = session.need_person()
    with house().database.read() as connection:
        event_for(connection, event_id, None)

    def act() -> Response:
        ladder.challenge(house().database, event_id, me.id, number("entry"), now=session.now())
        return on(f"/events/{event_id}", "challenged")

    return attempt(act, lambda why, status: event_again(event_id, why, status))


@blueprint.post("/events/<number:event_id>/challenges/answer")
def answer(event_id: int) -> Response:
    """Accept or decline a challenge on the page of the event, or take the own one back."""
    from app.web.leagues.events import event_again

    me = session.need_person()

    def act() -> Response:
        return _answer(event_id, number("round"), request.form.get("made", ""), me.id)

    return attempt(act, lambda why, status: event_again(event_id, why, status))


def _answer(event_id: int, round_id: int, made: str, player_id: int) -> Response:
    given = request.form.get("answer")
    if given not in ("accept", "decline"):
        raise NotAccepted("ladder.answer", Text("Accept or decline the challenge."))
    accepts = given == "accept"
    game = ladder.answer(house().database, round_id, made, player_id, accepts=accepts, now=session.now())
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
    voice = session.voice()
    text = voice.gettext("This challenge does not wait for an answer any more.")
    return session.message(410, voice.gettext("This link has ended"), text)


def _unknown() -> Response:
    voice = session.voice()
    text = voice.gettext("This link is not complete or was not made here. Open it from the mail once more.")
    return session.message(404, voice.gettext("Link not known"), text)


def _found(token: str) -> tuple[LadderNow, Challenge, int] | None:
    read = _read(token)
    if read is None:
        return None
    with house().database.read() as connection:
        session.person(connection)
        found = ladder.waiting(connection, read[0], read[1], session.now())
    return None if found is None else (*found, read[2])


def _challenge(token: str, error: str = "", status: int = 200) -> Response:
    if _read(token) is None:
        return _unknown()
    found = _found(token)
    if found is None:
        return _gone()
    there, one, _ = found
    voice = session.voice()
    names = {entry: named(voice, person.name) for entry, person in there.people.items()}
    return session.show(
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
