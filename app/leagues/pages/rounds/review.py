"""Rounds: their page with the reason for each pairing, the review of a draft, publishing, closing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from flask import Response
from sqlmodel import Session

from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.games.work import Work
from app.leagues.clubs import club_rights
from app.leagues.clubs.acting import Acting
from app.leagues.desk import autopilot, people
from app.leagues.events import entries, matches, round_rows
from app.leagues.events.term_words import BYE_NAMES
from app.leagues.pages.common import (
    HOURS,
    ChosenId,
    ReasonForm,
    acting_in,
    event_for,
    moment_of,
    person_id,
    read_moment,
)
from app.leagues.pages.events.manage import manage_page
from app.leagues.pages.events.public import blueprint
from app.leagues.pages.shown.divisions import round_shown
from app.leagues.pure.model import BYES
from app.leagues.rounds import brackets, pairing_jobs, publishing, round_loop
from app.leagues.rulings import deciding, opening
from app.leagues.seasons import stepping_back
from app.leagues.tables import Club, Competition, CompetitionRound, JobState, Role, RoundStatus
from app.leagues.teams import team_rounds
from app.web import visit
from app.web.forms import Field, Form, Id, Ids, SureForm, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.text import N_, Text, quoted

PREFIX = "/events/<number:event_id>/<round:place>"
SPARE = 2
"""Empty rows for byes on the page of a draft, for players taken out of a game."""


class VersionForm(Form):
    """The version of the draft that the page showed."""

    version: Id


class EndForm(Form):
    """When a round ends, in the zone of the club."""

    marks: ClassVar = {"form.moment": "until", "round.until": "until"}

    until: Typed = Field("", title=N_("The round ends (date and hour)"))
    club_zone: Typed = "UTC"
    """The zone that the page named."""
    offered: Typed = ""
    """The end that the page suggested: if it is unchanged, the event's days count from the hour of publishing."""


class PublishForm(VersionForm, EndForm):
    """A draft that is published, now or at an hour."""

    marks: ClassVar = HOURS

    at: Typed = Field("", title=N_("Publish it at (date and hour)"))


class SeatingForm(VersionForm, ReasonForm):
    """A draft seated by hand: who sits where, by table and place, and who has no game."""

    reason: Typed = Field("", title=N_("Why; everybody can read it at the game and in the audit trail"))
    seat: dict[str, ChosenId]
    bye: dict[str, ChosenId]
    kind: dict[str, str]

    def tables(self) -> list[list[int]]:
        """Return the entrants at each table."""
        seated: dict[str, list[int]] = {}
        for place, entrant in self.seat.items():
            if entrant is not None:
                seated.setdefault(place.partition(".")[0], []).append(entrant)
        return [seats for _, seats in sorted(seated.items(), key=lambda one: (len(one[0]), one[0]))]

    def free(self) -> list[tuple[int, str]]:
        """Return the entrants without a game, each with its kind of bye. Raises NotAccepted."""
        found = [(entrant, self.kind.get(row, "")) for row, entrant in self.bye.items() if entrant is not None]
        if not {kind for _, kind in found} <= set(BYES):
            raise NotAccepted("round.bye", Text("The kinds of bye are {known}.", known=quoted(BYE_NAMES)))
        return found


def _rounds_for(
    session: Session, event_id: int, place: str
) -> tuple[Competition, Club, Sequence[CompetitionRound], Role | None]:
    """Return an event, its club, its rounds that an address can mean, and the reader's role. Only deputies can see a
    draft."""
    event, club, role = event_for(session, event_id, None)
    found = round_rows.at(session, event, place)
    if not club_rights.may(role, Role.DEPUTY):
        found = [round for round in found if round.status != RoundStatus.DRAFT]
    return event, club, found, role


def _only(found: Sequence[CompetitionRound]) -> CompetitionRound:
    """Return the only round of these. Raises NoSuchRound."""
    if len(found) != 1:
        raise round_rows.NoSuchRound
    return found[0]


