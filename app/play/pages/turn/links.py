"""Where a turn link leads next, and the message for an invalid one."""

from __future__ import annotations

from flask import Response

from app.base.links import TurnLink
from app.play.turn import turns
from app.web.errors import answer
from app.web.reader import server, voice_of_request


def next_link(played: turns.TurnPlayed) -> str | None:
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
