"""The chase desk of an event: what holds its rounds up, and a page for each act with what it does and whom it mails."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING

from flask import Blueprint, Response, abort, redirect, request
from sqlmodel import col, select

from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.leagues import audit, clubs, desk, desk_acts, disputes, events, forecast, opening, reserves, round_rows
from app.leagues.act_words import Teller
from app.leagues.pages.common import attempt, event_for, named, on, typed
from app.leagues.pages.desk_words import ACT_NAMES, problem_shown
from app.leagues.tables import Event
from app.people.tables import Player
from app.time import leave
from app.time.time_log import lasting
from app.web import visit
from app.web.csrf import csrf
from app.web.reader import house
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.leagues.desk import Problem

blueprint = Blueprint("desk", __name__)
csrf.exempt(blueprint)  # every form goes through `attempt`, which keeps what was typed


# -- the desk -------------------------------------------------------------------------------------------


@blueprint.get("/events/<number:event_id>/desk")
def desk_page(event_id: int) -> Response:
    """Everything that holds a round up, the most urgent first; what can be undone."""
    me, now = visit.need_person(), visit.now()
    voice = visit.voice()
    with house().database.read() as session:
        event, _ = event_for(session, event_id, "deputy")
        club = clubs.get(session, event.club_id)
        problems = desk.blocking(session, event, now)
        there = [round for one in event.divisions for round in round_rows.rounds_of(session, one.id)]
        ends, matches = forecast.of_rounds(session, event, there, now)
        acts = desk_acts.undoable(session, event, now)
        teller = Teller(session, acts, voice)
        undoable = [(act, teller.say(act).what) for act in acts]
        waiting = [one for one in disputes.of_event(session, event.id) if one.status in opening.WAITING]
        ready = reserves.of_event(session, event.id).waiting
    shown = [problem_shown(one, event, voice, now, matches.get(one.match_id)) for one in problems]
    return visit.show(
        "leagues/desk/desk.html", voice=voice, event=event, club=club, me_id=me.id,
        urgent=[one for one in shown if one["needs"]], calm=[one for one in shown if not one["needs"]],
        undoable=undoable, rulings=len(waiting), reserves=[named(voice, one.name) for one in ready],
        ends=ends, rounds=[round for round in there if round.id in ends],
        divisions={one.id: one.name for one in event.divisions if len(event.divisions) > 1},
    )  # fmt: skip


# -- one act --------------------------------------------------------------------------------------------


@blueprint.get("/events/<number:event_id>/desk/<number:match_id>/<act>")
def act_page(event_id: int, match_id: int, act: str) -> Response:
    """What an act would do and whom it would mail, with a form for its reason. Changes nothing."""
    visit.need_person()
    return _act_page(event_id, match_id, act)


def _act_page(event_id: int, match_id: int, act: str, error: str = "", status: int = 200) -> Response:
    if act not in ACT_NAMES:
        abort(404)
    voice, now = visit.voice(), visit.now()
    with house().database.read() as session:
        event, _ = event_for(session, event_id, "deputy")
        club = clubs.get(session, event.club_id)
        problem = next((one for one in desk.blocking(session, event, now) if one.match_id == match_id), None)
        mailed = () if problem is None else _mailed(session, event, problem, act)
        seen = desk_acts.last_act(session, event_id, match_id)
        games = []
        if act == "leave" and problem is not None and problem.owes_id is not None:
            games = leave.running_in(session, problem.owes_id, event_id)
    if problem is None and not error:
        text = voice.gettext("This game does not hold the round up any more.")
        return visit.message(410, voice.gettext("Settled meanwhile"), text)
    return visit.show(
        "leagues/desk/act.html", status, voice=voice, event=event, club=club, act=act, error=error,
        problem=None if problem is None else problem_shown(problem, event, voice, now),
        act_name=voice.gettext(ACT_NAMES[act]),
        owes="" if problem is None else named(voice, problem.owes), games=len(games), days=typed("days", "3"),
        reason=typed("reason"), once=once(), seen=seen,
        mailed=[named(voice, name) for name in mailed], answer_days=event.terms.answer_days, match_id=match_id,
        until=None if problem is None else problem.deadline,
    )  # fmt: skip


def _mailed(session: Session, event: Event, problem: Problem, act: str) -> list[str]:
    """The names of those whom an act mails."""
    if act in ("nudge", "again"):
        return [problem.owes]
    if act == "extend":
        return list(problem.players)
    if act == "leave" and problem.owes_id is not None:
        return desk_acts.told_of_leave(session, event.id, problem.owes_id)
    if act == "reserve":
        left = reserves.of_event(session, event.id).left(problem.entry_id or 0)
        return [left[0].name] if left else []
    if act == "ruling":
        sides = opening.players_of(session, problem.match_id)
        people = [*sides, *opening.rulers(session, event.club_id, sides)]
        rows = {row.id: row.name for row in session.exec(select(Player).where(col(Player.id).in_(people)))}
        return [rows[one] for one in people]
    return []


@blueprint.post("/events/<number:event_id>/desk/<number:match_id>/<act>")
def do_act(event_id: int, match_id: int, act: str) -> Response:
    """Act once, however often the button is pressed."""
    me = visit.need_person()
    if act not in ACT_NAMES:
        abort(404)

    def go() -> Response:
        form = _form(me.id)
        if act == "ruling":
            ruling_id = desk_acts.open_ruling(house().database, event_id, match_id, form, now=visit.now())
            return redirect(f"/events/{event_id}/rulings/{ruling_id}", 303)  # type: ignore[return-value]
        done = _DOERS[act](event_id, match_id, form)
        return on(f"/events/{event_id}/desk", f"desk-{act}" if done else "desk-before")

    return attempt(go, lambda why, status: _act_page(event_id, match_id, act, why, status))


def _form(by_id: int) -> desk_acts.Form:
    seen = whole(request.form.get("seen", ""))
    if seen is None:
        raise NotAccepted("form.token", Text("This form is not complete; open the page once more."))
    token = audit.read_token(request.form.get("once", ""))
    return desk_acts.Form(by_id, request.form.get("reason", ""), token, seen)


def _call(event_id: int, match_id: int, form: desk_acts.Form) -> bool:
    with house().database.read() as session:
        event = events.get(session, event_id)
        problems = desk.blocking(session, event, visit.now())
    one = next((one for one in problems if one.match_id == match_id), None)
    if one is None or one.entry_id is None:
        raise NotAccepted("desk.nothing", Text("This game waits for nobody now."))
    made = reserves.call(
        house().database, event_id, one.entry_id, form.by_id, reason=form.reason, token=form.token, now=visit.now()
    )
    return made is not None


def _simple(act: Callable[..., bool], *, days: bool = False) -> Callable[[int, int, desk_acts.Form], bool]:
    def do(event_id: int, match_id: int, form: desk_acts.Form) -> bool:
        more = (request.form.get("days", ""),) if days else ()
        return act(house().database, event_id, match_id, *more, form, now=visit.now())

    return do


_DOERS: dict[str, Callable[[int, int, desk_acts.Form], bool]] = {
    "nudge": _simple(desk_acts.nudge),
    "again": _simple(desk_acts.send_again),
    "extend": _simple(desk_acts.extend, days=True),
    "leave": _simple(desk_acts.grant_leave, days=True),
    "report": _simple(desk_acts.report),
    "reserve": _call,
}


def once() -> str:
    """The token of the form that is drawn: a new one, or that of the form that comes back."""
    given: str = typed("once")
    try:
        audit.read_token(given)
    except NotAccepted:
        return secrets.token_hex(12)
    return given


# -- undoing --------------------------------------------------------------------------------------------


@blueprint.get("/events/<number:event_id>/desk/undo/<number:act_id>")
def undo_page(event_id: int, act_id: int) -> Response:
    """What would be undone, with a form for the reason."""
    visit.need_person()
    return _undo_page(event_id, act_id)


def _undo_page(event_id: int, act_id: int, error: str = "", status: int = 200) -> Response:
    voice = visit.voice()
    with house().database.read() as session:
        event, _ = event_for(session, event_id, "deputy")
        club = clubs.get(session, event.club_id)
        acts = [act for act in desk_acts.undoable(session, event, visit.now()) if act.id == act_id]
        told = [(act, Teller(session, acts, voice).say(act).what) for act in acts]
    if not told and not error:
        text = voice.gettext("This act cannot be undone any more.")
        return visit.message(410, voice.gettext("Settled meanwhile"), text)
    given = (told[0][0].after or {}).get("days", 0) if told else 0
    return visit.show(
        "leagues/desk/undo.html", status, voice=voice, event=event, club=club, act_id=act_id, error=error,
        act=told[0][0] if told else None, what=told[0][1] if told else "", reason=typed("reason"),
        once=once(), time=lasting(voice, given * 86400),
    )  # fmt: skip


@blueprint.post("/events/<number:event_id>/desk/undo/<number:act_id>")
def undo(event_id: int, act_id: int) -> Response:
    """Undo an act once."""
    me = visit.need_person()

    def go() -> Response:
        token = audit.read_token(request.form.get("once", ""))
        form = desk_acts.Form(me.id, request.form.get("reason", ""), token, 0)
        done = desk_acts.undo(house().database, event_id, act_id, form, now=visit.now())
        return on(f"/events/{event_id}/desk", "desk-undone" if done else "desk-before")

    return attempt(go, lambda why, status: _undo_page(event_id, act_id, why, status))
