"""The members of a club, for those who run it: inviting, roles, removing, a list of addresses, the joining link."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Response, request, url_for

from app.base.words.numbers import whole
from app.base.words.refusals import NotAccepted
from app.games.work import Work
from app.leagues.changes import leaving
from app.leagues.clubs import club_rights, joining, members, notes, sheets
from app.leagues.clubs.acting import ClubActing
from app.leagues.desk import people
from app.leagues.desk.act_changes import ENTRANT_STATUSES
from app.leagues.events import seat_changes
from app.leagues.pages.clubs.public import acting_at, blueprint, join_token, reading_club, role_names
from app.leagues.pages.common import ReasonForm, uploaded
from app.leagues.tables import Club, MemberStatus, Role
from app.people import accounts
from app.time.away import leave
from app.web import visit
from app.web.forms import Field, Form, Id, Typed, answers, on_to, sent
from app.web.reader import name_asked, server
from engine.kernel.text import N_, Text


class InviteForm(Form):
    """A person to invite."""

    address: Typed = Field("", title=N_("Email address"))
    role: Typed = Field(Role.MEMBER, title=N_("Role"))


class PlayerForm(Form):
    """A player, by number."""

    player: Id


class RoleForm(PlayerForm):
    """Another role for a member."""

    role: Typed


class MoveForm(PlayerForm):
    """Another address for a member whose mailbox is gone."""

    address: Typed = Field("", title=N_("New address"))


class RemoveForm(PlayerForm, ReasonForm):
    """A member to remove from the club, or to ban from it."""

    do: Typed = ""


class OutForm(PlayerForm, ReasonForm):
    """A member to take out of all events of the club. The page names the games that end, so one press is enough."""


class NameForm(PlayerForm):
    """The right name of an invited person."""

    name: Typed = Field("", title=N_("Name"))


class MemberNoteForm(PlayerForm):
    """The organisers' note on a member."""

    note: Typed = Field("", title=N_("Note"))
    own1: Typed = ""
    own2: Typed = ""
    own3: Typed = ""
    rating: Typed = Field("", title=N_("Rating from the club’s own list"))


class HeadingsForm(Form):
    """Headings of the club's own columns."""

    own1: Typed = Field("", title=N_("First column"))
    own2: Typed = Field("", title=N_("Second column"))
    own3: Typed = Field("", title=N_("Third column"))


class ListForm(Form):
    """A list of people: typed, pasted from a spreadsheet, or a file."""

    list: Typed = Field("", title=N_("The list"))

    def table(self) -> sheets.Spreadsheet:
        """Return the list that was sent. Raises NotAccepted."""
        content = uploaded()
        return sheets.read_text(self.list) if content is None else sheets.read(content)


@blueprint.get("/clubs/<slug>/members")
def members_page(slug: str) -> Response:
    """Who asks to join, and everybody with address, role and note; searched, filtered and sorted."""
    voice = visit.voice()
    chosen = _chosen()
    with reading_club(slug, Role.DEPUTY) as (session, club, role):
        found = notes.of_members(session, club.id, **chosen)
        unreached = people.unreached(session, club.id)
        invited = notes.of_members(session, club.id, status=MemberStatus.INVITED)
        banned = members.banned(session, club.id)
        requests = joining.waiting(session, club.id)
        waiting = sum(one.member.since <= visit.now() - members.REMIND_AFTER for one in invited)
    me = visit.need_person()
    joins = url_for(".join", token=join_token(club)) if club_rights.may(role, Role.ORGANISER) else ""
    return visit.show(
        "leagues/clubs/members.html",
        club=club,
        role=role,
        roles=role_names(voice),
        people=found,
        unreached=unreached,
        waiting=waiting,
        banned=banned,
        requests=requests,
        longest=joining.LONGEST_TEXT,
        chosen=chosen,
        sorts=_sorts(club),
        own=[(name, getattr(club, name)) for name in notes.OWN if getattr(club, name)],
        headings=HeadingsForm.shown(own1=club.own1, own2=club.own2, own3=club.own3),
        join_link=joins and server().config.base_url + joins,
        may=club_rights.may,
        inviting=InviteForm.shown(),
        listing=ListForm.shown(),
        who=voice.person,
        naming=name_asked(me.id, me.name, url_for(".members_page", slug=slug)),
    )


def need_name() -> None:
    """Raise NotAccepted for an organiser who has no name yet: invitations go out in it."""
    me = visit.need_person()
    if accounts.is_nameless(me.id, me.name):
        raise NotAccepted("name.asked", Text("How shall the others call you?"))


