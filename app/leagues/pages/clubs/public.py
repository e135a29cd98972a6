"""Clubs: the list, the public page, joining by link and by invitation, the audit trail."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Annotated, ClassVar, Literal

from flask import Blueprint, Response, request, url_for
from sqlmodel import Session, select

from app.base.stored import limits
from app.base.stored.database import Database
from app.base.words.i18n import LANGUAGES
from app.base.words.numbers import whole
from app.base.words.refusals import LinkExpired, NoSuch
from app.base.words.speech import Voice
from app.clocks.zones import shown_name
from app.games.work import Work
from app.leagues.changes import leaving
from app.leagues.clubs import announcements, audit, club_rights, joining, members
from app.leagues.clubs.club_rights import ROLE_NAMES
from app.leagues.desk.act_words import AuditSentences
from app.leagues.events import lifecycle
from app.leagues.events.lifecycle import STATUS_NAMES
from app.leagues.pages.clubs.home_shown import home_shown
from app.leagues.pages.common import AnswerForm, person_id
from app.leagues.tables import Club, Competition, CompetitionStatus, MemberStatus, Role
from app.people import accounts
from app.people.pages import sign_in_reader
from app.people.tables import Player
from app.post.webhooks import pages as hooks
from app.post.webhooks import settings
from app.titles.registry import TITLES
from app.web import visit
from app.web.forms import Field, Form, Says, Tick, Typed, answers, on_to
from app.web.gates.csrf import by_link
from app.web.reader import server
from engine.kernel.text import N_, Text

blueprint = Blueprint("clubs", __name__)
CURRENT = (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP, CompetitionStatus.RUNNING)
MOST_NEWS = 3
PROVES_FOR = timedelta(days=14)
"""How long an invitation, when it is accepted, also signs its reader in."""
TONGUES = {"en": "English", "fr": "Français", "es": "Español", "it": "Italiano"}


class ClubWordsForm(Form):
    """What a club says about itself."""

    marks: ClassVar = {"club.slug": "slug", "club.taken": "slug", "club.about": "about"}

    name: Typed = Field("", title=N_("Name of the club"))
    about: Typed = Field("", title=N_("About the club"))
    language: Typed = Field("", title=N_("Language of its invitations"))
    zone: Typed = Field("", title=N_("Time zone of its days"))


class ClubForm(ClubWordsForm):
    """The same, with its settings for joining."""

    takes_requests: Tick = Field(title=N_("Whoever is signed in may ask to join"))


SETTINGS = ("name", "about", "language", "takes_requests")
"""What the form takes as the club has it."""


class FoundForm(ClubWordsForm):
    """A new club."""

    slug: Typed = Field(
        "",
        title=N_("Its address after /clubs/: small letters, digits and hyphens"),
        description=N_("Empty: made of its name."),
    )
    called: Typed = Field("", title=N_("How shall the others call you?"))
    """The name of a player who has none yet: the club's invitations go out in it."""


class LeaveClubForm(Form):
    """A box that has to be ticked."""

    sure: Annotated[Literal["yes"], Says("club.sure", Text("Tick the box if you want to leave the club."))]


# -- all clubs ----------------------------------------------------------------------------------------


@blueprint.get("/clubs")
def list_page() -> Response:
    """The clubs of this server, the reader's own first, and a form to found one."""
    voice = visit.voice()
    with server().database.read() as session:
        me = visit.person(session)
        mine = club_rights.clubs_of(session, me.id) if me else []
        found = club_rights.all_clubs(session)
    own = {club.id for club, _ in mine}
    return visit.show(
        "leagues/clubs/clubs.html",
        mine=mine,
        others=[club for club in found if club.id not in own],
        roles=role_names(voice),
        form=FoundForm.shown(language=voice.lang, zone=shown_name(voice.zone)),
        languages=_languages(),
        asks_zone=True,
        naming=None,
        nameless=me is not None and accounts.is_nameless(me.id, me.name),
    )


def role_names(voice: Voice) -> dict[str, str]:
    """The roles in words."""
    return {role: voice.gettext(name) for role, name in ROLE_NAMES.items()}


def _languages() -> list[tuple[str, str]]:
    return [(language, TONGUES[language]) for language in LANGUAGES]


@blueprint.post("/clubs")
@answers(FoundForm, again=list_page)
def found_club(form: FoundForm) -> Response:
    """Found a club."""
    me = visit.need_person()
    if accounts.is_nameless(me.id, me.name):
        accounts.choose_name(server().database, me.id, form.called)
    slug = club_rights.make(server().database, me.id, now=visit.now(), **form.model_dump(exclude={"called"}))
    return on_to(".members_page", "club-made", slug=slug)  # where it goes on: with inviting


