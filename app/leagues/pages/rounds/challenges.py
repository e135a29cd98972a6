"""Ladders: challenges and their answers."""

from __future__ import annotations

from flask import Response

from app.base.links import BadLink
from app.base.words.refusals import LinkExpired
from app.leagues.pages.common import AnswerForm, PressForm, acting_in
from app.leagues.pages.events.public import blueprint, event_page
from app.leagues.rounds import ladder
from app.leagues.rounds.ladder import Challenge, CompetitionLadder
from app.web import visit
from app.web.forms import Form, Id, Typed, answers, on_to
from app.web.gates.csrf import by_link
from app.web.reader import server
from engine.kernel.text import Text


class ChallengeForm(Form):
    """The player to challenge."""

    entry: Id


class ChallengeAnswerForm(AnswerForm):
    """A challenge by its number and the stamp of its creation, and the answer."""

    round: Id
    made: Typed


@blueprint.post("/events/<number:event_id>/challenge")
@answers(ChallengeForm, again=event_page)
def challenge(form: ChallengeForm, event_id: int) -> Response:
    """Challenge a player on the ladder."""
    with acting_in(event_id, None) as acting:
        ladder.challenge(acting, form.entry)
    return on_to(".event_page", "challenged", event_id=event_id)


@blueprint.post("/events/<number:event_id>/challenges/answer")
@answers(ChallengeAnswerForm, again=event_page)
def answer(form: ChallengeAnswerForm, event_id: int) -> Response:
    """Accept or decline a challenge on the page of the event, or withdraw your own."""
    return _answer(event_id, form.round, form.made, visit.need_person().id, accepts=form.answer == "accept")


def _answer(event_id: int, round_id: int, made: str, player_id: int, *, accepts: bool) -> Response:
    game = ladder.answer(server().database, round_id, made, player_id, accepts=accepts, now=visit.now())
    return on_to(".event_page", "challenge-accepted" if game else "challenge-declined", event_id=event_id)


def _asked(token: str) -> tuple[CompetitionLadder, Challenge, int]:
    """Return the waiting challenge a link is about, and who answers it."""
    payload = server().links.read("challenge", token)
    if len(payload) != 3:
        raise BadLink("challenge")
    round_id, made, player_id = payload
    visit.follow(player_id)
    with server().database.read() as session:
        visit.person(session)
        found = ladder.waiting(session, round_id, made, visit.now())
    if found is None:
        raise LinkExpired("ladder.answered", Text("This does not wait for your answer any more."))
    return (*found, player_id)


@blueprint.get("/challenge/<token>")
def challenge_page(token: str) -> Response:
    """Show the challenge that a mail announces, with two buttons."""
    there, one, _ = _asked(token)
    return visit.show(
        "leagues/rounds/challenge.html",
        event=there.event,
        link=token,
        challenger=visit.voice().person(there.people[one.challenger].name),
        opponent=visit.voice().person(there.people[one.opponent].name),
        until=one.answer_by,
        places=(there.ladder.place(one.challenger), there.ladder.place(one.opponent)),
    )


@blueprint.post("/challenge/<token>")
@by_link
@answers(PressForm, again=challenge_page)
def answer_by_link(form: PressForm, token: str) -> Response:
    """Answer by the link of the mail, without signing in."""
    if form.answer == "later":
        return on_to(".challenge_page", token=token)
    there, one, player_id = _asked(token)
    return _answer(there.event.id, one.round.id, one.made, player_id, accepts=form.answer == "accept")
