"""Asking to join a club, and the answer of those who decide; they read the requests among the members."""

from __future__ import annotations

from typing import Annotated, Literal

from flask import Response

from app.leagues.clubs import joining
from app.leagues.pages.clubs.members import members_page
from app.leagues.pages.clubs.public import acting_at, blueprint, reading_club
from app.web import visit
from app.web.forms import Field, Form, Id, Says, Typed, answers, on_to
from engine.kernel.text import N_, Text


class AskForm(Form):
    """The words of a request."""

    text: Typed = Field("", title=N_("A few words about yourself, if you like"))
    do: Typed = ""


class DecideForm(Form):
    """The two buttons beside a request."""

    player: Id
    answer: Annotated[Literal["admit", "decline"], Says("request.none", Text("Choose one of what is offered."))]
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
    """Ask to join, or withdraw your own request."""
    if form.do == "back":
        joining.take_back(*acting_at(slug), now=visit.now())
        return on_to(".club_page", "request-back", slug=slug)
    joining.ask(*acting_at(slug), form.text, now=visit.now())
    return on_to(".club_page", "asked-to-join", slug=slug)


@blueprint.post("/clubs/<slug>/requests")
@answers(DecideForm, again=members_page)
def decide_request(form: DecideForm, slug: str) -> Response:
    """Accept or decline a request."""
    admits = form.answer == "admit"
    done = joining.decide(*acting_at(slug), form.player, admits=admits, words=form.words, now=visit.now())
    said = ("taken-in" if admits else "not-taken-in") if done else "request-gone"
    return on_to(".members_page", said, slug=slug)
