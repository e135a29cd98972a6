"""What operators do about players: reports, mutes, bans, and the trail of who did what and why."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, url_for

from app.account import joining, my_data
from app.account.pages.my_data import EraseForm
from app.base.words.refusals import NoSuch, NotAccepted
from app.people import accounts, sanctions, signin
from app.people.tables import Player, SanctionKind
from app.play.agreed import reports
from app.play.agreed.reports import OpenReport
from app.web import visit
from app.web.forms import Day, Field, Form, Tick, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.text import N_

blueprint = Blueprint("moderation", __name__)


class CloseForm(Form):
    """Why a report is closed."""

    why: Typed = Field("", title=N_("The result"))


class SanctionForm(Form):
    """A sanction to impose on a player."""

    kind: SanctionKind = Field(SanctionKind.MUTE, title=N_("What"))
    reason: Typed = Field("", title=N_("Why; the player reads it"))
    until: Day | None = Field(None, title=N_("Up to and including this day (UTC); empty: until it is lifted"))
    leaves: Tick = Field(title=N_("with a ban: leave all events, resign all running games"))


class LiftForm(Form):
    """The sanction to lift, and why."""

    kind: SanctionKind = SanctionKind.MUTE
    why: Typed = Field("", title=N_("Why it is lifted"))


class AccountForm(Form):
    """Another address: to which an account moves, or of the account that it is joined with."""

    address: Typed = Field("", title=N_("New address"))


@blueprint.get("/moderation")
def overview() -> Response:
    """Show the open reports, and what was done."""
    visit.need_operator()
    with server().database.read() as session:
        found = [_row(one) for one in reports.open_reports(session)]
        closed = reports.closed_reports(session)
        done = sanctions.trail(session)
    return visit.show("account/moderation.html", reports=found, closed=closed, trail=done, form=CloseForm.shown())


def _row(one: OpenReport) -> dict[str, Any]:
    about = url_for(".player", player_id=one.about_id) if one.about_id is not None else ""
    if one.game is None or one.said is None:
        return {"report": one, "whose": one.about, "lines": [], "about": about}
    voice, game = visit.voice().about(one.game.title), one.game
    lines = [(voice.who(game.seated(said.seat)), said) for said in one.lines]
    return {"report": one, "whose": voice.who(game.seated(one.said.seat)), "lines": lines, "about": about}


@blueprint.post("/moderation/reports/<number:report_id>")
@answers(CloseForm, again=overview)
def close(form: CloseForm, report_id: int) -> Response:
    """Close this report."""
    reports.close(server().database, report_id, why=form.why, by_id=visit.need_operator().id, now=visit.now())
    return on_to(".overview", "saved")


@blueprint.get("/moderation/players/<number:player_id>")
def player(player_id: int) -> Response:
    """Show a player's current and past sanctions, and the forms."""
    visit.need_operator()
    with server().database.read() as session:
        found = session.get(Player, player_id)
        done = sanctions.trail(session, player_id)
    if found is None or not found.name:
        raise NoSuch(player_id)
    holding = [one for one, *_ in done if one.holds(visit.now())]
    return visit.show(
        "account/moderated.html",
        who=found.name,
        account=found,
        erasing=EraseForm.shown(),
        player_id=player_id,
        trail=done,
        holding=holding,
        form=SanctionForm.shown(),
        lifting=LiftForm.shown(),
    )


@blueprint.post("/moderation/players/<number:player_id>")
@answers(SanctionForm, again=player)
def impose(form: SanctionForm, player_id: int) -> Response:
    """Mute or ban."""
    me, now, database = visit.need_operator(), visit.now(), server().database
    until = sanctions.end_of(form.until, now)
    if form.kind == SanctionKind.BAN:
        my_data.ban(database, player_id, reason=form.reason, until=until, leaves=form.leaves, by_id=me.id, now=now)
    else:
        with database.write() as session:
            sanctions.impose(session, player_id, form.kind, reason=form.reason, until=until, by_id=me.id, now=now)
    return on_to(".player", "saved", player_id=player_id)


@blueprint.post("/moderation/players/<number:player_id>/lift")
@answers(LiftForm, again=player, where="lift")
def lift(form: LiftForm, player_id: int) -> Response:
    """Lift a sanction."""
    me = visit.need_operator()
    sanctions.lift(server().database, player_id, form.kind, reason=form.why, by_id=me.id, now=visit.now())
    return on_to(".player", "saved", player_id=player_id)


@blueprint.post("/moderation/players/<number:player_id>/sign-ins")
@answers(again=player)
def end_sign_ins(player_id: int) -> Response:
    """End all of a player's sign-ins, on every device; new ones need a link by mail again."""
    visit.need_operator()
    with server().database.write() as session:
        signin.end_all(session, player_id)
    return on_to(".player", "saved", player_id=player_id)


@blueprint.post("/moderation/players/<number:player_id>/address")
@answers(AccountForm, again=player, where="account")
def move(form: AccountForm, player_id: int) -> Response:
    """Have the address change in three days, unless one of the two objects."""
    by = f"{visit.need_operator().name} ({server().config.host})"
    signin.move(server().database, player_id, form.address, by=by, now=visit.now())
    return on_to(".player", "moves", player_id=player_id, _anchor="account")


@blueprint.post("/moderation/players/<number:player_id>/join")
@answers(AccountForm, again=player, where="account")
def join(form: AccountForm, player_id: int) -> Response:
    """Join another account of the same person with this one."""
    visit.need_operator()
    with server().database.read() as session:
        other = accounts.find(session, form.address)
    if other is None:
        raise NotAccepted("accounts.two", joining.TWO)
    joining.join(server().database, player_id, other.id, now=visit.now())
    return on_to(".player", "saved", player_id=player_id, _anchor="account")


@blueprint.post("/moderation/players/<number:player_id>/erase")
@answers(EraseForm, again=player, where="account")
def erase(form: EraseForm, player_id: int) -> Response:
    """Erase the account for its owner, who has asked for it otherwise than by the mailed link."""
    visit.need_operator()
    form.need()
    my_data.erase(server().database, player_id, now=visit.now())
    return on_to(".overview", "saved")
