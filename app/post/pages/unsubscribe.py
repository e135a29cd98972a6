"""Stops a group of mails with one click in the mail program (RFC 8058), and begins those about turns again, without a
login."""

from __future__ import annotations

from flask import Blueprint, Response

from app.base.links import BadLink
from app.base.refusals import NotAccepted
from app.people import accounts
from app.web import errors, visit
from app.web.csrf import by_link
from app.web.reader import house, page, voice_of_request, without_turns

blueprint = Blueprint("unsubscribe", __name__)


@blueprint.get("/unsubscribe/<token>")
def ask(token: str) -> Response:
    """A button: a mail program that opens links by itself must not stop anything."""
    try:
        player_id, group = house().links.read_unsubscribe(token)
    except BadLink:
        return _unknown()
    visit.follow(player_id)
    return page("unsubscribe.html", visit.voice(), token=token, group=group)


@blueprint.post("/unsubscribe/<token>")
@by_link
def stop(token: str) -> Response:
    """Stop the mails. Who reads the answer is told what that does not stop: the clocks."""
    try:
        player_id, group = house().links.read_unsubscribe(token)
        accounts.stop_mails(house().database, player_id, group)
    except (BadLink, NotAccepted):
        return _unknown()
    visit.follow(player_id)
    return page("unsubscribed.html", visit.voice(), again=without_turns(player_id, wants=group != "turns"))


@blueprint.get("/mails-again/<token>")
def ask_again(token: str) -> Response:
    """A button, as above."""
    try:
        visit.follow(house().links.read_turns_again(token))
    except BadLink:
        return _unknown()
    return page("mails_again.html", visit.voice(), token=token)


@blueprint.post("/mails-again/<token>")
@by_link
def begin_again(token: str) -> Response:
    """Mails about turns come again."""
    try:
        player_id = house().links.read_turns_again(token)
        accounts.want_turns(house().database, player_id)
    except (BadLink, NotAccepted):
        return _unknown()
    visit.follow(player_id)
    voice = visit.voice()
    message = voice.gettext("From now on a mail comes again when it is your turn.")
    return errors.page(200, voice, voice.gettext("Done"), message)


def _unknown() -> Response:
    voice = voice_of_request()
    message = voice.gettext("This link is not complete or was not made here. Open it from the mail once more.")
    return errors.page(404, voice, voice.gettext("Link not known"), message)
