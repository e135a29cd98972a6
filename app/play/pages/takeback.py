"""Asking to take back what was just sent, by the link of the decision that it answered."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, make_response, redirect

from app.base.links import BadLink, TurnLink
from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.games.store import GameStore, NoSuchGame
from app.play.agreed import results
from app.play.pages.turn.links import unknown
from app.play.turn.turns import LinkEnded, seat_of_link
from app.web import visit
from app.web.forms import SureForm
from app.web.gates.csrf import by_link
from app.web.reader import server, voice_of, wants_json

blueprint = Blueprint("takeback", __name__)


@blueprint.post("/t/<token>/take-back")
@by_link
def ask(token: str) -> Response:
    """Ask the others, without a login: the link is the authorisation."""
    try:
        link = server().links.read_turn(token)
        with server().database.read() as session:
            game = GameStore(session).load(link.game)
        seated = seat_of_link(game, link)
    except (BadLink, NoSuchGame, LinkEnded):
        return unknown()
    return _asked(link, voice_of(seated, game.title).among(game.seats))


def _asked(link: TurnLink, voice: Voice) -> Response:
    try:
        SureForm.read()
        results.propose_takeback(server().database, link, now=visit.now())
    except NotAccepted as no:
        if wants_json():
            raise
        heading = voice.gettext("Not taken back")
        return visit.message(no.status, heading, voice.say(no.why), voice=voice, game_id=link.game)
    with server().database.read() as session:
        game = GameStore(session).load(link.game)
    if game.has_computer and game.decides == link.seat:
        return make_response(redirect(f"/t/{server().links.turn_token(replace(link, number=game.number))}", 303))
    text = voice.gettext("The others are asked by mail. When all have agreed, you get a mail and move again.")
    return visit.message(200, voice.gettext("The others are asked"), text, voice=voice, game_id=link.game)
