"""Records of games, for anyone who knows the game's number: finished ones in full, running ones without secrets."""

from __future__ import annotations

from flask import Blueprint, Response, abort, jsonify

from app.games.store import NoSuchGame
from app.play.past.records import record_of
from app.web.public import public
from app.web.reader import server

blueprint = Blueprint("records", __name__)


@blueprint.get("/games/<number:game_id>/record.json")
def record(game_id: int) -> Response:
    """Send the record as a file."""
    try:
        data = record_of(server().database, game_id)
    except NoSuchGame:
        abort(404)
    response = jsonify(data)
    response.headers["Content-Disposition"] = f'attachment; filename="{data["game"]}-{game_id}.json"'
    return public(response)
