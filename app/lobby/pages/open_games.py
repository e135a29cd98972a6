"""Tables: the form for a new game, the list of open seats, the page of a table, and answers to invitations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, abort, flash, redirect, request

from app.base.links import BadLink
from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.base.speech import Voice
from app.lobby import invitations, open_games, options
from app.lobby.open_games import Chair, NoSuchTable, TableNow
from app.lobby.pages.home import titles
from app.people import blocks
from app.people.pages import has_mailbox
from app.time import calendars, paces
from app.time.pace_words import after_in_words, courses_in_words, pace_in_words, presets_in_words, weekdays_in_words
from app.titles.registry import TITLES
from app.web import visit
from app.web.csrf import csrf
from app.web.reader import house
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

blueprint = Blueprint("tables", __name__)
csrf.exempt(blueprint)  # every form goes through `session.attempt`, which keeps what was typed

OFFERS = ("me", "mail", "open", "link")


# -- a new game ---------------------------------------------------------------------------------------


@blueprint.get("/games/new")
def choose_title() -> Response:
    """Which game?"""
    visit.need_person()
    return visit.show("tables/choose.html", titles=titles())


@blueprint.get("/games/new/<title_id>")
def new_form(title_id: str) -> Response:
    """Who plays, by which rules, how fast?"""
    visit.need_person()
    return _new_form(_title(title_id))


def _title(title_id: str) -> Any:
    return TITLES[title_id] if title_id in TITLES else abort(404)


def _new_form(title: Any, error: str = "", status: int = 200) -> Response:
    voice = visit.voice().about(title)
    sent = request.method == "POST"
    chairs = []
    for place, seat in enumerate(title.seats[: title.most_seats]):
        usual = "me" if place == 0 else "mail" if place < title.least_seats else "nobody"
        chairs.append(
            {
                "seat": seat,
                "name": voice.name("seat", seat),
                "offer": request.form.get(f"offer.{seat}", usual) if sent else usual,
                "address": request.form.get(f"address.{seat}", "") if sent else "",
                "can_be_empty": title.most_seats > title.least_seats,
            }
        )
    filled = {
        "days": request.form.get("days", "7") if sent else "7",
        "drawn": request.form.get("sides") == "drawn" if sent else False,
        "pace": request.form.get("pace", ""),
        "off": request.form.getlist("pace.off"),
        **paces.filled(request.form),
    }
    with house().database.read() as session:
        known = [(str(one.id), one.name) for one in calendars.every(session)]
    chosen = {
        "presets": presets_in_words(voice), "courses": courses_in_words(voice), "weekdays": weekdays_in_words(voice),
        "calendars": known, "zone": voice.zone,
    }  # fmt: skip
    fields = [_field(voice, field) for field in title.option_fields({})]
    return visit.show(
        "tables/new.html", status, voice=voice, title=title, chairs=chairs, filled=filled, fields=fields, error=error,
        choose=chosen,
    )  # fmt: skip


def _field(voice: Voice, field: Any) -> dict[str, Any]:
    key = options.PREFIX + field.name
    return {
        "key": key,
        "label": voice.gettext(field.label),
        "values": [(options.form_value(value), options.value_in_words(voice, value)) for value in field.values],
        "number": f"{key}.{options.ELSE}" if field.whole_number else "",
        "chosen": request.form.get(key, ""),
        "chosen_number": request.form.get(f"{key}.{options.ELSE}", ""),
        "default": options.value_in_words(voice, field.default),
    }


@blueprint.post("/games/new/<title_id>")
def make(title_id: str) -> Response:
    """Make the table."""
    title, me = _title(title_id), visit.need_person()

    def act() -> Response:
        chairs = []
        for seat in title.seats[: title.most_seats]:
            how = request.form.get(f"offer.{seat}", "nobody")
            if how in OFFERS:
                chairs.append(Chair(seat, how, request.form.get(f"address.{seat}", "")))
        game_id = open_games.create(
            house().database, me.id, title.id, chairs, options=options.read_form(title, request.form),
            pace=paces.read_form(request.form, me.zone), calendar=request.form.get("pace.calendar", ""),
            drawn=request.form.get("sides") == "drawn",
            now=visit.now(),
        )  # fmt: skip
        return _on(game_id, "made")

    return visit.attempt(act, lambda why, status: _new_form(title, why, status))


def _on(game_id: int, said: str) -> Response:
    flash(said)
    return redirect(f"/games/{game_id}", 303)  # type: ignore[return-value]


# -- finding and looking at tables --------------------------------------------------------------------


@blueprint.get("/tables")
def open_tables() -> Response:
    """Tables with a seat for anybody."""
    with house().database.read() as session:
        me = visit.person(session)
        found = open_games.open_tables(session, me.id if me else None)
    voice = visit.voice()
    return visit.show("tables/open.html", tables=[_about(table, voice) for table in found])


def _about(table: TableNow, voice: Voice) -> dict[str, Any]:
    voice = voice.about(table.title)
    return {
        "id": table.id,
        "title": voice.gettext(table.title.name),
        "host": table.host,
        "options": options.option_in_words(table.title, table.options, voice),
        "pace": pace_in_words(voice, table.pace, table.calendar),
        "after": after_in_words(voice, table.pace),
        "drawn": table.drawn,
        "commitment": table.commitment,
        "seats": [{"now": seat, "side": voice.name("seat", seat.seat)} for seat in table.seats],
        "taken": voice.join([seat.name for seat in table.seats if seat.player_id is not None]),
        "open": [voice.name("seat", seat.seat) for seat in table.open_seats],
    }


def table_page(session: Session, table: TableNow, error: str = "", status: int = 200) -> Response:
    """A table that waits for its players. Called by the page of the game, which has the same address."""
    me, voice = visit.person(session), visit.voice()
    is_host = me is not None and table.host_id == me.id
    mine = table.seat_of(me.id) if me else None
    if me and not is_host and not mine and blocks.is_apart_from_table(session, table.id, me.id):
        # Whom a block keeps away is offered nothing: to them its open seats are somebody else's.
        taken = tuple(replace(seat, offer="mail") if seat.offer == "open" else seat for seat in table.seats)
        table = replace(table, seats=taken)
    links = {}
    invited = None
    for seat in table.seats:
        if seat.player_id is None and seat.invitation_id is not None:
            if is_host and seat.offer == "link":
                links[seat.place] = house().links.base_url + join_path(seat.invitation_id)
            if me and seat.invited_id == me.id:
                invited = invitation_path(seat.invitation_id, me.id)
    # Whom the host invited is the host's and the players' to know.
    hidden = not (is_host or mine or invited)
    if hidden:
        seats = tuple(s if s.player_id is not None else replace(s, name="") for s in table.seats)
        table = replace(table, seats=seats)
    return visit.show(
        "tables/table.html", status, table=_about(table, voice), is_host=is_host, mine=mine, links=links,
        invited=invited, error=error, filled=request.form,
    )  # fmt: skip


def invitation_path(invitation_id: int, player_id: int) -> str:
    """The path at which an invitation is answered."""
    return f"/invitation/{house().links.sign('invitation', [invitation_id, player_id])}"


def join_path(invitation_id: int) -> str:
    """The path of a private link."""
    return f"/join/{house().links.sign('join', [invitation_id])}"


def _table_again(game_id: int) -> Callable[[str, int], Response]:
    def again(why: str, status: int) -> Response:
        try:
            with house().database.read() as session:
                return table_page(session, open_games.find(session, game_id), why, status)
        except NoSuchTable:
            return _gone(game_id)

    return again


def _gone(game_id: int) -> Response:
    voice = visit.voice()
    return visit.show(
        "tables/gone.html", 409, heading=voice.gettext("Not possible"), game_id=game_id,
        message=voice.gettext("This table is not open any more: the game has begun or was cancelled."),
    )  # fmt: skip


def _at_table(game_id: int, act: Callable[[], Response]) -> Response:
    try:
        return visit.attempt(act, _table_again(game_id))
    except NoSuchTable:
        return _gone(game_id)


def _place() -> int:
    place = whole(request.form.get("place", ""), most=99)
    if place is None:
        raise NotAccepted("seat.place", Text("Choose a seat."))
    return place


@blueprint.post("/games/<number:game_id>/join")
def join(game_id: int) -> Response:
    """Take an open seat."""
    me = visit.need_person()

    def act() -> Response:
        salt = request.form.get("salt", "")
        started = open_games.join(house().database, game_id, _place(), me.id, salt=salt, now=visit.now())
        return _on(game_id, "started" if started else "joined")

    return _at_table(game_id, act)


@blueprint.post("/games/<number:game_id>/salt")
def salt(game_id: int) -> Response:
    """Add something to the chance of the game."""
    me = visit.need_person()

    def act() -> Response:
        open_games.give_salt(house().database, me.id, game_id, request.form.get("salt", ""))
        return _on(game_id, "salted")

    return _at_table(game_id, act)


@blueprint.post("/games/<number:game_id>/leave")
def leave(game_id: int) -> Response:
    """Get up again."""
    me = visit.need_person()

    def act() -> Response:
        open_games.leave(house().database, me.id, game_id)
        return _on(game_id, "left")

    return _at_table(game_id, act)


@blueprint.post("/games/<number:game_id>/offer")
def offer(game_id: int) -> Response:
    """Offer an empty seat in another way."""
    me = visit.need_person()

    def act() -> Response:
        how, address = request.form.get("how", ""), request.form.get("address", "")
        open_games.offer(house().database, me.id, game_id, _place(), how, address, now=visit.now())
        return _on(game_id, "offered")

    return _at_table(game_id, act)


@blueprint.post("/games/<number:game_id>/cancel")
def cancel(game_id: int) -> Response:
    """Take the table away."""
    me = visit.need_person()

    def act() -> Response:
        open_games.cancel(house().database, me.id, game_id, now=visit.now())
        return redirect("/games", 303)  # type: ignore[return-value]

    return _at_table(game_id, act)


# -- answering an invitation --------------------------------------------------------------------------


def _invited(token: str) -> tuple[int, int]:
    payload = house().links.read("invitation", token)
    if len(payload) != 2 or not all(isinstance(part, int) for part in payload):
        raise BadLink("invitation")
    return payload[0], payload[1]


@blueprint.get("/invitation/<token>")
def invitation(token: str) -> Response:
    """What the invitation is about, and two buttons."""
    return _invitation(token)


def _invitation(token: str, error: str = "", status: int = 200) -> Response:
    try:
        invitation_id, player_id = _invited(token)
        with house().database.read() as session:
            offered = invitations.find(session, invitation_id, player_id)
    except BadLink:
        return _unknown()
    except invitations.Ended as ended:
        return _ended(ended)
    assert offered.player is not None
    voice = Voice(offered.player.language, offered.player.zone)
    return visit.show(
        "tables/invitation.html", status, voice=voice, link=token, player=offered.player,
        table=_about(offered.table, voice), place=offered.seat.place, error=error, filled=request.form,
    )  # fmt: skip


@blueprint.post("/invitation/<token>")
def answer_invitation(token: str) -> Response:
    """Accept or decline, without a login: the link is the right to do so."""
    try:
        invitation_id, player_id = _invited(token)
    except BadLink:
        return _unknown()

    def act() -> Response:
        said, voice = request.form.get("answer"), visit.voice()
        if said == "decline":
            invitations.decline(house().database, invitation_id, player_id, now=visit.now())
            text = voice.gettext("The host is told that you do not play. Nothing more comes of this invitation.")
            return visit.message(200, voice.gettext("Declined"), text)
        if said != "accept":
            raise NotAccepted("answer.none", Text("Choose whether you accept or decline."))
        salt = request.form.get("salt", "")
        started = invitations.accept(house().database, invitation_id, player_id, salt=salt, now=visit.now())
        return _accepted(started)

    try:
        return visit.attempt(act, lambda why, status: _invitation(token, why, status), by_link=True)
    except invitations.Ended as ended:
        return _ended(ended)


def _accepted(started: bool) -> Response:
    return visit.show("tables/accepted.html", started=started, mailbox=has_mailbox())


def _ended(ended: invitations.Ended) -> Response:
    voice = visit.voice()
    sentences = {
        "accepted": voice.gettext("This invitation has been accepted already."),
        "declined": voice.gettext("This invitation has been declined already."),
    }
    text = sentences.get(ended.status, voice.gettext("This invitation does not hold any more."))
    return visit.show(
        "tables/gone.html", 410, heading=voice.gettext("This link has ended"), message=text, game_id=ended.game_id
    )


def _unknown() -> Response:
    voice = visit.voice()
    text = voice.gettext("This link is not complete or was not made here. Open it from the mail once more.")
    return visit.message(404, voice.gettext("Link not known"), text)


# -- a private link -----------------------------------------------------------------------------------


def _private(token: str) -> int:
    payload = house().links.read("join", token)
    if len(payload) != 1 or not isinstance(payload[0], int):
        raise BadLink("join")
    return payload[0]


@blueprint.get("/join/<token>")
def private_link(token: str) -> Response:
    """The table, and a button for who is signed in."""
    return _private_link(token)


def _private_link(token: str, error: str = "", status: int = 200) -> Response:
    try:
        with house().database.read() as session:
            me = visit.person(session)
            offered = invitations.find(session, _private(token), None, me.id if me else None)
    except BadLink:
        return _unknown()
    except invitations.Ended as ended:
        return _ended(ended)
    voice = visit.voice()
    return visit.show(
        "tables/private.html", status, link=token, table=_about(offered.table, voice), place=offered.seat.place,
        error=error, filled=request.form,
    )  # fmt: skip


@blueprint.post("/join/<token>")
def take_private_seat(token: str) -> Response:
    """Take the seat."""
    me = visit.person()
    if me is None:
        return redirect(f"/sign-in?then=/join/{token}", 303)  # type: ignore[return-value]
    try:
        invitation_id = _private(token)
    except BadLink:
        return _unknown()

    def act() -> Response:
        salt = request.form.get("salt", "")
        started = invitations.accept(house().database, invitation_id, None, sits=me.id, salt=salt, now=visit.now())
        return _accepted(started)

    try:
        return visit.attempt(act, lambda why, status: _private_link(token, why, status))
    except invitations.Ended as ended:
        return _ended(ended)
