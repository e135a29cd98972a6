"""What has happened since a seat's last turn, one step after another on the board, as the seat saw it.

The newest link of a seat opens it, as it opens the turn; it shows what that seat knew at each step and nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, Response
from sqlmodel import Session

from app.base.words.speech import Voice
from app.games.store import GameNow, GameStore
from app.play.pages.past.pictures import NOTHING
from app.play.pages.turn.log import last_turn
from app.play.pages.turn.rights import newest_game
from app.play.past import replay
from app.play.turn.sentences import run_on
from app.play.turn.turns import said_of
from app.titles.boards import board_svg
from app.titles.pages import parts_of
from app.web import visit
from app.web.reader import WITH_SCRIPT, server

blueprint = Blueprint("turn_since", __name__)


class SeenStep(NamedTuple):
    """An entry of the log with something to tell: what it told the seat, and the places that it changed."""

    entry: int
    said: list[str]
    changed: frozenset[str]


@blueprint.get("/t/<token>/since/<number:n>")
def step(token: str, n: int) -> Response:
    """Show the board after the nth step since then, and what it was."""
    link, game = newest_game(token)
    voice, seat = visit.voice().about(game.title), link.seat
    with server().database.read() as session:
        steps = steps_since(session, game, seat, voice)
        here = visit.there(steps[n - 1] if 1 <= n <= len(steps) else None)
        state = replay.state_after(session, game, replay.course_of(session, game.id), here.entry)
    view = {**game.title.view(state, seat), "decision": None}
    response = visit.show(
        "play/turn/since.html",
        voice=voice,
        game=game,
        address=f"/t/{token}",
        n=n,
        most=len(steps),
        told=here.said,
        parts=parts_of(game.title.id, voice.lang).among(voice.names_of(game.seats)),
        picture=board_svg(game.title.id, view, voice.among(game.seats), changed=here.changed or NOTHING),
        text_board=game.title.board(view, voice.among(game.seats)),
    )
    response.headers["Content-Security-Policy"] = WITH_SCRIPT
    return response


def steps_since(session: Session, game: GameNow, seat: str, voice: Voice) -> list[SeenStep]:
    """Return the entries since the seat's last turn that told it something, oldest first."""
    found = []
    for entry, events in GameStore(session).events(game.title, game.id, last_turn(session, game, seat).since):
        said = run_on(said_of(game, events, seat, voice), voice)
        if said:
            found.append(SeenStep(entry, said, replay.places_of(replay.seen(game, events, seat))))
    return found
