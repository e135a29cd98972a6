"""Running an event: preparing it, its terms, entries and divisions, the start, the end."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from flask import Response, abort, request

from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.leagues import clubs, endings, entries, events, members, pairing_jobs, round_rows, rounds, schedule
from app.leagues.pages import clubs as club_pages
from app.leagues.pages import terms_form
from app.leagues.pages.common import attempt, end_of_day, event_for, named, number, on
from app.leagues.pages.events import about, blueprint
from app.leagues.pages.shown import round_shown
from app.lobby import options
from app.lobby.pages.home import titles
from app.time import paces
from app.titles.registry import TITLES
from app.web import visit
from app.web.reader import house
from engine.kernel.text import Text

# -- preparing ----------------------------------------------------------------------------------------


@club_pages.blueprint.get("/clubs/<slug>/events/new")
def new_form(slug: str) -> Response:
    """Which game, then all the terms."""
    visit.need_person()
    return _new(slug)


def _new(slug: str, error: str = "", status: int = 200, wrong: str = "") -> Response:
    voice = visit.voice()
    with house().database.read() as session:
        club, _ = club_pages.club_for(session, slug, "organiser")
        chosen = request.values.get("title", "")
        if not chosen:
            return visit.show("leagues/choose.html", status, voice=voice, club=club, titles=titles())
        title = TITLES[chosen] if chosen in TITLES else abort(404)
        fields = terms_form.context(session, voice, title, None, club.zone)
    return visit.show(
        "leagues/new.html", status, voice=voice, club=club, error=error, wrong=wrong, event=None, **fields
    )


@club_pages.blueprint.post("/clubs/<slug>/events/new")
def make(slug: str) -> Response:
    """Prepare the event."""
    me, club = visit.need_person(), club_pages.find_club(slug)
    title = TITLES[request.form["title"]] if request.form.get("title") in TITLES else abort(404)

    def act() -> Response:
        event_id = events.make(
            house().database, club.id, me.id, title_id=title.id, format=request.form.get("format", ""),
            divisions=terms_form.read_divisions(), now=visit.now(), **_given(title, club.zone),
        )  # fmt: skip
        return on(f"/events/{event_id}/manage", "event-made")

    return terms_form.attempt(act, lambda why, status, field: _new(slug, why, status, field))


def _given(title: Any, zone: str) -> dict[str, Any]:
    named = request.form.get("pace.calendar", "")
    calendar = whole(named)
    if named and calendar is None:
        raise NotAccepted("calendar.unknown", Text("There is no such calendar."))
    return {
        "name": request.form.get("name", ""), "options": options.read_form(title, request.form),
        "pace": paces.read_form(request.form, zone), "calendar_id": calendar or None,
        "terms": terms_form.read_terms(), "season": request.form.get("season", ""),
        "sign_up_until": end_of_day(request.form.get("sign_up_until", ""), zone),
    }  # fmt: skip


# -- the page of those who run it ---------------------------------------------------------------------


@blueprint.get("/events/<number:event_id>/manage")
def manage_page(event_id: int) -> Response:
    """What can be done next, and all that can be changed."""
    visit.need_person()
    return manage(event_id)


def manage(event_id: int, error: str = "", status: int = 200, *, at: str = "", wrong: str = "") -> Response:
    """The page, with what was refused; `at` is the form and `wrong` the field that it belongs to."""
    voice = visit.voice()
    with house().database.read() as session:
        event, role = event_for(session, event_id, "deputy")
        club = clubs.get(session, event.club_id)
        people = entries.entries(session, event.id)
        names = {entry.id: entry.name for entry in people}
        inside = {entry.player_id for entry in people if entry.status in ("entered", "reserve")}
        others = [one for one in members.members(session, club.id) if one.player_id not in inside]
        jobs = pairing_jobs.newest(session, event.id)
        divisions: list[dict[str, Any]] = [
            {
                "now": division, "job": jobs.get(division.id),
                "count": sum(e.division_id == division.id and e.status == "entered" for e in people),
                "rounds": [round_shown(round, voice, names, title=event.title, full=False) for round in there],
                "left": schedule.left(session, event, division, there) if event.status == "running" else 0,
            }
            for division in event.divisions
            for there in (round_rows.rounds_of(session, division.id, drafts=True),)
        ]  # fmt: skip
        fields = terms_form.context(session, voice, event.title, event, club.zone)
        facts = about(session, event, voice)
    shown = {"entered": voice.gettext("plays"), "reserve": voice.gettext("in reserve"),
             "withdrawn": voice.gettext("withdrawn"), "removed": voice.gettext("taken out")}  # fmt: skip
    return visit.show(
        "leagues/manage.html", status, voice=voice, event=event, club=club, role=role, facts=facts, people=people,
        divisions=divisions, others=[one for one in others if one.status == "member"], error=error, at=at, wrong=wrong,
        who=lambda name: named(voice, name), statuses=shown, before=event.status in ("draft", "sign_up"),
        organises=clubs.may(role, "organiser"), once=secrets.token_hex(12),
        all_closed=all(one["rounds"] and all(r["status"] == "closed" for r in one["rounds"]) for one in divisions),
        **fields,
    )  # fmt: skip


def _act(event_id: int, act: Callable[[int], Any], said: str, *, at: str = "") -> Response:
    me = visit.need_person()
    with house().database.read() as session:
        event_for(session, event_id, "deputy")

    def acting() -> Response:
        act(me.id)
        return on(f"/events/{event_id}/manage", said)

    return attempt(acting, lambda why, status: manage(event_id, why, status, at=at))


@blueprint.post("/events/<number:event_id>/terms")
def change(event_id: int) -> Response:
    """Change the terms and the divisions of an event that has not started."""
    me = visit.need_person()
    with house().database.read() as session:
        event, _ = event_for(session, event_id, "deputy")
        zone = clubs.get(session, event.club_id).zone

    def act() -> Response:
        rows = terms_form.read_divisions()
        events.read_divisions([{**row, "level": at} for at, row in enumerate(rows, 1)], event.name)  # judged first
        events.change(house().database, event_id, me.id, now=visit.now(), **_given(event.title, zone))
        endings.change_divisions(house().database, event_id, me.id, rows, now=visit.now())
        return on(f"/events/{event_id}/manage", "saved")

    return terms_form.attempt(act, lambda why, status, field: manage(event_id, why, status, at="terms", wrong=field))


@blueprint.post("/events/<number:event_id>/open")
def open_sign_up(event_id: int) -> Response:
    """Show the event to everybody and let players sign up."""
    return _act(event_id, lambda me: events.open_sign_up(house().database, event_id, me, now=visit.now()), "event-open")


@blueprint.post("/events/<number:event_id>/enter")
def enter(event_id: int) -> Response:
    """Enter a member, for whom the limits of sign-up do not hold."""

    def act(me: int) -> None:
        player = number("player")
        with house().database.read() as session:
            club_id = events.get(session, event_id).club_id
            if clubs.role_of(session, club_id, player) is None:
                raise NotAccepted("entry.member_only", Text("Choose a member of the club."))
        entries.sign_up(house().database, event_id, player, by_id=me, now=visit.now())

    return _act(event_id, act, "entry-made")


@blueprint.post("/events/<number:event_id>/divisions")
def divide(event_id: int) -> Response:
    """Put entries into divisions."""

    def act(me: int) -> None:
        placed = {}
        for key, value in request.form.items():
            kind, _, entry = key.partition(".")
            who, division = whole(entry), whole(value)
            if kind == "entry" and who is not None and division is not None:
                placed[who] = division
        rounds.put_into_divisions(house().database, event_id, me, placed, now=visit.now())

    return _act(event_id, act, "saved")


@blueprint.post("/events/<number:event_id>/byes")
def grant_bye(event_id: int) -> Response:
    """Grant somebody a bye with points, or note rounds off for them."""

    def act(me: int) -> None:
        player, round = number("player"), number("round", 99)
        with house().database.read() as session:
            entry = entries.entry_of(session, event_id, player)
        away, byes = (set(entry.away), set(entry.byes)) if entry else (set(), set())
        (byes if request.form.get("kind") == "bye" else away).add(round)
        entries.set_rounds_off(
            house().database, event_id, player, away=sorted(away - byes), byes=sorted(byes), by_id=me, now=visit.now()
        )

    return _act(event_id, act, "saved")


@blueprint.post("/events/<number:event_id>/start")
def start(event_id: int) -> Response:
    """End sign-up and give everybody a pairing number."""
    return _act(event_id, lambda me: rounds.start(house().database, event_id, me, now=visit.now()), "event-started")


@blueprint.post("/events/<number:event_id>/finish")
def finish(event_id: int) -> Response:
    """End the event: its standings are final."""
    return _act(event_id, lambda me: endings.finish(house().database, event_id, me, now=visit.now()), "event-over")


@blueprint.get("/events/<number:event_id>/cancel")
def cancel_page(event_id: int) -> Response:
    """Who would be told and what would become of the games, with a form for the reason. Changes nothing."""
    visit.need_person()
    return _cancel_page(event_id)


def _cancel_page(event_id: int, error: str = "", status: int = 200) -> Response:
    voice = visit.voice()
    with house().database.read() as session:
        event, _ = event_for(session, event_id, "organiser")
        club = clubs.get(session, event.club_id)
        foreseen = endings.foresee(session, event)
    return visit.show(
        "leagues/cancel.html", status, voice=voice, event=event, club=club, error=error, foreseen=foreseen,
        names=[named(voice, name) for _, name, _ in foreseen.told], gone=event.status in ("over", "cancelled"),
    )  # fmt: skip


@blueprint.post("/events/<number:event_id>/cancel")
def cancel(event_id: int) -> Response:
    """Cancel the event, with a reason."""
    me = visit.need_person()
    with house().database.read() as session:
        event_for(session, event_id, "deputy")

    def acting() -> Response:
        endings.cancel(house().database, event_id, me.id, reason=request.form.get("reason", ""), now=visit.now())
        return on(f"/events/{event_id}/manage", "event-cancelled")

    return attempt(acting, lambda why, status: _cancel_page(event_id, why, status))
