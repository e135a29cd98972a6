"""The players of an event for those who run it: entering them, and dividing them before the start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response, request

from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice, computer_named
from app.games.work import Work
from app.leagues.clubs import club_rights, lists, members
from app.leagues.desk import trouble
from app.leagues.desk.act_changes import ENTRANT_STATUSES
from app.leagues.events import computers, entries, invited
from app.leagues.pages.clubs import importing
from app.leagues.pages.clubs.members import ListForm
from app.leagues.pages.common import ChosenId, acting_in, reader_of, reading
from app.leagues.pages.events.public import blueprint
from app.leagues.rounds import round_loop, seeding
from app.leagues.rounds.seeding import SeedSource
from app.leagues.tables import (
    STILL_IN,
    Competition,
    CompetitionStatus,
    Entrant,
    EntrantStatus,
    Member,
    MemberStatus,
    Role,
)
from app.web import visit
from app.web.forms import Form, Id, Ids, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.search import Level, levels_of
from engine.kernel.text import Text


@blueprint.get("/events/<number:event_id>/players")
def players_page(event_id: int) -> Response:
    """Everybody in the event in one table, or those who are silent (`?show=silent`); members to be entered;
    divisions."""
    voice, now, show = visit.voice(), visit.now(), request.args.get("show", "")
    with reading(event_id, Role.DEPUTY) as (session, event, club, role):
        people = entries.entrants(session, event.id)
        there = members.members(session, event.club_id)
        others = _others(there, people)
        before = event.status in (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP)
        divides = before and club_rights.may(role, Role.ORGANISER) and len(event.divisions) > 1 and bool(people)
        sources = [(one.key, _called(one, voice)) for one in seeding.sources(session, event)] if divides else []
        signs = trouble.silent_players(session, event, now) if event.status == CompetitionStatus.RUNNING else {}
        declined = invited.who_said_no(session, event.id) if before else {}
        silent_yet = [voice.person(one.name) for one in invited.unanswered(session, event)]
        reminded = invited.was_reminded(session, event.id)
    silent = {player: (now - since).days for player, since in signs.items()}
    return visit.show(
        "leagues/events/players.html",
        event=event,
        club=club,
        people=[row for row in _sorted(event, people) if show != "silent" or row[0].player_id in silent],
        silent=silent,
        show=show,
        others=others,
        fills=_fills(event, people),
        enters=event.guest_id is None and (before or event.plays.by_challenge),
        before=before,
        declined=list(declined.values()),
        everybody=sum(one.player_id not in declined for one in others),
        silent_yet=silent_yet,
        reminded=reminded,
        unanswered=[voice.person(one.name) for one in there if before and one.status == MemberStatus.INVITED],
        divides=divides,
        sources=sources,
        reserves=any(one.status == EntrantStatus.RESERVE for one in people),
        listing=ListForm.shown(),
        statuses=ENTRANT_STATUSES,
    )


def _fills(event: Competition, people: Sequence[Entrant]) -> list[Level]:
    """Return the levels at which the computer can fill a seat that is left over; none where it cannot."""
    late = event.status == CompetitionStatus.RUNNING and not event.takes_late_entries
    closed = event.status in (CompetitionStatus.OVER, CompetitionStatus.CANCELLED)
    if late or closed or computers.why_not(server().config, event, people):
        return []
    here = {one.name for one in people if one.computer and one.status in STILL_IN}
    return [one for one in levels_of(event.title) if computer_named(one.name) not in here]


def _others(there: Sequence[Member], people: Sequence[Entrant]) -> list[Member]:
    """Return the members who are not in the event."""
    inside = {entrant.player_id for entrant in people if entrant.status in STILL_IN}
    return [one for one in there if one.status == MemberStatus.MEMBER and one.player_id not in inside]


def _sorted(event: Competition, people: Sequence[Entrant]) -> list[tuple[Entrant, str]]:
    """Return those who play by division, those without one first, then reserves and those who left."""
    place = {division.id: at for at, division in enumerate(event.divisions)}
    name = {division.id: division.name for division in event.divisions}
    order = list(ENTRANT_STATUSES)
    return [
        (one, name.get(one.division_id or 0, ""))
        for one in sorted(people, key=lambda one: (order.index(one.status), place.get(one.division_id or 0, -1)))
    ]


# -- entering -----------------------------------------------------------------------------------------


class EnterForm(Form):
    """People to enter: one, those who are ticked, or all."""

    player: Id | None = None
    players: Ids
    everybody: Typed = ""


@blueprint.post("/events/<number:event_id>/enter")
@answers(EnterForm, again=players_page)
def enter(form: EnterForm, event_id: int) -> Response:
    """Enter members; the limits of sign-up do not apply."""
    me = reader_of(event_id)
    chosen = [*([] if form.player is None else [form.player]), *form.players]
    if form.everybody:
        with reading(event_id, Role.DEPUTY) as (session, event, _, _):
            others = _others(members.members(session, event.club_id), entries.entrants(session, event_id))
            declined = invited.who_said_no(session, event_id)
        chosen = [one.player_id for one in others if one.player_id not in declined]
    if not chosen:
        raise NotAccepted("entry.nobody", Text("Tick somebody, or paste a list of who is to be entered."))
    with Work(server().database) as work:
        entries.enter_many(work, event_id, chosen, by_id=me, now=visit.now())
    return on_to(".players_page", "entry-made", event_id=event_id)


@blueprint.post("/events/<number:event_id>/enter/list")
@answers(ListForm, again=players_page)
def enter_list(form: ListForm, event_id: int) -> Response:
    """Show how a list of people to enter is understood. Outsiders are invited to the club; they and those who were
    invited before are entered once they have accepted."""
    with reading(event_id, Role.DEPUTY) as (_, _, club, _):
        slug = club.slug
    return importing.preview(slug, lists.guessed(form.table()), event_id=event_id)


@blueprint.post("/events/<number:event_id>/remind")
@answers(again=players_page)
def remind(event_id: int) -> Response:
    """Ask those who have not answered whether they play, once more."""
    with acting_in(event_id, Role.DEPUTY) as acting:
        invited.remind(acting)
    return on_to(".players_page", "asked-again", event_id=event_id)


class ComputerForm(Form):
    """How strong the computer is that is to be entered."""

    level: Typed = ""


@blueprint.post("/events/<number:event_id>/computer")
@answers(ComputerForm, again=players_page)
def enter_computer(form: ComputerForm, event_id: int) -> Response:
    """Let the computer fill a seat that is left over."""
    with acting_in(event_id, Role.DEPUTY) as acting:
        computers.enter(acting, server().config, form.level)
    return on_to(".players_page", "entry-made", event_id=event_id)


# -- dividing -----------------------------------------------------------------------------------------


def _called(source: SeedSource, voice: Voice) -> str:
    """Return a source of an order in words."""
    if source.key == seeding.RATING:
        return voice.gettext("by rating, then by lot")
    if source.key == seeding.MEMBERS:
        return voice.gettext("by the last place on the list of members")
    return voice.gettext("by the final table of {season}", season=source.name)


class DivideForm(Form):
    """A division for each entrant, or none; or what all are divided by."""

    by: Typed = ""
    entry: dict[Id, ChosenId]


@blueprint.post("/events/<number:event_id>/divisions")
@answers(DivideForm, again=players_page)
def divide(form: DivideForm, event_id: int) -> Response:
    """Put entrants into divisions, each by hand or all by a table."""
    placed: dict[int, Any] = {entrant: part for entrant, part in form.entry.items() if part is not None}
    with acting_in(event_id) as acting:
        if form.by:
            placed = seeding.divided(acting.session, acting.event, form.by)
        round_loop.put_into_divisions(acting, placed)
    return on_to(".players_page", "saved", event_id=event_id)