@blueprint.get("/clubs/<slug>/members/<number:player_id>")
def member_page(slug: str, player_id: int) -> Response:
    """One person of the club: events, games, silence, mails, leave, role and note, with what can be changed."""
    voice, now = visit.voice(), visit.now()
    with reading_club(slug, Role.DEPUTY) as (session, club, role):
        kept = next((one for one in notes.of_members(session, club.id) if one.member.player_id == player_id), None)
        there = leaving.events_of(session, club.id, player_id)
        events = [(*pair, seat_changes.running_games(session, pair[0].id, pair[1].id)) for pair in there]
        lost, void = leaving.foresee(session, there)
        quiet = people.quiet(session, [player_id], now).get(player_id)
        reached = player_id not in people.unreached(session, club.id)
        away = [one for one in leave.of_player(session, player_id) if one.to_at > now]
        out = leaving.last_out(session, club.id, player_id)
    if kept is None:
        raise NotAccepted("club.no_member", Text("This player does not belong to the club."))
    renames = kept.member.status == MemberStatus.INVITED and club_rights.may(role, Role.ORGANISER)
    return visit.show(
        "leagues/clubs/member.html",
        club=club,
        role=role,
        roles=role_names(voice),
        one=kept.member,
        right_name=NameForm.shown(name=kept.member.name) if renames else None,
        events=events,
        ends=[(voice.gettext("These games are lost"), lost), (voice.gettext("These games become void"), void)],
        statuses=ENTRANT_STATUSES,
        silent=people.in_words(voice, quiet, now) if quiet and (now - quiet.since).days else "",
        reached=reached,
        away=away,
        out=out,
        note=kept.note,
        own=[(name, getattr(club, name)) for name in notes.OWN if getattr(club, name)],
        may=club_rights.may,
        who=voice.person,
    )


def _again(slug: str) -> Response:
    """Show the page of the member whom a refused form names; the list if it names nobody."""
    player = whole(sent().get("player", ""))
    return members_page(slug) if player is None else member_page(slug, player)


def _chosen() -> dict[str, Any]:
    """Return what the address of the page asks for, without unknown values."""
    asked = {name: request.args.get(name, "")[:100] for name in ("search", "role", "status", "sort")}
    asked["role"] = asked["role"] if asked["role"] in club_rights.ROLES else ""
    asked["status"] = asked["status"] if asked["status"] in ("member", "invited") else ""
    asked["sort"] = asked["sort"] if asked["sort"] in notes.SORTS else "name"
    return asked


def _sorts(club: Club) -> list[tuple[str, str]]:
    voice = visit.voice()
    words = {
        "name": voice.gettext("Name"),
        "since": voice.gettext("Newest first"),
        "rating": voice.gettext("Rating"),
        "place": voice.gettext("Division and place of last season"),
    }
    return [*words.items(), *((name, getattr(club, name)) for name in notes.OWN if getattr(club, name))]


