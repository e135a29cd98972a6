"""The public page of an event; signing up, leaving, rounds off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from flask import Blueprint, Response, request, url_for
from sqlmodel import Session

from app.base.words.speech import Voice
from app.games.work import Work
from app.leagues.changes import leaving, withdrawals
from app.leagues.clubs import club_rights
from app.leagues.desk import week
from app.leagues.events import entries, lifecycle, round_rows, two_clubs
from app.leagues.events.lifecycle import STATUS_NAMES
from app.leagues.events.term_words import terms_in_words
from app.leagues.pages.clubs.public import table_picture
from app.leagues.pages.common import ChosenId, ReasonForm, Sure, acting_in, reader_of, reading
from app.leagues.pages.shown.by_position import by_position
from app.leagues.pages.shown.divisions import all_shown, round_shown
from app.leagues.pages.shown.teams_shown import teams_shown
from app.leagues.pure.model import said_points
from app.leagues.results import records
from app.leagues.rounds import length
from app.leagues.tables import STILL_IN, Competition, CompetitionStatus, Entrant, EntrantStatus, Role
from app.leagues.teams import rosters
from app.lobby import options
from app.people.signin import Person
from app.time import pending
from app.time.pace_words import after_in_words, pace_in_words
from app.web import visit
from app.web.forms import Field, Form, Numbers, Typed, answers, on_to
from app.web.reader import server

blueprint = Blueprint("events", __name__)


class AnswersForm(Form):
    """What is answered to the organisers' own questions."""

    ask_line: Typed = ""
    ask_yes_no: Typed = ""


class SignUpForm(AnswersForm):
    """Entering an event, as a player or as a reserve."""

    way: Typed = Field("", alias="as")


class RoundsOffForm(Form):
    """The rounds in which the player does not play."""

    away: Annotated[Sequence[int], Numbers(99)] = ()
    byes: Annotated[Sequence[int], Numbers(99)] = ()


class LeaverForm(Form):
    """The player a page about leaving concerns: the reader, or `player`, another player for a deputy."""

    player: ChosenId = None


class WithdrawForm(LeaverForm, ReasonForm):
    """Leaving, or taking a player out with a reason."""

    sure: Sure


@blueprint.get("/events/<number:event_id>")
def event_page(event_id: int) -> Response:
    """Terms, entrants, standings, rounds; and for signed-in players, their own part in it."""
    with reading(event_id, None) as (session, event, club, role):
        voice = visit.voice()
        people = entries.entrants(session, event.id)
        me = visit.person(session)
        mine, of_reader = _of_reader(session, event, people, me, voice)
        own = mine.id if mine else None
        divisions = all_shown(session, event, voice, own)
        names = {entrant.id: entrant.name for entrant in people}
        there = round_rows.by_division(session, event)
        everything = [round for rounds in there.values() for round in rounds]
        by_division = {
            division: [round_shown(round, voice, names, title=event.title, full=False) for round in reversed(rounds)]
            for division, rounds in there.items()
        }
        facts = about(session, event, voice)
        more = by_position(session, event, voice, own) | of_reader
        playing = rosters.of_event(session, event.id) if event.boards else ()
        started = playing and event.started_at is not None
        of_teams = teams_shown(session, event, voice, everything, playing, names) if started else None
        my_team = rosters.team_of(playing, own)
        of_clubs = [club_rights.get(session, one).name for one in event.club_ids] if event.guest_id else []
        signs = entries.signs_of(session, event.id)
        first = records.winners_of(session, event) if event.status == CompetitionStatus.OVER else []
        goes_on = event.plays.by_challenge or not week.is_played_out(session, event)
    won = voice.join([voice.person(one.name) for one in first])
    about_it = f"{facts['title']} · {facts['format']} · {won or facts['lasts'] or facts['status']}"
    path = url_for(".event_page", event_id=event_id)
    return visit.show(
        "leagues/events/event.html",
        **more,
        first=first,
        og=(event.name, about_it, path, table_picture(event_id) if event.started_at else ""),
        teams=of_teams,
        of_clubs=of_clubs,
        squads=len(playing),
        my_team=my_team,
        leads=[team for team in playing if me and team.captain_id == me.id],
        goes_on=goes_on,
        event=event,
        club=club,
        facts=facts,
        divisions=divisions,
        rounds=by_division,
        signs=signs,
        games=_games_of(own, by_division),
        may_run=club_rights.may(role, Role.DEPUTY),
        role=role,
        people=people,
        can_sign_up=event.status == CompetitionStatus.SIGN_UP
        or (event.status == CompetitionStatus.RUNNING and event.takes_late_entries),
        may_take_byes=entries.may_take_byes(event),
        bye_points=said_points(event.terms.worth.half_bye),
    )


def _of_reader(
    session: Session, event: Competition, people: Sequence[Entrant], me: Person | None, voice: Voice
) -> tuple[Entrant | None, dict[str, Any]]:
    """The reader as an entrant, and what the page says of that."""
    mine = next((entrant for entrant in people if me and entrant.player_id == me.id), None)
    plays = mine is not None and mine.status in STILL_IN
    why_not = None
    if me and not plays and event.status in (CompetitionStatus.SIGN_UP, CompetitionStatus.RUNNING):
        why_not = entries.why_not(session, event, me.id, visit.now())
    away, byes = (mine.away, mine.byes) if mine else ((), ())
    return mine, {
        "mine": mine,
        "plays": plays,
        "why_not": voice.say(why_not) if why_not else "",
        "given_answers": SignUpForm.shown(**(mine.answers or {} if mine else {})),
        "form": RoundsOffForm.shown(away=", ".join(map(str, away)), byes=", ".join(map(str, byes))),
    }


