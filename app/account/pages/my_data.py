"""Under the account: all that is kept about a player as one file, erasing it, and people to block or mute."""

from __future__ import annotations

from flask import Blueprint, Response, flash, redirect, request

from app.account import my_data
from app.base.links import BadLink
from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.base.speech import Voice
from app.people import blocks
from app.people.pages import has_mailbox
from app.web import visit
from app.web.csrf import csrf
from app.web.reader import house
from engine.kernel.text import Text

blueprint = Blueprint("my_data", __name__)
csrf.exempt(blueprint)  # every form goes through `session.attempt`, which keeps what was typed


# -- the file -----------------------------------------------------------------------------------------


@blueprint.get("/account/data")
def data() -> Response:
    """What is kept, the button for the file, whether the profile is public, and the way to erase everything."""
    return _data()


def _data(error: str = "", status: int = 200, where: str = "") -> Response:
    me = visit.need_person()
    with house().database.read() as session:
        leaving = my_data.leaving(session, me.id)
        is_public = my_data.is_public(session, me.id)
    return visit.show(
        "people/data.html", status, leaving=leaving, games=_named(leaving), is_public=is_public, error=error,
        where=where,
    )  # fmt: skip


def _named(leaving: my_data.Leaving) -> list[tuple[int, str]]:
    """Number and words of the games that would be resigned."""
    voice, me = visit.voice(), visit.person()
    named = []
    for game in leaving.games:
        about = voice.about(game.title)
        others = [about.who(seated) for seated in game.seats if me is None or seated.player_id != me.id]
        named.append((game.id, f"{voice.gettext(game.title.name)} · {voice.join(others)}"))
    return named


@blueprint.post("/account/data")
def file() -> Response:
    """Everything as one file."""
    me = visit.need_person()

    def act() -> Response:
        packed = my_data.export(house().database, me.id, now=visit.now())
        response = Response(packed, mimetype="application/zip")
        response.headers["Content-Disposition"] = 'attachment; filename="post-road-my-data.zip"'
        return response

    return visit.attempt(act, lambda why, status: _data(why, status, "file"))


@blueprint.post("/account/data/profile")
def profile() -> Response:
    """Show the profile to everybody, or to nobody."""
    me = visit.need_person()

    def act() -> Response:
        my_data.set_profile(house().database, me.id, is_public="public" in request.form)
        flash("saved")
        return redirect("/account/data", 303)  # type: ignore[return-value]

    return visit.attempt(act, lambda why, status: _data(why, status, "profile"))


# -- erasing ------------------------------------------------------------------------------------------


@blueprint.post("/account/erase")
def ask() -> Response:
    """Mail the link that erases."""
    me = visit.need_person()

    def act() -> Response:
        my_data.ask_to_erase(house().database, me.id, now=visit.now())
        return visit.show("people/erase_asked.html", address=me.address, mailbox=has_mailbox())

    return visit.attempt(act, lambda why, status: _data(why, status, "erase"))


@blueprint.get("/erase/<token>")
def confirm(token: str) -> Response:
    """What goes, and a button: opening a link must not erase anything."""
    return _confirm(token)


def _confirm(token: str, error: str = "", status: int = 200) -> Response:
    try:
        player_id, until = house().links.read_erase(token)
        my_data.check_until(until, visit.now())
        with house().database.read() as session:
            leaving = my_data.leaving(session, player_id)
            name = my_data.name_of(session, player_id)
    except (BadLink, my_data.Gone):
        return _ended()
    except NotAccepted as late:
        return _ended(visit.voice().say(late.why))
    return visit.show("people/erase.html", status, link=token, leaving=leaving, who=name, error=error)


def _ended(text: str = "") -> Response:
    voice = visit.voice()
    text = text or voice.gettext("This link is not complete, or the account has been erased already.")
    return visit.message(410, voice.gettext("This link has ended"), text)


@blueprint.post("/erase/<token>")
def erase(token: str) -> Response:
    """Erase the account: the link is the right to do so."""
    voice = visit.voice()

    def act() -> Response:
        player_id, until = house().links.read_erase(token)
        my_data.check_until(until, visit.now())
        if "sure" not in request.form:
            raise NotAccepted("erase.sure", Text("Tick that you want this: it cannot be taken back."))
        my_data.erase(house().database, player_id, now=visit.now())
        return _erased(voice)

    try:
        return visit.attempt(act, lambda why, status: _confirm(token, why, status), by_link=True)
    except (BadLink, my_data.Gone):
        return _ended()


def _erased(voice: Voice) -> Response:
    visit.nobody()
    text = voice.gettext("Your account is erased. Thank you for the games.")
    return visit.forget(visit.show("home/message.html", voice=voice, heading=voice.gettext("Done"), message=text))


# -- people -------------------------------------------------------------------------------------------


@blueprint.get("/account/people")
def met() -> Response:
    """People of my games and tables, and what I have set about them."""
    return _met()


def _met(error: str = "", status: int = 200) -> Response:
    me = visit.need_person()
    with house().database.read() as session:
        people = blocks.met(session, me.id)
    return visit.show("people/met.html", status, people=people, error=error)


@blueprint.post("/account/people")
def settle() -> Response:
    """Block or mute somebody, or no more."""
    me = visit.need_person()

    def act() -> Response:
        player = whole(request.form.get("player", ""))
        if player is None:
            raise NotAccepted("player.unknown", Text("There is no such player."))
        kinds = [kind for kind in blocks.KINDS if kind in request.form]
        blocks.settle(house().database, me.id, player, kinds, now=visit.now())
        flash("saved")
        return redirect(visit.local_path(request.form.get("then"), "/account/people"), 303)  # type: ignore[return-value]

    return visit.attempt(act, _met)
