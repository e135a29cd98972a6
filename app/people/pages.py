"""Signing in by a mailed link, the account page, and a change of address."""

from __future__ import annotations

import re
from typing import Literal, get_args
from urllib.parse import urlsplit

from flask import Blueprint, Response, make_response, redirect, request
from flask import session as flask_session

from app.base.stored import limits
from app.base.words.numbers import whole
from app.clocks import zones
from app.games.work import Work
from app.people import accounts, signin, signs
from app.people.tables import USUAL_HOLD, AddressChange, LinkPurpose, MailShows, Player
from app.time import pending
from app.time.reminding import digest
from app.web import languages, pocket, visit
from app.web.forms import Field, Form, LocalPath, SureForm, Tick, Typed, answers, on_to
from app.web.gates.csrf import by_link
from app.web.local_mailbox import has_mailbox
from app.web.looks import SIZE_NAMES, THEME_NAMES
from app.web.reader import keep_looks, looks_chosen, looks_of, server
from engine.kernel.text import N_

blueprint = Blueprint("people", __name__)
blueprint.add_app_template_global(signs.drawn, "sign")

AT_ONCE = "/at-once"
"""Below it are forms that signing in sends along: what a stranger wanted before signing in. Their address is signed and
says what; the new sign-in says for which player."""


def device_of_request() -> str:
    """Return the browser in two words, such as `Firefox, Linux`."""
    agent = request.headers.get("User-Agent", "")
    browsers = (("Firefox", "Firefox"), ("Edg", "Edge"), ("OPR", "Opera"), ("Chrome", "Chrome"), ("Safari", "Safari"))
    systems = (
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    )
    found = [next((name for sign, name in known if sign in agent), "") for known in (browsers, systems)]
    return ", ".join(name for name in found if name) or re.sub(r"[^\w ./;()-]", "", agent)[:60]


# -- signing in ---------------------------------------------------------------------------------------


class SignInForm(Form):
    """Where to send the link, and the page to go to afterwards."""

    address: Typed = Field("", title=N_("Your email address"))
    then: LocalPath = "/games"


@blueprint.get("/sign-in")
def sign_in_form() -> Response:
    """Ask where to send the link."""
    return visit.show("people/sign_in.html", form=SignInForm.shown(then=visit.local_path(request.args.get("then"))))


@blueprint.post("/sign-in")
@answers(SignInForm, again=sign_in_form, anyone=True)
def ask_link(form: SignInForm) -> Response:
    """Mail a link. The answer is the same whether or not the address is known."""
    return mail_link(form.address, form.then)


def mail_link(given: str, then: str) -> Response:
    """Mail a link that signs in and goes on to a path; say so. NotAccepted, TooOften."""
    address, now = counted_address(given), visit.now()
    browser, lang = visit.browser(), visit.voice().lang
    signin.request_link(server().database, address, language=lang, then=then, now=now, browser=browser)
    return visit.know(visit.show("people/link_sent.html", address=address, mailbox=has_mailbox()), browser)


def counted_address(given: str) -> str:
    """Return the typed address, and count the mail that goes there. NotAccepted if it is invalid, TooOften when too
    many were asked for."""
    address = accounts.read_address(given)
    counted = [(limits.SIGN_IN_ADDRESS, address), (limits.SIGN_IN_PLACE, visit.place_of_request())]
    limits.count(server().database, counted, visit.now())
    return address


class ReturnToForm(Form):
    """Where the browser goes when it is signed in; the digits in the mail, if another browser asked for it."""

    then: LocalPath = "/games"
    code: Typed = Field("", title=N_("The six digits of the mail"))


