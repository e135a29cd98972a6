"""A player's time: leave, quiet hours and reminders; going on leave from a mail; nudges and time granted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

from flask import Blueprint, Response, abort, flash, redirect, request
from sqlmodel import col, select

from app.base.links import BadLink
from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.base.speech import Voice
from app.games.store import NoSuchGame
from app.overdue import nudges
from app.people.tables import Player
from app.play.pages.game import show_game
from app.time import leave, quiet, reminders
from app.web import visit
from app.web.csrf import csrf
from app.web.reader import house
from engine.kernel.text import Text

blueprint = Blueprint("time", __name__)
csrf.exempt(blueprint)  # every form goes through `session.attempt`, which keeps what was typed


# -- the page of one's own time -----------------------------------------------------------------------


@blueprint.get("/account/time")
def own_time() -> Response:
    """Leave, quiet hours and reminders."""
    return _own_time()


def _own_time(error: str = "", status: int = 200, where: str = "") -> Response:
    me = visit.need_person()
    now = visit.now()
    with house().database.read() as session:
        player = session.exec(select(Player).where(col(Player.id) == me.id)).one()
        seen = leave.overview(session, me.id, me.zone, now, house().config.leave_days)
    form = request.form if where else {}
    filled = {
        "first": form.get("first", ""), "last": form.get("last", ""), "days": form.get("days", "1"),
        "quiet_from": form.get("quiet_from", quiet.time_of_day(player.quiet_from)),
        "quiet_to": form.get("quiet_to", quiet.time_of_day(player.quiet_to)),
        "shares": form.get("shares", reminders.shares_in_words(player.reminders)),
        "hours": form.get("hours", reminders.hours_in_words(player.reminders)),
        "own": form.get("ladder", "pace" if player.reminders is None else "own"),
    }  # fmt: skip
    return visit.show(
        "people/time.html", status, player=player, leave=seen, filled=filled, error=error, where=where, now=now
    )


def _settled(where: str, do: Callable[[int], Any], said: str) -> Response:
    """Do something as the person who is signed in, and go back to the page."""
    me = visit.need_person()

    def act() -> Response:
        do(me.id)
        flash(said)
        return redirect(f"/account/time#{where}", 303)  # type: ignore[return-value]

    return visit.attempt(act, lambda why, status: _own_time(why, status, where))


@blueprint.post("/account/time/leave")
def plan_leave() -> Response:
    """Plan leave, or begin it now."""
    form = request.form

    def do(player_id: int) -> None:
        if form.get("do") == "now":
            _start_now(player_id)
        else:
            first, last = _date(form.get("first", "")), _date(form.get("last", ""))
            leave.plan(house().database, player_id, first, last, now=visit.now(), allowance=house().config.leave_days)

    return _settled("leave", do, "leave-taken")


def _start_now(player_id: int) -> int:
    given = request.form.get("days", "")
    days = whole(given, most=999) or 0
    return leave.start_now(house().database, player_id, days, now=visit.now(), allowance=house().config.leave_days)


def _date(given: str) -> date:
    try:
        return date.fromisoformat(given.strip())
    except ValueError:
        raise NotAccepted(
            "leave.date", Text("“{given}” is no date; one is 2026-12-24. Leave needs two.", given=given[:20])
        ) from None


@blueprint.post("/account/time/leave/<number:leave_id>/end")
def end_leave(leave_id: int) -> Response:
    """Come back early, or give up what was planned."""
    return _settled(
        "leave", lambda player_id: leave.end(house().database, player_id, leave_id, now=visit.now()), "leave-ended"
    )


@blueprint.post("/account/time/automatic")
def set_automatic() -> Response:
    """Whether days of leave are taken by themselves."""
    wanted = "auto_leave" in request.form
    return _settled("leave", lambda player_id: leave.set_automatic(house().database, player_id, wanted), "saved")


@blueprint.post("/account/time/quiet")
def set_quiet() -> Response:
    """Keep quiet hours, or none."""
    start, end = request.form.get("quiet_from", ""), request.form.get("quiet_to", "")
    return _settled(
        "quiet", lambda player_id: quiet.settle(house().database, player_id, start, end, now=visit.now()), "saved"
    )


@blueprint.post("/account/time/reminders")
def set_reminders() -> Response:
    """Keep a ladder of one's own, or that of each game."""
    form = request.form
    shares, hours = form.get("shares", ""), form.get("hours", "")
    ladder = None if form.get("ladder") != "own" else (shares, hours)
    return _settled(
        "reminders",
        lambda player_id: reminders.settle(house().database, player_id, ladder, now=visit.now()),
        "saved",
    )


