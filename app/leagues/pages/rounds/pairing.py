"""Pairing the next round: at once, or by a job whose progress a page shows until its draft is there."""

from __future__ import annotations

from datetime import timedelta

from flask import Response, request
from sqlmodel import Session

from app.base.words.speech import Voice
from app.games.work import Work
from app.leagues.events import lifecycle, round_rows
from app.leagues.pages.common import Once, acting_in, event_for, once, reading
from app.leagues.pages.events.manage import manage_page
from app.leagues.pages.events.public import blueprint
from app.leagues.rounds import pairing_jobs
from app.leagues.tables import Competition, JobState, JobStep, PairingJob, Role
from app.web import visit
from app.web.forms import Form, Id, answers, on_to
from app.web.reader import server

PREFIX = "/events/<number:event_id>/pairings/<number:job_id>"
REFRESH_SECONDS = 2
SLOW = timedelta(seconds=30)
"""After this long without a start the page says that no worker seems to be running."""


class PairForm(Form):
    """A division whose next round is to be paired."""

    division: Id
    once: Once | None = None


@blueprint.post("/events/<number:event_id>/pair")
@answers(PairForm, again=manage_page)
def pair(form: PairForm, event_id: int) -> Response:
    """Pair the next round of a division as a draft; one that takes long is left to a worker."""
    me = visit.need_person()
    with Work(server().database) as work:
        event_for(work.session, event_id, Role.DEPUTY)
        acting = lifecycle.allowed(work, event_id, me.id, None, visit.now())
        if form.division not in {one.id for one in acting.event.divisions}:
            raise lifecycle.NoSuchCompetition(event_id)
        round_id, job = pairing_jobs.pair(acting, form.division, once=form.once)
    if job is not None:
        return on_to(".pairing_page", event_id=event_id, job_id=job)
    assert round_id is not None  # one of the two is set
    return _to_draft(event_id, round_id)


def _to_draft(event_id: int, round_id: int) -> Response:
    with server().database.read() as session:
        place = round_rows.place_of(session, round_id)
    return on_to(".round_page", "paired", event_id=event_id, place=place)


@blueprint.get(PREFIX)
def pairing_page(event_id: int, job_id: int) -> Response:
    """The progress of a pairing; the page reloads itself (not with `?still`), and then shows the draft."""
    voice = visit.voice()
    with reading(event_id, Role.DEPUTY) as (session, event, club, _):
        job = _job(session, event_id, job_id)
    if job.state == JobState.DONE and job.round_id is not None:
        return _to_draft(event_id, job.round_id)
    return visit.show(
        "leagues/rounds/pairing.html",
        event=event,
        club=club,
        division=event.division(job.division_id),
        job=job,
        doing=_doing(voice, job, event),
        seconds=REFRESH_SECONDS,
        refreshes=job.state == JobState.OPEN and "still" not in request.args,
        is_slow=job.state == JobState.OPEN and job.step == JobStep.WAITING and visit.now() - job.asked_at > SLOW,
        problem=voice.say(job.why) if job.why else "",
        once=once(),
    )


def _job(session: Session, event_id: int, job_id: int) -> PairingJob:
    """Return a job of this event. Raises NoSuchJob."""
    job = pairing_jobs.get(session, job_id)
    if job.event_id != event_id:
        raise pairing_jobs.NoSuchJob(job_id)
    return job


def _doing(voice: Voice, job: PairingJob, event: Competition) -> str:
    """Return what the job is doing now."""
    if job.step == JobStep.WAITING:
        return voice.gettext("Waiting for the server to begin.")
    if job.step == JobStep.READING:
        return voice.gettext("Reading entries and results.")
    if event.plays.at_tables:
        return voice.gettext("Seating everybody at tables.")
    return voice.gettext("Looking for the best opponent of everybody.")


@blueprint.post(PREFIX + "/cancel")
@answers(again=manage_page)
def stop_pairing(event_id: int, job_id: int) -> Response:
    """Stop the pairing; the existing draft stays as it is."""
    with acting_in(event_id, Role.DEPUTY) as acting:
        stopped = pairing_jobs.cancel(acting, _job(acting.session, event_id, job_id))
    if stopped:
        return on_to(".manage_page", "pairing-stopped", event_id=event_id)
    return on_to(".pairing_page", event_id=event_id, job_id=job_id)
