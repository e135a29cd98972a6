"""Who is signed in, where they come from, and the checks on all their forms."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from flask import Flask, Response, abort, current_app, g, make_response, redirect, request, url_for
from sqlmodel import Session, select
from werkzeug.exceptions import MethodNotAllowed, NotFound
from werkzeug.routing import RequestRedirect

from app.base.process import failures
from app.base.process.networks import network_of
from app.base.words.refusals import NotAllowed
from app.base.words.speech import Voice
from app.people import life, signin, unasked
from app.people.tables import Player, PlayerRole
from app.web import reader
from app.web.gates.line import Acquaintances
from app.web.reader import server, voice_of_request
from engine.kernel.refusals import Refusal
from engine.kernel.text import Text

log = logging.getLogger("postroad.visit")

BY_PROGRAMS = ("unsubscribe",)
"""Pages whose forms mail programs send, too (RFC 8058)."""
COOKIE, BROWSER = "postroad_sign_in", "postroad_browser"
LONGEST_THEN = 600


class NotSignedIn(Exception):
    """The page requires signing in."""


def now() -> datetime:
    """Return the moment of this request."""
    return datetime.now(UTC)


def cookie_name() -> str:
    """Return the name of the sign-in cookie."""
    return _name_of(COOKIE)


def _name_of(cookie: str) -> str:
    """Return a cookie's name: over https browsers let only this very host set a cookie with such a name."""
    return f"__Host-{cookie}" if server().config.is_https else cookie


def secret() -> str | None:
    """Return what the browser's cookie says."""
    given = request.cookies.get(cookie_name())
    return given if given and len(given) <= 100 and given.isprintable() else None


def browser() -> str:
    """Return a secret that distinguishes this browser from all others: its own, or a new one for it to keep
    (`know`)."""
    if "browser" not in g:
        given = request.cookies.get(_name_of(BROWSER))
        g.browser = given if given and len(given) <= 100 and given.isascii() else secrets.token_urlsafe(24)
    found: str = g.browser
    return found


def know(response: Response, secret: str) -> Response:
    """Let the browser keep its distinguishing secret, for as long as a link that it requests works."""
    return reader.keep_choice(response, _name_of(BROWSER), secret, signin.LINK_LASTS)


def person(session: Session | None = None) -> signin.Person | None:
    """Return who is signed in; read once per request, and only if the browser sends a cookie."""
    if "person" not in g:
        given = secret()
        if given is None:
            g.person = None
        elif session is not None:
            g.person = signin.who(session, given, now())
        else:
            with server().database.read() as opened:
                g.person = signin.who(opened, given, now())
        if given is not None and g.person is not None:
            acquaintances().met(given)
    found: signin.Person | None = g.person
    return found


def acquaintances() -> Acquaintances:
    """Return whom this process knows."""
    found: Acquaintances = current_app.extensions["postroad.acquaintances"]
    return found


def need_person(session: Session | None = None) -> signin.Person:
    """Return who is signed in, or redirect to the sign-in page and back."""
    found = person(session)
    if found is None:
        raise NotSignedIn
    return found


def need_operator() -> signin.Person:
    """Return who is signed in, if they are an operator of the server. NotAllowed if not."""
    me = need_person()
    if me.role != PlayerRole.OPERATOR:
        raise NotAllowed("operator.role", Text("This page is for the operators of the server."))
    return me


def nobody() -> None:
    """Treat this request as not signed in from now on."""
    g.person = None


def voice() -> Voice:
    """Return the voice for the owner of the link, or else for the signed-in player; see `app.web.languages`."""
    them = followed()
    if them is None and (me := person()) is not None:
        them = me.language, me.zone
    return voice_of_request() if them is None else Voice(reader.language_chosen() or them[0], them[1])


def is_in(zone: str) -> None:
    """Let this page tell a visitor without an account the times of its place, such as a club."""
    g.zone_here = zone


T = TypeVar("T")


def there(found: T | None) -> T:
    """Return what an address leads to; if that is nothing, show the page for it (404)."""
    return abort(404) if found is None else found


def follow(player_id: int | None) -> None:
    """Note that this request's link belongs to a player: from now on its pages speak to them."""
    g.link_of = g.by_link_of = player_id


def asked(kind: str, token: str) -> tuple[int, int]:
    """Return what a link asks one player about, and the player (`Links.read_asked`); from now on pages speak to them.
    Raises BadLink."""
    about = server().links.read_asked(kind, token)
    follow(about[1])
    return about


def asked_of_seat(kind: str, token: str) -> tuple[int, str, int | None]:
    """Return what a link asks of a seat (`Links.read_asked_seat`); from now on pages speak to its player. Raises
    BadLink."""
    about = server().links.read_asked_seat(kind, token)
    follow(about[2])
    return about


def followed() -> tuple[str, str] | None:
    """Return the language and zone of the player to whom the link of this request belongs; read once, when needed."""
    them: tuple[str, str] | None = g.get("followed")
    if them is None and (player_id := g.pop("link_of", None)) is not None:
        with server().database.read() as session:
            asked = select(Player.language, Player.zone).where(Player.id == player_id)
            found = session.exec(asked).first()
        them = g.followed = None if found is None else (found[0], found[1])
    return them


