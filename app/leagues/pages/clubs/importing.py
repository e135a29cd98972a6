"""Importing a club's own spreadsheet in two steps: what its columns are, with a preview; then the confirmation."""

from __future__ import annotations

from typing import Any, Literal

from flask import Response, request

from app.base.refusals import NotAccepted
from app.leagues.pages.clubs.clubs import blueprint, club_for, find_club
from app.leagues.pages.common import uploaded
from app.leagues.seasons import imports, sheets
from app.leagues.seasons.imports import MEANINGS, MEMBERS, SEASONS
from app.leagues.seasons.sheets import Spreadsheet
from app.leagues.tables import Role
from app.web import visit
from app.web.forms import Field, Form, Tick, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.text import N_

PREVIEWED = 8
"""How many lines a preview shows."""


class SheetForm(Form):
    """A file, or a text copied from a spreadsheet."""

    kind: Literal["members", "seasons"] = Field("members", title=N_("What is in the list"))
    pasted: Typed = Field("", title=N_("or lines copied out of a spreadsheet"))

    def table(self) -> Spreadsheet:
        """Return the table that was sent. Raises NotAccepted."""
        content = uploaded()
        if content is None:
            return sheets.read_text(self.pasted)
        return sheets.read(content)


class ColumnsForm(Form):
    """The meaning of a table's columns, and whether to import it."""

    kind: Literal["members", "seasons"]
    rows: Typed
    column: dict[str, str]
    previewed: Typed = ""
    """The columns as the preview had them: nothing is imported that has not been previewed."""
    skip: Tick = False
    do: Literal["look", "take"] = "look"

    def columns(self, sheet: Spreadsheet) -> list[str]:
        """Return what each column is."""
        return [self.column.get(str(n), "") for n in range(len(sheet.heading))]


class SeasonForm(Form):
    """An imported season whose tables are to be removed."""

    season: Typed


def _kinds() -> list[tuple[str, str]]:
    voice = visit.voice()
    return [(MEMBERS, voice.gettext("Members")), (SEASONS, voice.gettext("Tables of earlier seasons"))]


@blueprint.get("/clubs/<slug>/spreadsheet")
def sheet_page(slug: str) -> Response:
    """Show the form for choosing a file."""
    visit.need_person()
    with server().database.read() as session:
        club, _ = club_for(session, slug, Role.ORGANISER)
        seasons = imports.seasons_of(session, club.id)
    kind = SEASONS if request.args.get("kind") == SEASONS else MEMBERS
    form = SheetForm.shown(kind=kind)
    return visit.show("leagues/clubs/spreadsheet.html", club=club, form=form, kinds=_kinds(), past=seasons)


@blueprint.post("/clubs/<slug>/spreadsheet")
@answers(SheetForm, again=sheet_page)
def read_sheet(form: SheetForm, slug: str) -> Response:
    """Read a file, and show what its columns seem to be. Nothing is stored."""
    visit.need_person()
    with server().database.read() as session:
        club_for(session, slug, Role.ORGANISER)
    sheet = form.table()
    return _preview(slug, form.kind, sheet, imports.guessed(sheet, form.kind))


def _preview(
    slug: str, kind: str, sheet: Spreadsheet, columns: list[str], why: str = "", *, skip: bool = False
) -> Response:
    """Return the page of the columns."""
    me, club, voice = visit.need_person(), find_club(slug), visit.voice()
    found, wrong = None, why
    try:
        found = imports.look(server().database, club.id, me.id, imports.GivenList(kind, sheet, columns))
    except NotAccepted as no:
        wrong = why or voice.say(no.why)
    own = {name: getattr(club, name) for name in ("own1", "own2", "own3")}
    meanings = [("", voice.gettext("left out"))]
    for what, label in MEANINGS[kind].items():
        name = voice.gettext("“{name}”, for organisers only", name=own[what]) if own.get(what) else voice.gettext(label)
        meanings.append((what, name))
    context: dict[str, Any] = {
        "club": club,
        "kind": kind,
        "rows": sheet.written(),
        "heading": sheet.heading,
        "columns": columns,
        "meanings": meanings,
        "lines": sheet.rows[:PREVIEWED],
        "more": max(0, len(sheet.rows) - PREVIEWED),
        "found": found,
        "wrong": wrong,
        "bad": [(line, voice.say(what)) for line, what in found.complaints] if found else [],
        "notes": [voice.say(one) for one in (*sheet.notes, *(found.notes if found else ()))],
        "previewed": ",".join(columns),
        "skip": skip,
    }
    answer = visit.show("leagues/clubs/columns.html", **context)
    answer.status_code = 422 if why else 200
    return answer


@blueprint.post("/clubs/<slug>/spreadsheet/take")
@answers(ColumnsForm, again=sheet_page)
def take_sheet(form: ColumnsForm, slug: str) -> Response:
    """Import the list as the preview shows it, or show the preview of other columns."""
    sheet = sheets.reread(form.rows)
    columns = form.columns(sheet)
    why = "" if form.do == "look" else _take(form, slug, sheet, columns)
    if why is not None:
        return _preview(slug, form.kind, sheet, columns, why, skip=form.skip)
    if form.kind == MEMBERS:
        return on_to(".members_page", "sheet-taken", slug=slug)
    return on_to(".history_page", "seasons-taken", slug=slug)


def _take(form: ColumnsForm, slug: str, sheet: Spreadsheet, columns: list[str]) -> str | None:
    """Import the list; return a sentence if it is refused."""
    me, club, voice = visit.need_person(), find_club(slug), visit.voice()
    if form.previewed != ",".join(columns):
        return voice.gettext("You have changed the columns: look at the list as it would be taken now.")
    try:
        given = imports.GivenList(form.kind, sheet, columns)
        imports.take(server().database, club.id, me.id, given, skip=form.skip, now=visit.now())
    except NotAccepted as no:
        return voice.say(no.why)
    return None


@blueprint.post("/clubs/<slug>/spreadsheet/forget")
@answers(SeasonForm, again=sheet_page)
def forget_season(form: SeasonForm, slug: str) -> Response:
    """Remove the tables of an imported season."""
    me, club = visit.need_person(), find_club(slug)
    imports.forget_season(server().database, club.id, me.id, form.season, now=visit.now())
    return on_to(".sheet_page", "removed", slug=slug, kind=SEASONS)