@blueprint.get("/sign-in/<token>")
def confirm_sign_in(token: str) -> Response:
    """Show a button: mail programs open links by themselves, and that must not use this one up."""
    with server().database.read() as session:
        link, player = signin.read_link(session, token, visit.now(), browser=visit.browser())
    if link.purpose != LinkPurpose.SIGN_IN:
        raise signin.BadToken
    visit.follow(player.id)
    form = ReturnToForm.shown(then=visit.local_path(request.args.get("then")))
    asks = signin.needs_digits(link, visit.browser())
    return visit.show(
        "people/confirm_sign_in.html",
        token_of_link=token,
        player=player,
        form=form,
        asks_digits=asks,
        takes_seat=form.then.startswith(f"{AT_ONCE}/"),
    )


@blueprint.post("/sign-in/<token>")
@answers(ReturnToForm, again=confirm_sign_in, anyone=True)
def sign_in(form: ReturnToForm, token: str) -> Response:
    """Sign this browser in, under a new secret; the link is used up."""
    try:
        secret, player = signin.sign_in(
            server().database,
            token,
            device=device_of_request(),
            instead_of=visit.secret(),
            now=visit.now(),
            browser=visit.browser(),
            digits=form.code,
        )
    except (signin.BadToken, signin.NeedsDigits):  # used, invented or guessed
        limits.count(server().database, [(limits.BAD_LINKS, visit.place_of_request())], visit.now())
        raise
    flask_session.clear()  # the forms' token changes with the person
    code = 307 if form.then.startswith(f"{AT_ONCE}/") else 303
    signed_in = visit.know(visit.keep(make_response(redirect(form.then, code)), secret), visit.browser())
    return keep_looks(signed_in, player.looks) if player.looks else signed_in


def sign_in_reader(response: Response, player_id: int) -> Response:
    """Sign this browser in for the reader of a mail, who has answered it by its link; the response keeps the secret.
    Not for a form of another site, which could have its own reader signed in here (ASVS 3.5.1)."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin", "")
    if site not in ("same-origin", "none") and (site or urlsplit(origin).netloc != request.host):
        return response
    device, before = device_of_request(), visit.secret()
    with server().database.write() as session:
        secret = signin.begin(session, player_id, device=device, instead_of=before, now=visit.now())
    return visit.keep(response, secret)


@blueprint.errorhandler(signin.BadToken)
def spent(no: signin.BadToken) -> Response:
    """Show that a link is used up, and the form for a new one."""
    return visit.show("people/sign_in.html", 410, form=SignInForm.shown(), error=visit.voice().say(no.why))


# -- the account --------------------------------------------------------------------------------------


MAIL_SHOWS = (
    (MailShows.HAND, N_("the position with my hand")),
    (MailShows.TABLE, N_("the position without my hand")),
    (MailShows.LINK, N_("the link alone")),
)


HoldMinutes = Literal["", "0", "1", "2", "5", "10", "15"]


class SettingsForm(Form):
    """A player's name and preferences, and which mails they want."""

    name: Typed = Field("", title=N_("Name, as the other players see it"))
    language: Typed = Field("", title=N_("Language"))
    zone: Typed = Field("", title=N_("Time zone of the deadlines"))
    turns: Tick = Field(title=N_("when it is my turn, when my deadline moves, and when a game is over"))
    reminders: Tick = Field(title=N_("reminders before a deadline"))
    news: Tick = Field(title=N_("invitations and news of my tables"))
    shows: MailShows = Field(MailShows.HAND, title=N_("A mail about a game shows"))
    digest: Typed = Field("", title=N_("One mail with all games that wait, at these hours of my day"))
    instead: Tick = Field(title=N_("Instead of a mail for each turn"))
    hold: HoldMinutes = Field("", title=N_("A turn that I have sealed goes out"))
    sign: Typed = Field("", title=N_("Sign beside my name"))
    theme: Typed = Field("", title=N_("Colours of the pages"))
    size: Typed = Field("", title=N_("Size of the text"))


class AddressForm(Form):
    """A new address."""

    address: Typed = Field("", title=N_("New address"))


