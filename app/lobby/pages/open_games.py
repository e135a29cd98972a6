"""Tables: the form for a new game, the list of open seats, the page of a table, and answers to invitations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, get_args

from flask import Blueprint, Response, make_response, redirect, request, url_for
from sqlmodel import Session

from app.base.words.numbers import whole
from app.base.words.refusals import NoSuch
from app.base.words.speech import Voice
from app.games.tables import SeatOffer
from app.games.work import Work
from app.lobby import invitations, listing, open_games, options
from app.lobby.listing import OpenGame
from app.lobby.open_games import Chair, TableDraft
from app.lobby.pages import finding
from app.lobby.pages.pace_form import PaceForm, choices
from app.lobby.pages.shown_titles import shown_titles
from app.people import blocks
from app.people import pages as people
from app.time.pace_words import after_in_words, pace_in_words
from app.titles.pages import pages_of, parts_of
from app.titles.registry import TITLES
from app.web import visit
from app.web.forms import Count, Field, Form, Line, Says, Tick, Typed, answers, on_to
from app.web.gates.csrf import by_link
from app.web.local_mailbox import has_mailbox
from app.web.reader import name_asked, server, wants_json
from engine.kernel.text import N_, Text
from engine.kernel.title import OptionField, Title

blueprint = Blueprint("tables", __name__)

OFFERS = (open_games.HOST, *open_games.OFFERS)
Place = Annotated[int, Count(most=99), Says("seat.place", Text("Choose one of what is offered."))]


# -- a new game ---------------------------------------------------------------------------------------


def titles() -> list[tuple[str, str]]:
    """Return all titles, by id and name."""
    voice = visit.voice()
    return [(title.id, voice.gettext(title.name)) for title in TITLES.values()]


@blueprint.get("/games/new")
def choose_title() -> Response:
    """Ask which game to play."""
    visit.need_person()
    with server().database.read() as session:
        return visit.show("lobby/choose.html", shown=shown_titles(session, visit.voice()))


Reliability = Literal["", "80", "90", "95", "100"]


class NewForm(PaceForm):
    """Who plays, on which side, by which options of the title, and how fast."""

    offer: dict[str, str]
    address: dict[str, str]
    sides: Literal["", "chosen", "drawn"] = ""
    private: Tick = Field(title=N_("a private game: only those who play in it see it, and no list names it"))
    note: Annotated[str, Line(80)] = Field(
        "",
        title=N_("A note"),
        description=N_("One line for those you invite or who look for a game, such as “beginners welcome”."),
    )
    least: Reliability = Field("", title=N_("Open seats are for those who have played in time"))
    rated: Tick = Field(title=N_("rated: the game counts for the ratings of casual play of all who take a seat"))
    option: dict[str, str]

    def chairs(self, title: Title) -> list[Chair]:
        """Return the seats described in the form."""
        offers = {seat: self.offer.get(seat, "nobody") for seat in title.seats[: title.most_seats]}
        return [Chair(seat, how, self.address.get(seat, "")) for seat, how in offers.items() if how in OFFERS]

    def draft(self, title: Title, zone: str) -> TableDraft:
        """The table. NotAccepted."""
        return TableDraft(
            title_id=title.id,
            chairs=self.chairs(title),
            options=options.read(title, self.option),
            pace=self.described(zone),
            drawn=self.sides == "drawn",
            is_private=self.private,
            note=self.note,
            least_reliability=int(self.least) if self.least else None,
            is_rated=self.rated,
        )


@blueprint.get("/games/new/<title_id>")
def new_form(title_id: str) -> Response:
    """Ask who plays, by which rules, and how fast. The address may say how many play (`players`), and whether `sides`
    are drawn."""
    visit.need_person()
    title = title_of(title_id)
    voice, form = visit.voice().about(title), NewForm.shown(days=7)
    sides = form.sides or ("drawn" if request.args.get("sides") == "drawn" else "chosen")
    taken = [n for n, seat in enumerate(title.seats, 1) if form.offer.get(seat, "nobody") != "nobody"]
    asked = whole(request.args.get("players", ""), least=title.least_seats, most=title.most_seats)
    players = max([asked or title.least_seats, *taken])
    chairs = [
        {
            "seat": seat,
            "name": voice.name("seat", seat) if sides == "chosen" else voice.gettext("Player {n}", n=place + 1),
            "offer": form.offer.get(seat, "me" if place == 0 else "mail"),
            "address": form.address.get(seat, ""),
        }
        for place, seat in enumerate(title.seats[:players])
    ]
    with server().database.read() as session:
        choose = choices(session, voice, voice.zone)
    fields = [option_field(voice, field, form.option) for field in title.option_fields({})]
    return visit.show(
        "lobby/new.html",
        voice=voice,
        title=title,
        chairs=chairs,
        sides=sides,
        players=players,
        counts=range(title.least_seats, title.most_seats + 1),
        filled=form,
        fields=fields,
        choose=choose,
        least=_least_in_words(voice),
    )


def _least_in_words(voice: Voice) -> list[tuple[str, str]]:
    """Return the choices for how reliable guests must be."""
    anybody, *said = ((one, voice.gettext("at least {n} of 100 games", n=one)) for one in get_args(Reliability))
    return [(anybody[0], voice.gettext("whoever likes")), *said]


def title_of(title_id: str) -> Title:
    """Return the title that a form or an address names. Raises NoSuch."""
    if title_id not in TITLES:
        raise NoSuch(title_id)
    return TITLES[title_id]


def option_field(voice: Voice, field: OptionField, typed: Mapping[str, str]) -> dict[str, Any]:
    """Return an option of a title for `lobby/_field.html`, with what was typed: by its name, and by `NAME.number`
    beside it."""
    key = options.PREFIX + field.name
    return {
        "key": key,
        "label": voice.gettext(field.label),
        "values": [(options.form_value(value), options.value_in_words(voice, value)) for value in field.values],
        "number": f"{key}.{options.ELSE}" if field.whole_number else "",
        "chosen": typed.get(field.name, ""),
        "chosen_number": typed.get(f"{field.name}.{options.ELSE}", ""),
        "default": options.value_in_words(voice, field.default),
    }


@blueprint.post("/games/new/<title_id>")
@answers(NewForm, again=new_form)
def make(form: NewForm, title_id: str) -> Response:
    """Create the table."""
    title, me = title_of(title_id), visit.need_person()
    game_id = open_games.create(server().database, me.id, form.draft(title, me.zone), now=visit.now())
    has_mails = SeatOffer.MAIL in form.offer.values()
    return on_to("game.game_page", "made" if has_mails else "open", game_id=game_id)


# -- finding and looking at tables --------------------------------------------------------------------


@blueprint.get("/tables")
def open_tables() -> Response:
    """Show tables with a seat for anybody."""
    with server().database.read() as session:
        me = visit.person(session)
        wish = finding.wanted()
        found = listing.open_tables(session, me.id if me else None, wish)
    voice = visit.voice()
    tables = [about_table(table, voice) for table in found]
    return visit.show("lobby/open.html", tables=tables, finder=finding.choices(wish, voice))


def about_table(table: OpenGame, voice: Voice) -> dict[str, Any]:
    """Describe a table in words, for `lobby/_facts.html`."""
    voice = voice.about(table.title)
    return {
        "id": table.id,
        "title": voice.gettext(table.title.name),
        "host": table.host,
        "options": options.option_in_words(table.title, table.row.options, voice),
        "pace": pace_in_words(voice, table.pace, table.calendar),
        "after": after_in_words(voice, table.pace),
        "drawn": table.row.drawn,
        "about": parts_of(table.title.id, voice.lang).presented(),
        "learn": table.title.id if pages_of(table.title.id).lesson is not None else "",
        "note": table.row.note,
        "least_reliability": table.row.least_reliability,
        "is_rated": table.row.is_rated,
        "commitment": table.commitment,
        "seed_number": table.row.seed_number,
        "seats": [{"now": seat, "side": voice.name("seat", seat.seat)} for seat in table.seats],
        "taken": voice.join([seat.name for seat in table.seats if seat.player_id is not None]),
        "open": [voice.name("seat", seat.seat) for seat in table.open_seats],
    }


class OfferForm(Form):
    """A seat of the host's table, and how it is offered."""

    place: Place
    how: Typed = ""
    address: Typed = ""


