"""The page on which everybody can check a game's chance."""

from __future__ import annotations

from flask import Blueprint, Response

from app.games.store import NoSuchGame
from app.lobby import listing
from app.play.past.records import proof_now, proof_of_called_off
from app.web import visit
from app.web.reader import server
from engine.kernel.records import Derived

blueprint = Blueprint("proof", __name__)


@blueprint.get("/games/<number:game_id>/proof")
def proof(game_id: int) -> Response:
    """Show what was committed to; after the end the seed and every outcome, and whether everything agrees."""
    database = server().database
    try:
        shown = proof_now(database, game_id)
    except NoSuchGame:
        with database.read() as session:
            try:
                shown = listing.proof_now(session, game_id)
            except listing.NoSuchTable:
                shown = proof_of_called_off(session, game_id)
    voice = visit.voice().about(shown.title)
    holds = shown.failed is None and all(outcome.holds for outcome in shown.outcomes)
    rows = [(outcome.ordinal, line_of(outcome), outcome.holds) for outcome in shown.outcomes]
    return visit.show("play/game/proof.html", voice=voice, number=game_id, proof=shown, rows=rows, holds=holds)


def line_of(outcome: Derived) -> str:
    """Return an outcome as records write it."""
    kind, purpose, value = outcome.use.outcome.kind, outcome.use.outcome.purpose, outcome.use.outcome.value
    return f"{kind} {purpose}: {', '.join(value)}"
