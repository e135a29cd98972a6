"""Clubs: the list, the public page, joining by link and by invitation, the audit trail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, abort, redirect, request
from sqlmodel import select

from app.base.i18n import LANGUAGES
from app.base.links import BadLink
from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.base.speech import Voice
from app.leagues import audit, clubs, events, members
from app.leagues.act_words import Teller
from app.leagues.clubs import ROLE_NAMES
from app.leagues.events import FORMAT_NAMES, STATUS_NAMES
from app.leagues.pages.common import attempt, named, on, person_id, typed
from app.leagues.tables import Club, Event
from app.people.tables import Player
from app.web import visit
from app.web.csrf import csrf
from app.web.reader import house
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

blueprint = Blueprint("clubs", __name__)
csrf.exempt(blueprint)  # every form goes through `attempt`, which keeps what was typed
TONGUES = {"en": "English", "fr": "Français", "es": "Español", "it": "Italiano"}


# -- all clubs ----------------------------------------------------------------------------------------


@blueprint.get("/clubs")
def list_page() -> Response:
    """The clubs of this server, one's own first, and a form to found one."""
    return _list()


def _list(error: str = "", status: int = 200) -> Response:
    voice = visit.voice()
    with house().database.read() as session:
        me = visit.person(session)
        mine = clubs.clubs_of(session, me.id) if me else []
        found = clubs.all_clubs(session)
    own = {club.id for club, _ in mine}
    filled = {
        "name": typed("name"), "slug": typed("slug"), "about": typed("about"),
        "language": typed("language", voice.lang), "zone": typed("zone", voice.zone),
    }  # fmt: skip
    return visit.show(
        "leagues/clubs.html", status, voice=voice, mine=mine, others=[club for club in found if club.id not in own],
        roles=role_names(voice), error=error, filled=filled, languages=_languages(),
    )  # fmt: skip


def role_names(voice: Voice) -> dict[str, str]:
    """The roles in words."""
    return {role: voice.gettext(name) for role, name in ROLE_NAMES.items()}


def _languages() -> list[tuple[str, str]]:
    return [(language, TONGUES[language]) for language in LANGUAGES]


@blueprint.post("/clubs")
def found_club() -> Response:
    """Found a club."""
    me = visit.need_person()

    def act() -> Response:
        slug = clubs.make(house().database, me.id, slug=request.form.get("slug", ""), now=visit.now(), **_club_form())
        return on(f"/clubs/{slug}", "club-made")

    return attempt(act, _list)


def _club_form() -> dict[str, str]:
    return {name: request.form.get(name, "") for name in ("name", "about", "language", "zone")}


# -- one club -----------------------------------------------------------------------------------------


@blueprint.get("/clubs/<slug>")
def club_page(slug: str) -> Response:
    """What everybody may know of a club; its members see who else belongs to it."""
    return _club(slug)


def _club(slug: str, error: str = "", status: int = 200) -> Response:
    voice = visit.voice()
    with house().database.read() as session:
        club, role = club_for(session, slug, None)
        found = events.events_of(session, club.id, drafts=clubs.may(role, "deputy"))
        people = members.members(session, club.id) if role else []
        me = person_id()
        invited = me is not None and role is None and members.is_invited(session, club.id, me)
    seasons: dict[str, list[dict[str, Any]]] = {}
    for event in found:
        seasons.setdefault(event.season, []).append(event_line(event, voice))
    settings = {key: typed(key, getattr(club, key)) for key in ("name", "about", "language", "zone")}
    return visit.show(
        "leagues/club.html", status, voice=voice, club=club, role=role, roles=role_names(voice), seasons=seasons,
        people=[one for one in people if one.status == "member"], may_run=clubs.may(role, "organiser"),
        invited=f"/clubs/invitation/{invitation_token(club.id, me)}" if invited and me else "", error=error,
        filled=settings, languages=_languages(), who=lambda name: named(voice, name),
    )  # fmt: skip


def club_for(session: Session, slug: str, role: str | None) -> tuple[Club, str | None]:
    """A club and the reader's role in it. NoSuchClub; NotAllowed without the role that is needed."""
    club = clubs.find(session, slug)
    me = visit.person(session)
    mine = clubs.role_of(session, club.id, me.id if me else None)
    if role is not None:
        clubs.need(session, club.id, me.id if me else None, role)
    return club, mine


def event_line(event: Event, voice: Voice) -> dict[str, Any]:
    """What a list says of an event."""
    return {
        "id": event.id, "name": event.name, "title": voice.gettext(event.title.name), "open": event.status == "sign_up",
        "format": voice.gettext(FORMAT_NAMES[event.format]), "status": voice.gettext(STATUS_NAMES[event.status]),
        "draft": event.status == "draft",
    }  # fmt: skip


@blueprint.post("/clubs/<slug>/settings")
def change(slug: str) -> Response:
    """Change what the club says of itself."""
    me = visit.need_person()
    club = find_club(slug)

    def act() -> Response:
        clubs.change(house().database, club.id, me.id, now=visit.now(), **_club_form())
        return on(f"/clubs/{slug}", "saved")

    return attempt(act, lambda why, status: _club(slug, why, status))


def find_club(slug: str) -> Club:
    """A club; NoSuchClub."""
    with house().database.read() as session:
        return clubs.find(session, slug)


