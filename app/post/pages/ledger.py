"""The fate of mails: each player's own, with the addresses that they go to, and the outbox for operators."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, Response, abort, request, url_for

from app.base.stored.outbox import PlannedMail
from app.base.words.refusals import LinkExpired, NotAccepted
from app.games.work import Work
from app.people import signin, unasked
from app.people.pages import counted_address
from app.people.tables import Player
from app.post.kept import ledger, mail_words, queue
from app.web import visit
from app.web.forms import Field, Form, SureForm, Typed, answers, on_to
from app.web.gates.csrf import by_link
from app.web.reader import server
from engine.kernel.text import N_, Text

blueprint = Blueprint("ledger", __name__)

LASTS = timedelta(days=3)
STATES = ("waiting", "sent", "bounced", "failed", "dropped")


# -- one's own ----------------------------------------------------------------------------------------


class SecondAddressForm(Form):
    """A second address."""

    address: Typed = Field("", title=N_("Second address"))
    do: Typed = ""


@blueprint.get("/account/mails")
def own() -> Response:
    """Show the player's newest mails, their fate, and the two addresses."""
    me = visit.need_person()
    with server().database.read() as session:
        player = session.get_one(Player, me.id)
        mails = ledger.of_player(session, me.id)
        reason = ledger.reason_of(session, player.address)
    return visit.show(
        "post/mails.html", player=player, mails=mails, reason=reason, form=SecondAddressForm.shown(), words=mail_words
    )


@blueprint.post("/account/mails/works")
@answers(again=own)
def works() -> Response:
    """Note that the player's address accepts mails again: what is still owed goes there."""
    me, now = visit.need_person(), visit.now()
    with server().database.write() as session:
        ledger.address_works(session, me.address)
    with server().database.read() as session:
        ids = ledger.owed_again(session, me.id)
    if ids:
        queue.send_again(server().database, now=now, ids=ids)
    return on_to(".own", "works-again")


@blueprint.post("/account/second-address")
@answers(SecondAddressForm, again=own, where="second")
def ask(form: SecondAddressForm) -> Response:
    """Mail a link to the address, which counts once confirmed; or remove the one that there is."""
    me, voice = visit.need_person(), visit.voice()
    if form.do == "remove":
        with server().database.write() as session:
            ledger.set_second(session, me.id, None)
        return on_to(".own", "no-second")
    address = counted_address(form.address)
    if address.lower() == me.address.lower():
        raise NotAccepted("address.same", Text("That is your first address already."))
    now = visit.now()
    until = int((now + LASTS).timestamp())
    with Work(server().database) as work:
        key = f"second_address:{me.id}:{now:%Y%m%d%H%M%S%f}"
        if unasked.count_link(work.session, address, now):
            work.outbox.add([PlannedMail(key, "second_address", address, me.id, details={"until": until})], now)
    text = voice.gettext("A mail is on its way to {address}. Press the button in it, within three days.")
    return visit.message(200, voice.gettext("Almost done"), text.format(address=address))


def _read(token: str) -> tuple[int, str]:
    payload = server().links.read("second", token, 3)
    if visit.now().timestamp() > int(payload[2]):
        raise LinkExpired("address.link", signin.BadChange().why)
    return int(payload[0]), str(payload[1])


@blueprint.get("/second-address/<token>")
def confirm_form(token: str) -> Response:
    """Show a button: programs that open links confirm nothing."""
    _, address = _read(token)
    return visit.show("post/second_address.html", address=address, to=url_for(".confirm", token=token), adds=True)


@blueprint.post("/second-address/<token>")
@by_link
@answers(SureForm, again=confirm_form)
def confirm(form: SureForm, token: str) -> Response:
    """Confirm for the second address, once for each request, and tell the first one."""
    player_id, address = _read(token)
    with Work(server().database) as work:
        if not ledger.confirm_second(work, player_id, address, visit.now()):
            raise LinkExpired("address.link", signin.BadChange().why)
    voice = visit.voice()
    return visit.message(
        200, voice.gettext("Confirmed"), voice.gettext("Mails that your first address does not take go here.")
    )


def _read_not_me(token: str) -> tuple[int, str]:
    payload = server().links.read(ledger.NOT_ME, token)
    return int(payload[0]), str(payload[1])


@blueprint.get("/not-me/<token>")
def not_me_form(token: str) -> Response:
    """Show the button of the mail that tells the first address of a second one."""
    _, address = _read_not_me(token)
    return visit.show("post/second_address.html", address=address, to=url_for(".not_me", token=token), adds=False)


@blueprint.post("/not-me/<token>")
@by_link
@answers(SureForm, again=not_me_form)
def not_me(form: SureForm, token: str) -> Response:
    """Remove the second address, and end all sign-ins: a stranger may still use a browser."""
    player_id, address = _read_not_me(token)
    with server().database.write() as session:
        if session.get_one(Player, player_id).second_address == address:
            ledger.set_second(session, player_id, None)
        signin.end_all(session, player_id)
    voice = visit.voice()
    text = voice.gettext("{address} gets no mails of yours, and all browsers are signed out.", address=address)
    return visit.message(200, voice.gettext("This was not me"), text)


# -- everybody's --------------------------------------------------------------------------------------


class SuppressedForm(Form):
    """An address that accepts mails again."""

    address: Typed = Field("", title=N_("Address"))


@blueprint.get("/outbox")
def outbox() -> Response:
    """Show the newest mails that match the search, and the addresses that bounce."""
    visit.need_operator()
    words, state = request.args.get("q", "")[:120], request.args.get("state", "")
    if state and state not in STATES:
        abort(404)
    with server().database.read() as session:
        mails = ledger.search(session, words, state)
        gone = ledger.suppressed(session)
    states: dict[str, str] = mail_words.mail_states(visit.voice())
    return visit.show(
        "post/outbox.html",
        mails=mails,
        gone=gone,
        q=words,
        state=state,
        states=[(name, states[name]) for name in STATES],
        words=mail_words,
        can_go_again=ledger.can_go_again,
        now=visit.now(),
    )


@blueprint.post("/outbox/<number:mail_id>/again")
@answers(again=outbox)
def again(mail_id: int) -> Response:
    """Resend a mail."""
    queue.once_more(server().database, mail_id, visit.need_operator().id, visit.now())
    return on_to(".outbox", "sent-again")


@blueprint.post("/outbox/address")
@answers(SuppressedForm, again=outbox)
def address_works(form: SuppressedForm) -> Response:
    """Note that an address accepts mails again."""
    visit.need_operator()
    with server().database.write() as session:
        ledger.address_works(session, form.address.strip())
    return on_to(".outbox", "address-works")
