"""The planning copy of a game on pages: lines tried out from a position, in branches that only the own seat sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, abort, flash, redirect, request

from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.games.store import GameNow, GameStore, NoSuchGame
from app.play import analysis, replay
from app.play.pages.replay import NOTHING, shown_again
from app.play.pages.turn_form import Complaint, Filled, complaint_of, lines_of
from app.play.pages.turn_kinds import Chooser, chosen_line, kinds_of
from app.play.pages.turn_page import picture
from app.play.playing import LineRefused, split_orders
from app.play.results import seat_of_player
from app.titles.pages import parts_of
from app.web import visit
from app.web.csrf import csrf
from app.web.reader import house
from engine.kernel.refusals import Unreadable
from engine.kernel.text import N_, Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.people.signin import Person

blueprint = Blueprint("study", __name__)
csrf.exempt(blueprint)  # every form goes through `session.attempt`, which keeps what was typed


class _Refused(Exception):
    """A line could not be played: why, and the form as it was."""

    def __init__(self, complaint: Complaint) -> None:
        super().__init__(complaint.message)
        self.complaint = complaint


@blueprint.post("/games/<number:game_id>/replay/<number:entry>/plan")
def make(game_id: int, entry: int) -> Response:
    """Begin a branch at a position."""
    me = visit.need_person()

    def act() -> Response:
        name = request.form.get("name", "")
        made = analysis.make_plan(house().database, game_id, me.id, entry, name, now=visit.now())
        return _to(game_id, made)

    try:
        return visit.attempt(act, lambda why, status: shown_again(game_id, entry, why, status, "plans"))
    except NoSuchGame:
        abort(404)


@blueprint.get("/games/<number:game_id>/plan/<number:plan_id>")
def show(game_id: int, plan_id: int) -> Response:
    """A branch: its lines, the position after them (or after the first `?step=`), and what can follow."""
    return _page(game_id, plan_id)


@blueprint.post("/games/<number:game_id>/plan/<number:plan_id>")
def change(game_id: int, plan_id: int) -> Response:
    """Add lines, take lines back, branch off, rename or delete."""
    me = visit.need_person()
    filled = Filled.sent()

    def again(why: str, status: int) -> Response:
        return _page(game_id, plan_id, Complaint(why), status, filled)

    try:
        return visit.attempt(lambda: _change(me, game_id, plan_id, filled), again)
    except _Refused as refused:
        return _page(game_id, plan_id, refused.complaint, 422, filled)
    except (NoSuchGame, analysis.NoSuchPlan):
        abort(404)


def _to(game_id: int, plan_id: int, anchor: str = "") -> Response:
    return redirect(f"/games/{game_id}/plan/{plan_id}{anchor}", 303)  # type: ignore[return-value]


def _found(session: Session, game_id: int, plan_id: int, me: Person) -> tuple[GameNow, str, analysis.Plan, Any]:
    """The game, the reader's seat, the branch and the imagined state that it begins with."""
    game = GameStore(session).load(game_id)
    seat = seat_of_player(game, me.id).seat
    plan = next((one for one in analysis.plans_of(session, game_id, seat) if one.id == plan_id), None)
    if plan is None:
        raise analysis.NoSuchPlan(plan_id)
    state = replay.state_after(session, game, replay.course_of(session, game_id), plan.entry)
    return game, seat, plan, game.title.imagined(state, seat)


def _change(me: Person, game_id: int, plan_id: int, filled: Filled) -> Response:
    database, now = house().database, visit.now()
    with database.read() as session:
        game, _, plan, state = _found(session, game_id, plan_id, me)
    verb, _, rest = request.form.get("do", "add").partition(":")
    if verb == "delete":
        analysis.delete_plan(database, game_id, me.id, plan_id)
        flash("plan-deleted")
        return redirect(f"/games/{game_id}/replay/{plan.entry}#plans", 303)  # type: ignore[return-value]
    if verb == "rename":
        analysis.rename(database, game_id, me.id, plan_id, request.form.get("name", ""), now=now)
        return _to(game_id, plan_id)
    if verb in ("undo", "copy"):
        tried = analysis.try_out(game.title, state, plan.lines).tried
        given = whole(rest)
        steps = len(tried) if given is None else given
        lines = [line for one in tried[: steps if verb == "copy" else max(0, steps - 1)] for line in one.lines]
        if verb == "copy":
            made = analysis.make_plan(database, game_id, me.id, plan.entry, _copied(plan.name), lines, now=now)
            return _to(game_id, made)
    else:
        if verb == "add" and rest:
            filled.picks[""] = rest  # a button that names its line
        lines = list(_added(game, state, plan, filled, rest if verb == "take" else ""))
    analysis.keep_lines(database, game_id, me.id, plan, lines, now=now)
    return _to(game_id, plan_id, "#next")


