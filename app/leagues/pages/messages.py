"""Messages of an organiser: written, looked at with the names of those who get them, sent once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response, request

from app.leagues import audit, clubs, messages
from app.leagues.pages.common import attempt, event_for, named, on, typed
from app.leagues.pages.desk import blueprint, once
from app.leagues.tables import Event
from app.web import visit
from app.web.reader import house

if TYPE_CHECKING:
    from app.base.speech import Voice


@blueprint.get("/events/<number:event_id>/messages")
def messages_page(event_id: int) -> Response:
    """The form, and what was sent before."""
    visit.need_person()
    return _page(event_id)


def _page(event_id: int, error: str = "", status: int = 200, preview: messages.Prepared | None = None) -> Response:
    voice, now = visit.voice(), visit.now()
    with house().database.read() as session:
        event, _ = event_for(session, event_id, "deputy")
        club = clubs.get(session, event.club_id)
        counts = {to: len(messages.recipients(session, event, to, now)) for to in _targets(event, voice)}
        sent = messages.sent_in(session, event_id)
    targets = _targets(event, voice)
    return visit.show(
        "leagues/messages/messages.html", status, voice=voice, event=event, club=club, error=error, preview=preview,
        targets=[(to, name, counts[to]) for to, name in targets.items()],
        sent=[
            (row.at, targets.get(row.to, row.to), row.subject, row.recipients, named(voice, row.name or ""))
            for row in sent
        ],
        to=typed("to", "event"), subject=typed("subject"), text=typed("text"), replies=bool(typed("replies")),
        names=[named(voice, one.name) for one in preview.recipients]
        if preview else [], once=once(),
    )  # fmt: skip


def _targets(event: Event, voice: Voice) -> dict[str, str]:
    found = {"event": voice.gettext("everybody in the event, reserves too")}
    if len(event.divisions) > 1:
        for division in event.divisions:
            found[f"division:{division.id}"] = division.name
    return found | {"late": voice.gettext("those whose deadline has passed")}


@blueprint.post("/events/<number:event_id>/messages")
def send(event_id: int) -> Response:
    """Show the message with its recipients, or send it; the same form sends it once."""
    me = visit.need_person()

    def go() -> Response:
        form, now = request.form, visit.now()
        given = {name: form.get(name, "") for name in ("to", "subject", "text")}
        if form.get("step") != "send":
            with house().database.read() as session:
                prepared = messages.prepare(session, event_id, me.id, **given, now=now)
            return _page(event_id, preview=prepared)
        messages.send(
            house().database, event_id, me.id, **given, replies=bool(form.get("replies")),
            token=audit.read_token(form.get("once", "")), now=now,
        )  # fmt: skip
        return on(f"/events/{event_id}/messages", "message-sent")

    return attempt(go, lambda why, status: _page(event_id, why, status))
