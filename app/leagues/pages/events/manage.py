"""Running an event: preparing it, its terms, entrants and divisions, the start, the end."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Annotated, Any

from flask import Response, request

from app.base.refusals import NotAccepted
from app.leagues.clubs import clubs, members
from app.leagues.desk import autopilot
from app.leagues.events import entries, event_templates, events, round_rows, two_clubs
from app.leagues.events.events import FORMAT_NAMES
from app.leagues.pages.clubs import clubs as club_pages
from app.leagues.pages.common import ChosenId, ReasonForm, event_for, named, reader_of
from app.leagues.pages.events import terms_form
from app.leagues.pages.events.events import about, blueprint
from app.leagues.pages.events.next_shown import next_shown
from app.leagues.pages.events.terms_form import TermsForm
from app.leagues.pages.shown.shown import round_shown
from app.leagues.rounds import finals, pairing_jobs, rounds, schedule
from app.leagues.seasons import endings
from app.leagues.tables import (
    Competition,
    CompetitionStatus,
    Entrant,
    EntrantStatus,
    InvitationStatus,
    MemberStatus,
    Role,
)
from app.lobby.pages.open_games import title_of, titles
from app.web import visit
from app.web.forms import Count, Form, Id, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.text import N_, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlmodel import Session

    from app.base.speech import Voice
    from app.leagues.tables import Competition, Entrant

# -- preparing ----------------------------------------------------------------------------------------


class StartFromForm(Form):
    """The start of a new event: a title, or a template of the club."""

    title: Typed = ""
    template: ChosenId = None


@club_pages.blueprint.get("/clubs/<slug>/events/new")
def new_form(slug: str) -> Response:
    """Choose a title, then all the terms."""
    visit.need_person()
    chosen = StartFromForm.of(request.values)
    with server().database.read() as session:
        club, _ = club_pages.club_for(session, slug, Role.ORGANISER)
        if not chosen.title and chosen.template is None:
            kept = event_templates.of_club(session, club.id)
            return visit.show("leagues/events/choose.html", club=club, titles=titles(), kept=kept, formats=FORMAT_NAMES)
        template = None if chosen.template is None else event_templates.get(session, club.id, chosen.template)
        title = template.title if template else title_of(chosen.title)
        fields = terms_form.context(session, visit.voice(), title, template, club.zone)
    return visit.show("leagues/events/new.html", club=club, event=None, **fields)


@club_pages.blueprint.post("/clubs/<slug>/events/new")
@answers(TermsForm, again=new_form)
def make(form: terms_form.CompetitionForm, slug: str) -> Response:
    """Prepare the event."""
    me, club, title = visit.need_person(), club_pages.find_club(slug), title_of(form.title)
    with server().database.read() as session:
        draft = form.draft(session, title, club.zone)
    event_id = events.make(server().database, club.id, me.id, draft, now=visit.now())
    return on_to("events.manage_page", "event-made", event_id=event_id)


# -- the page of those who run it ---------------------------------------------------------------------

STATUSES = {
    "entered": N_("plays"),
    "reserve": N_("in reserve"),
    "withdrawn": N_("withdrawn"),
    "removed": N_("taken out"),
}


@blueprint.get("/events/<number:event_id>/manage")
def manage_page(event_id: int) -> Response:
    """Show what can be done next, and everything that can be changed."""
    visit.need_person()
    voice = visit.voice()
    with server().database.read() as session:
        event, club, role = event_for(session, event_id, Role.DEPUTY)
        people = entries.entrants(session, event.id)
        inside = {
            entrant.player_id for entrant in people if entrant.status in (EntrantStatus.ENTERED, EntrantStatus.RESERVE)
        }
        others = [one for one in members.members(session, club.id) if one.player_id not in inside]
        divisions = _divisions(session, event, people, voice)
        fields = terms_form.context(session, voice, event.title, event, club.zone)
        facts = about(session, event, voice)
        ahead = next_shown(session, event)
        behind = finals.behind(session, event)
        stay = voice.say(finals.in_words(session, event, behind)) if behind else ""
        match = two_clubs.of_event(session, event.id)
        if match is not None and match.status not in (InvitationStatus.INVITED, InvitationStatus.ACCEPTED):
            match = None
    return visit.show(
        "leagues/events/manage.html",
        ahead=ahead,
        stay=stay,
        match=match,
        event=event,
        club=club,
        facts=facts,
        people=people,
        groups=_groups(event, people, voice),
        reserves=any(one.status == EntrantStatus.RESERVE for one in people),
        divisions=divisions,
        others=[one for one in others if one.status == MemberStatus.MEMBER],
        who=lambda name: named(voice, name),
        statuses=STATUSES,
        before=event.status in (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP),
        organises=clubs.may(role, Role.ORGANISER),
        once=secrets.token_hex(12),
        all_closed=all(one["rounds"] and all(r["status"] == "closed" for r in one["rounds"]) for one in divisions),
        **fields,
    )


def _divisions(session: Session, event: Competition, people: Sequence[Entrant], voice: Voice) -> list[dict[str, Any]]:
    """The divisions with their rounds, and how many are left to pair."""
    jobs, names = pairing_jobs.newest(session, event.id), {entrant.id: entrant.name for entrant in people}
    runs = event.status == CompetitionStatus.RUNNING
    return [
        {
            "now": division,
            "job": jobs.get(division.id),
            "count": sum(e.division_id == division.id and e.status == EntrantStatus.ENTERED for e in people),
            "rounds": [round_shown(round, voice, names, title=event.title, full=False) for round in there],
            "left": schedule.left(session, event, division, there) if runs else 0,
        }
        for division in event.divisions
        for there in (round_rows.rounds_of(session, division.id, drafts=True),)
    ]


def _groups(event: Competition, people: Sequence[Entrant], voice: Voice) -> list[tuple[str, list[Entrant]]]:
    """Return the people of an event: players by division, those without one, reserves, and those who left."""
    left = list(people)
    found = []

    def take(name: str, belongs: Callable[[Entrant], bool]) -> None:
        chosen = [one for one in left if belongs(one)]
        left[:] = [one for one in left if not belongs(one)]
        if chosen:
            found.append((name, chosen))

    take(voice.gettext("Gone"), lambda one: one.status in (EntrantStatus.WITHDRAWN, EntrantStatus.REMOVED))
    take(voice.gettext("Reserves"), lambda one: one.status == EntrantStatus.RESERVE)
    last = list(reversed(found))
    found.clear()
    several = len(event.divisions) > 1
    for division in event.divisions:
        named_so = division.name if several else voice.gettext("Playing")
        take(named_so, lambda one, number=division.id: not several or one.division_id == number)  # type: ignore[misc]
    take(voice.gettext("Without a division"), lambda one: True)
    return found + last


@blueprint.post("/events/<number:event_id>/terms")
@answers(TermsForm, again=manage_page, where="terms")
def change(form: terms_form.CompetitionForm, event_id: int) -> Response:
    """Change the terms and the divisions of an event that has not started."""
    me, now, rows = reader_of(event_id), visit.now(), form.divisions()
    with server().database.read() as session:
        event = events.get(session, event_id)
        draft = form.draft(session, event.title, clubs.get(session, event.club_id).zone)
    events.read_divisions([{**row, "level": at} for at, row in enumerate(rows, 1)], event.name)  # judged first
    events.change(server().database, event_id, me, draft, now=now)
    endings.change_divisions(server().database, event_id, me, rows, now=now)
    return on_to(".manage_page", "saved", event_id=event_id)


@blueprint.post("/events/<number:event_id>/open")
@answers(again=manage_page)
def open_sign_up(event_id: int) -> Response:
    """Show the event to everybody and let players sign up."""
    events.open_sign_up(server().database, event_id, reader_of(event_id), now=visit.now())
    return on_to(".manage_page", "event-open", event_id=event_id)


class EnterForm(Form):
    """A member to enter."""

    player: Id


@blueprint.post("/events/<number:event_id>/enter")
@answers(EnterForm, again=manage_page)
def enter(form: EnterForm, event_id: int) -> Response:
    """Enter a member; the limits of sign-up do not apply."""
    me = reader_of(event_id)
    with server().database.read() as session:
        if clubs.role_of(session, events.get(session, event_id).club_id, form.player) is None:
            raise NotAccepted("entry.member_only", Text("Choose a member of the club."))
    entries.sign_up(server().database, event_id, form.player, by_id=me, now=visit.now())
    return on_to(".manage_page", "entry-made", event_id=event_id)


class DivideForm(Form):
    """A division for each entrant, or none."""

    entry: dict[Id, ChosenId]


@blueprint.post("/events/<number:event_id>/divisions")
@answers(DivideForm, again=manage_page)
def divide(form: DivideForm, event_id: int) -> Response:
    """Put entrants into divisions."""
    placed = {entrant: division for entrant, division in form.entry.items() if division is not None}
    rounds.put_into_divisions(server().database, event_id, reader_of(event_id), placed, now=visit.now())
    return on_to(".manage_page", "saved", event_id=event_id)


class ByeForm(Form):
    """A round in which a player does not play, with or without the points of a bye."""

    player: Id
    round: Annotated[int, Count(most=99)]
    kind: Typed = ""


@blueprint.post("/events/<number:event_id>/byes")
@answers(ByeForm, again=manage_page)
def grant_bye(form: ByeForm, event_id: int) -> Response:
    """Grant a player a bye with points, or set their rounds off."""
    me, now = reader_of(event_id), visit.now()
    with server().database.read() as session:
        entrant = entries.entrant_of(session, event_id, form.player)
    away, byes = (set(entrant.away), set(entrant.byes)) if entrant else (set(), set())
    (byes if form.kind == "bye" else away).add(form.round)
    off = {"away": sorted(away - byes), "byes": sorted(byes)}
    entries.set_rounds_off(server().database, event_id, form.player, **off, by_id=me, now=now)
    return on_to(".manage_page", "saved", event_id=event_id)


@blueprint.post("/events/<number:event_id>/start")
@answers(again=manage_page)
def start(event_id: int) -> Response:
    """End sign-up and give everybody a pairing number."""
    rounds.start(server().database, event_id, reader_of(event_id), now=visit.now())
    return on_to(".manage_page", "event-started", event_id=event_id)


class PauseForm(Form):
    """Pausing or resuming the autopilot."""

    paused: Typed = ""


@blueprint.post("/events/<number:event_id>/autopilot")
@answers(PauseForm, again=manage_page)
def pause(form: PauseForm, event_id: int) -> Response:
    """Pause or resume the automatic steps of an event."""
    autopilot.pause(server().database, event_id, reader_of(event_id), paused=bool(form.paused), now=visit.now())
    return on_to(".manage_page", "saved", event_id=event_id)


@blueprint.post("/events/<number:event_id>/finish")
@answers(again=manage_page)
def finish(event_id: int) -> Response:
    """End the event: its standings are final."""
    endings.finish(server().database, event_id, reader_of(event_id), now=visit.now())
    return on_to(".manage_page", "event-over", event_id=event_id)


@blueprint.get("/events/<number:event_id>/cancel")
def cancel_page(event_id: int) -> Response:
    """Show who would be told and what would happen to the games, with a form for the reason. Changes nothing."""
    visit.need_person()
    with server().database.read() as session:
        event, club, _ = event_for(session, event_id, Role.ORGANISER)
        foreseen = endings.foresee(session, event)
    return visit.show(
        "leagues/events/cancel.html",
        event=event,
        club=club,
        form=ReasonForm.shown(),
        foreseen=foreseen,
        names=[named(visit.voice(), name) for _, name, _ in foreseen.told],
        gone=event.status in (CompetitionStatus.OVER, CompetitionStatus.CANCELLED),
    )


@blueprint.post("/events/<number:event_id>/cancel")
@answers(ReasonForm, again=cancel_page)
def cancel(form: ReasonForm, event_id: int) -> Response:
    """Cancel the event, with a reason."""
    endings.cancel(server().database, event_id, reader_of(event_id), reason=form.reason, now=visit.now())
    return on_to(".manage_page", "event-cancelled", event_id=event_id)
