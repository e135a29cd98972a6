"""What holds the rounds of an event up, and a page for each act with its effects and the people it mails."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from flask import Blueprint, Response
from sqlmodel import Session, col, select

from app.base.words.refusals import LinkExpired
from app.leagues.changes import reserves
from app.leagues.desk import desk_acts, desk_undoing, trouble, week
from app.leagues.desk.act_words import AuditSentences
from app.leagues.desk.trouble import Problem
from app.leagues.pages.common import Once, ReasonForm, once, reading
from app.leagues.pages.desk.desk_words import ACT_NAMES, players_in_words, sentence
from app.leagues.pages.desk.late_table import late_table, row_shown
from app.leagues.pure.terms import ANSWER_DAYS
from app.leagues.rulings import opening
from app.leagues.tables import Competition, Role
from app.people.tables import Player
from app.time.away import leave
from app.time.time_log import lasting
from app.web import visit
from app.web.forms import Count, Field, Says, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.text import N_, Text

blueprint = Blueprint("desk", __name__)
INCOMPLETE = Says("form.token", Text("This form is not complete; open the page once more."))


class DeskForm(ReasonForm):
    """An act that is done once, with its reason."""

    reason: Typed = Field(
        "", title=N_("Why; it stands in the mails and in the audit trail, which everybody in the club can read")
    )
    once: Once

    def by(self, player_id: int, seen: int = 0, days: str = "") -> desk_acts.DeskRequest:
        """Return it as the service takes it."""
        return desk_acts.DeskRequest(player_id, self.reason, self.once, seen, days)


class ActForm(DeskForm):
    """An act about a match, with the last act that its page showed."""

    seen: Annotated[int, Count(), INCOMPLETE]
    days: Typed = Field("", title=N_("Days to give, from 1 to 60"))


class SettledProblem(LinkExpired):
    """What the page of an act is about has already been done."""

    heading = N_("Settled meanwhile")


def held_up(session: Session, event: Competition, now: datetime, data: trouble.Data) -> dict[str, Any]:
    """Return all that holds a round up, most urgent first, and what can be undone, for the page of those who run it."""
    voice = visit.voice()
    problems = trouble.blocking(session, event, now, data, allowance=server().config.leave_days)
    acts = desk_undoing.undoable(session, event, now, data)
    teller = AuditSentences(session, acts, voice)
    seen = desk_acts.last_acts(session, [one.match_id for one in problems])
    sets = opening.may_correct(session, event.id, visit.need_person(session).id)
    rows = [row_shown(one, seen.get(one.match_id, 0), voice, sets=sets) for one in problems]
    return {
        "urgent": sum(one["step"] is not None for one in rows),
        "hands": data.hands(problems),
        "table": late_table(rows, voice, reserves=bool(data.reserves.left(0))),
        "undoable": [(act, teller.say(act).what) for act in acts],
        "rulings": len(data.waiting),
        "reserves": [voice.person(player.name) for _, player in data.reserves.waiting],
    }


# -- one act --------------------------------------------------------------------------------------------


PATH = f"/events/<number:event_id>/desk/<number:match_id>/<any({', '.join(ACT_NAMES)}):act>"


@blueprint.get(PATH)
def act_page(event_id: int, match_id: int, act: str) -> Response:
    """What an act would do and whom it would mail, with a form for its reason. Changes nothing."""
    voice, now = visit.voice(), visit.now()
    with reading(event_id, Role.DEPUTY) as (session, event, club, _):
        problem = next((one for one in trouble.blocking(session, event, now) if one.match_id == match_id), None)
        mailed = () if problem is None else _mailed(session, event, problem, act)
        seen = desk_acts.last_act(session, match_id)
        games = []
        owes = None if problem is None else problem.owes
        if act == "leave" and owes is not None:
            games = leave.running_in(session, owes.player_id, event_id)
    if problem is None and visit.refused() is None:
        raise SettledProblem("desk.settled", Text("This game does not hold the round up any more."))
    return visit.show(
        "leagues/desk/act.html",
        event=event,
        club=club,
        act=act,
        problem=problem,
        players="" if problem is None else players_in_words(problem, voice),
        sentence="" if problem is None else sentence(problem, voice),
        act_name=voice.gettext(ACT_NAMES[act]),
        owes=voice.person(owes.name if owes else ""),
        games=len(games),
        form=ActForm.shown(days=3, seen=seen),
        once=once(),
        mailed=[voice.person(name) for name in mailed],
        answer_days=ANSWER_DAYS,
        match_id=match_id,
    )


def _mailed(session: Session, event: Competition, problem: Problem, act: str) -> list[str]:
    """Return the names of those whom an act mails."""
    owes = problem.owes
    if act in ("nudge", "again"):
        return [owes.name if owes else ""]
    if act == "extend":
        return [seat.name for seat in problem.match.seats]
    if act == "leave" and owes is not None:
        return [row.name for row in desk_acts.met_in(session, event.id, owes.player_id)]
    if act == "reserve":
        left = reserves.of_event(session, event.id).left(owes.entry_id if owes else 0)
        return [left[0][1].name] if left else []
    if act == "ruling":
        sides = opening.players_of(session, problem.match_id)
        people = [*sides, *opening.rulers(session, event.id, sides)]
        rows = {row.id: row.name for row in session.exec(select(Player).where(col(Player.id).in_(people)))}
        return [rows[one] for one in people]
    return []


@blueprint.post(PATH)
@answers(ActForm, again=act_page)
def do_act(form: ActForm, event_id: int, match_id: int, act: str) -> Response:
    """Act once, however often the button is pressed."""
    by = form.by(visit.need_person().id, form.seen, form.days)
    if act == "ruling":
        ruling_id = desk_acts.open_ruling(server().database, event_id, match_id, by, now=visit.now())
        return on_to(".ruling_page", event_id=event_id, ruling_id=ruling_id)
    done = week.do_act(server().database, event_id, match_id, act, by, now=visit.now())
    return on_to("events.manage_page", f"desk-{act}" if done else "desk-before", event_id=event_id)


# -- undoing --------------------------------------------------------------------------------------------


@blueprint.get("/events/<number:event_id>/desk/undo/<number:act_id>")
def undo_page(event_id: int, act_id: int) -> Response:
    """What would be undone, with a form for the reason."""
    voice = visit.voice()
    with reading(event_id, Role.DEPUTY) as (session, event, club, _):
        acts = [act for act in desk_undoing.undoable(session, event, visit.now()) if act.id == act_id]
        told = [AuditSentences(session, acts, voice).say(act).what for act in acts]
    if not told and visit.refused() is None:
        raise SettledProblem("desk.settled", Text("This cannot be undone."))
    given = (acts[0].after or {}).get("days", 0) if acts else 0
    return visit.show(
        "leagues/desk/undo.html",
        event=event,
        club=club,
        act_id=act_id,
        act=acts[0] if acts else None,
        what=told[0] if told else "",
        form=DeskForm.shown(),
        once=once(),
        time=lasting(voice, given * 86400),
    )


@blueprint.post("/events/<number:event_id>/desk/undo/<number:act_id>")
@answers(DeskForm, again=undo_page)
def undo(form: DeskForm, event_id: int, act_id: int) -> Response:
    """Undo an act once."""
    by = form.by(visit.need_person().id)
    done = desk_undoing.undo(server().database, event_id, act_id, by, now=visit.now())
    return on_to("events.manage_page", "desk-undone" if done else "desk-before", event_id=event_id)