def _games_of(
    own: int | None, by_division: Mapping[int, Sequence[Mapping[str, Any]]]
) -> list[tuple[int, dict[str, Any]]]:
    """Return the shown matches of an entrant, each with the number of its round."""
    return [
        (round["now"].number, match)
        for rounds in by_division.values()
        for round in rounds
        for match in round["matches"]
        if any(seat.entry_id == own for seat in match["now"].seats)
    ]


def about(session: Session, event: Competition, voice: Voice) -> dict[str, Any]:
    """Return what every page of an event shows at its head, and the terms in words."""
    spoken = voice.about(event.title)
    calendar = pending.name_of_calendar(session, event.calendar_id)
    return {
        "title": voice.gettext(event.title.name),
        "format": voice.gettext(event.plays.name),
        "status": voice.gettext(STATUS_NAMES[event.status]),
        "pace": pace_in_words(voice, event.pace, calendar),
        "after": after_in_words(voice, event.pace),
        "lasts": length.of_event(session, event, voice),
        "terms": terms_in_words(event, voice),
        "options": options.option_in_words(event.title, event.options, spoken),
    }


# -- coming and leaving -------------------------------------------------------------------------------


@blueprint.post("/events/<number:event_id>/sign-up")
@answers(SignUpForm, again=event_page)
def sign_up(form: SignUpForm, event_id: int) -> Response:
    """Enter the event, or its reserve list."""
    me, status = reader_of(event_id, None), str(EntrantStatus.RESERVE)
    with Work(server().database) as work:
        if form.way == "reserve":
            entries.sign_up_as_reserve(lifecycle.allowed(work, event_id, me, None, visit.now()), me)
        else:
            status = entries.sign_up(work, event_id, me, now=visit.now())
        entries.note_answers(work.session, lifecycle.get(work.session, event_id), me, vars(form))
    return on_to(".event_page", "entered" if status == EntrantStatus.ENTERED else "in-reserve", event_id=event_id)


@blueprint.post("/events/<number:event_id>/rounds-off")
@answers(RoundsOffForm, again=event_page)
def rounds_off(form: RoundsOffForm, event_id: int) -> Response:
    """Set the rounds in which the player does not play."""
    me = reader_of(event_id, None)
    with acting_in(event_id, None) as acting:
        mine = entries.entrant_of(acting.session, event_id, me)
        byes = form.byes if entries.may_take_byes(acting.event) else mine.byes if mine else ()
        entries.set_rounds_off(acting, me, away=form.away, byes=byes)
    return on_to(".event_page", "saved", event_id=event_id)


def _leaver(session: Session, event: Competition, me: int) -> Entrant:
    """Return the entrant who would leave. Raises NoSuchCompetition if they are not in the event, NotAllowed."""
    player = LeaverForm.of(request.values).player
    if player not in (None, me):
        two_clubs.need_alone(session, event, me)
    entrant = entries.entrant_of(session, event.id, me if player is None else player)
    if entrant is None:
        raise lifecycle.NoSuchCompetition(event.id)
    return entrant


@blueprint.get("/events/<number:event_id>/withdraw")
def leaving_page(event_id: int) -> Response:
    """Show what leaving would do, with a button."""
    me, voice = visit.need_person(), visit.voice()
    with reading(event_id, None) as (session, event, club, _):
        entrant = _leaver(session, event, me.id)
        done = (
            withdrawals.foresee(session, event, entrant)
            if event.status == CompetitionStatus.RUNNING
            else withdrawals.Withdrawal((), (), ())
        )
        names = {one.id: one.name for one in entries.entrants(session, event.id)}
        there = round_rows.rounds_of(session, entrant.division_id, drafts=True) if entrant.division_id else []
        said = [round_shown(round, voice, names, title=event.title, full=False) for round in there]
    matches = {match["now"].id: match for round in said for match in round["matches"]}
    return visit.show(
        "leagues/events/withdraw.html",
        event=event,
        club=club,
        entry=entrant,
        whose=voice.person(entrant.name),
        own=entrant.player_id == me.id,
        walkovers=[matches[number] for number in done.walkovers],
        void=[matches[number] for number in done.void],
        drafts=len(done.drafts),
        form=WithdrawForm.shown(),
        gone=entrant.status in (EntrantStatus.WITHDRAWN, EntrantStatus.REMOVED),
    )


@blueprint.post("/events/<number:event_id>/withdraw")
@answers(WithdrawForm, again=leaving_page)
def withdraw(form: WithdrawForm, event_id: int) -> Response:
    """Leave, or take a player out."""
    me = reader_of(event_id, None)
    with server().database.read() as session:
        player = _leaver(session, lifecycle.get(session, event_id), me).player_id
    leaving.withdraw(server().database, event_id, player, me, reason=form.reason, now=visit.now())
    if player == me:
        with server().database.read() as session:
            mine = entries.entrant_of(session, event_id, me)
        held = mine is not None and mine.status == EntrantStatus.ENTERED
        return on_to(".event_page", "place-held" if held else "event-left", event_id=event_id)
    return on_to(".manage_page", "removed", event_id=event_id)
