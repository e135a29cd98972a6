"""Pairing the next round: at once, or by a job whose progress a page shows until its draft is there."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from flask import Response, abort, redirect, request

from app.leagues import audit, clubs, pairing_jobs, rounds
from app.leagues.pages.common import attempt, event_for, number, on
from app.leagues.pages.events import blueprint
from app.leagues.pages.manage import manage
from app.leagues.tables import PairingJob
from app.web import visit
from app.web.reader import house

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.speech import Voice

PREFIX = "/events/<number:event_id>/pairings/<number:job_id>"
REFRESH_SECONDS = 2
SLOW = timedelta(seconds=30)
"""After so long without a beginning the page says that nobody seems to be at work."""


@blueprint.post("/events/<number:event_id>/pair")
def pair(event_id: int) -> Response:
    """Pair the next round of a division as a draft; one that takes long is left to a worker."""
    me = visit.need_person()

    def act() -> Response:
        division = number("division")
        with house().database.read() as session:
            event, _ = event_for(session, event_id, "deputy")
        if division not in {one.id for one in event.divisions}:
            abort(404)
        given = request.form.get("once", "")
        once = audit.read_token(given) if given else None
        job = pairing_jobs.ask(house().database, division, me.id, now=visit.now(), once=once)
        if job is not None:
            return redirect(f"/events/{event_id}/pairings/{job}", 303)  # type: ignore[return-value]
        round_id = rounds.pair(house().database, division, me.id, now=visit.now())
        return on(f"/events/{event_id}/rounds/{round_id}", "paired")

    return attempt(act, lambda why, status: manage(event_id, why, status))


@blueprint.get(PREFIX)
def pairing_page(event_id: int, job_id: int) -> Response:
    """How far a pairing is; the page comes again by itself (not with `?still`), and leads on to the draft."""
    visit.need_person()
    voice = visit.voice()
    with house().database.read() as session:
        event, _ = event_for(session, event_id, "deputy")
        club = clubs.get(session, event.club_id)
        job = _job(session, event_id, job_id)
    if job.state == "done" and job.round_id is not None:
        return on(f"/events/{event_id}/rounds/{job.round_id}", "paired")
    return visit.show(
        "leagues/pairing.html", voice=voice, event=event, club=club, division=event.division(job.division_id), job=job,
        doing=_doing(voice, job, event.format), seconds=REFRESH_SECONDS,
        refreshes=job.state == "open" and "still" not in request.args,
        is_slow=job.state == "open" and job.step == "waiting" and visit.now() - job.asked_at > SLOW,
        problem=voice.say(job.why) if job.why else "", once=secrets.token_hex(12),
    )  # fmt: skip


def _job(session: Session, event_id: int, job_id: int) -> PairingJob:
    """A job of this event; 404."""
    try:
        job = pairing_jobs.get(session, job_id)
    except pairing_jobs.NoSuchJob:
        abort(404)
    return job if job.event_id == event_id else abort(404)


def _doing(voice: Voice, job: PairingJob, format: str) -> str:
    """What is done just now."""
    if job.step == "waiting":
        return voice.gettext("Waiting for the server to begin.")
    if job.step == "reading":
        return voice.gettext("Reading entries and results.")
    if format == "tables":
        return voice.gettext("Seating everybody at tables.")
    return voice.gettext("Looking for the best opponent of everybody.")


@blueprint.post(PREFIX + "/cancel")
def stop_pairing(event_id: int, job_id: int) -> Response:
    """Stop the pairing; the draft that is there stays as it is."""
    me = visit.need_person()
    with house().database.read() as session:
        event_for(session, event_id, "deputy")
        _job(session, event_id, job_id)

    def act() -> Response:
        if pairing_jobs.cancel(house().database, job_id, me.id, now=visit.now()):
            return on(f"/events/{event_id}/manage", "pairing-stopped")
        return redirect(f"/events/{event_id}/pairings/{job_id}", 303)  # type: ignore[return-value]

    return attempt(act, lambda why, status: manage(event_id, why, status))
