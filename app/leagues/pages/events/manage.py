"""Running an event: preparing it, its terms, entrants and divisions, the start, the end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Any, Literal

from flask import Response, request, url_for
from sqlmodel import Session

from app.base.words.refusals import NotAccepted
from app.games.work import Work
from app.leagues.clubs import club_rights
from app.leagues.desk import autopilot, trouble
from app.leagues.events import entries, lifecycle
from app.leagues.pages.clubs import public as club_pages
from app.leagues.pages.common import ChosenId, ReasonForm, acting_in, once, reader_of, reading
from app.leagues.pages.desk import acts
from app.leagues.pages.desk.desk_words import next_shown
from app.leagues.pages.events import kinds, terms_form, terms_shown
from app.leagues.pages.events.players import players_page
from app.leagues.pages.events.public import about, blueprint
from app.leagues.pages.events.terms_form import TermsForm
from app.leagues.pages.events.terms_shown import Asked
from app.leagues.rounds import finals, pairing_jobs, round_loop, schedule
from app.leagues.seasons import endings, stepping_back, verdicts
from app.leagues.tables import Competition, CompetitionStatus, Entrant, EntrantStatus, JobState, Role, RoundStatus
from app.lobby.pages.open_games import title_of, titles
from app.titles.registry import TITLES
from app.web import visit
from app.web.forms import Count, Day, Field, Form, Id, Tick, Typed, answers, on_to, typed_again
from app.web.reader import server
from engine.kernel.text import N_, Text
from engine.kernel.title import Title

# -- preparing ----------------------------------------------------------------------------------------


class StartFromForm(Form):
    """The start of a new event: the answers to three questions, or an event whose terms it takes."""

    title: Typed = ""
    like: ChosenId = None
    kind: Typed = ""
    begins: Day | None = Field(None, title=N_("It begins on"))
    weeks: Annotated[int, Count(most=104)] = Field(8, title=N_("A round takes"))
    rounds: Typed = Field("", title=N_("Its rounds begin"))
    days: Annotated[int, Count(1, 60)] = Field(5, title=N_("Days for each answer"))

    def asked(self, title: Title) -> Asked:
        """Return the answers, for this title. Raises NotAccepted for a day that has passed."""
        open_to = kinds.open_to(title)
        if self.begins is not None and self.begins <= visit.now().date():
            no = NotAccepted(
                "event.begins", Text("Let it begin tomorrow at the earliest, so that somebody can sign up.")
            )
            no.field = "begins"
            raise no
        kind = self.kind if self.kind in open_to else open_to[0]
        weeks = 0 if kind == "ladder" else self.weeks
        return Asked(title, kind, self.begins, weeks, self.days, kind == "league" and self.rounds == "at_once")


@club_pages.blueprint.get("/clubs/<slug>/events/new")
def new_form(slug: str) -> Response:
    """Ask three questions, then show the terms that follow from them."""
    no = None
    try:
        chosen = StartFromForm.of(request.args)
        with server().database.read() as session:
            club, _ = club_pages.club_for(session, slug, Role.ORGANISER)
            title_id = chosen.title or request.form.get("title", "")
            if title_id or chosen.like is not None:
                like = None if chosen.like is None else lifecycle.get(session, chosen.like)
                if like is not None and like.club_id != club.id:
                    raise lifecycle.NoSuchCompetition(like.id)
                title = like.title if like else title_of(title_id)
                stands = like or chosen.asked(title)
                fields = terms_shown.context(session, visit.voice(), title, stands, club, like=like is not None)
                return visit.show("leagues/events/new.html", club=club, event=None, **fields)
    except NotAccepted as wrong:
        if not wrong.field:
            raise
        no = wrong
    return _questions(slug, no)


def _questions(slug: str, no: NotAccepted | None) -> Response:
    """Show the three questions, and what is wrong with an answer."""
    voice, there = visit.voice(), [TITLES[id] for id, _ in titles()]
    with club_pages.reading_club(slug, Role.ORGANISER) as (_, club, _):
        weeks = {title.id: terms_shown.weeks_of_a_game(title, 5) for title in there}
    now = visit.now().date()
    given = {name: request.args.get(name, "") for name in ("title", "kind", "begins", "weeks", "rounds", "days")}
    usual = {"title": there[0].id, "begins": (now + timedelta(days=21 - now.weekday())).isoformat(), "weeks": "8"}
    if no is None:
        given = {"kind": kinds.open_to(there[0])[0], "rounds": "", "days": "5"} | usual
    known = {key for title in there for key in kinds.open_to(title)}
    return visit.show(
        "leagues/events/choose.html",
        422 if no else 200,
        club=club,
        titles=[(title, weeks[title.id]) for title in there],
        kinds=[(key, kinds.KINDS[key]) for key in kinds.KINDS if key in known],
        several=[key for key in known if kinds.KINDS[key].at_tables],
        lengths=terms_shown.FEW_WEEKS,
        given=given,
        error=voice.say(no.why) if no else "",
        wrong=no.field if no else "",
    )


@club_pages.blueprint.post("/clubs/<slug>/events/new")
@answers(TermsForm, again=new_form)
def make(form: terms_form.CompetitionForm, slug: str) -> Response:
    """Prepare the event, or show its sentences again with what was changed in one."""
    me, club, title = visit.need_person(), club_pages.find_club(slug), title_of(form.title)
    with server().database.read() as session:
        draft = form.draft(session, title, club.zone)
    if form.do.startswith("keep."):
        return typed_again(TermsForm, new_form, slug=slug)
    opens = form.do == "open"
    event_id = lifecycle.make(server().database, club.id, me.id, draft, now=visit.now(), opens=opens)
    return on_to("events.manage_page", "event-open" if opens else "event-made", event_id=event_id)


# -- the page of those who run it ---------------------------------------------------------------------


@blueprint.get("/events/<number:event_id>/manage")
def manage_page(event_id: int) -> Response:
    """Show what can be done next, what holds a round up, and everything that can be changed."""
    voice = visit.voice()
    with reading(event_id, Role.DEPUTY) as (session, event, club, role):
        people = entries.entrants(session, event.id)
        data = trouble.read(session, event, visit.now())
        divisions = _divisions(session, event, people, data)
        facts = about(session, event, voice)
        ahead = next_shown(session, event)
        held_up = acts.held_up(session, event, visit.now(), data)
        behind = finals.behind(session, event)
        stay = voice.say(finals.in_words(session, event, behind)) if behind else ""
    return visit.show(
        "leagues/events/manage.html",
        ahead=ahead,
        stay=stay,
        match=event.guest_id is not None,
        event=event,
        club=club,
        facts=facts,
        divisions=divisions,
        playing=sum(one.status == EntrantStatus.ENTERED for one in people),
        before=event.status in (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP),
        organises=club_rights.may(role, Role.ORGANISER),
        once=once(),
        none_published=all(round.status == RoundStatus.DRAFT for one in divisions for round in one["rounds"]),
        **held_up,
        all_closed=all({round.status for round in one["rounds"]} == {RoundStatus.CLOSED} for one in divisions),
    )


def _divisions(
    session: Session, event: Competition, people: Sequence[Entrant], data: trouble.Data
) -> list[dict[str, Any]]:
    """The divisions with their rounds, how many are left to pair, and how many fewer there are than the terms say."""
    jobs = pairing_jobs.newest(session, event.id)
    runs = event.status == CompetitionStatus.RUNNING
    return [
        {
            "now": division,
            "job": job,
            "failed": job is not None
            and job.state == JobState.FAILED
            and job.number > sum(round.status != RoundStatus.DRAFT for round in there),
            "count": sum(e.division_id == division.id and e.status == EntrantStatus.ENTERED for e in people),
            "rounds": there,
            "waits": schedule.why_not_yet(event, division, there),
            "left": schedule.left(session, event, division, there) if runs else 0,
            "fewer": max(0, (event.terms.rounds or 0) - len(there)) if runs and not event.boards else 0,
        }
        for division in event.divisions
        for there in (data.there(division),)
        for job in (jobs.get(division.id),)
    ]


@blueprint.get("/events/<number:event_id>/terms")
def terms_page(event_id: int) -> Response:
    """Show the terms as sentences, each of which can be changed until the start; then say that they stay."""
    with reading(event_id, Role.ORGANISER) as (session, event, club, _):
        if event.status not in (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP):
            why = visit.voice().gettext("The event has started; this stays as it is.")
            return visit.message(409, event.name, why, back=url_for("events.event_page", event_id=event_id))
        fields = terms_shown.context(session, visit.voice(), event.title, event, club)
    return visit.show("leagues/events/terms.html", event=event, club=club, **fields)


@blueprint.post("/events/<number:event_id>/terms")
@answers(TermsForm, again=terms_page)
def change(form: terms_form.CompetitionForm, event_id: int) -> Response:
    """Change the terms and the divisions of an event that has not started."""
    me, now, rows = reader_of(event_id), visit.now(), form.divisions()
    with server().database.read() as session:
        event = lifecycle.get(session, event_id)
        draft = form.draft(session, event.title, club_rights.get(session, event.club_id).zone, event.terms)
    if form.do.startswith("keep."):
        return typed_again(TermsForm, terms_page, event_id=event_id)
    with Work(server().database) as work:
        lifecycle.change(work, event_id, me, draft, now=now)
        endings.change_divisions(work, event_id, me, rows, now=now)
    return on_to(".manage_page", "saved", event_id=event_id)


@blueprint.post("/events/<number:event_id>/open")
@answers(again=manage_page)
def open_sign_up(event_id: int) -> Response:
    """Show the event to everybody and let players sign up."""
    with acting_in(event_id) as acting:
        lifecycle.set_status(acting, CompetitionStatus.SIGN_UP)
    return on_to(".manage_page", "event-open", event_id=event_id)


class ByeForm(Form):
    """A round in which a player does not play, with or without the points of a bye."""

    player: Id
    round: Annotated[int, Count(most=99)]
    kind: Typed = ""


@blueprint.post("/events/<number:event_id>/byes")
@answers(ByeForm, again=players_page)
def grant_bye(form: ByeForm, event_id: int) -> Response:
    """Grant a player a bye with points, or set their rounds off."""
    with acting_in(event_id, Role.DEPUTY) as acting:
        entrant = entries.entrant_of(acting.session, event_id, form.player)
        away, byes = (set(entrant.away), set(entrant.byes)) if entrant else (set(), set())
        (byes if form.kind == "bye" else away).add(form.round)
        entries.set_rounds_off(acting, form.player, away=sorted(away - byes), byes=sorted(byes))
    return on_to(".players_page", "saved", event_id=event_id)


@blueprint.post("/events/<number:event_id>/start")
@answers(again=manage_page)
def start(event_id: int) -> Response:
    """End sign-up and give everybody a pairing number."""
    with acting_in(event_id) as acting:
        round_loop.start(acting)
        begins = acting.event.terms.at_once and acting.event.terms.autopilot is None
        done = "ladder-started" if acting.event.plays.by_challenge else "event-started"
    return on_to(".all_rounds_page" if begins else ".manage_page", done, event_id=event_id)


class PauseForm(Form):
    """Pausing or resuming the autopilot."""

    paused: Typed = ""


@blueprint.post("/events/<number:event_id>/autopilot")
@answers(PauseForm, again=manage_page)
def pause(form: PauseForm, event_id: int) -> Response:
    """Pause or resume the automatic steps of an event."""
    with acting_in(event_id, Role.DEPUTY) as acting:
        autopilot.pause(acting, paused=bool(form.paused))
    return on_to(".manage_page", "saved", event_id=event_id)


class FinishForm(Form):
    """The end of an event: whether it ends although a ruling is open, and whether nobody is told by mail."""

    sure: Tick = Field(title=N_("End it anyway: a ruling can still change the standings"))
    silent: Tick = Field(title=N_("Without these mails"))


@blueprint.get("/events/<number:event_id>/finish")
def finish_page(event_id: int) -> Response:
    """Show how the event ends for each player, which a mail will tell, and what can still change it."""
    now = visit.now()
    with reading(event_id, Role.ORGANISER) as (session, event, club, _):
        started = event.started_at is not None
        found = verdicts.of_event(session, event, now) if started else []
        unsettled = verdicts.unsettled(session, event_id, now)
    return visit.show(
        "leagues/events/finish.html",
        event=event,
        club=club,
        verdicts=found,
        several=len(event.divisions) > 1,
        unsettled=unsettled,
        runs=event.status == CompetitionStatus.RUNNING,
        form=FinishForm.shown(),
    )


@blueprint.post("/events/<number:event_id>/finish")
@answers(FinishForm, again=finish_page)
def finish(form: FinishForm, event_id: int) -> Response:
    """End the event: its standings are final, and everybody is told."""
    with acting_in(event_id) as acting:
        endings.finish(acting, sure=form.sure, tells=not form.silent)
    return on_to(".manage_page", "event-over", event_id=event_id)


class BackForm(Form):
    """Where an event goes back to."""

    to: Literal["sign_up", "running"]


@blueprint.post("/events/<number:event_id>/back")
@answers(BackForm, again=manage_page)
def step_back(form: BackForm, event_id: int) -> Response:
    """Open sign-up again after the start, or let an event that is over go on."""
    with acting_in(event_id) as acting:
        (stepping_back.to_sign_up if form.to == "sign_up" else stepping_back.reopen)(acting)
    return on_to(".manage_page", "event-open" if form.to == "sign_up" else "event-reopened", event_id=event_id)


@blueprint.get("/events/<number:event_id>/cancel")
def cancel_page(event_id: int) -> Response:
    """Show who would be told and what would happen to the games, with a form for the reason. Changes nothing."""
    with reading(event_id, Role.ORGANISER) as (session, event, club, _):
        foreseen = endings.foresee(session, event)
    return visit.show(
        "leagues/events/cancel.html",
        event=event,
        club=club,
        form=CancelForm.shown(),
        foreseen=foreseen,
        names=[visit.voice().person(name) for _, name, _ in foreseen.told],
        gone=event.status in (CompetitionStatus.OVER, CompetitionStatus.CANCELLED),
    )


class CancelForm(ReasonForm):
    """Why an event is cancelled, and whether its games end."""

    ends: Tick = Field(title=N_("End the running games, too, without a result"))


@blueprint.post("/events/<number:event_id>/cancel")
@answers(CancelForm, again=cancel_page)
def cancel(form: CancelForm, event_id: int) -> Response:
    """Cancel the event with a reason, or throw a sketch away."""
    with acting_in(event_id) as acting:
        event = acting.event
        endings.cancel(acting, reason=form.reason, ends=form.ends)
        slug = club_rights.get(acting.session, event.club_id).slug
    if event.status == CompetitionStatus.DRAFT:
        return on_to("clubs.club_page", "event-thrown-away", slug=slug)
    return on_to(".manage_page", "event-cancelled", event_id=event_id)
