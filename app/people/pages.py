"""Signing in by a mailed link, the account page, and a change of address."""

from __future__ import annotations

import re
from functools import cache
from zoneinfo import available_timezones

from flask import Blueprint, Response, flash, redirect, request
from flask import session as flask_session
from sqlmodel import select

from app.base import limits
from app.base.i18n import LANGUAGES
from app.base.refusals import TooOften
from app.games.work import Work
from app.people import accounts, signin
from app.people.tables import Player
from app.post.pages.mailbox import is_direct_and_local
from app.time import pending
from app.web import visit
from app.web.csrf import csrf
from app.web.reader import house

blueprint = Blueprint("people", __name__)
csrf.exempt(blueprint)  # every form goes through `session.attempt`, which keeps what was typed

LANGUAGE_NAMES = {"en": "English", "fr": "Français", "es": "Español", "it": "Italiano"}
_OLD_ZONES = ("Etc/", "US/", "SystemV/", "Brazil/", "Canada/", "Chile/", "Mexico/", "posix/", "right/")


@cache
def zones() -> tuple[str, ...]:
    """The zones to choose from: places, and UTC."""
    return ("UTC", *sorted(zone for zone in available_timezones() if "/" in zone and not zone.startswith(_OLD_ZONES)))


def has_mailbox() -> bool:
    """Whether mails of this server are read at /mailbox."""
    return house().config.mail_host is None and is_direct_and_local()


def device_of_request() -> str:
    """The browser in two words, such as `Firefox, Linux`."""
    agent = request.headers.get("User-Agent", "")
    browsers = (("Firefox", "Firefox"), ("Edg", "Edge"), ("OPR", "Opera"), ("Chrome", "Chrome"), ("Safari", "Safari"))
    systems = (("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"),
               ("Mac OS", "macOS"), ("Linux", "Linux"))  # fmt: skip
    found = [next((name for sign, name in known if sign in agent), "") for known in (browsers, systems)]
    return ", ".join(name for name in found if name) or re.sub(r"[^\w ./;()-]", "", agent)[:60]


# -- signing in ---------------------------------------------------------------------------------------


@blueprint.get("/sign-in")
def sign_in_form() -> Response:
    """Where to send the link?"""
    return _sign_in_form(visit.local_path(request.args.get("then")))


def _sign_in_form(then: str, address: str = "", error: str = "", status: int = 200) -> Response:
    return visit.show("people/sign_in.html", status, then=then, address=address, error=error)


@blueprint.post("/sign-in")
def ask_link() -> Response:
    """Mail a link. The answer is the same whoever has the address."""
    then = visit.local_path(request.form.get("then"))
    address = request.form.get("address", "")

    def act() -> Response:
        read = accounts.read_address(address)
        limits.count(
            house().database,
            [(limits.SIGN_IN_ADDRESS, read), (limits.SIGN_IN_PLACE, visit.place_of_request())],
            visit.now(),
        )
        signin.request_link(house().database, read, language=visit.voice().lang, then=then, now=visit.now())
        return visit.show("people/link_sent.html", address=read, mailbox=has_mailbox())

    return visit.attempt(act, lambda why, status: _sign_in_form(then, address, why, status))


@blueprint.get("/sign-in/<token>")
def confirm_sign_in(token: str) -> Response:
    """A button: mail programs open links by themselves, and that must not spend this one."""
    return _confirm_sign_in(token)


def _confirm_sign_in(token: str, error: str = "", status: int = 200) -> Response:
    with house().database.read() as session:
        try:
            link = signin.read_link(session, token, visit.now())
        except signin.BadToken:
            return _spent()
    if link.purpose != "sign_in":
        return _spent()
    then = visit.local_path(request.values.get("then"))
    return visit.show("people/confirm_sign_in.html", status, token_of_link=token, link=link, then=then, error=error)


@blueprint.post("/sign-in/<token>")
def sign_in(token: str) -> Response:
    """Sign this browser in, under a new secret; the link is spent."""

    def act() -> Response:
        secret, _ = signin.sign_in(
            house().database, token, device=device_of_request(), instead_of=visit.secret(), now=visit.now()
        )
        flask_session.clear()  # the forms' token changes with the person
        then = visit.local_path(request.form.get("then"))
        return visit.keep(redirect(then, 303), secret)  # type: ignore[arg-type]

    try:
        return visit.attempt(act, lambda why, status: _confirm_sign_in(token, why, status))
    except signin.BadToken:
        return _bad_link()


def _bad_link() -> Response:
    """A spent or invented link was posted: that is counted."""
    try:
        limits.count(house().database, [(limits.BAD_LINKS, visit.place_of_request())], visit.now())
    except TooOften as often:
        voice = visit.voice()
        when = voice.moment(often.again_at)
        return visit.message(
            429,
            voice.gettext("Not possible"),
            voice.gettext("That was too often. Try again after {moment}.", moment=when),
        )
    return _spent()


def _spent() -> Response:
    voice = visit.voice()
    text = voice.gettext("This link has been used, is too old, or is not complete. Ask for a new one.")
    return visit.show("people/sign_in.html", 410, then="/games", address="", error=text)


