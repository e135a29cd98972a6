"""Stops a group of mails with one click in the mail program (RFC 8058), without a login."""

from __future__ import annotations

from flask import Blueprint, Response

from app.links import BadLink
from app.services import people
from app.web import csrf, errors
from app.web.reader import house, page, voice_of_request

blueprint = Blueprint("unsubscribe", __name__)
csrf.exempt(blueprint)  # mail programs post here on their own; the link is the credential


@blueprint.get("/unsubscribe/<token>")
def ask(token: str) -> Response:
    """A button: a mail program that opens links by itself must not stop anything."""
    voice = voice_of_request()
    try:
        house().links.read_unsubscribe(token)
    except BadLink:
        return _unknown()
    return page("unsubscribe.html", voice, token=token)


@blueprint.post("/unsubscribe/<token>")
def stop(token: str) -> Response:
    """Stop the mails."""
    voice = voice_of_request()
    try:
        player_id, group = house().links.read_unsubscribe(token)
        people.stop_mails(house().database, player_id, group)
    except (BadLink, people.NotAccepted):
        return _unknown()
    message = voice.gettext("These mails stop. They can be switched on again on your account page.")
    return errors.page(200, voice, voice.gettext("Done"), message)


def _unknown() -> Response:
    voice = voice_of_request()
    message = voice.gettext("This link is not complete or was not made here. Open it from the mail once more.")
    return errors.page(404, voice, voice.gettext("Link not known"), message)