# -- leave by one click from a mail -------------------------------------------------------------------


def _of_link(token: str) -> Any:
    """The player whom a link from a mail belongs to, as a row; BadLink when it is none of ours or too old."""
    player_id, until = house().links.read_leave(token)
    with house().database.read() as session:
        asked = select(Player).where(col(Player.id) == player_id, col(Player.erased_at).is_(None))
        row = session.exec(asked).first()
    if row is None or datetime.fromtimestamp(until, UTC) < visit.now():
        raise BadLink("leave")
    return row


@blueprint.get("/leave/<token>")
def leave_form(token: str) -> Response:
    """How long, and a button."""
    return _leave_form(token)


def _leave_form(token: str, error: str = "", status: int = 200) -> Response:
    try:
        player = _of_link(token)
    except BadLink:
        return _unknown()
    now = visit.now()
    with house().database.read() as session:
        seen = leave.overview(session, player.id, player.zone, now, house().config.leave_days)
    voice = Voice(player.language, player.zone)
    days = request.form.get("days", "7")
    return visit.show(
        "people/leave.html", status, voice=voice, link=token, player=player, leave=seen, days=days, error=error, now=now
    )


@blueprint.post("/leave/<token>")
def leave_now(token: str) -> Response:
    """Begin leave, or end the one that runs; the link is the right to do so."""
    try:
        player = _of_link(token)
    except BadLink:
        return _unknown()

    def act() -> Response:
        if request.form.get("do") == "end":
            with house().database.read() as session:
                running = leave.overview(session, player.id, player.zone, visit.now(), house().config.leave_days).now
            if running is not None:
                leave.end(house().database, player.id, running.id, now=visit.now())
        else:
            _start_now(player.id)
        return redirect(f"/leave/{token}", 303)  # type: ignore[return-value]

    return visit.attempt(act, lambda why, status: _leave_form(token, why, status), by_link=True)


def _unknown() -> Response:
    voice = visit.voice()
    text = voice.gettext("This link is too old, not complete, or was not made here. Open one from a newer mail.")
    return visit.message(404, voice.gettext("Link not known"), text)


# -- what the others can do ---------------------------------------------------------------------------


@blueprint.post("/games/<number:game_id>/nudge")
def nudge(game_id: int) -> Response:
    """Mail whoever owes the decision."""

    def do(player_id: int) -> str:
        done = nudges.nudge(house().database, game_id, player_id, now=visit.now())
        return "nudged" if done else "nudged-before"

    return _in_game(game_id, do)


@blueprint.post("/games/<number:game_id>/extend")
def extend(game_id: int) -> Response:
    """Grant whoever owes the decision more time."""
    days, number, granted = (_number(request.form.get(name, "")) for name in ("days", "number", "granted"))

    def do(player_id: int) -> str:
        done = nudges.extend(
            house().database, game_id, player_id, days, number=number, granted=granted, now=visit.now()
        )
        return "extended" if done else "extended-before"

    return _in_game(game_id, do)


def _number(given: str) -> int:
    read = whole(given)
    return -1 if read is None else read


def _in_game(game_id: int, do: Callable[[int], str]) -> Response:
    me = visit.need_person()

    def act() -> Response:
        flash(do(me.id))
        return redirect(f"/games/{game_id}", 303)  # type: ignore[return-value]

    try:
        return visit.attempt(act, lambda why, status: show_game(game_id, why, status, "waiting"))
    except NoSuchGame:
        abort(404)