@blueprint.get("/account")
def account() -> Response:
    """Show name, language, zone, mails, address, and the browsers that are signed in."""
    me = visit.need_person()
    with server().database.read() as session:
        player = session.get_one(Player, me.id)
        browsers = signin.browsers(session, me.id, visit.now())
    mails = {group: getattr(player, f"mail_{group}") for group in accounts.MAIL_GROUPS}
    form = SettingsForm.shown(
        name=player.name,
        language=player.language,
        zone=zones.shown_name(player.zone),
        shows=player.mail_shows,
        digest=digest.in_words(player.digest_hours),
        instead=player.digest_instead,
        hold="" if player.hold_minutes is None else str(player.hold_minutes),
        sign=player.sign,
        **looks_chosen()._asdict(),
        **mails,
    )
    return visit.show(
        "people/account.html",
        player=player,
        browsers=browsers,
        form=form,
        new=AddressForm.shown(),
        asks_zone=True,
        zones=zones.names() if form.zone in zones.names() else (form.zone, *zones.names()),
        languages=languages.language_switch(),
        much=[(str(one), visit.voice().gettext(words)) for one, words in MAIL_SHOWS],
        holds=[(n, _hold_in_words(int(n or USUAL_HOLD))) for n in get_args(HoldMinutes)],
        signs=signs.NAMES,
        themes=[(one, visit.voice().gettext(words)) for one, words in THEME_NAMES.items()],
        sizes=[(one, visit.voice().gettext(words)) for one, words in SIZE_NAMES.items()],
    )


def _hold_in_words(minutes: int) -> str:
    voice = visit.voice()
    if not minutes:
        return voice.gettext("at once")
    return voice.ngettext("after {n} minute", "after {n} minutes", minutes).format(n=minutes)


@blueprint.post("/sign-out")
@answers(again=account)
def sign_out() -> Response:
    """End this browser's sign-in."""
    me = visit.need_person()
    signin.end(server().database, me.id, me.sign_in)
    flask_session.clear()
    return pocket.forget_all(visit.forget(on_to("home.home")))


@blueprint.post("/account")
@answers(SettingsForm, again=account, where="settings")
def save(form: SettingsForm) -> Response:
    """Store name, language, zone and mail preferences."""
    me = visit.need_person()
    mails = {group: getattr(form, group) for group in accounts.MAIL_GROUPS}
    with Work(server().database) as work:
        player = work.session.get_one(Player, me.id)
        accounts.settle(player, name=form.name, language=form.language, zone=_chosen_zone(form, player), mails=mails)
        player.mail_shows = form.shows
        player.hold_minutes = int(form.hold) if form.hold else None
        player.sign = form.sign if form.sign in signs.NAMES else ""
        player.looks = looks = looks_of(f"{form.theme}.{form.size}").kept
        work.session.flush()
        digest.settle(work.session, me.id, form.digest, form.instead, visit.now())
        pending.refresh_player(work.session, me.id, visit.now())  # quiet hours are in the zone
    return keep_looks(languages.forget(on_to(".account", "saved")), looks)


def _chosen_zone(form: SettingsForm, player: Player) -> str | None:
    """Return None if the form leaves the zone unchanged: that has not been chosen."""
    return form.zone if player.zone_chosen or form.zone != zones.shown_name(player.zone) else None


class NameForm(Form):
    """A new player's name, and the page that asked for it."""

    name: Typed = Field("", title=N_("Name, as the other players see it"))
    then: LocalPath = "/games"


@blueprint.get("/name/<token>")
def ask_name(token: str) -> Response:
    """Ask for the name on a page of its own, also for players who came by a mailed link."""
    player_id = server().links.read("name", token)[0]
    visit.follow(player_id)
    return visit.show("people/name.html", form=NameForm.shown(), link=token, naming=None)