class JoinForm(Form):
    """A seat to take."""

    place: Place


def table_page(session: Session, table: OpenGame) -> Response:
    """Show a table that waits for its players. Called by the page of the game, which has the same address."""
    me, voice = visit.person(session), visit.voice()
    is_host = me is not None and table.row.made_by == me.id
    mine = table.seat_of(me.id) if me else None
    if me and not is_host and not mine and blocks.is_apart_from_table(session, table.id, me.id):
        # Players kept away by a block are offered nothing: to them its open seats are for others.
        taken = tuple(replace(it, offer=SeatOffer.MAIL) if it.offer == SeatOffer.OPEN else it for it in table.seats)
        table = replace(table, seats=taken)
    links = {}
    invited = None
    for seat in table.seats:
        if seat.player_id is None and seat.invitation_id is not None:
            if is_host and seat.offer == SeatOffer.LINK:
                token = server().links.sign("join", [seat.invitation_id])
                links[seat.place] = server().links.base_url + url_for("tables.private_link", token=token)
            if me and seat.invited_id == me.id:
                token = server().links.sign("invitation", [seat.invitation_id, me.id])
                invited = url_for("tables.invitation", token=token)
    # Only the host and the players may know whom the host invited.
    hidden = not (is_host or mine or invited)
    if is_host:  # who has not chosen a name yet is called as the host has invited them
        table = replace(table, seats=tuple([listing.with_address(session, seat) for seat in table.seats]))
    if hidden:
        seats = tuple(s if s.player_id is not None else replace(s, name="") for s in table.seats)
        table = replace(table, seats=seats)
    return visit.show(
        "lobby/table.html",
        table=about_table(table, voice),
        is_host=is_host,
        mine=mine,
        links=links,
        invited=invited,
        offering=OfferForm.shown(),
    )


