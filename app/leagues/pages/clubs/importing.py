"""A list of members in two steps: what its columns are and what would be taken; then the confirmation."""

from __future__ import annotations

from typing import Literal

from flask import Response

from app.base.words.refusals import NotAccepted
from app.leagues.clubs import lists, notes, sheets
from app.leagues.pages.clubs.members import ListForm, members_page
from app.leagues.pages.clubs.public import blueprint, club_for, find_club
from app.leagues.tables import Role
from app.web import visit
from app.web.forms import Form, Tick, Typed, answers, on_to
from app.web.reader import server

PREVIEWED = 8
"""How many lines a preview shows."""
NOT_PREVIEWED = {"", "address", "name", "first", "middle", "role", "language"}
"""Columns that the preview leaves out, or joins in its first cells."""


class ColumnsForm(Form):
    """The meaning of a list's columns, and whether to take it."""

    rows: Typed
    column: dict[str, str]
    previewed: Typed = ""
    """The columns as the preview had them: nothing is taken that has not been previewed."""
    skip: Tick = False
    do: Literal["look", "take"] = "look"


@blueprint.post("/clubs/<slug>/members/list")
@answers(ListForm, again=members_page, where="import")
def read_list(form: ListForm, slug: str) -> Response:
    """Read a list, and show what its columns seem to be. Nothing is stored."""
    with server().database.read() as session:
        club_for(session, slug, Role.ORGANISER)
    return _preview(slug, lists.guessed(form.table()))


def _preview(slug: str, given: lists.GivenList, why: str = "", *, skip: bool = False) -> Response:
    """Return the page of the columns."""
    me, club, voice = visit.need_person(), find_club(slug), visit.voice()
    found, wrong, (sheet, columns) = None, why, given
    try:
        found = lists.look(server().database, club.id, me.id, given)
    except NotAccepted as no:
        wrong = why or voice.say(no.why)
    own = {name: getattr(club, name) for name in notes.OWN}
    meanings = [("", voice.gettext("left out"))]
    for what, label in lists.MEANINGS.items():
        name = voice.gettext("“{name}”, for organisers only", name=own[what]) if own.get(what) else voice.gettext(label)
        meanings.append((what, name))
    answer = visit.show(
        "leagues/clubs/columns.html",
        club=club,
        rows=sheet.written(),
        heading=sheet.heading,
        columns=columns,
        meanings=meanings,
        lines=sheet.rows[:PREVIEWED],
        more=max(0, len(sheet.rows) - PREVIEWED),
        found=found,
        wrong=wrong,
        bad=[(line, voice.say(what)) for line, what in found.complaints] if found else [],
        notes=[voice.say(one) for one in (*sheet.notes, *(found.notes if found else ()))],
        shown=[
            (what, sheet.heading[columns.index(what)] or words)
            for what, words in meanings
            if what in columns and what not in NOT_PREVIEWED
        ],
        previewed=",".join(columns),
        skip=skip,
    )
    answer.status_code = 422 if why else 200
    return answer


@blueprint.post("/clubs/<slug>/members/list/take")
@answers(ColumnsForm, again=members_page)
def take_list(form: ColumnsForm, slug: str) -> Response:
    """Take the list as the preview shows it, or show the preview of other columns."""
    sheet = sheets.reread(form.rows)
    given = lists.GivenList(sheet, [form.column.get(str(n), "") for n in range(len(sheet.heading))])
    why = "" if form.do == "look" else _take(form, slug, given)
    if why is not None:
        return _preview(slug, given, why, skip=form.skip)
    return on_to(".members_page", "list-taken", slug=slug)


def _take(form: ColumnsForm, slug: str, given: lists.GivenList) -> str | None:
    """Take the list; return a sentence if it is refused."""
    me, club, voice = visit.need_person(), find_club(slug), visit.voice()
    if form.previewed != ",".join(given.columns):
        return voice.gettext("You have changed the columns: look at the list as it would be taken now.")
    try:
        lists.take(server().database, club.id, me.id, given, skip=form.skip, now=visit.now())
    except NotAccepted as no:
        return voice.say(no.why)
    return None
