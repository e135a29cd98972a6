"""Calling a reserve for a player's place, and the link by which the reserve answers: opening it changes nothing."""

from __future__ import annotations

from flask import Response, request, url_for
from sqlmodel import col, select

from app.base.words.numbers import whole
from app.games.work import Work
from app.leagues.changes import reserves
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import entries, lifecycle, seat_changes
from app.leagues.pages.common import PressForm, once, reader_of, reading, thanked
from app.leagues.pages.desk.acts import DeskForm, blueprint
from app.leagues.rounds import schedule
from app.leagues.tables import Entrant, Role
from app.people.tables import Player
from app.web import visit
from app.web.forms import Id, answers, on_to
from app.web.gates.csrf import by_link
from app.web.reader import server
from engine.kernel.text import N_


class CallForm(DeskForm):
    """The player for whose place a reserve is called."""

    player: Id


@blueprint.get("/events/<number:event_id>/replace")
def ask_page(event_id: int) -> Response:
    """Show which reserve a call would reach, with a form for the reason. Changes nothing."""
    voice = visit.voice()
    with reading(event_id, Role.DEPUTY) as (session, event, club, _):
        player = whole(request.values.get("player", ""))
        entrant = None if player is None else entries.entrant_of(session, event_id, player)
        if entrant is None:
            raise lifecycle.NoSuchCompetition(event_id)
        there = reserves.of_event(session, event_id)
        asked, left = there.open_call(entrant.id), there.left(entrant.id)
        games = seat_changes.running_games(session, event_id, entrant.id)
        more = schedule.has_more_to_play(session, event, entrant.id)
        rounds = schedule.more_rounds(session, event, entrant)
    return visit.show(
        "leagues/reserves/ask.html",
        event=event,
        club=club,
        entry=entrant,
        whose=voice.person(entrant.name),
        asked="" if asked is None else voice.person(asked.name),
        first=voice.person(left[0][1].name) if left else "",
        games=games,
        more=more,
        rounds=rounds,
        form=DeskForm.shown(),
        once=once(),
    )


@blueprint.post("/events/<number:event_id>/replace")
@answers(CallForm, again=ask_page)
def ask(form: CallForm, event_id: int) -> Response:
    """Call the first reserve for a player's place, once."""
    me, now = reader_of(event_id), visit.now()
    with server().database.read() as session:
        entrant = entries.entrant_of(session, event_id, form.player)
    if entrant is None:
        raise lifecycle.NoSuchCompetition(event_id)
    made = reserves.call(server().database, event_id, entrant.id, ActRequest(me, form.reason, form.once), now=now)
    return on_to("events.manage_page", "desk-reserve" if made else "desk-before", event_id=event_id)


@blueprint.get("/reserve/<token>")
def look(token: str) -> Response:
    """Show what would be taken over, with two buttons."""
    call_id, player_id = visit.asked("reserve", token)
    with server().database.read() as session:
        call = reserves.find(session, call_id, player_id)
        event = lifecycle.get(session, call.event_id)
        games = seat_changes.running_games(session, event.id, call.leaver_id)
        others = seat_changes.opponents(session, event.id, call.leaver_id)
        names = dict(session.exec(select(Player.id, Player.name).where(col(Player.id).in_(others))).all())
        leaver = session.get_one(Entrant, call.leaver_id)
    voice = visit.voice().about(event.title)
    return visit.show(
        "leagues/reserves/call.html",
        voice=voice,
        link=token,
        event=event,
        call=call,
        games=games,
        leaver=voice.person(leaver.name),
        others=[voice.person(names[one]) for one in others],
        over=visit.now() > call.answer_by,
    )


@blueprint.post("/reserve/<token>")
@by_link
@answers(PressForm, again=look)
def answer(form: PressForm, token: str) -> Response:
    """Accept or decline without signing in: the link is the right to do so."""
    call_id, player_id = visit.asked("reserve", token)
    if form.answer == "later":
        return on_to(".look", token=token)
    with Work(server().database) as work:
        reserves.answer(work, call_id, player_id, accepts=form.answer == "accept", now=visit.now())
        event_id = reserves.get(work.session, call_id).event_id
    asks_on = N_("Somebody else is asked. You stay on the list of reserves.")
    said = N_("The seat is yours.") if form.answer == "accept" else asks_on
    return thanked(visit.voice().gettext(said), url_for("events.event_page", event_id=event_id))
