"""An event from FIDE's report file: the file, the players its numbers stand for, the start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response

from app.base.refusals import NotAccepted
from app.leagues.pages.common import ChosenId, event_for, named, reader_of, uploaded
from app.leagues.pages.events.events import blueprint
from app.leagues.seasons import sheets, trf_events
from app.leagues.tables import Role
from app.web import visit
from app.web.forms import Field, Form, Id, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.text import N_

if TYPE_CHECKING:
    from app.leagues.seasons.trf_events import FileRead

PATH = "/events/<number:event_id>/file"


class FileForm(Form):
    """A file, or its text."""

    text: Typed = Field("", title=N_("or its text"))

    def read_text(self) -> str:
        """Return what was sent. Raises NotAccepted."""
        content = uploaded()
        if content is None:
            return self.text
        return sheets.decoded(content)


class PlayersForm(Form):
    """The text of a file, and the member for each of its numbers."""

    text: Typed
    number: dict[Id, ChosenId]


@blueprint.get(PATH)
def file_page(event_id: int) -> Response:
    """Show the form for choosing a file."""
    visit.need_person()
    with server().database.read() as session:
        event, club, _ = event_for(session, event_id, Role.ORGANISER)
    against = trf_events.why_not(event)
    return visit.show(
        "leagues/events/file.html",
        event=event,
        club=club,
        against=visit.voice().say(against) if against else "",
        form=FileForm.shown(),
        found=None,
    )


@blueprint.post(PATH)
@answers(FileForm, again=file_page)
def read_file(form: FileForm, event_id: int) -> Response:
    """Read a file, and show whom its numbers seem to stand for. Nothing is stored."""
    visit.need_person()
    return _preview(event_id, form.read_text())


def _preview(event_id: int, text: str, why: str = "", chosen: dict[int, int | None] | None = None) -> Response:
    """Return the page of the players. Raises NotAccepted."""
    voice = visit.voice()
    with server().database.read() as session:
        event, club, _ = event_for(session, event_id, Role.ORGANISER)
        found: FileRead = trf_events.read(session, event, text)
        people = trf_events.choices(session, event)
    answer = visit.show(
        "leagues/events/file.html",
        event=event,
        club=club,
        against="",
        found=found,
        chosen=found.meant if chosen is None else chosen,
        people=[(player, named(voice, name)) for player, name in people],
        text=text,
        differing=voice.say(found.made.differing) if found.made.differing else "",
        games=sum(len(one.seats) == 2 for one in found.made.results),
        wrong=why,
    )
    answer.status_code = 422 if why else 200
    return answer


@blueprint.post(PATH + "/take")
@answers(PlayersForm, again=file_page)
def take_file(form: PlayersForm, event_id: int) -> Response:
    """Fill the event from the file, and start it."""
    me = reader_of(event_id, Role.ORGANISER)
    try:
        trf_events.take(server().database, event_id, me, form.text, form.number, now=visit.now())
    except NotAccepted as no:
        return _preview(event_id, form.text, visit.voice().say(no.why), dict(form.number))
    return on_to(".manage_page", "from-file", event_id=event_id)
