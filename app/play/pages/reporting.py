"""Reporting a chat line or a player, from the page of a game, a turn or a player: by a signed-in player or the holder
of the turn's link."""

from __future__ import annotations

from typing import ClassVar

from flask import Blueprint, Response, url_for

from app.base.links import BadLink
from app.play.agreed import reports
from app.play.agreed.reports import ReportedPlayer
from app.web import visit
from app.web.forms import Field, Form, Typed, answers
from app.web.gates.csrf import by_link
from app.web.reader import server
from engine.kernel.text import N_

blueprint = Blueprint("reporting", __name__)


@blueprint.app_template_global("report_address")
def address_of(line_id: int, player_id: int) -> str:
    """Return the address where a player reports a line."""
    return url_for("reporting.ask", token=server().links.sign("report", [line_id, player_id]))


class ReportForm(Form):
    """Why a line is reported."""

    why: Typed = Field("", title=N_("What is wrong with it; may stay empty"))


@blueprint.get("/report/<token>")
def ask(token: str) -> Response:
    """Show the line, and a button."""
    line_id, player_id = visit.asked("report", token)
    with server().database.read() as session:
        game, said = reports.line_of(session, line_id)
    reports.may_report(game, said, player_id)
    who, form = visit.voice().about(game.title).who(game.seated(said.seat)), ReportForm.shown()
    return visit.show("play/game/report.html", link=token, number=game.id, line=said, who=who, form=form)


@blueprint.post("/report/<token>")
@by_link
@answers(ReportForm, again=ask)
def send(form: ReportForm, token: str) -> Response:
    """Send the report to the operators."""
    reports.report(server().database, *visit.asked("report", token), form.why, now=visit.now())
    voice = visit.voice()
    text = voice.gettext("Operators of this server have the line now, with those around it, and decide what follows.")
    return visit.message(200, voice.gettext("Reported"), text)


# -- a player, without a line -------------------------------------------------------------------------


@blueprint.app_template_global("report_player_address")
def address_of_player(about_id: int, player_id: int, game_id: int = 0) -> str:
    """Return the address where a player reports another one, in a game or (0) outside any."""
    return url_for("reporting.ask_player", token=server().links.sign("report_player", [about_id, player_id, game_id]))


class ReportPlayerForm(Form):
    """Why a player is reported."""

    marks: ClassVar = {"reason.empty": "why"}
    why: Typed = Field("", title=N_("What is wrong"))


def _suspect(token: str) -> ReportedPlayer:
    payload = server().links.read("report_player", token)
    if len(payload) != 3 or not all(isinstance(part, int) for part in payload):
        raise BadLink("report_player")
    visit.follow(payload[1])
    return ReportedPlayer(payload[0], payload[1], payload[2] or None)


@blueprint.get("/report/player/<token>")
def ask_player(token: str) -> Response:
    """Show the name, and a button."""
    suspect = _suspect(token)
    with server().database.read() as session:
        name = reports.name_of(session, suspect)
    form = ReportPlayerForm.shown()
    return visit.show("play/game/report_player.html", link=token, number=suspect.game_id, who=name, form=form)


@blueprint.post("/report/player/<token>")
@by_link
@answers(ReportPlayerForm, again=ask_player)
def send_player(form: ReportPlayerForm, token: str) -> Response:
    """Send the report to the operators."""
    reports.report_player(server().database, _suspect(token), form.why, now=visit.now())
    voice = visit.voice()
    text = voice.gettext("Operators of this server have your report now, and decide what follows.")
    return visit.message(200, voice.gettext("Reported"), text)
