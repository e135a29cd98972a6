"""Asking to join a club, and the requests for those who decide on them."""

from __future__ import annotations

from typing import Annotated, Literal

from flask import Response

from app.leagues.clubs import club_rights, joining
from app.leagues.pages.clubs.public import blueprint, find_club, reading_club
from app.leagues.tables import Role
from app.web import visit
from app.web.forms import Field, Form, Id, Says, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.text import N_, Text


class AskForm(Form):
    """The words of a request."""

    text: Typed = Field("", title=N_("A few words about yourself, if you like"))


class DecideForm(Form):
    """The two buttons beside a request."""

    player: Id
    answer: Annotated[Literal["admit", "decline"], Says("request.none", Text("Choose whether to take them in."))]
    words: Typed = Field("", title=N_("A word to them, if you like; only they read it"))


@blueprint.get("/clubs/<slug>/ask")
def ask_page(slug: str) -> Response:
    """Show what asking means, a form, and the state of the reader's request."""
    with reading_club(slug, None) as (session, club, role):
        me = visit.person(session)
        there = joining.of_player(session, club.id, me.id) if me else None
        no = joining.why_not(session, club, me.id, visit.now()) if me else None
    return visit.show(
        "leagues/shown/ask.html",
        club=club,
        role=role,
        waits=there is not None and there.declined_at is None,
        why_not=visit.voice().say(no) if no else "",
        form=AskForm.shown(),
        longest=joining.LONGEST_TEXT,
    )


@blueprint.post("/clubs/<slug>/ask")
@answers(AskForm, again=ask_page)
def ask(form: AskForm, slug: str) -> Response:
    """Ask to join."""
    me, club = visit.need_person(), find_club(slug)
    joining.ask(server().database, club.id, me.id, form.text, now=visit.now())
    return on_to(".club_page", "asked-to-join", slug=slug)


@blueprint.post("/clubs/<slug>/ask/back")
@answers(again=ask_page)
def take_request_back(slug: str) -> Response:
    """Withdraw your own request."""
    me, club = visit.need_person(), find_club(slug)
    joining.take_back(server().database, club.id, me.id, now=visit.now())
    return on_to(".club_page", "request-back", slug=slug)


@blueprint.get("/clubs/<slug>/requests")
def requests_page(slug: str) -> Response:
    """Show the requests to join, each with two buttons."""
    voice = visit.voice()
    with reading_club(slug, joining.NEEDED) as (session, club, role):
        found = joining.waiting(session, club.id)
    return visit.show(
        "leagues/clubs/requests.html",
        club=club,
        requests=[(one, voice.person(one.name)) for one in found],
        form=DecideForm.shown(),
        longest=joining.LONGEST_TEXT,
        may_change=club_rights.may(role, Role.ORGANISER),
    )


@blueprint.post("/clubs/<slug>/requests")
@answers(DecideForm, again=requests_page)
def decide_request(form: DecideForm, slug: str) -> Response:
    """Accept or decline a request."""
    me, club = visit.need_person(), find_club(slug)
    admits, now = form.answer == "admit", visit.now()
    done = joining.decide(server().database, club.id, me.id, form.player, admits=admits, words=form.words, now=now)
    said = ("taken-in" if admits else "not-taken-in") if done else "request-gone"
    return on_to(".requests_page", said, slug=slug)
