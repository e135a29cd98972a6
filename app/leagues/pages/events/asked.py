"""The page behind the button of a mail that asks something about an event: one press answers, and nobody signs in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from flask import Response, request, url_for
from sqlmodel import Session

from app.base.links import BadLink
from app.base.words.speech import Voice
from app.games.work import Work
from app.leagues.clubs import club_rights
from app.leagues.desk import questions
from app.leagues.events import entries, lifecycle
from app.leagues.mails import autopilots
from app.leagues.pages.common import NO_ANSWER, thanked
from app.leagues.pages.events.public import AnswersForm, about, blueprint
from app.leagues.seasons import again
from app.leagues.tables import STILL_IN, Competition, Role
from app.web import visit
from app.web.forms import answers, on_to
from app.web.gates.csrf import by_link
from app.web.reader import server
from engine.kernel.text import N_


class YesOrNoForm(AnswersForm):
    """One of the buttons."""

    answer: Annotated[Literal["yes", "no", "later"], NO_ANSWER]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: a heading, lines that say more, and the words of both buttons."""

    heading: str
    lines: list[str]
    yes: str
    no: str


def _sign_up(session: Session, event: Competition, player_id: int, voice: Voice) -> Question:
    facts = about(session, event, voice)
    lines = [facts["title"], facts["format"], voice.gettext("Pace: %(pace)s") % {"pace": facts["pace"]}]
    if event.sign_up_until is not None:
        lines.append(voice.gettext("Sign-up until %(moment)s.") % {"moment": voice.moment(event.sign_up_until)})
    if facts["lasts"]:
        lines.append(facts["lasts"])
    mine = entries.entrant_of(session, event.id, player_id)
    if mine is not None and mine.status in STILL_IN:
        lines.append(voice.gettext("You are signed up."))
    heading = voice.gettext("Do you play in {event}?", event=event.name)
    return Question(heading, lines, voice.gettext("I play"), voice.gettext("Not this time"))


def _draft(session: Session, event: Competition, player_id: int, voice: Voice) -> Question:
    club_rights.judge(club_rights.role_in(session, event, player_id), Role.DEPUTY)
    heading = voice.gettext("{event}: what is published next", event=event.name)
    lines = []
    for draft in autopilots.drafts_in_words(session, event, voice, visit.now()):
        lines += [draft["head"], *draft["pairs"]]
        if draft["silent"]:
            lines.append(voice.gettext("Silent: %(names)s") % {"names": voice.join(draft["silent"])})
    return Question(heading, lines, voice.gettext("Let it go out"), voice.gettext("Hold it"))


def _again(session: Session, event: Competition, player_id: int, voice: Voice) -> Question:
    heading = voice.gettext("{event} is over. Do you play again?", event=event.name)
    said = again.answers(session, event.id).get(player_id)
    answered = voice.gettext(N_("yes")) if said else voice.gettext(N_("no"))
    lines = [] if said is None else [voice.gettext("You have answered: {answer}.", answer=answered)]
    return Question(heading, lines, voice.gettext("I play again"), voice.gettext("Not next season"))


ASKED = {questions.SIGN_UP: _sign_up, questions.ENTERED: _sign_up, questions.DRAFT: _draft, questions.OVER: _again}


def _of_link(kind: str, token: str) -> tuple[int, int]:
    if kind not in ASKED:
        raise BadLink(kind)
    return visit.asked(kind, token)


@blueprint.get("/asked/<kind>/<token>")
def asked_page(kind: str, token: str) -> Response:
    """Show the question with two buttons; `answer=no` has the other one first. Changes nothing."""
    event_id, player_id = _of_link(kind, token)
    voice = visit.voice()
    with server().database.read() as session:
        event = lifecycle.get(session, event_id)
        club = club_rights.get(session, event.club_id)
        question = ASKED[kind](session, event, player_id, voice.about(event.title))
    return visit.show(
        "leagues/events/asked.html",
        link=url_for(".answer_asked", kind=kind, token=token),
        event=event,
        club=club,
        question=question,
        given_answers=YesOrNoForm.shown() if kind == questions.SIGN_UP else None,
        says_no=request.args.get("answer") == "no",
    )


@blueprint.post("/asked/<kind>/<token>")
@by_link
@answers(YesOrNoForm, again=asked_page)
def answer_asked(form: YesOrNoForm, kind: str, token: str) -> Response:
    """Answer: the link is the right to do so."""
    event_id, player_id = _of_link(kind, token)
    if form.answer == "later":
        return on_to(".event_page", event_id=event_id)
    with Work(server().database) as work:
        result = questions.OF_EVENTS[kind](work, event_id, player_id, form.answer == "yes", visit.now())
        if kind == questions.SIGN_UP and form.answer == "yes":
            entries.note_answers(work.session, lifecycle.get(work.session, event_id), player_id, vars(form))
    return thanked(visit.voice().say(result.said), result.page)