@blueprint.post("/name/<token>")
@by_link
@answers(NameForm, again=ask_name)
def keep_name(form: NameForm, token: str) -> Response:
    """Store the name. The address is that of the player to whom the page was shown."""
    accounts.choose_name(server().database, server().links.read("name", token)[0], form.name)
    return make_response(redirect(form.then, 303))


class ZoneForm(Form):
    """The time zone that a browser names, and the page that asked for it."""

    zone: Typed = ""
    then: LocalPath = "/games"
    guessed: Tick = False


def _with_the_page() -> Response:
    """Return the page that asked for the zone again: the sentence stands there."""
    no, form = visit.refused(), ZoneForm.typed()
    then = form.then if form is not None else "/games"
    return visit.message(200, visit.voice().gettext("Time zone"), "" if no is None else no.said, back=then)


@blueprint.post("/zone/<token>")
@by_link
@answers(ZoneForm, again=_with_the_page, anyone=True)
def keep_zone(form: ZoneForm, token: str) -> Response:
    """Show times in this zone from now on. The address is that of the player to whom the page was shown. What the
    page's own script sends is not a sign of life, and an unknown zone has no effect."""
    player_id = server().links.read("zone", token)[0]
    if not form.guessed:
        visit.follow(player_id)
    elif zones.present_name(form.zone) is None:
        return make_response("", 204)
    with Work(server().database) as work:
        accounts.keep_zone(work.session, player_id, form.zone, guessed=form.guessed)
        digest.refresh(work.session, player_id, visit.now())
        pending.refresh_player(work.session, player_id, visit.now())
    return make_response(redirect(form.then, 303))


@blueprint.post("/account/address")
@answers(AddressForm, again=account, where="address")
def change_address(form: AddressForm) -> Response:
    """Ask for confirmation at both addresses."""
    me, address = visit.need_person(), counted_address(form.address)
    signin.ask_change(server().database, me.id, address, now=visit.now())
    return visit.show("people/address_asked.html", old=me.address, new=address, mailbox=has_mailbox())


class EndForm(Form):
    """The browser to sign out, by number, or `others`."""

    ends: Typed = ""


@blueprint.post("/account/sign-ins")
@answers(EndForm, again=account, where="sign-ins")
def end_sign_ins(form: EndForm) -> Response:
    """Sign one browser out, or all others."""
    me, others = visit.need_person(), form.ends == "others"
    signin.end(server().database, me.id, me.sign_in if others else whole(form.ends) or 0, others=others)
    return on_to(".account", "ended", _anchor="sign-ins")


# -- confirming another address -----------------------------------------------------------------------


@blueprint.get("/address/<token>")
def confirm_address_form(token: str) -> Response:
    """Show a button for one of the two addresses."""
    with server().database.read() as session:
        link, player = signin.read_link(session, token, visit.now(), browser=visit.browser(), bad=signin.BadChange)
        if link.change_id is None:
            raise signin.BadChange
        wish = session.get_one(AddressChange, link.change_id)
    visit.follow(player.id)
    new, due = wish.address, wish.due_at
    return visit.show("people/confirm_address.html", token_of_link=token, player=player, link=link, new=new, due=due)


@blueprint.post("/address/<token>")
@by_link
@answers(SureForm, again=confirm_address_form)
def confirm_address(form: SureForm, token: str) -> Response:
    """Confirm for one of the two addresses."""
    voice = visit.voice()
    is_changed = signin.confirm_change(server().database, token, now=visit.now(), browser=visit.browser())
    if is_changed is None:
        text = voice.gettext("The address stays as it is.")
        return visit.know(visit.message(200, voice.gettext("Done"), text), visit.browser())
    if is_changed:
        text = voice.gettext("Your address is changed. Sign in again with the new one.")
        return visit.know(visit.forget(visit.message(200, voice.gettext("Done"), text)), visit.browser())
    text = voice.gettext("One address has confirmed. The change happens when the other one does too.")
    return visit.know(visit.message(200, voice.gettext("Confirmed"), text), visit.browser())