# -- one club -----------------------------------------------------------------------------------------


@blueprint.get("/clubs/<slug>")
def club_page(slug: str) -> Response:
    """What everybody may know about a club; its members see who else belongs to it."""
    with reading_club(slug, None) as (session, club, role):
        voice = visit.voice()
        found = lifecycle.events_of(session, club.id, drafts=club_rights.may(role, Role.DEPUTY))
        people = members.members(session, club.id) if role else []
        me = person_id()
        invited = me is not None and role is None and members.is_invited(session, club.id, me)
        asking = joining.how_many(session, club.id) if club_rights.may(role, joining.NEEDED) else 0
        news = announcements.of_club(session, club.id, is_member=role is not None, most=MOST_NEWS)
        channel = settings.of_club(session, club.id) if club_rights.may(role, Role.ORGANISER) else []
        home = home_shown(session, club.id, found, voice, visit.now())
    seasons: dict[str, list[tuple[Competition, str]]] = {}
    for event in found:
        if event.status not in CURRENT:
            seasons.setdefault(event.season, []).append((event, event_in_words(event, voice)))
    shown = next((event for event in found if event.started_at), None)
    return visit.show(
        "leagues/clubs/club.html",
        **home,
        og=(club.name, club.about, url_for(".club_page", slug=slug), table_picture(shown.id) if shown else ""),
        club=club,
        current=[(event, event_in_words(event, voice)) for event in found if event.status in CURRENT],
        role=role,
        roles=role_names(voice),
        seasons=seasons,
        statuses=STATUS_NAMES,
        people=[one for one in people if one.status == MemberStatus.MEMBER],
        may_run=club_rights.may(role, Role.ORGANISER),
        asking=asking,
        news=[row for row, _ in news],
        invited=invitation_token(club.id, me) if invited and me else "",
        form=ClubForm.shown(**{name: getattr(club, name) for name in SETTINGS}, zone=shown_name(club.zone)),
        languages=_languages(),
        channel=[(hook, hooks.short(hook.url), hooks.state(last, voice)) for hook, last in channel],
        channel_form=ChannelForm.shown(),
        who=voice.person,
    )


def table_picture(event_id: int) -> str:
    """Return the address of the table of an event as a picture, for programs that show what links lead to."""
    return url_for("events.table_png", event_id=event_id, lang=visit.voice().lang)


def club_for(session: Session, slug: str, role: Role | None) -> tuple[Club, Role | None]:
    """A club and the reader's role in it; where one is needed, they are asked to sign in. NoSuchClub, NotAllowed."""
    me = visit.person(session) if role is None else visit.need_person(session)
    club = club_rights.find(session, slug)
    mine = club_rights.role_of(session, club.id, me.id if me else None)
    if role is not None:
        club_rights.judge(mine, role)
    visit.is_in(club.zone)
    return club, mine


@contextmanager
def reading_club(slug: str, role: Role | None) -> Iterator[tuple[Session, Club, Role | None]]:
    """A session in which the reader looks at a club, with `club_for`. NoSuchClub, NotAllowed."""
    with server().database.read() as session:
        yield session, *club_for(session, slug, role)


def event_in_words(event: Competition, voice: Voice) -> str:
    """Return what a list says about an event beside its status."""
    title = voice.gettext(event.title.name) if event.title_id in TITLES else event.title_id
    return f"{title} · {voice.gettext(event.plays.name)}"


@blueprint.post("/clubs/<slug>/settings")
@answers(ClubForm, again=club_page)
def change(form: ClubForm, slug: str) -> Response:
    """Change what the club says about itself."""
    club_rights.change(*acting_at(slug), now=visit.now(), **form.model_dump())
    return on_to(".club_page", "saved", slug=slug)


def find_club(slug: str) -> Club:
    """Return a club. Raises NoSuchClub."""
    with server().database.read() as session:
        return club_rights.find(session, slug)


def acting_at(slug: str) -> tuple[Database, int, int]:
    """Return what acts in a club take first: the database, the club, and who acts. Raises NoSuchClub."""
    me = visit.need_person()
    return server().database, find_club(slug).id, me.id


class ChannelForm(Form):
    """The webhook of a club, or that it is to go."""

    marks: ClassVar = {"hook": "url"}

    url: Typed = Field("", title=N_("Address of its webhook"))
    do: Typed = ""


@blueprint.post("/clubs/<slug>/channel")
@answers(ChannelForm, again=club_page)
def put_channel(form: ChannelForm, slug: str) -> Response:
    """Name the channel that is told of the club's events, with a test call, or take it away."""
    (database, club_id, me), now, private = acting_at(slug), visit.now(), server().config.webhook_private
    url = "" if form.do == "remove" else form.url.strip() or "?"
    if url:
        limits.count(database, [(limits.HOOK_TRIALS, str(me))], now)
    with Work(database) as work:
        club_rights.need(work.session, club_id, me, Role.ORGANISER)
        settings.put_for_club(work.session, club_id, me, url, private=private, now=now)
    return on_to(".club_page", "saved", slug=slug)