def table_again(game_id: int) -> Response:
    """Show the page of a table that is still open; NoSuchTable if it is not."""
    with server().database.read() as session:
        return table_page(session, listing.find(session, game_id))


@blueprint.post("/games/<number:game_id>/join")
@answers(JoinForm, again=table_again)
def join(form: JoinForm, game_id: int) -> Response:
    """Take an open seat."""
    return _sit_down(game_id, form.place)


def _sit_down(game_id: int, place: int) -> Response:
    started = open_games.join(server().database, game_id, place, visit.need_person().id, now=visit.now())
    return on_to("game.game_page", "started" if started else "joined", game_id=game_id)


class AskSeatForm(JoinForm):
    """A seat that a stranger wants to take, and where to mail the link that gives it."""

    address: Typed = ""


@blueprint.post("/games/<number:game_id>/ask-seat")
@answers(AskSeatForm, again=table_again, anyone=True)
def ask_seat(form: AskSeatForm, game_id: int) -> Response:
    """Mail a stranger a link that signs in and takes the seat."""
    token = server().links.sign("seat", [game_id, form.place])
    return people.mail_link(form.address, url_for(".take_seat", token=token))


@blueprint.get(f"{people.AT_ONCE}/seat/<token>")
def seat_asked(token: str) -> Response:
    """Lead to the table, where the seat can be taken as ever."""
    return make_response(redirect(url_for("game.game_page", game_id=_seat_of(token)[0]), 303))


def _table_of(token: str) -> Response:
    return table_again(_seat_of(token)[0])


@blueprint.post(f"{people.AT_ONCE}/seat/<token>")
@by_link
@answers(again=_table_of)
def take_seat(token: str) -> Response:
    """Take the seat for the player whom the mailed link has just signed in."""
    return _sit_down(*_seat_of(token))


