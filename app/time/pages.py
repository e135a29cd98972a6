"""Pages about a player's time: leave, quiet hours and reminders; going on leave from a mail; nudges and time
granted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

import sqlalchemy as sa
from flask import Blueprint, Response
from sqlmodel import col, select

from app.base.links import BadLink, LeaveLink
from app.base.words.numbers import whole
from app.base.words.refusals import NotAccepted, NotAllowed
from app.games.tables import DecisionMade
from app.games.work import Work
from app.overdue import nudges
from app.people import accounts
from app.people.tables import Player
from app.play.pages.game import game_page
from app.time.away import leave
from app.time.away.leave import Overview
from app.time.reminding import quiet
from app.web import visit
from app.web.forms import Day, Field, Form, Says, SureForm, Tick, Typed, answers, on_to
from app.web.gates.csrf import by_link
from app.web.reader import server
from engine.kernel.text import N_, Text

blueprint = Blueprint("time", __name__)

NO_DATE = Says("leave.date", Text("“{given}” is not a date. Write both dates like 2026-12-24."))


# -- the page of one's own time -----------------------------------------------------------------------


class LeaveForm(Form):
    """Leave from one day to another, or from now on for some days."""

    do: Literal["plan", "now"] = "plan"
    first: Annotated[Day | None, NO_DATE] = Field(None, title=N_("First day"))
    last: Annotated[Day | None, NO_DATE] = Field(None, title=N_("Last day"))
    days: Typed = Field("1", title=N_("Days; today is the first one"))


class AutomaticForm(Form):
    """Whether days of leave are taken automatically."""

    auto_leave: Tick = Field(
        title=N_("Take a day of leave by itself before I am late in a game, for that game, three in a row at most")
    )


class QuietForm(Form):
    """Quiet hours, such as 22:00 to 07:00; none if both are empty."""

    quiet_from: Typed = Field("", title=N_("Quiet from"))
    quiet_to: Typed = Field("", title=N_("Quiet until"))


@blueprint.get("/account/time")
def own_time() -> Response:
    """Show leave, quiet hours and reminders."""
    me = visit.need_person()
    now = visit.now()
    with server().database.read() as session:
        player = session.get_one(Player, me.id)
        seen = leave.overview(session, me.id, me.zone, now, server().config.leave_days)
    return visit.show(
        "time/time.html",
        player=player,
        leave=seen,
        now=now,
        leaving=LeaveForm.shown(),
        automatic=AutomaticForm.shown(auto_leave=player.auto_leave),
        hours=QuietForm.shown(
            quiet_from=quiet.time_of_day(player.quiet_from), quiet_to=quiet.time_of_day(player.quiet_to)
        ),
    )


@blueprint.post("/account/time/leave")
@answers(LeaveForm, again=own_time, where="leave")
def plan_leave(form: LeaveForm) -> Response:
    """Plan leave, or begin it now."""
    me, now, allowance = visit.need_person(), visit.now(), server().config.leave_days
    if form.do == "now":
        _start_now(me.id, form.days)
    elif form.first is None or form.last is None:
        raise NotAccepted("leave.date", Text("Leave needs two dates: its first day and its last."))
    else:
        leave.plan(server().database, me.id, form.first, form.last, now=now, allowance=allowance)
    return on_to(".own_time", "leave-taken", _anchor="leave")


def _start_now(player_id: int, days: str) -> int:
    allowance = server().config.leave_days
    return leave.start_now(server().database, player_id, whole(days, 999) or 0, now=visit.now(), allowance=allowance)


@blueprint.post("/account/time/leave/<number:leave_id>/end")
@answers(again=own_time, where="leave")
def end_leave(leave_id: int) -> Response:
    """Come back early, or cancel planned leave."""
    me = visit.need_person().id
    with Work(server().database) as work:
        leave.end(work, me, leave_id, me, visit.now())
    return on_to(".own_time", "leave-ended", _anchor="leave")


@blueprint.post("/account/time/automatic")
@answers(AutomaticForm, again=own_time, where="leave")
def set_automatic(form: AutomaticForm) -> Response:
    """Set whether days of leave are taken automatically."""
    accounts.keep(server().database, visit.need_person().id, auto_leave=form.auto_leave)
    return on_to(".own_time", "saved", _anchor="leave")


@blueprint.post("/account/time/quiet")
@answers(QuietForm, again=own_time, where="quiet")
def set_quiet(form: QuietForm) -> Response:
    """Set or remove quiet hours."""
    me = visit.need_person()
    quiet.settle(server().database, me.id, form.quiet_from, form.quiet_to, now=visit.now())
    return on_to(".own_time", "saved", _anchor="quiet")


# -- leave by one click from a mail -------------------------------------------------------------------


class OldLink(BadLink):
    """A leave link that is too old, or not ours."""

    sentence = N_("This link is too old, not complete, or was not made here. Open one from a newer mail.")


LINK_LASTS = timedelta(days=3)
"""After the decision has been made that its mail asked for."""


def _of_link(token: str) -> tuple[LeaveLink, Player, Overview]:
    """Return what a link from a mail names, the player as a row, and their leave; OldLink if it is not ours or too
    old. While the leave runs that it has begun, it is not."""
    try:
        link = server().links.read_leave(token)
    except BadLink:
        raise OldLink from None
    now, made = visit.now(), None
    with server().database.read() as session:
        asked = select(Player).where(col(Player.id) == link.player, col(Player.erased_at).is_(None))
        row = session.exec(asked).first()
        if row is None:
            raise OldLink
        if link.game is not None:
            this = col(DecisionMade.game_id) == link.game, col(DecisionMade.number) == link.number
            made = session.scalar(sa.select(col(DecisionMade.made_at)).where(*this))
        seen = leave.overview(session, row.id, row.zone, now, server().config.leave_days)
    is_old = datetime.fromtimestamp(link.until, UTC) < now or (made is not None and made + LINK_LASTS < now)
    if is_old and not _is_own(link, seen):
        raise OldLink
    visit.follow(row.id)
    return link, row, seen


def _is_own(link: LeaveLink, seen: Overview) -> bool:
    return seen.now is not None and seen.now.id == link.begun


class LeaveByLinkForm(SureForm):
    """Leave for some days from now on, or its end."""

    do: Literal["start", "end"] = "start"
    days: Typed = Field("7", title=N_("Days; today is the first one"))


@blueprint.get("/leave/<token>")
def leave_form(token: str) -> Response:
    """Ask how long, and show a button."""
    link, player, seen = _of_link(token)
    form, is_own = LeaveByLinkForm.shown(), _is_own(link, seen)
    return visit.show(
        "time/leave.html", link=token, player=player, leave=seen, form=form, now=visit.now(), is_own=is_own
    )


@blueprint.post("/leave/<token>")
@by_link
@answers(LeaveByLinkForm, again=leave_form)
def leave_now(form: LeaveByLinkForm, token: str) -> Response:
    """Begin leave, or end what this link has begun; the link is the authorisation."""
    link, player, seen = _of_link(token)
    if form.do == "start":
        begun = _start_now(player.id, form.days)
        if seen.now is None:
            token = server().links.leave_token(link._replace(begun=begun))
    elif not _is_own(link, seen):
        raise NotAllowed("leave.not_begun", Text(NOT_BEGUN))
    elif link.begun is not None:
        with Work(server().database) as work:
            leave.end(work, player.id, link.begun, player.id, visit.now())
    return on_to(".leave_form", token=token)


NOT_BEGUN = N_("This link has not begun your leave; sign in to end it.")


# -- what the others can do ---------------------------------------------------------------------------


@blueprint.post("/games/<number:game_id>/nudge")
@answers(again=game_page, where="waiting")
def nudge(game_id: int) -> Response:
    """Mail the seat that owes the decision."""
    done = nudges.nudge(server().database, game_id, visit.need_person().id, now=visit.now())
    return on_to("game.game_page", "nudged" if done else "nudged-before", game_id=game_id)


class ExtendForm(Form):
    """More time: days, the decision that they are for, and how much had been granted when the page was made."""

    days: Typed = ""
    number: Typed = ""
    granted: Typed = ""


@blueprint.post("/games/<number:game_id>/extend")
@answers(ExtendForm, again=game_page, where="waiting")
def extend(form: ExtendForm, game_id: int) -> Response:
    """Grant the seat that owes the decision more time."""
    days, number, granted = (_number(given) for given in (form.days, form.number, form.granted))
    me, now = visit.need_person(), visit.now()
    done = nudges.extend(server().database, game_id, me.id, days, number=number, granted=granted, now=now)
    return on_to("game.game_page", "extended" if done else "extended-before", game_id=game_id)


def _number(given: str) -> int:
    read = whole(given)
    return -1 if read is None else read
