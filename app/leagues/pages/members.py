"""The members of a club, for those who run it: inviting, roles, removing, a list of addresses, the joining link."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from app.base.refusals import NotAccepted
from app.leagues import clubs, members
from app.leagues.pages.clubs import blueprint, club_for, find_club, join_path, role_names
from app.leagues.pages.common import attempt, named, number, on
from app.leagues.tables import Club
from app.web import visit
from app.web.reader import house
from engine.kernel.text import Text

LARGEST_LIST = 400_000
"""Bytes of a file with members."""


@blueprint.get("/clubs/<slug>/members")
def members_page(slug: str) -> Response:
    """Everybody with address and role."""
    visit.need_person()
    return _members(slug)


def _members(slug: str, error: str = "", status: int = 200, bad: Any = (), text: str | None = None) -> Response:
    voice = visit.voice()
    with house().database.read() as session:
        club, role = club_for(session, slug, "deputy")
        people = members.members(session, club.id)
    joining = house().config.base_url + join_path(club) if clubs.may(role, "organiser") else ""
    return visit.show(
        "leagues/members.html", status, voice=voice, club=club, role=role, roles=role_names(voice), people=people,
        error=error, bad=[(line, voice.say(why)) for line, why in bad], joining=joining, may=clubs.may,
        form=request.form, text=request.form.get("list", "") if text is None else text, columns=members.COLUMNS,
        who=lambda name: named(voice, name),
    )  # fmt: skip


def _act(slug: str, act: Any, said: str) -> Response:
    me, club = visit.need_person(), find_club(slug)

    def acting() -> Response:
        act(club, me.id)
        return on(f"/clubs/{slug}/members", said)

    return attempt(acting, lambda why, status: _members(slug, why, status))


@blueprint.post("/clubs/<slug>/members/invite")
def invite(slug: str) -> Response:
    """Invite somebody by mail."""

    def act(club: Club, me: int) -> None:
        address, role = request.form.get("address", ""), request.form.get("role", "member")
        members.invite(house().database, club.id, me, address, role=role, now=visit.now())

    return _act(slug, act, "invited")


@blueprint.post("/clubs/<slug>/members/role")
def give_role(slug: str) -> Response:
    """Give somebody another role."""

    def act(club: Club, me: int) -> None:
        role = request.form.get("role", "")
        members.give_role(house().database, club.id, me, number("player"), role, now=visit.now())

    return _act(slug, act, "saved")


@blueprint.post("/clubs/<slug>/members/remove")
def remove(slug: str) -> Response:
    """Take somebody out of the club, with a reason."""

    def act(club: Club, me: int) -> None:
        reason = request.form.get("reason", "")
        members.remove(house().database, club.id, me, number("player"), reason=reason, now=visit.now())

    return _act(slug, act, "removed")


@blueprint.post("/clubs/<slug>/members/link")
def new_link(slug: str) -> Response:
    """Make the joining link anew."""
    return _act(slug, lambda club, me: members.new_link(house().database, club.id, me, now=visit.now()), "new-link")


@blueprint.post("/clubs/<slug>/members/import")
def import_list(slug: str) -> Response:
    """Invite everybody on a list: all or nothing, and bad lines are named."""
    me, club = visit.need_person(), find_club(slug)
    text = request.form.get("list", "")
    bad: list[tuple[int, Text]] = []

    def act() -> Response:
        nonlocal text
        file = request.files.get("file")
        if file is not None and file.filename:
            text = read_text(file.stream.read(LARGEST_LIST + 1))
        try:
            members.import_list(house().database, club.id, me.id, text, now=visit.now())
        except members.BadLines as wrong:
            bad.extend(wrong.complaints)
            raise
        return on(f"/clubs/{slug}/members", "invited-all")

    return attempt(act, lambda why, status: _members(slug, why, status, bad, text))


def read_text(content: bytes) -> str:
    """The text of a file that was sent; NotAccepted for one that is too large or not in UTF-8."""
    if len(content) > LARGEST_LIST:
        raise NotAccepted("list.large", Text("The file is too large."))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise NotAccepted("list.coding", Text("The file is not written in UTF-8; save it so, or paste its text."))
    return text