@blueprint.get(PREFIX)
def round_page(event_id: int, place: str) -> Response:
    """The pairings with their reasons; for a draft the page where it is changed and published."""
    voice = visit.voice()
    with server().database.read() as session:
        event, club, found, role = _rounds_for(session, event_id, place)
        if len(found) > 1:
            return visit.show("leagues/which_round.html", event=event, club=club, several=found)
        round = _only(found)
        if round.place != place:
            return on_to(".round_page", event_id=event_id, place=round.place)
        names = {entrant.id: entrant.name for entrant in entries.entrants(session, event.id)}
        actors = round_rows.actors_of(session, round)
        is_draft = round.status == RoundStatus.DRAFT
        context = {
            "shown": round_shown(round, voice, names, title=event.title, full=True, actors=actors),
            "division": event.division(round.division_id),
            "meetings": team_rounds.meetings(session, event, round),
            "signs": entries.signs_of(session, event.id),
            **(_of_draft(session, event, club, round) if is_draft else _of_published(session, event, round, names)),
        }
    if is_draft:
        context |= _seating_shown(event, round, names, voice)
    return visit.show(
        f"leagues/rounds/{'draft' if is_draft else 'round'}.html",
        event=event,
        club=club,
        round=round,
        may_run=club_rights.may(role, Role.DEPUTY),
        **context,
    )


def _of_published(
    session: Session, event: Competition, round: CompetitionRound, names: Mapping[int, str]
) -> dict[str, Any]:
    """What only the page of a published round shows."""
    who = {entrant: visit.voice().person(name) for entrant, name in names.items()}
    return {
        "corrects": opening.may_correct(session, event.id, person_id()),
        "rulings": deciding.waiting_in(session, round.id) if round.status == RoundStatus.PUBLISHED else 0,
        "may_unpublish": stepping_back.may_unpublish(session, event, round),
        "mailed": sorted({who[seat.entry_id] for match in round.matches for seat in match.seats}),
    }


def _of_draft(session: Session, event: Competition, club: Club, round: CompetitionRound) -> dict[str, Any]:
    """What only the page of a draft shows: who is silent, and the form to publish it."""
    now, voice = visit.now(), visit.voice()
    job = pairing_jobs.newest(session, event.id).get(round.division_id)
    silent = people.silent_before(session, event, round.division_id, round.number, now, round)
    usual = moment_of(round_loop.usual_end(session, event, round.number, now), club.zone)
    until = moment_of(round.due_at, club.zone)
    return {
        "by_itself": autopilot.publishes(event, round),
        "job": job if job and job.state == JobState.OPEN else None,
        "silent": [(one, people.in_words(voice, quiet, now)) for one, quiet in silent],
        "corrects": False,
        "games": sum(not match.is_bye for match in round.matches),
        "publishing": PublishForm.shown(at=moment_of(round.publish_at, club.zone), until=until or usual),
        "offered": "" if until else usual,
    }


def _seating_shown(
    event: Competition, round: CompetitionRound, names: Mapping[int, str], voice: Voice
) -> dict[str, Any]:
    """The form in which a draft is seated by hand."""
    seats = [seat.entry_id for match in round.matches for seat in match.seats]
    most = max(event.sizes)
    about = voice.about(event.title)
    return {
        "form": SeatingForm.shown(**_seating(round)),
        "everybody": sorted((voice.person(names[entrant]), entrant) for entrant in seats),
        "sides": [about.name("seat", seat) for seat in event.title.seats[:most]],
        "tables": sum(not match.is_bye for match in round.matches) + 1,
        "free": sum(match.is_bye for match in round.matches) + SPARE,
        "kinds": [(kind, voice.gettext(name)) for kind, name in BYE_NAMES.items()],
    }


def _seating(round: CompetitionRound) -> dict[str, dict[str, str]]:
    """Return the draft as the form has it."""
    tables = [match.seats for match in round.matches if not match.is_bye]
    byes = [match for match in round.matches if match.is_bye]
    return {
        "seat": {
            f"{n}.{at}": str(one.entry_id) for n, seats in enumerate(tables, 1) for at, one in enumerate(seats, 1)
        },
        "bye": {str(n): str(match.seats[0].entry_id) for n, match in enumerate(byes, 1)},
        "kind": {str(n): match.ended for n, match in enumerate(byes, 1)},
    }