@blueprint.post("/sign-out")
def sign_out() -> Response:
    """End this browser's sign-in."""
    me = visit.need_person()

    def act() -> Response:
        signin.end(house().database, me.id, me.sign_in)
        flask_session.clear()
        return visit.forget(redirect("/", 303))  # type: ignore[arg-type]

    return visit.attempt(act, _account)


# -- the account --------------------------------------------------------------------------------------


@blueprint.get("/account")
def account() -> Response:
    """Name, language, zone, mails, address, and the browsers that are signed in."""
    return _account()


def _account(error: str = "", status: int = 200, where: str = "") -> Response:
    me = visit.need_person()
    with house().database.read() as session:
        player = session.exec(select(Player).where(Player.id == me.id)).one()
        browsers = signin.browsers(session, me.id, visit.now())
    filled = {
        "name": player.name, "language": player.language, "zone": player.zone, "address": "",
        **{group: getattr(player, f"mail_{group}") for group in accounts.MAIL_GROUPS},
    }  # fmt: skip
    if where == "settings":
        filled |= {key: request.form.get(key, "") for key in ("name", "language", "zone")}
        filled |= {group: group in request.form for group in accounts.MAIL_GROUPS}
    if where == "address":
        filled["address"] = request.form.get("address", "")
    known = zones() if filled["zone"] in zones() else (filled["zone"], *zones())
    return visit.show(
        "people/account.html", status, player=player, browsers=browsers, filled=filled, zones=known,
        languages=[(language, LANGUAGE_NAMES[language]) for language in LANGUAGES], error=error, where=where,
    )  # fmt: skip


@blueprint.post("/account")
def save() -> Response:
    """Keep name, language, zone and mail preferences."""
    me = visit.need_person()

    def act() -> Response:
        with Work(house().database) as work:
            accounts.settle(
                work.session.get_one(Player, me.id),
                name=request.form.get("name", ""),
                language=request.form.get("language", ""),
                zone=request.form.get("zone", ""),
                mails={group: group in request.form for group in accounts.MAIL_GROUPS},
            )
            work.session.flush()
            pending.refresh_player(work.session, me.id, visit.now())  # quiet hours are those of the zone
            work.commit()
        flash("saved")
        return redirect("/account", 303)  # type: ignore[return-value]

    return visit.attempt(act, lambda why, status: _account(why, status, "settings"))


@blueprint.post("/account/address")
def change_address() -> Response:
    """Ask both addresses."""
    me = visit.need_person()

    def act() -> Response:
        address = accounts.read_address(request.form.get("address", ""))
        counted = [(limits.SIGN_IN_ADDRESS, address), (limits.SIGN_IN_PLACE, visit.place_of_request())]
        limits.count(house().database, counted, visit.now())
        signin.ask_change(house().database, me.id, address, now=visit.now())
        return visit.show("people/address_asked.html", old=me.address, new=address, mailbox=has_mailbox())

    return visit.attempt(act, lambda why, status: _account(why, status, "address"))


@blueprint.post("/account/sign-ins/<number:sign_in_id>/end")
def end_one(sign_in_id: int) -> Response:
    """Sign one browser out."""
    me = visit.need_person()

    def act() -> Response:
        signin.end(house().database, me.id, sign_in_id)
        flash("ended")
        return redirect("/account#sign-ins", 303)  # type: ignore[return-value]

    return visit.attempt(act, lambda why, status: _account(why, status, "sign-ins"))


@blueprint.post("/account/sign-ins/end-others")
def end_others() -> Response:
    """Sign all other browsers out."""
    me = visit.need_person()

    def act() -> Response:
        signin.end_others(house().database, me.id, me.sign_in)
        flash("ended")
        return redirect("/account#sign-ins", 303)  # type: ignore[return-value]

    return visit.attempt(act, lambda why, status: _account(why, status, "sign-ins"))


# -- confirming another address -----------------------------------------------------------------------


@blueprint.get("/address/<token>")
def confirm_address_form(token: str) -> Response:
    """A button for one of the two addresses."""
    return _confirm_address_form(token)


def _confirm_address_form(token: str, error: str = "", status: int = 200) -> Response:
    voice = visit.voice()
    with house().database.read() as session:
        try:
            link = signin.read_link(session, token, visit.now())
        except signin.BadToken:
            return _address_link_ended()
        if link.change_id is None:
            return _address_link_ended()
        new = signin.wished_address(session, link.change_id)
    return visit.show(
        "people/confirm_address.html", status, voice=voice, token_of_link=token, link=link, new=new, error=error
    )


def _address_link_ended() -> Response:
    voice = visit.voice()
    text = voice.gettext("This link has been used, is too old, or is not complete. The address stays as it is.")
    return visit.message(410, voice.gettext("This link has ended"), text)


@blueprint.post("/address/<token>")
def confirm_address(token: str) -> Response:
    """One of the two addresses agrees."""
    voice = visit.voice()

    def act() -> Response:
        if signin.confirm_change(house().database, token, now=visit.now()):
            text = voice.gettext("Your address is changed. Sign in again with the new one.")
            return visit.forget(visit.message(200, voice.gettext("Done"), text))
        text = voice.gettext("One address has confirmed. The change happens when the other one does too.")
        return visit.message(200, voice.gettext("Confirmed"), text)

    try:
        return visit.attempt(act, lambda why, status: _confirm_address_form(token, why, status), by_link=True)
    except signin.BadToken:
        return _address_link_ended()
