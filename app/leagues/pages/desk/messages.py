"""Messages of an organiser: written, previewed with the names of their recipients, sent once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from flask import Response, request

from app.base.words.speech import Voice
from app.leagues.clubs import audit
from app.leagues.desk import messages
from app.leagues.pages.common import once, reader_of, reading
from app.leagues.pages.desk.acts import blueprint
from app.leagues.tables import Competition, CompetitionMessage, Role
from app.people.tables import Player
from app.web import visit
from app.web.forms import Field, Form, ShownForm, Tick, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.text import N_


class MessageForm(Form):
    """A message, to preview or (`send`) to send."""

    marks: ClassVar = {"message.to": "to"}

    step: Typed = ""
    once: Typed = ""
    to: Typed = Field("event", title=N_("For whom"))
    subject: Typed = Field("", title=N_("Subject"))
    text: Typed = Field("", title=N_("Text"))
    replies: Tick = Field(title=N_("Answers may go to my own address"))


@blueprint.get("/events/<number:event_id>/messages")
def messages_page(event_id: int) -> Response:
    """The form, for the people that a link names (`?to=silent`) or for everybody; and earlier messages."""
    return _page(event_id, MessageForm.shown(to=request.args.get("to", "event")))


def _page(
    event_id: int, form: ShownForm, preview: CompetitionMessage | None = None, people: Sequence[Player] = ()
) -> Response:
    voice, now = visit.voice(), visit.now()
    with reading(event_id, Role.DEPUTY) as (session, event, club, _):
        targets = _targets(event, voice)
        counts = {to: len(messages.recipients(session, event, to, now)) for to in targets}
        sent = messages.sent_in(session, event_id)
    return visit.show(
        "leagues/messages/messages.html",
        event=event,
        club=club,
        form=form,
        preview=preview,
        targets=[(to, f"{name} ({counts[to]})") for to, name in targets.items()],
        sent=[(row, targets.get(row.to, row.to), voice.person(name)) for row, name in sent],
        names=[voice.person(one.name) for one in people],
        once=once(),
    )


def _targets(event: Competition, voice: Voice) -> dict[str, str]:
    found = {"event": voice.gettext("everybody in the event, reserves too")}
    if len(event.divisions) > 1:
        for division in event.divisions:
            found[f"division:{division.id}"] = division.name
    found["silent"] = voice.gettext("those who are silent")
    return found | {"late": voice.gettext("those whose deadline has passed")}


@blueprint.post("/events/<number:event_id>/messages")
@answers(MessageForm, again=messages_page)
def send(form: MessageForm, event_id: int) -> Response:
    """Show the message with its recipients, or send it; the same form sends it once."""
    me, now = reader_of(event_id), visit.now()
    message = CompetitionMessage(
        event_id=event_id, by_id=me, to=form.to, subject=form.subject, text=form.text, once="", at=now
    )
    with server().database.read() as session:
        people = messages.prepare(session, message, now)
    if form.step != "send":
        return _page(event_id, MessageForm.shown(**form.model_dump()), message, people)
    message.once = audit.read_token(form.once)
    messages.send(server().database, message, people, me, replies=form.replies)
    return on_to(".messages_page", "message-sent", event_id=event_id)