def _copied(name: str) -> str:
    """`Line` gives `Line 2`, `Line 2` gives `Line 3`; never too long."""
    stem, _, number = name.rpartition(" ")
    counted = whole(number, most=999)
    if stem and counted is not None:
        return f"{stem} {counted + 1}"
    return f"{name[: analysis.LONGEST_NAME - 2]} 2"


def _added(game: GameNow, state: Any, plan: analysis.Plan, filled: Filled, section: str) -> tuple[str, ...]:
    """The lines of the branch with those of the form, of its choices those of a section. `_Refused` for one that cannot
    be played, `Refusal` for none."""
    voice = visit.voice().about(game.title)
    before = analysis.try_out(game.title, state, plan.lines)
    new = [f"{analysis.SUPPOSE} {request.form['suppose']}"] if request.form.get("suppose") else []
    chosen = "" if before.asks else chosen_line(game.title, before.state, filled, section)
    new += [*([chosen] if chosen else []), *lines_of(filled.orders)]
    if not new:
        raise Unreadable("plan.empty", Text("There is nothing to add yet; choose a step or type a line."))
    split_orders("\n".join(new))
    after = analysis.try_out(game.title, state, [*before.lines, *new])
    if after.refused is not None:
        number = max(1, after.refused.number - len(before.lines))
        raise _Refused(complaint_of(voice, LineRefused(number, after.refused.line, after.refused.refusal)))
    return after.lines


def _page(
    game_id: int, plan_id: int, complaint: Complaint | None = None, status: int = 200, filled: Filled | None = None
) -> Response:
    me = visit.need_person()
    filled = filled or Filled()
    try:
        with house().database.read() as session:
            game, seat, plan, state = _found(session, game_id, plan_id, me)
            plans = analysis.plans_of(session, game_id, seat)
            stop = replay.course_of(session, game_id).stop(plan.entry)
    except (NoSuchGame, analysis.NoSuchPlan):
        abort(404)
    except NotAccepted as no:
        return visit.message(403, visit.voice().gettext("Not possible"), visit.voice().say(no.why))
    title, voice = game.title, visit.voice().about(game.title)
    whole = analysis.try_out(title, state, plan.lines)
    step = _step(len(whole.tried))
    lines = [line for one in whole.tried[:step] for line in one.lines]
    course = whole if step == len(whole.tried) else analysis.try_out(title, state, lines)
    due = title.decision(course.state)
    view = title.view(course.state, seat)
    tried = [_told(game, one, seat, voice.name("seat", one.seat), voice) for one in whole.tried]
    at_end = step == len(whole.tried)
    goes_on = at_end and due is not None and not course.unknown and not course.asks
    parts = parts_of(title.id, voice.lang)
    decider = due.seat if due else seat
    kinds, _ = kinds_of(title, course.state, decider, voice) if goes_on else ([], [])
    changed = replay.places_of(course.tried[-1].events) if course.tried else frozenset()
    return visit.show(
        "replay/plan.html", status, voice=voice, game=game, seat=seat, plan=plan, plans=plans, stop=stop,
        tried=tried, step=step, at_end=at_end, course=course, due=due, view=view, kinds=kinds,
        problem=complaint, filled=filled, parts=parts, most_plans=analysis.MOST_PLANS,
        chooser=Chooser(parts, filled, view, decider, voice, own_turn=True, add=N_("Try it")),
        picture=picture(title, _for_drawing(view, due, at_end), voice, changed or NOTHING),
        text_board=title.board(view, voice),
    )  # fmt: skip


def _for_drawing(view: dict[str, Any], due: Any, chooses: bool) -> dict[str, Any]:
    """The view for the drawing, in which cells lead to the form where there is one."""
    if not chooses or due is None:
        return {**view, "decision": None}
    return {**view, "decision": {"seat": view.get("seat"), "kind": due.kind}}


def _step(most: int) -> int:
    """After how many steps the position is asked for; all of them unless the address says fewer."""
    given = whole(request.args.get("step", ""))
    return most if given is None else min(given, most)


def _told(game: GameNow, one: analysis.Tried, seat: str, who: str, voice: Any) -> dict[str, Any]:
    """A line with what came of it in sentences."""
    said = replay.in_words(game, replay.seen(game, one.events, seat), voice)
    return {"line": one.line, "supposed": one.supposed, "seat": one.seat, "who": who, "said": said}