@blueprint.post("/clubs/<slug>/leave")
@answers(LeaveClubForm, again=club_page)
def leave(form: LeaveClubForm, slug: str) -> Response:
    """Leave the club."""
    database, club_id, me = acting_at(slug)
    leaving.leave_club(database, club_id, me, me, reason="", now=visit.now())
    return on_to(".club_page", "club-left", slug=slug)


# -- joining ------------------------------------------------------------------------------------------


def invitation_token(club_id: int, player_id: int) -> str:
    """Return the right to answer the invitation of a player to a club."""
    return server().links.sign("club_invitation", [club_id, player_id])


def join_token(club: Club) -> str:
    """Return the link by which anybody who has it can join the club."""
    return server().links.sign("club_join", [club.id, club.join_version])


def _ended(club: Club) -> LinkExpired:
    return LinkExpired("club.link", Text("This link of {club} does not hold any more; ask the club.", club=club.name))


@blueprint.get("/clubs/join/<token>")
def join(token: str) -> Response:
    """Show the club with a button to join."""
    club_id, version = server().links.read_asked("club_join", token)
    with server().database.read() as session:
        visit.person(session)
        club = club_rights.get(session, club_id)
    if version != club.join_version:
        raise _ended(club)
    return visit.show("leagues/clubs/join.html", club=club, link=token)


@blueprint.post("/clubs/join/<token>")
@answers(again=join, anyone=True)
def join_now(token: str) -> Response:
    """Become a member."""
    me = visit.person()
    if me is None:
        return on_to("people.sign_in_form", then=url_for(".join", token=token))
    club_id, version = server().links.read_asked("club_join", token)
    members.join_by_link(server().database, club_id, me.id, version, now=visit.now())
    with server().database.read() as session:
        return on_to(".club_page", "club-joined", slug=club_rights.get(session, club_id).slug)


@blueprint.get("/clubs/invitation/<token>")
def invitation(token: str) -> Response:
    """Show what the invitation is about, with two buttons."""
    club_id, player_id = visit.asked("club_invitation", token)
    with server().database.read() as session:
        club = club_rights.get(session, club_id)
        if not members.is_invited(session, club_id, player_id):
            raise _ended(club)
        reader = session.exec(select(Player).where(Player.id == player_id)).one()
    return visit.show("leagues/clubs/invitation.html", club=club, link=token, whose=reader.name)


@blueprint.post("/clubs/invitation/<token>")
@by_link
@answers(AnswerForm, again=invitation)
def answer_invitation(form: AnswerForm, token: str) -> Response:
    """Accept or decline without signing in: the link is the right to do so."""
    club_id, player_id = visit.asked("club_invitation", token)
    joins, voice, now = form.answer == "accept", visit.voice(), visit.now()
    with Work(server().database) as work:
        club = club_rights.get(work.session, club_id)
        proves = members.is_invited(work.session, club_id, player_id, since=now - PROVES_FOR)
        if not members.answer(work, club_id, player_id, joins=joins, now=now):
            raise _ended(club)
    if joins:
        done = on_to(".club_page", "club-joined", slug=club.slug)
        return sign_in_reader(done, player_id) if proves and visit.person() is None else done
    text = voice.gettext("You do not belong to {club}, and nothing more comes of this.", club=club.name)
    return visit.message(200, voice.gettext("Declined"), text)


# -- the audit trail ----------------------------------------------------------------------------------


@blueprint.get("/clubs/<slug>/audit")
def audit_page(slug: str) -> Response:
    """Every act of organisers and of the system, for members to read."""
    voice = visit.voice()
    before, event_id = _page_number("before"), _page_number("event")
    with reading_club(slug, Role.MEMBER) as (session, club, _):
        acts = audit.trail(session, club.id, event_id=event_id, before=before)
        teller = AuditSentences(session, acts, voice)
        named_events = {event.id: event.name for event in lifecycle.events_of(session, club.id, drafts=True)}
        told = [(act, teller.say(act), named_events.get(act.event_id or 0, "")) for act in acts]
    older = acts[-1].id if len(acts) == audit.PAGE else None
    return visit.show("leagues/clubs/audit.html", club=club, acts=told, older=older, event_id=event_id)


def _page_number(name: str) -> int | None:
    given = request.args.get(name)
    read = whole(given) if given else None
    if given and read is None:
        raise NoSuch(given)
    return read
