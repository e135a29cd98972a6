"""Cases for operators, the link by which a late seat's game is claimed, and the clock on the page of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, abort, flash, redirect, request
from sqlalchemy import select
from sqlmodel import col

from app.base.links import BadLink
from app.base.refusals import NotAccepted
from app.base.speech import FORMER_PLAYER, Voice
from app.overdue import cases, rulings
from app.people import signin
from app.people.tables import Player
from app.post.mail_words import mail_kind, mail_states
from app.time import calendars, open_cases, pending
from app.time.case_words import ruling_in_words
from app.time.pace_words import acts_in_words, after_in_words, pace_in_words, span
from app.time.time_log import said
from app.titles.registry import TITLES
from app.web import visit
from app.web.csrf import csrf
from app.web.reader import house
from engine.kernel.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlmodel import Session

    from app.clocks.pace import Stage
    from app.games.store import GameNow

blueprint = Blueprint("cases", __name__)
csrf.exempt(blueprint)  # every form goes through `session.attempt`, which keeps what was typed

MOST_EVENTS = 40


# -- the clock of a game ------------------------------------------------------------------------------


def clock_of(session: Session, game: GameNow, seat: str | None, voice: Voice) -> dict[str, Any]:
    """What the page of a game says about time: the pace, what follows a deadline, what has happened, and the case
    that runs."""
    events = pending.events(session, game.id)[-MOST_EVENTS:]
    # When somebody is not at home is for those who play with them.
    events = [event for event in events if seat is not None or event.kind != "leave"]
    told = [(event.at, sentence) for event in events if (sentence := said(event, game, voice))]
    box: dict[str, Any] = {
        "pace": pace_in_words(voice, game.pace, calendars.of_game(session, game.id)),
        "after": after_in_words(voice, game.pace),
        "log": told[::-1],
        "case": None,
    }
    if game.pace.has_bank and not game.is_over:
        box["banks"] = [(seated.seat, span(voice, (seated.bank or 0) // 3600 * 3600)) for seated in game.seats]
    case = None if game.is_over else open_cases.running(session, game.id)
    if case is None or case.number != game.number:
        return box
    coming: Sequence[tuple[datetime, Stage]] = ()
    decision = pending.owed(session, game.id)
    if case.kind == "time" and decision is not None:
        coming = cases.stages_to_come(session, decision, case, game.pace)
    claim = ""
    if seat is not None and rulings.can_claim(game, case, seat):
        claim = f"/claim/{house().links.sign('claim', [case.id, seat, game.seated(seat).player_id])}"
    box["case"] = {
        "id": case.id, "kind": case.kind, "late": voice.who(game.seated(case.seat)), "claim": claim,
        "coming": [(at, acts_in_words(voice, stage)) for at, stage in coming if stage.do],
    }  # fmt: skip
    return box


# -- the desk of an operator --------------------------------------------------------------------------


def need_operator() -> signin.Person:
    """Who is signed in, when that is an operator; else 403."""
    me = visit.need_person()
    if me.role != "operator":
        abort(403)
    return me


@blueprint.get("/cases")
def open_cases_page() -> Response:
    """All cases that run, those that wait for a ruling first."""
    need_operator()
    voice = visit.voice()
    with house().database.read() as session:
        found = rulings.open_ones(session)
    rows = [
        {
            "id": row.id, "game": row.game_id, "kind": row.kind, "since": row.opened_at,
            "title": voice.gettext(TITLES[row.title].name), "late": row.name or voice.gettext(FORMER_PLAYER),
            "waits": row.kind == "mail" or row.state in ("flagged", "ruled"),
        }
        for row in found
        if row.title in TITLES
    ]  # fmt: skip
    return visit.show("cases/list.html", voice=voice, rows=rows)


@blueprint.get("/cases/<number:case_id>")
def case_page(case_id: int) -> Response:
    """One case: the game, its clock, the mails and their fate, and how to rule."""
    need_operator()
    return _case_page(case_id)


def _case_page(case_id: int, error: str = "", status: int = 200) -> Response:
    try:
        with house().database.read() as session:
            packet = rulings.packet(session, case_id)
            calendar = calendars.of_game(session, packet.game.id)
            by = session.scalar(select(col(Player.name)).where(col(Player.id) == packet.case.ruled_by))
    except rulings.NoSuchCase:
        abort(404)
    voice = visit.voice().about(packet.game.title)
    case = packet.case
    late = packet.late or voice.gettext(FORMER_PLAYER)
    causes = {"mail": voice.gettext("a mail that did not arrive"), "outage": voice.gettext("the server was down")}
    return visit.show(
        "cases/case.html", status, voice=voice, packet=packet, case=case, game=packet.game, late=late, error=error,
        cause=causes.get(case.cause, ""), by=by or "", filled=request.form,
        pace=pace_in_words(voice, packet.game.pace, calendar), after=after_in_words(voice, packet.game.pace),
        log=[(event.at, text) for event in packet.log if (text := said(event, packet.game, voice))],
        ruling=ruling_in_words(voice, case.ruling, late, case.reason) if case.state == "ruled" and case.reason else "",
        mail_states=mail_states(voice), mail_kind=mail_kind,
    )  # fmt: skip


@blueprint.post("/cases/<number:case_id>")
def rule(case_id: int) -> Response:
    """Rule; pressed twice it is done once."""
    me = need_operator()
    given = {name: request.form.get(name, "") for name in ("ruling", "reason", "days")}

    def act() -> Response:
        rulings.rule(
            house().database, case_id, me.id, given["ruling"], given["reason"], days=given["days"], now=visit.now()
        )
        flash("ruled")
        return redirect(f"/cases/{case_id}", 303)  # type: ignore[return-value]

    try:
        return visit.attempt(act, lambda why, status: _case_page(case_id, why, status))
    except rulings.NoSuchCase:
        abort(404)
    except rulings.Settled:
        why = visit.voice().gettext("This case is settled already; nothing was changed.")
        return _case_page(case_id, why, 409)


# -- claiming -----------------------------------------------------------------------------------------


def _claim_of(token: str) -> tuple[int, str, int | None]:
    payload = house().links.read("claim", token)
    if len(payload) != 3 or not isinstance(payload[0], int) or not isinstance(payload[1], str):
        raise BadLink("claim")
    return payload[0], payload[1], payload[2]


@blueprint.get("/claim/<token>")
def claim(token: str) -> Response:
    """What can be claimed, and two buttons."""
    return _claim(token)


def _claim(token: str, error: str = "", status: int = 200) -> Response:
    try:
        case_id, seat, player_id = _claim_of(token)
        with house().database.read() as session:
            game, case = rulings.look_at_claim(session, case_id, seat, player_id)
            reader = session.execute(
                select(col(Player.language), col(Player.zone)).where(col(Player.id) == player_id)
            ).first()
    except BadLink:
        return _unknown()
    except rulings.Settled:
        return _settled()
    voice = Voice(reader.language, reader.zone, game.title) if reader else visit.voice().about(game.title)
    return visit.show(
        "cases/claim.html", status, voice=voice, link=token, game=game, case=case, error=error,
        late=voice.who(game.seated(case.seat)), wins=len(game.seats) == 2,
    )  # fmt: skip


@blueprint.post("/claim/<token>")
def answer_claim(token: str) -> Response:
    """Claim or wait, without a login: the link is the right to do so."""
    try:
        case_id, seat, player_id = _claim_of(token)
    except BadLink:
        return _unknown()

    def act() -> Response:
        answer, voice = request.form.get("answer"), visit.voice()
        if answer == "wait":
            rulings.wait(house().database, case_id, seat, player_id, now=visit.now())
            text = voice.gettext("You wait. As long as no answer comes, the link lets you claim the game later.")
            return visit.message(200, voice.gettext("Your answer is kept"), text)
        if answer != "claim":
            raise NotAccepted("answer.none", Text("Choose whether you claim the game or wait."))
        game = rulings.claim(house().database, case_id, seat, player_id, now=visit.now())
        if game.is_over:
            text = voice.gettext("The game is over, and you have won on time.")
        else:
            text = voice.gettext("The late player has left the game, and you others go on.")
        return visit.message(200, voice.gettext("Claimed"), text)

    try:
        return visit.attempt(act, lambda why, status: _claim(token, why, status), by_link=True)
    except rulings.Settled:
        return _settled()


def _settled() -> Response:
    voice = visit.voice()
    text = voice.gettext("There is nothing to claim any more: an answer has come, or the case is settled.")
    return visit.message(410, voice.gettext("This link has ended"), text)


def _unknown() -> Response:
    voice = visit.voice()
    text = voice.gettext("This link is not complete or was not made here. Open it from the mail once more.")
    return visit.message(404, voice.gettext("Link not known"), text)


# -- calendars ----------------------------------------------------------------------------------------


@blueprint.get("/calendars")
def calendars_page() -> Response:
    """All calendars of holidays, and a form for one more."""
    need_operator()
    return _calendars()


def _calendars(error: str = "", status: int = 200) -> Response:
    with house().database.read() as session:
        found = calendars.every(session)
    return visit.show("cases/calendars.html", status, calendars=found, error=error, filled=request.form)


@blueprint.post("/calendars")
def make_calendar() -> Response:
    """A new calendar."""
    me = need_operator()

    def act() -> Response:
        name, days = request.form.get("name", ""), request.form.get("days", "")
        calendar_id = calendars.make(house().database, me.id, name, days, now=visit.now())
        flash("saved")
        return redirect(f"/calendars/{calendar_id}", 303)  # type: ignore[return-value]

    return visit.attempt(act, _calendars)


@blueprint.get("/calendars/<number:calendar_id>")
def calendar_page(calendar_id: int) -> Response:
    """The days of a calendar."""
    need_operator()
    return _calendar(calendar_id)


def _calendar(calendar_id: int, error: str = "", status: int = 200) -> Response:
    with house().database.read() as session:
        found = next((one for one in calendars.every(session) if one.id == calendar_id), None)
    if found is None:
        abort(404)
    sent = request.method == "POST"
    filled = {
        "name": request.form.get("name", "") if sent else found.name,
        "days": request.form.get("days", "") if sent else calendars.write_days(found.days),
    }
    return visit.show("cases/calendar.html", status, calendar=found, filled=filled, error=error)


@blueprint.post("/calendars/<number:calendar_id>")
def change_calendar(calendar_id: int) -> Response:
    """Other days: all deadlines that depend on them move."""
    me = need_operator()

    def act() -> Response:
        name, days = request.form.get("name", ""), request.form.get("days", "")
        calendars.change(house().database, me.id, calendar_id, name, days, now=visit.now())
        flash("saved")
        return redirect(f"/calendars/{calendar_id}", 303)  # type: ignore[return-value]

    return visit.attempt(act, lambda why, status: _calendar(calendar_id, why, status))