def _seat_of(token: str) -> tuple[int, int]:
    game_id, place = server().links.read("seat", token)
    return int(game_id), int(place)


@blueprint.post("/games/<number:game_id>/<any(leave, cancel):act>")
@answers(again=table_again)
def get_up(game_id: int, act: str) -> Response:
    """Leave the table, or cancel it."""
    with Work(server().database) as work:
        if act == "cancel":
            open_games.cancel(work, visit.need_person().id, game_id, visit.now())
            return on_to("game.my_games")
        open_games.leave(work, visit.need_person().id, game_id)
    return on_to("game.game_page", "left", game_id=game_id)


@blueprint.post("/games/<number:game_id>/offer")
@answers(OfferForm, again=table_again)
def offer(form: OfferForm, game_id: int) -> Response:
    """Offer an empty seat in another way."""
    me, now = visit.need_person(), visit.now()
    open_games.offer_again(server().database, me.id, game_id, form.place, form.how, form.address, now=now)
    return on_to("game.game_page", "offered", game_id=game_id)


# -- answering an invitation --------------------------------------------------------------------------


class InvitationForm(Form):
    """Accept an invitation or decline it."""

    answer: Annotated[Literal["accept", "decline"], Says("answer.none", Text("Choose one of what is offered."))]


@blueprint.get("/invitation/<token>")
def invitation(token: str) -> Response:
    """Show what the invitation is about, and two buttons."""
    with server().database.read() as session:
        offered = invitations.find(session, *visit.asked("invitation", token))
    assert offered.player is not None
    table = about_table(offered.table, visit.voice())
    return visit.show("lobby/invitation.html", link=token, table=table, place=offered.seat.place)


@blueprint.post("/invitation/<token>")
@by_link
@answers(InvitationForm, again=invitation)
def answer_invitation(form: InvitationForm, token: str) -> Response:
    """Accept or decline, without a login: the link is the authorisation."""
    asked, voice, now = visit.asked("invitation", token), visit.voice(), visit.now()
    if form.answer == "decline":
        with Work(server().database) as work:
            invitations.decline(work, *asked, now=now)
        text = voice.gettext("The host is told that you do not play. Nothing more comes of this invitation.")
        return visit.message(200, voice.gettext("Declined"), text)
    return _accept(*asked)


def _accept(invitation_id: int, player_id: int | None, sits: int | None = None) -> Response:
    with Work(server().database) as work:
        offered = invitations.find(work.session, invitation_id, player_id, sits)
        game_id, title, guest = offered.table.id, offered.table.title, offered.player
        naming = name_asked(guest.id, guest.name, f"/games/{game_id}") if guest else None
        started = invitations.accept(work, invitation_id, player_id, sits=sits, now=visit.now())
    if wants_json():
        return visit.message(200, visit.voice().gettext("Your answer is kept"), "")
    return visit.show(
        "lobby/accepted.html",
        started=started,
        game_id=game_id,
        learn=title.id if pages_of(title.id).lesson is not None else "",
        mailbox=has_mailbox(),
        naming=naming,
    )


# -- a private link -----------------------------------------------------------------------------------


def _private(token: str) -> int:
    return int(server().links.read("join", token, 1)[0])


@blueprint.get("/join/<token>")
def private_link(token: str) -> Response:
    """Show the table, and a button for a signed-in player."""
    with server().database.read() as session:
        me = visit.person(session)
        offered = invitations.find(session, _private(token), None, me.id if me else None)
    table = about_table(offered.table, visit.voice())
    return visit.show("lobby/private.html", link=token, table=table, place=offered.seat.place)


@blueprint.post("/join/<token>")
@answers(again=private_link, anyone=True)
def take_private_seat(token: str) -> Response:
    """Take the seat."""
    me = visit.person()
    if me is None:
        return on_to("people.sign_in_form", then=url_for(".private_link", token=token))
    return _accept(_private(token), None, me.id)