def show(name: str, status: int = 200, **context: object) -> Response:
    """Show a page in the frame with the menu. `error`, `where` and `wrong` say what was refused, if anything; with
    `asks_zone` a signed-in player who has chosen no time zone is asked."""
    own = voice()
    given = context.pop("voice", own)
    assert isinstance(given, Voice)
    no = refused()
    said = ("", "", "", ()) if no is None else (no.said, no.where, no.field, no.faults)
    context = dict(zip(("error", "where", "wrong", "faults"), said, strict=True)) | context
    me = person()
    again = reader.without_turns(me.id, wants=me.wants_turns) if me else ""
    asks = context.pop("asks_zone", False) and me is not None
    if asks and me is not None:
        context.setdefault("naming", reader.name_asked(me.id, me.name, request.path))
    zone = reader.zone_asked(me.id, me.zone, me.zone_chosen, request.path) if asks and me else None
    return reader.with_zone(
        reader.page(name, given, status=status, me=me, turns_again=again, zone=zone, **context), zone
    )


def keep(response: Response, value: str) -> Response:
    """Let the browser keep a new secret; scripts and other sites cannot read it."""
    return reader.keep_choice(response, cookie_name(), value, signin.SIGNED_IN_FOR)


def forget(response: Response) -> Response:
    """Remove the secret from the browser."""
    return reader.forget_choice(response, cookie_name())


def local_path(given: str | None, otherwise: str = "/games") -> str:
    """Return a path of this server to continue to; anything else becomes `otherwise`."""
    text = given or ""
    # One slash at the beginning: such an address has no scheme and no host.
    fine = text.startswith("/") and not text.startswith("//") and "\\" not in text and text.isprintable()
    return text if fine and len(text) <= LONGEST_THEN else otherwise


def is_page(path: str) -> bool:
    """Return whether a path of this server can be opened."""
    try:
        current_app.url_map.bind("").match(path, "GET")
    except (NotFound, MethodNotAllowed, RequestRedirect):
        return False
    return True


def place_of_request() -> str:
    """Return the client's network, for the limits (`network_of`)."""
    forwarded = request.headers.get("X-Forwarded-For", "")
    return network_of(request.remote_addr or "", forwarded, server().config.proxies)


@dataclass(frozen=True)
class FormRefusal:
    """Why the submitted form comes back."""

    no: Refusal
    said: str
    """Its sentence, in the reader's language."""
    status: int
    field: str
    """The wrong field, if known."""
    where: str
    """The part of the page that the form belongs to."""
    form: type | None
    faults: Sequence[tuple[str, str]] = ()
    """Every wrong field with its sentence, if several are known at once."""


def refused() -> FormRefusal | None:
    """Return what was refused in this request, while the page with the form is shown again."""
    found: FormRefusal | None = g.get("refused")
    return found


def message(status: int, heading: str, text: str, **context: object) -> Response:
    """Show a page with one sentence, `links` (address, words), and the way to the game `game_id` if given; a program
    gets the sentence."""
    if status < 400 and reader.wants_json():
        code = (request.view_args or {}).get("act") or (request.endpoint or "").rpartition(".")[2]
        return make_response({"done": {"code": code.replace("-", "_"), "message": f"{heading} {text}".strip()}}, status)
    shown = {"game_id": None, "back": "", "links": (), **context}
    return show("web/message.html", status, heading=heading, message=text, **shown)


def _page_of_form() -> str:
    """Return the page to which a form's address belongs: the nearest one above it, or the list of games."""
    path = request.path
    while path := path.rpartition("/")[0]:
        if is_page(path):
            return path
    return "/games"


def _note_life(response: Response) -> Response:
    """Note that the sender of a form is alive: the signed-in player, whose sign-in goes on, or the owner of the
    link."""
    if request.method != "POST" or request.blueprint in BY_PROGRAMS:
        return response
    me = g.get("person")
    player_id = me.id if me is not None else g.get("by_link_of")
    # Whatever is wrong or too late was also sent by a person.
    if player_id is not None and (response.status_code < 400 or response.status_code in (409, 422)):
        try:
            life.note_apart(server().database, player_id, now())
            if me is not None and (given := secret()) and signin.go_on(server().database, me, now()):
                keep(response, given)
        except Exception as error:  # the submitted action is done all the same
            failures.report(log, "a sign of life could not be kept", error)
    return response


def _note_origin() -> None:
    if request.method == "POST":
        unasked.ORIGIN.set(unasked.Origin(place_of_request(), server().config.stranger_mails))


def register(app: Flask) -> None:
    """Redirect to the sign-in if it is required; note signs of life."""
    app.before_request(_note_origin)
    app.after_request(_note_life)

    def to_sign_in(_: NotSignedIn) -> Response:
        then = request.full_path.rstrip("?")
        if request.method == "POST":
            then = _page_of_form()
        return make_response(redirect(url_for("people.sign_in_form", then=local_path(then)), 303))

    app.register_error_handler(NotSignedIn, to_sign_in)