def round_again(event_id: int, place: str) -> Response:
    """Show the page of the round, or that of the event if the round was thrown away in the meantime."""
    try:
        return round_page(event_id, place)
    except round_rows.NoSuchRound:
        return manage_page(event_id)


@contextmanager
def _locked(event_id: int, place: str, version: int | None = None) -> Iterator[tuple[Acting, CompetitionRound]]:
    """One transaction in which the reader acts in a round, which is locked, or with `version` prepares a draft, which
    is locked with its event. NoSuchRound, NotAllowed, NotAccepted."""
    me, now = visit.need_person(), visit.now()
    with server().database.read() as session:
        round_id = _only(_rounds_for(session, event_id, place)[2]).id
    with Work(server().database) as work:
        if version is None:
            yield round_loop.locked(work, round_id, me.id, now)
        else:
            yield round_loop.lock_draft(work, round_id, me.id, version, now)


class LeaveOutForm(VersionForm):
    """Those who are left out of a draft."""

    players: Ids


@blueprint.post(f"{PREFIX}/leave-out")
@answers(LeaveOutForm, again=round_again)
def leave_out(form: LeaveOutForm, event_id: int, place: str) -> Response:
    """Pair a draft again without those who are ticked."""
    with _locked(event_id, place, form.version) as (acting, round):
        people.leave_out(acting, round.number, form.players)
        pairing_jobs.pair(acting, round.division_id)
    return on_to(".round_page", "paired", event_id=event_id, place=place)


@blueprint.post(PREFIX + "/edit")
@answers(SeatingForm, again=round_again, where="seating")
def edit(form: SeatingForm, event_id: int, place: str) -> Response:
    """Seat the draft by hand."""
    seated, free = form.tables(), form.free()
    with _locked(event_id, place, form.version) as draft:
        round_loop.edit(*draft, seated, free, form.reason)
    return on_to(".round_page", "edited", event_id=event_id, place=place)


@blueprint.post(PREFIX + "/<any(discard, 'no-hour'):act>")
@answers(VersionForm, again=round_again)
def drop(form: VersionForm, event_id: int, place: str, act: str) -> Response:
    """Throw the draft away, or cancel its hour of publication."""
    with _locked(event_id, place, form.version) as draft:
        if act == "no-hour":
            publishing.call_off(*draft)
            return on_to(".round_page", "hour-off", event_id=event_id, place=place)
        matches.discard(*draft)
    return on_to(".manage_page", "discarded", event_id=event_id)


@blueprint.post(PREFIX + "/publish")
@answers(PublishForm, again=round_again)
def publish(form: PublishForm, event_id: int, place: str) -> Response:
    """Start the games and send the mails, or schedule that for an hour."""
    at = read_moment(form.at, form.club_zone, code="round.at_moment")
    is_usual = at is not None and form.until == form.offered
    until = None if is_usual else read_moment(form.until, form.club_zone)
    with _locked(event_id, place, form.version) as draft:
        if at is None:
            round_loop.publish(*draft, until=until)
        else:
            publishing.name_hour(*draft, at, until=until)
    return on_to(".round_page", "published" if at is None else "hour-named", event_id=event_id, place=place)


ACTS = {"close": (round_loop.close, "closed"), "extra": (brackets.add_extra, "extra")}
"""What is done to a published round, and what the page then says."""


@blueprint.post(PREFIX + "/<any(close, extra):act>")
@answers(again=round_again)
def do(event_id: int, place: str, act: str) -> Response:
    """Close the round (games that still run are named instead), or start deciding games for its drawn matches."""
    act_on, said = ACTS[act]
    with _locked(event_id, place) as locked:
        act_on(*locked)
    return on_to(".round_page", said, event_id=event_id, place=place)


@blueprint.post(PREFIX + "/unpublish")
@answers(SureForm, again=round_again)
def unpublish(form: SureForm, event_id: int, place: str) -> Response:
    """Make the round a draft again, while nobody has moved in it."""
    with acting_in(event_id, Role.DEPUTY) as acting:
        round = _only(_rounds_for(acting.session, event_id, place)[2])
        stepping_back.unpublish(acting, round_rows.get(acting.session, round.id, lock=True))
    return on_to(".round_page", "unpublished", event_id=event_id, place=place)
