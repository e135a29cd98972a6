"""Where a turn link leads next, and waiting for the computer, which answers in a moment: the page that waits asks
whether it has, and goes there.

A page that has just answered a decision, or is that of the newest link of its seat, holds a token for the decision that
the seat owes next, and for no later one.
"""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, make_response, redirect

from app.base.links import TurnLink
from app.base.server import Server
from app.games.store import GameNow, GameStore
from app.play.turn.turns import TurnPlayed, holds_seat
from app.web.errors import answer
from app.web.reader import WITH_SCRIPT, server, voice_of_request, wants_json

blueprint = Blueprint("waits", __name__)


def waits_for_computer(server: Server, game: GameNow, link: TurnLink) -> str:
    """Return where to ask whether the computer has answered; empty while it does not decide."""
    if game.decides is None or not game.seated(game.decides).computer or not holds_seat(game, link):
        return ""
    return after_answer(server, game, link, game.number)


def after_answer(server: Server, game: GameNow, link: TurnLink, number: int) -> str:
    """Return what leads to the decision that a seat owes next, once the computer has answered decision `number`; empty
    in a game between people, whose links come by mail."""
    return (
        f"/waits/{server.links.sign('waits', [game.id, link.seat, number, link.player])}" if game.has_computer else ""
    )


def with_scripts(response: Response, game: GameNow) -> Response:
    """Let a page of a game with the computer run the script that asks."""
    if game.has_computer:
        response.headers["Content-Security-Policy"] = WITH_SCRIPT
    return response


@blueprint.get("/waits/<token>")
def look(token: str) -> Response:
    """Lead to what the seat decides next, or to the game when it is over; while the computer thinks, back to the page
    that waits (204 for its script)."""
    game_id, seat, number, player = server().links.read("waits", token)
    with server().database.read() as session:
        store = GameStore(session)
        game = store.load(game_id)
        link = TurnLink(game_id, seat, game.number, player)
        mine = holds_seat(game, link) and store.last_decision(game, seat) < number
    if not game.is_over and not (mine and game.decides == seat):
        if wants_json():
            return make_response("", 204)
        link = TurnLink(game_id, seat, number, player)
    address = f"/games/{game_id}" if game.is_over else f"/t/{server().links.turn_token(link)}"
    return jsonify(address=address) if wants_json() else make_response(redirect(address, 303))


def next_link(played: TurnPlayed) -> str | None:
    """Return the link of the same seat's next decision; None when another seat decides or the game is over."""
    if played.next_number is None:
        return None
    player = played.game.seated(played.seat).player_id
    return server().links.turn(TurnLink(played.game.id, played.seat, played.next_number, player))


def unknown() -> Response:
    """Return the message for a link that is not ours, or has been changed or cut off."""
    voice = voice_of_request()
    message = voice.gettext("This link is not complete or was not made here. Open it from the mail once more.")
    return answer(404, "link_unknown", voice.gettext("Link not known"), message, voice)
