"""The analysis of a game on pages: lines tried out from a position, in branches that only their own seat sees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, request
from markupsafe import Markup
from sqlmodel import Session

from app.base.words.numbers import whole
from app.base.words.refusals import NoSuch, NotAccepted, NotAllowed
from app.base.words.speech import Voice
from app.games.store import GameNow, GameStore
from app.people.signin import Person
from app.play.pages.past.pictures import NOTHING
from app.play.pages.past.replay import by_entry
from app.play.pages.turn.form import Complaint, FilledTurn, complaint_of, lines_of
from app.play.pages.turn.tray import Tray
from app.play.past import analysis, replay
from app.play.tables import AnalysisBranch
from app.play.turn.choosing import chosen_line, touches_in
from app.play.turn.playing import LineRefused, split_orders
from app.play.turn.sentences import paragraph, run_on
from app.play.turn.turns import seat_of_player
from app.titles.pages import pages_of, parts_of
from app.web import visit
from app.web.forms import Form, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text

blueprint = Blueprint("analysis", __name__)


class _LineRefused(NotAccepted):
    """A line could not be played: why, and the form as it was."""

    def __init__(self, complaint: Complaint, refused: LineRefused) -> None:
        super().__init__(refused.refusal.code, refused.refusal.why)
        self.complaint = complaint


class ChangeForm(Form):
    """What to do with a branch (`add`, `add:LINE`, `choose`, `undo:N`, `copy:N`, `delete`); what is typed and touched
    is read as on the page of a turn."""

    do: Typed = "add"
    suppose: Typed = ""


@blueprint.post("/games/<number:game_id>/replay/<number:entry>/plan")
@answers(again=by_entry, where="branches")
def begin(game_id: int, entry: int) -> Response:
    """Begin a branch at a position."""
    made = analysis.make_branch(server().database, game_id, visit.need_person().id, entry, _called, now=visit.now())
    return on_to(".show", game_id=game_id, branch_id=made)


def _called(n: int) -> str:
    return visit.voice().gettext("Line {n}", n=n)


@blueprint.get("/games/<number:game_id>/plan/<number:branch_id>")
def show(game_id: int, branch_id: int) -> Response:
    """Show a branch: its lines, the position after them (or after the first `?step=`), and what can follow."""
    me, refused = visit.need_person(), visit.refused()
    with server().database.read() as session:
        try:
            game, seat, branch, state = _found(session, game_id, branch_id, me)
        except NotAccepted as no:
            raise no if isinstance(no, NoSuch) else NotAllowed(no.code, no.why) from None
        branches = analysis.branches_of(session, game_id, seat)
        stop = replay.course_of(session, game_id).stop(branch.entry)
    filled = FilledTurn.sent() if refused else FilledTurn(at=touches_in(request.args.getlist("at")))
    problem = None
    if refused:
        problem = refused.no.complaint if isinstance(refused.no, _LineRefused) else Complaint(refused.said)
    title, voice = game.title, visit.voice().about(game.title)
    tried = analysis.try_out(title, state, branch.lines.splitlines())
    most = len(tried.tried)
    asked = whole(request.args.get("step", ""))
    step = most if asked is None else min(asked, most)
    at_end = step == most
    course = tried if at_end else analysis.try_out(title, state, tried.first(step))
    return visit.show(
        "play/replay/branch.html",
        voice=voice,
        game=game,
        seat=seat,
        branch=branch,
        branches=branches,
        stop=stop,
        tried=[(one, _told(game, one, seat, voice)) for one in tried.tried],
        step=step,
        at_end=at_end,
        course=course,
        problem=problem,
        filled=filled,
        lesson=None,
        most_branches=analysis.MOST_BRANCHES,
        **_position(game, seat, course, voice, filled.at, at_end),
    )


def _position(
    game: GameNow, seat: str, course: analysis.TriedLines, voice: Voice, at: tuple[str, ...], at_end: bool
) -> dict[str, Any]:
    """The position that the lines lead to, and what can follow; `at` is what has been touched of it."""
    title, pages, among = game.title, pages_of(game.title.id), voice.among(game.seats)
    due, view = title.decision(course.state), title.view(course.state, seat)
    parts = parts_of(title.id, voice.lang).among(voice.names_of(game.seats))
    changed = (replay.places_of(course.tried[-1].events) if course.tried else None) or NOTHING
    tray = None
    if at_end and due is not None and not course.unknown and not course.asks:
        seen = title.view(course.state, due.seat)
        tray = Tray(title, pages, parts, course.state, seen, due.seat, request.path, request.path, at, tries=True)
    return {
        "due": due,
        "view": view,
        "parts": parts,
        "tray": tray,
        "picture": pages.control(view, among, changed, tray)
        if tray
        else pages.on_page({**view, "decision": None}, among, changed, at),
        "text_board": title.board(view, among),
    }


@blueprint.post("/games/<number:game_id>/plan/<number:branch_id>")
@answers(ChangeForm, again=show)
def change(form: ChangeForm, game_id: int, branch_id: int) -> Response:
    """Add lines, take lines back, branch off or delete."""
    me, database, now = visit.need_person(), server().database, visit.now()
    with database.read() as session:
        game, _, branch, state = _found(session, game_id, branch_id, me)
    verb, _, rest = form.do.partition(":")
    if verb == "delete":
        analysis.delete_branch(database, game_id, me.id, branch_id)
        return on_to("replay.by_entry", "plan-deleted", game_id=game_id, entry=branch.entry, _anchor="branches")
    before = analysis.try_out(game.title, state, branch.lines.splitlines())
    n = whole(rest)
    if verb == "copy":
        made = analysis.make_branch(database, game_id, me.id, branch.entry, _called, before.first(n), now=now)
        return on_to(".show", game_id=game_id, branch_id=made)
    if verb == "undo":
        lines = before.first(-1 if n is None else max(0, n - 1))
    else:
        lines = _added(game, state, before, verb, rest, form.suppose)
    analysis.keep_lines(database, game_id, me.id, branch, lines, now=now)
    return on_to(".show", game_id=game_id, branch_id=branch_id, _anchor="decide")


def _found(session: Session, game_id: int, branch_id: int, me: Person) -> tuple[GameNow, str, AnalysisBranch, Any]:
    """Return the game, the reader's seat, the branch and the imagined state in which it begins."""
    game = GameStore(session).load(game_id)
    seat = seat_of_player(game, me.id).seat
    branch = next((one for one in analysis.branches_of(session, game_id, seat) if one.id == branch_id), None)
    if branch is None:
        raise analysis.NoSuchBranch(branch_id)
    state = replay.state_after(session, game, replay.course_of(session, game_id), branch.entry)
    return game, seat, branch, game.title.imagined(state, seat)


