"""Answers ahead of time on their own page, which a seat's newest link opens at any time: with the turn, when it is
sealed, and while others decide."""

from __future__ import annotations

from flask import Blueprint, Response, request

from app.play.pages.turn.ahead_rows import rows_ahead
from app.play.pages.turn.form import FilledTurn
from app.play.pages.turn.rights import newest_game
from app.play.pages.turn.sending import answers_ahead
from app.play.turn import chat_and_notes
from app.titles.pages import parts_of
from app.web import visit
from app.web.forms import answers, on_to
from app.web.gates.csrf import by_link
from app.web.reader import server

blueprint = Blueprint("turn_ahead", __name__)


@blueprint.get("/t/<token>/ahead")
def ahead_form(token: str) -> Response:
    """Show the questions that may come before the seat's next turn, each by itself, and its answers so far."""
    link, game = newest_game(token)
    voice, refused = visit.voice().about(game.title), visit.refused()
    filled = FilledTurn.sent() if request.method == "POST" else None
    standing, given = game.seated(link.seat).standing, filled.ahead if filled else {}
    parts = parts_of(game.title.id, voice.lang).among(voice.names_of(game.seats))
    return visit.show(
        "play/turn/ahead_page.html",
        voice=voice,
        game=game,
        link_token=token,
        parts=parts,
        foreseen=[]
        if game.is_over
        else rows_ahead(game.title, parts, game.state, link.seat, standing, given, alike=False),
        lines=standing if filled is None or filled.standing is None else filled.standing.splitlines(),
        error=refused.said if refused else "",
    )


@blueprint.post("/t/<token>/ahead")
@by_link
@answers(again=ahead_form)
def ahead(token: str) -> Response:
    """Store what was chosen, or all orders as they were written."""
    link, game = newest_game(token)
    filled = FilledTurn.sent()
    if filled.standing is None:
        chat_and_notes.keep_answers(server().database, link.game, link.seat, answers_ahead(game, link.seat, filled))
    else:
        chat_and_notes.put_standing(server().database, game, link.seat, filled.standing)
    return on_to(".ahead_form", "saved", token=token)
