"""Stops a group of mails with one click in the mail program (RFC 8058), and begins those about turns again, without a
login."""

from __future__ import annotations

from flask import Blueprint, Response

from app.base.links import BadLink
from app.base.refusals import NotAccepted
from app.people import accounts
from app.web import errors
from app.web.csrf import by_link
from app.web.reader import house, page, voice_of_request, without_turns

blueprint = Blueprint("unsubscribe", __name__)


@blueprint.get("/unsubscribe/<token>")
def ask(token: str) -> Response:
    """A button: a mail program that opens links by itself must not stop anything."""
    voice = voice_of_request()
    try:
        _, group = house().links.read_unsubscribe(token)
    except BadLink:
        return _unknown()
    return page("unsubscribe.html", voice, token=token, group=group)


@blueprint.post("/unsubscribe/<token>")
@by_link
def stop(token: str) -> Response:
    """Stop the mails. Who reads the answer is told what that does not stop: the clocks."""
    voice = voice_of_request()
    try:
        player_id, group = house().links.read_unsubscribe(token)
        accounts.stop_mails(house().database, player_id, group)
    except (BadLink, NotAccepted):
        return _unknown()
    return page("unsubscribed.html", voice, again=without_turns(player_id, wants=group != "turns"))


@blueprint.get("/mails-again/<token>")
def ask_again(token: str) -> Response:
    """A button, as above."""
    try:
        house().links.read_turns_again(token)
    except BadLink:
        return _unknown()
    return page("mails_again.html", voice_of_request(), token=token)


@blueprint.post("/mails-again/<token>")
@by_link
def begin_again(token: str) -> Response:
    """Mails about turns come again."""
    voice = voice_of_request()
    try:
        accounts.want_turns(house().database, house().links.read_turns_again(token))
    except (BadLink, NotAccepted):
        return _unknown()
    message = voice.gettext("From now on a mail comes again when it is your turn.")
    return errors.page(200, voice, voice.gettext("Done"), message)


def _unknown() -> Response:
    voice = voice_of_request()
    message = voice.gettext("This link is not complete or was not made here. Open it from the mail once more.")
    return errors.page(404, voice, voice.gettext("Link not known"), message)