def _added(game: GameNow, state: object, before: analysis.TriedLines, verb: str, named: str, suppose: str) -> list[str]:
    """Return the branch's lines with those of the form: what is chosen by touch, `choose`, or the line that a button
    names, `add:LINE`. Raises `_LineRefused` for one that cannot be played, `Refusal` for none."""
    filled, voice, stood = FilledTurn.sent(), visit.voice().about(game.title), before.first()
    new = [f"{analysis.SUPPOSE} {suppose}"] if suppose else []
    if verb == "choose" and not before.asks:
        new.append(chosen_line(game.title, pages_of(game.title.id), before.state, filled.at))
    elif verb == "add":
        new += lines_of(named)
    new += lines_of(filled.orders)
    if not new:
        raise Unreadable("plan.empty", Text("There is nothing to add yet; choose a step or type a line."))
    split_orders("\n".join(new))
    after = analysis.try_out(game.title, state, [*stood, *new])
    if after.refused is not None:
        refused = replace(after.refused, number=max(1, after.refused.number - len(stood)))
        raise _LineRefused(complaint_of(voice, refused), refused)
    return after.first()


def _told(game: GameNow, one: analysis.TriedLine, seat: str, voice: Voice) -> Markup:
    """Return the result of a line in sentences."""
    return paragraph(run_on(replay.in_words(game, replay.seen(game, one.events, seat), voice), voice))
