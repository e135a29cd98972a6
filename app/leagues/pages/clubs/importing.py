"""A list of members in two steps: what its columns are and what would be taken; then the confirmation."""

from __future__ import annotations

from typing import Literal

from flask import Response

from app.base.words.refusals import NotAccepted
from app.games.work import Work
from app.leagues.clubs import club_rights, lists, notes, sheets
from app.leagues.events import entries, lifecycle
from app.leagues.pages.clubs.members import ListForm, members_page, need_name
from app.leagues.pages.clubs.public import blueprint, club_for, find_club
from app.leagues.pages.common import ChosenId
from app.leagues.tables import MemberStatus, Role
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
    """The list and its columns as the preview had them: nothing is taken that has not been previewed."""
    event: ChosenId = None
    """The event that members of the list are entered in."""
    skip: Tick = False
    do: Literal["look", "take"] = "look"


@blueprint.post("/clubs/<slug>/members/list")
@answers(ListForm, again=members_page, where="import")
def read_list(form: ListForm, slug: str) -> Response:
    """Read a list, and show what its columns seem to be. Nothing is stored."""
    with server().database.read() as session:
        club_for(session, slug, Role.DEPUTY)
    need_name()
    return preview(slug, lists.guessed(form.table()))


def preview(
    slug: str, given: lists.GivenList, why: str = "", *, skip: bool = False, event_id: int | None = None
) -> Response:
    """Return the page of the columns; of a list whose members are entered in an event, with its number."""
    me, club, voice = visit.need_person(), find_club(slug), visit.voice()
    found, wrong, (sheet, columns) = None, why, given
    try:
        found = lists.look(server().database, club.id, me.id, given)
    except NotAccepted as no:
        wrong = why or voice.say(no.why)
    event = None
    if event_id is not None:
        with server().database.read() as session:
            event = lifecycle.need(session, event_id, me.id, Role.DEPUTY)
    own = {name: getattr(club, name) for name in notes.OWN}
    meanings = [("", voice.gettext("left out"))]
    for what, label in lists.MEANINGS.items():
        name = voice.gettext("“{name}”, for organisers only", name=own[what]) if own.get(what) else voice.gettext(label)
        meanings.append((what, name))
    answer = visit.show(
        "leagues/clubs/columns.html",
        club=club,
        enters_in=event,
        rows=sheet.text,
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
        previewed=lists.seen(given),
        skip=skip,
    )
    answer.status_code = 422 if why else 200
    return answer


@blueprint.post("/clubs/<slug>/members/list/take")
@answers(ColumnsForm, again=members_page)
def take_list(form: ColumnsForm, slug: str) -> Response:
    """Take the list as the preview shows it, or show the preview of other columns."""
    sheet = sheets.read_text(form.rows)
    given = lists.GivenList(sheet, [form.column.get(str(n), "") for n in range(len(sheet.heading))])
    why = "" if form.do == "look" else _take(form, slug, given)
    if isinstance(why, str):
        return preview(slug, given, why, skip=form.skip, event_id=form.event)
    return why


def _take(form: ColumnsForm, slug: str, given: lists.GivenList) -> Response | str:
    """Take the list, and enter its members where an event is named; return a sentence if it is refused."""
    me, club, now = visit.need_person(), find_club(slug), visit.now()
    if form.previewed != lists.seen(given):
        return visit.voice().gettext("You have changed the list or its columns: look at it as it would be taken now.")
    try:
        with Work(server().database) as work:
            acting = club_rights.allowed(work, club.id, me.id, Role.DEPUTY, now)
            found, _ = lists.take(acting, given, skip=form.skip)
            inside = [one.player_id for one in found.known.values() if one.status == MemberStatus.MEMBER]
            if form.event is not None:
                entries.enter_many(work, form.event, inside, now=now, by_id=me.id)
    except NotAccepted as no:
        return visit.voice().say(no.why)
    if form.event is None:
        return on_to(".members_page", "list-taken", slug=slug)
    done = "entry-made" if len(inside) == len(found.people) else "entry-invited" if inside else "entry-waits"
    return on_to("events.players_page", done, event_id=form.event)
