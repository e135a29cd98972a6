"""A match of two clubs: inviting, answering, the referee, and the confirmation of the teams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flask import Response

from app.base.refusals import NotAllowed
from app.leagues.clubs import clubs
from app.leagues.events import events, two_clubs
from app.leagues.pages.common import AnswerForm, named, reader_of
from app.leagues.pages.events.events import about, blueprint
from app.leagues.seasons import club_matches
from app.leagues.tables import ClubMatch, Competition, CompetitionStatus, InvitationStatus, Role
from app.leagues.teams import teams
from app.people.tables import Player
from app.web import visit
from app.web.forms import Field, Form, Id, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.text import N_, Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.leagues.tables import Team

PATH = "/events/<number:event_id>/clubs"
STATES = {
    InvitationStatus.INVITED: N_("invited; it has not answered yet"),
    InvitationStatus.ACCEPTED: N_("has accepted"),
    InvitationStatus.DECLINED: N_("has declined"),
    InvitationStatus.WITHDRAWN: N_("was invited; the invitation is taken back"),
}


class InviteClubForm(Form):
    """The club to invite, and a message."""

    club: Id
    words: Typed = Field("", title=N_("A word to its organisers, if you like"))


class AnswerClubForm(AnswerForm):
    """The two buttons, and a message."""

    words: Typed = Field("", title=N_("A word to the organisers of the other club, if you like"))


class RefereeForm(Form):
    """The person whom a club names."""

    referee: Typed = Field("", title=N_("Name of the referee, as on this server"))


@blueprint.get(PATH)
def clubs_page(event_id: int) -> Response:
    """The agreement of two clubs, for the organisers of both and the referee; with what each can do next."""
    me, voice = visit.need_person(), visit.voice()
    with server().database.read() as session:
        event = events.get(session, event_id)
        match = two_clubs.of_event(session, event_id)
        host, guest = _roles(session, event, match, me.id)
        _need_part(event, match, me.id, host or guest)
        club = clubs.get(session, event.club_id if host or match is None else match.guest_id)
        facts = about(session, event, voice)
        playing = {team.club_id: team for team in teams.of_event(session, event_id)} if event.guest_id else {}
        names = _names(session, event, match)
        could_come = (
            club_matches.who_could_come(session, event) if host and event.status == CompetitionStatus.DRAFT else ()
        )
        why_not = club_matches.why_not(session, event)
        accepted = match is not None and match.status == InvitationStatus.ACCEPTED
        rules = bool(match and accepted and two_clubs.able(session, match))
    own = [side for side, speaks in (("host", host), ("guest", guest)) if speaks]
    return visit.show(
        "leagues/events/clubs_match.html",
        event=event,
        club=club,
        facts=facts,
        match=match,
        state=voice.gettext(STATES[match.status]) if match else "",
        names=names,
        speaks=own,
        accepted=accepted,
        rules=rules,
        sides=_sides(event, match, names, playing, own) if match and accepted else [],
        could_come=could_come,
        why_not=voice.say(why_not) if why_not else "",
        before=event.status == CompetitionStatus.SIGN_UP,
        is_referee=match is not None and accepted and me.id == match.referee_id,
        who=lambda name: named(voice, name),
        invite=InviteClubForm.shown(),
        answer=AnswerClubForm.shown(),
        form=RefereeForm.shown(referee=names["host_names" if "host" in own else "guest_names"]),
    )


def _sides(
    event: Competition,
    match: ClubMatch,
    names: Mapping[str, Any],
    playing: Mapping[int | None, Team],
    own: Sequence[str],
) -> list[dict[str, Any]]:
    """The two clubs that have agreed, each with its team."""
    return [
        {
            "name": names[side],
            "team": playing.get(club),
            "ready": ready,
            "own": side in own,
            "names": names[f"{side}_names"],
        }
        for side, club, ready in (
            ("host", event.club_id, match.host_ready_at),
            ("guest", match.guest_id, match.guest_ready_at),
        )
    ]


def _roles(session: Session, event: Competition, match: ClubMatch | None, player_id: int) -> tuple[bool, bool]:
    """Whether a person speaks for the inviting club, and for the invited one."""
    sides = (event.club_id, match.guest_id if match else 0)
    host, guest = (clubs.may(clubs.role_of(session, side, player_id), club_matches.NEEDED) for side in sides)
    return host, guest and match is not None and match.status != InvitationStatus.WITHDRAWN


def _need_part(event: Competition, match: ClubMatch | None, player_id: int, speaks: bool) -> None:
    """Raise NoSuchCompetition or NotAllowed for a person with no part in the match."""
    if speaks or (match is not None and player_id in (match.host_names, match.guest_names) and event.guest_id):
        return
    if event.status == CompetitionStatus.DRAFT or match is None:
        raise events.NoSuchCompetition(event.id)
    raise NotAllowed("club_match.role", Text("Only organisers of one of the two clubs can do this."))


def _names(session: Session, event: Competition, match: ClubMatch | None) -> dict[str, Any]:
    people = (match.host_names, match.guest_names, match.asked_by) if match else (None, None, None)
    host_names, guest_names, asked_by = (
        player.name if who is not None and (player := session.get(Player, who)) else "" for who in people
    )
    return {
        "host": clubs.get(session, event.club_id).name,
        "guest": clubs.get(session, match.guest_id).name if match else "",
        "host_names": host_names,
        "guest_names": guest_names,
        "asked_by": asked_by,
    }


@blueprint.post(f"{PATH}/invite")
@answers(InviteClubForm, again=clubs_page)
def invite_club(form: InviteClubForm, event_id: int) -> Response:
    """Invite another club to the event."""
    me = reader_of(event_id, Role.ORGANISER)
    club_matches.invite(server().database, event_id, me, form.club, form.words, now=visit.now())
    return on_to(".clubs_page", "club-invited", event_id=event_id)


@blueprint.post(f"{PATH}/back")
@answers(again=clubs_page)
def take_club_back(event_id: int) -> Response:
    """Take the invitation back."""
    done = club_matches.take_back(server().database, event_id, reader_of(event_id, Role.ORGANISER), now=visit.now())
    return on_to(".clubs_page", "match-back" if done else "match-gone", event_id=event_id)


@blueprint.post(f"{PATH}/answer")
@answers(AnswerClubForm, again=clubs_page)
def answer_club(form: AnswerClubForm, event_id: int) -> Response:
    """Accept or decline for the invited club."""
    me, accepts = visit.need_person(), form.answer == "accept"
    done = club_matches.answer(server().database, event_id, me.id, accepts=accepts, words=form.words, now=visit.now())
    said = ("match-accepted" if accepts else "match-declined") if done else "match-gone"
    return on_to(".clubs_page", said, event_id=event_id)


@blueprint.post(f"{PATH}/referee")
@answers(RefereeForm, again=clubs_page)
def name_referee(form: RefereeForm, event_id: int) -> Response:
    """Name the referee, for your own club."""
    me = visit.need_person()
    agreed = club_matches.name_referee(server().database, event_id, me.id, form.referee, now=visit.now())
    return on_to(".clubs_page", "referee-agreed" if agreed else "referee-named", event_id=event_id)


@blueprint.post(f"{PATH}/referee/down")
@answers(again=clubs_page)
def lay_down(event_id: int) -> Response:
    """Resign as the referee."""
    club_matches.lay_down(server().database, event_id, visit.need_person().id, now=visit.now())
    return on_to(".event_page", "referee-down", event_id=event_id)


@blueprint.post(f"{PATH}/ready")
@answers(again=clubs_page)
def say_ready(event_id: int) -> Response:
    """Confirm that your own team is ready; the second confirmation starts the match."""
    starts = club_matches.say_ready(server().database, event_id, visit.need_person().id, now=visit.now())
    return on_to(".clubs_page", "event-started" if starts else "team-ready", event_id=event_id)
