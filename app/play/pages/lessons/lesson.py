"""A lesson: the pages of a turn, with what to do and why above them. Nobody signs in and nothing is stored: a step is
its number, and a right answer leads to the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from flask import Blueprint, Response, make_response, redirect, request, url_for
from flask_wtf.csrf import generate_csrf
from markupsafe import Markup, escape

from app.base.words.speech import Voice
from app.games.store import GameNow, SeatHolder
from app.games.tables import GameSource, GameStatus
from app.play.pages.lessons.lesson_course import Course, LessonStep, TaughtTurn, course
from app.play.pages.turn import page as turn_page
from app.play.pages.turn.form import Complaint, FilledTurn, complaint_of
from app.play.pages.turn.log import log_in
from app.play.pages.turn.sending import chosen_by, said_lines
from app.play.turn import chat_and_notes, drafts
from app.play.turn.choosing import Choosing, touches_in
from app.play.turn.playing import LineRefused
from app.play.turn.sentences import run_on
from app.play.turn.turns import said_of
from app.time.paces import DEFAULT_PACE
from app.titles.boards import board_svg
from app.titles.contract import AT, KIND, ActionPart
from app.titles.pages import pages_of, parts_of
from app.web import visit
from app.web.forms import answers
from engine.kernel.refusals import Refusal
from engine.kernel.text import N_

blueprint = Blueprint("lesson", __name__)

NAMES = ("Alice", "Bob")
"""The learner and the opponent."""


@dataclass(frozen=True, slots=True)
class LessonPage:
    """What is taught on a page."""

    at: int
    steps: int
    told: str
    """What has just happened, and why; empty while a turn is being composed."""
    does: str
    """What to do: the step in the words in which it is chosen."""
    says: str
    """What it is for."""
    shown: str
    """The address of the same page with everything chosen; empty if the turn is to be sent."""


@blueprint.get("/learn/<title_id>/<number:at>")
def step(title_id: str, at: int) -> Response:
    """Show a step, or the end."""
    taught = _course(title_id)
    if at == len(taught.steps) + 1:
        return _over(taught)
    no = visit.refused()  # a form without its token comes back here
    complaint = Complaint(no.said) if no else None
    return _page(taught, at, touches_in(request.args.getlist("at")), complaint=complaint)


def _course(title_id: str) -> Course:
    return visit.there(course(title_id))


def _here(taught: Course, at: int) -> LessonStep:
    return visit.there(taught.steps[at - 1] if 1 <= at <= len(taught.steps) else None)


# -- showing -----------------------------------------------------------------------------------------


def _game(taught: Course, turn: TaughtTurn, lang: str) -> GameNow:
    """Return the position as a game that is not stored."""
    title, state = taught.title, turn.state
    due = title.decision(state)
    assert due is not None
    seats = tuple(
        SeatHolder(seat, place, name=NAMES[place], language=lang) for place, seat in enumerate(taught.lesson.seats)
    )
    game = GameNow(
        id=0,
        title=title,
        options={},
        status=GameStatus.RUNNING,
        source=GameSource.PLAYED,
        pace=DEFAULT_PACE,
        number=1,
        entries=0,
        chance_used=0,
        decides=due.seat,
        kind=due.kind,
        on_turn=due.on_turn,
        turn=due.turn,
        seats=seats,
        state_text="",
    )
    game.know(state)
    return game


def _page(
    taught: Course,
    at: int,
    touched: tuple[str, ...],
    filled: FilledTurn | None = None,
    complaint: Complaint | None = None,
    status: int = 200,
) -> Response:
    here, seat = _here(taught, at), taught.lesson.seat
    voice = visit.voice().about(taught.title)
    game = _game(taught, here.taught, voice.lang)
    own, others = (said_of(game, events, seat, voice) for events in (here.taught.own, here.taught.others))
    said, touches = _in_words(taught, here, voice.lang)
    told = here.taught.turn.told if not here.drafted else ""
    # The turn before, or its own if it is the first.
    first = LessonStep(taught.steps[max(0, taught.number_of(here, 0) - 2)].taught, 0)
    before, _ = _in_words(taught, first, voice.lang)
    says = here.taught.turn.acts[here.drafted].says if here.asked else SEND
    address = url_for(".step", title_id=taught.title.id, at=at)
    asked_so_far = sum(bool(one.asked) for one in taught.steps[:at])
    in_all = sum(bool(one.asked) for one in taught.steps)
    lesson = LessonPage(
        asked_so_far,
        in_all,
        voice.gettext(told, **before) if told else "",
        said.pop(KIND, Markup(escape(voice.gettext("Seal and send")))),
        voice.gettext(says, **said),
        f"{address}?at={','.join([touch.token for touch in touches])}#board" if touches else "",
    )
    places = {touch.value for touch in touches if touch.role == AT}
    marks = {"csrf_token": generate_csrf(), "draft": "\n".join(here.draft)}
    shown = turn_page.TurnPageContext(
        log_in(voice, own, others, (), places), (), (), chat_and_notes.SeatNotes(), address, marks, lesson
    )
    filled = filled or FilledTurn(draft=here.draft, at=touched)
    return turn_page.drawn(shown, game, seat, voice, filled, visit.now(), turn_page.SentBack(complaint, status))


SEND = N_("Your turn is complete. Look at the draft and send it; what you have not sent you can still undo.")


def _in_words(taught: Course, here: LessonStep, lang: str) -> tuple[dict[str, str], Sequence[ActionPart]]:
    """Return what is asked for as it is called where it is touched: each of its parts by its role, and as `KIND` all of
    it; and everything that has to be touched."""
    if not here.asked:
        return {}, ()
    title, seat = taught.title, taught.lesson.seat
    state = drafts.play_ahead(title, here.taught.state, seat, here.draft).state
    action, view, parts = title.read(state, seat, here.asked), title.view(state, seat), parts_of(title.id, lang)
    touches = _touches_of(Choosing(title, pages_of(title.id), state), action)
    said = {touch.role: parts.part(touch, view, seat).striptags() for touch in touches}
    option = parts.option(title.action_to_json(action), here.asked, view, seat)
    return said | {KIND: Markup("<b>{}</b> {}").format(parts.kind_short(touches[0].value), option)}, touches


def _touches_of(choosing: Choosing, action: object) -> list[ActionPart]:
    """Return everything that has to be touched for an action."""
    for way in choosing.ways:
        if way.choice is None:
            if way.action == action:
                return list(way.touches)
            continue
        for n in range(way.choice.least, way.choice.most + 1):
            for picked in combinations(way.items, n):
                names = [way.names[part.value] for part in picked]
                if way.choice.allows(names) and way.choice.action(names) == action:
                    return [*way.touches, *picked]
    raise LookupError(action)


def _over(taught: Course) -> Response:
    voice = visit.voice().about(taught.title)
    title, end, seat = taught.title, taught.end, taught.lesson.seat
    game = _game(taught, end, voice.lang)
    view = title.view(end.state, seat)
    return visit.show(
        "play/learn/over.html",
        voice=voice,
        title=title,
        happened=run_on(said_of(game, [*end.own, *end.others], seat, voice), voice),
        over=voice.gettext(taught.lesson.over),
        picture=board_svg(title.id, view, voice),
        last=len(taught.steps),
    )


# -- answering ---------------------------------------------------------------------------------------


@blueprint.post("/learn/<title_id>/<number:at>")
@answers(again=step, anyone=True)
def answer(title_id: str, at: int) -> Response:
    """Go to the next step if this is what was asked for; nothing is written."""
    taught = _course(title_id)
    here = _here(taught, at)
    filled, voice = FilledTurn.sent(), visit.voice().about(taught.title)
    filled.draft = here.draft
    verb, _, what = request.form.get("do", "look").partition(":")
    if verb in ("undo", "clear"):
        return _to(taught, taught.number_of(here, 0 if verb == "clear" else max(0, here.drafted - 1)))
    judged = _judged(taught, here, filled, verb, what, voice)
    if isinstance(judged, Complaint):
        return _page(taught, at, filled.at, filled, judged, 422)
    return _to(taught, taught.number_of(here, judged))


def _judged(
    taught: Course, here: LessonStep, filled: FilledTurn, verb: str, what: str, voice: Voice
) -> int | Complaint:
    """Return how many lines of the turn stand with what was sent, one more if it is sent as a whole; or what is
    wrong."""
    game = _game(taught, here.taught, voice.lang)
    try:
        lines = said_lines(filled, chosen_by(game, taught.lesson.seat, filled, verb, what))
    except Refusal as refusal:
        return complaint_of(voice, LineRefused(0, "", refusal))
    ahead = drafts.play_ahead(taught.title, here.taught.state, taught.lesson.seat, lines)
    if ahead.refused is not None:
        return complaint_of(voice, ahead.refused)
    good = [*ahead.lines, *ahead.rest]
    if tuple(good) != here.taught.lines[: len(good)]:
        return Complaint(voice.gettext(ELSEWHERE))
    if verb in ("send", "play", "choose-send") and len(good) == len(here.taught.lines):
        return len(good) + 1
    return Complaint(voice.gettext(NOT_YET)) if len(good) == here.drafted else len(good)


ELSEWHERE = N_(
    "The rules allow that, too. This first game goes another way: do what is asked above, or touch “Show me”."
)
NOT_YET = N_("Something is still to be done this turn: it stands above the board.")


def _to(taught: Course, at: int) -> Response:
    return make_response(redirect(url_for(".step", title_id=taught.title.id, at=at), 303))