@blueprint.post("/clubs/<slug>/leave")
def leave(slug: str) -> Response:
    """Leave the club; a box has to be ticked."""
    me = visit.need_person()
    club = find_club(slug)

    def act() -> Response:
        if request.form.get("sure") != "yes":
            raise NotAccepted("club.sure", Text("Tick the box if you want to leave the club."))
        members.remove(house().database, club.id, me.id, me.id, reason="", now=visit.now())
        return on(f"/clubs/{slug}", "club-left")

    return attempt(act, lambda why, status: _club(slug, why, status))


# -- joining ------------------------------------------------------------------------------------------


def invitation_token(club_id: int, player_id: int) -> str:
    """The right to answer the invitation of a player to a club."""
    return house().links.sign("club_invitation", [club_id, player_id])


def join_path(club: Club) -> str:
    """The path by which anybody who has it joins the club."""
    return f"/clubs/join/{house().links.sign('club_join', [club.id, club.join_version])}"


def _two(purpose: str, token: str) -> tuple[int, int]:
    payload = house().links.read(purpose, token)
    if len(payload) != 2 or not all(isinstance(part, int) for part in payload):
        raise BadLink(purpose)
    return payload[0], payload[1]


def _unknown() -> Response:
    voice = visit.voice()
    text = voice.gettext("This link is not complete or was not made here. Open it from the mail once more.")
    return visit.message(404, voice.gettext("Link not known"), text)


@blueprint.get("/clubs/join/<token>")
def join(token: str) -> Response:
    """What the club is, and a button."""
    return _join(token)


def _join(token: str, error: str = "", status: int = 200) -> Response:
    try:
        club_id, version = _two("club_join", token)
    except BadLink:
        return _unknown()
    with house().database.read() as session:
        visit.person(session)
        club = clubs.get(session, club_id)
    if version != club.join_version:
        return _ended(club)
    return visit.show("leagues/join.html", status, club=club, link=token, error=error)


def _ended(club: Club) -> Response:
    voice = visit.voice()
    text = voice.gettext("This link of {club} does not hold any more; ask the club.", club=club.name)
    return visit.message(410, voice.gettext("This link has ended"), text)


@blueprint.post("/clubs/join/<token>")
def join_now(token: str) -> Response:
    """Become a member."""
    me = visit.person()
    if me is None:
        return redirect(f"/sign-in?then=/clubs/join/{token}", 303)  # type: ignore[return-value]
    try:
        club_id, version = _two("club_join", token)
    except BadLink:
        return _unknown()

    def act() -> Response:
        members.join_by_link(house().database, club_id, me.id, version, now=visit.now())
        with house().database.read() as session:
            return on(f"/clubs/{clubs.get(session, club_id).slug}", "club-joined")

    return attempt(act, lambda why, status: _join(token, why, status))


@blueprint.get("/clubs/invitation/<token>")
def invitation(token: str) -> Response:
    """What the invitation is about, and two buttons."""
    return _invitation(token)


def _invitation(token: str, error: str = "", status: int = 200) -> Response:
    try:
        club_id, player_id = _two("club_invitation", token)
    except BadLink:
        return _unknown()
    with house().database.read() as session:
        club = clubs.get(session, club_id)
        if not members.is_invited(session, club_id, player_id):
            return _ended(club)
        reader = session.exec(select(Player).where(Player.id == player_id)).one()
    voice = Voice(reader.language, reader.zone)
    return visit.show(
        "leagues/invitation.html", status, voice=voice, club=club, link=token, whose=reader.name, error=error
    )


@blueprint.post("/clubs/invitation/<token>")
def answer_invitation(token: str) -> Response:
    """Accept or decline, without a login: the link is the right to do so."""
    try:
        club_id, player_id = _two("club_invitation", token)
    except BadLink:
        return _unknown()

    def act() -> Response:
        answer, voice = request.form.get("answer"), visit.voice()
        if answer not in ("accept", "decline"):
            raise NotAccepted("answer.none", Text("Choose whether you accept or decline."))
        with house().database.read() as session:
            club = clubs.get(session, club_id)
        if not members.answer(house().database, club_id, player_id, joins=answer == "accept", now=visit.now()):
            return _ended(club)
        if answer == "accept":
            return on(f"/clubs/{club.slug}", "club-joined")
        text = voice.gettext("You do not belong to {club}, and nothing more comes of this.", club=club.name)
        return visit.message(200, voice.gettext("Declined"), text)

    return attempt(act, lambda why, status: _invitation(token, why, status), by_link=True)


# -- the audit trail ----------------------------------------------------------------------------------


@blueprint.get("/clubs/<slug>/audit")
def audit_page(slug: str) -> Response:
    """Every act of organisers and of the system, for members to read."""
    visit.need_person()
    voice = visit.voice()
    before, event_id = _page_number("before"), _page_number("event")
    with house().database.read() as session:
        club, _ = club_for(session, slug, "member")
        acts = audit.trail(session, club.id, event_id=event_id, before=before)
        teller = Teller(session, acts, voice)
        named_events = {event.id: event.name for event in events.events_of(session, club.id, drafts=True)}
        told = [(act, teller.say(act), named_events.get(act.event_id or 0, "")) for act in acts]
    older = acts[-1].id if len(acts) == audit.PAGE else None
    return visit.show("leagues/audit.html", voice=voice, club=club, acts=told, older=older, event_id=event_id)


def _page_number(name: str) -> int | None:
    given = request.args.get(name, "")
    if not given:
        return None
    read = whole(given)
    return abort(404) if read is None else read