@blueprint.get("/clubs/<slug>/members.csv")
def members_csv(slug: str) -> Response:
    """The members as the page shows them, as a table. Only for those who run the club."""
    with reading_club(slug, Role.DEPUTY) as (session, club, _):
        text = notes.as_csv(club, notes.of_members(session, club.id, **_chosen()))
    # With a byte order mark Excel reads it as UTF-8.
    response = Response(text.encode("utf-8-sig"), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{club.slug}-members.csv"'
    response.headers["Cache-Control"] = "private, no-store"
    return response


@blueprint.post("/clubs/<slug>/members/note")
@answers(MemberNoteForm, again=_again)
def keep_note(form: MemberNoteForm, slug: str) -> Response:
    """Store a note on a member."""
    own = (form.own1, form.own2, form.own3)
    notes.keep(*acting_at(slug), form.player, note=form.note, own=own, rating=form.rating)
    return on_to(".member_page", "saved", slug=slug, player_id=form.player)


@blueprint.post("/clubs/<slug>/members/columns")
@answers(HeadingsForm, again=members_page)
def name_columns(form: HeadingsForm, slug: str) -> Response:
    """Name the club's own columns."""
    notes.name_columns(*acting_at(slug), (form.own1, form.own2, form.own3), now=visit.now())
    return on_to(".members_page", "saved", slug=slug)


@blueprint.post("/clubs/<slug>/members/invite")
@answers(InviteForm, again=members_page, where="invite")
def invite(form: InviteForm, slug: str) -> Response:
    """Invite a person by mail."""
    need_name()
    members.invite(*acting_at(slug), form.address, role=members.read_role(form.role), now=visit.now())
    return on_to(".members_page", "invited", slug=slug)


INVITING = {"remind": (members.remind, "invited-again"), "link": (members.new_link, "new-link")}
"""What concerns all who are invited, and what the page then says."""


@blueprint.post("/clubs/<slug>/members/<any(remind, link):act>")
@answers(again=members_page)
def invite_all(slug: str, act: str) -> Response:
    """Mail their invitation again to those who have not answered, or replace the joining link."""
    do, said = INVITING[act]
    do(*acting_at(slug), now=visit.now())
    return on_to(".members_page", said, slug=slug)


@blueprint.post("/clubs/<slug>/members/role")
@answers(RoleForm, again=_again)
def give_role(form: RoleForm, slug: str) -> Response:
    """Give a member another role."""
    members.give_role(*acting_at(slug), form.player, members.read_role(form.role), now=visit.now())
    return on_to(".member_page", "saved", slug=slug, player_id=form.player)


@blueprint.post("/clubs/<slug>/members/address")
@answers(MoveForm, again=_again)
def vouch(form: MoveForm, slug: str) -> Response:
    """Have a member's address change, unless one of the two objects."""
    people.vouch(*acting_at(slug), form.player, form.address, now=visit.now())
    return on_to(".member_page", "moves", slug=slug, player_id=form.player)


@blueprint.post("/clubs/<slug>/members/remove")
@answers(RemoveForm, again=_again)
def remove(form: RemoveForm, slug: str) -> Response:
    """Remove a member from the club, with a reason."""
    bans = form.do == "ban"
    leaving.leave_club(*acting_at(slug), form.player, reason=form.reason, bans=bans, now=visit.now())
    return on_to(".members_page", "banned" if bans else "removed", slug=slug)


@blueprint.post("/clubs/<slug>/members/unban")
@answers(PlayerForm, again=members_page)
def lift_ban(form: PlayerForm, slug: str) -> Response:
    """Let a banned player come back."""
    database, club_id, me = acting_at(slug)
    with Work(database) as work:
        members.lift_ban(work, club_id, me, form.player, visit.now())
    return on_to(".members_page", "saved", slug=slug)


@blueprint.post("/clubs/<slug>/members/rename")
@answers(NameForm, again=_again)
def rename(form: NameForm, slug: str) -> Response:
    """Correct the name of an invited person."""
    database, club_id, me = acting_at(slug)
    with Work(database) as work:
        members.rename(work, club_id, me, form.player, form.name, visit.now())
    return on_to(".member_page", "saved", slug=slug, player_id=form.player)


@blueprint.post("/clubs/<slug>/members/out")
@answers(OutForm, again=_again)
def out_of_everything(form: OutForm, slug: str) -> Response:
    """Take a person out of all events of the club, with one reason."""
    with _acting(slug) as acting:
        leaving.leave_everything(acting, form.player, form.reason)
    return on_to(".member_page", "out-of-all", slug=slug, player_id=form.player)


@blueprint.post("/clubs/<slug>/members/back")
@answers(PlayerForm, again=_again)
def come_back(form: PlayerForm, slug: str) -> Response:
    """Enter a person again in the events they were taken out of together."""
    voice = visit.voice()
    with _acting(slug) as acting:
        back, closed = leaving.come_back(acting, form.player)
    said = [voice.gettext("Entered again: %(names)s") % {"names": ", ".join(back)}] if back else []
    shut = [(event.name, voice.say(why)) for event, _, why in closed if why is not None]
    said += [voice.gettext("Takes nobody in now: %(names)s") % {"names": f"{name}. {why}"} for name, why in shut]
    page = url_for(".member_page", slug=slug, player_id=form.player)
    links = [
        (
            url_for("events.late_page", event_id=event.id, player=form.player, division=entrant.division_id),
            f"{voice.gettext('Take somebody in late')}: {event.name}",
        )
        for event, entrant, why in closed
        if why is None
    ]
    return visit.message(200, voice.gettext("Back"), " ".join(said), back=page, links=links)


@contextmanager
def _acting(slug: str) -> Iterator[ClubActing]:
    """One transaction in which the reader acts in a club."""
    database, club_id, me = acting_at(slug)
    with Work(database) as work:
        yield club_rights.allowed(work, club_id, me, Role.DEPUTY, visit.now())
