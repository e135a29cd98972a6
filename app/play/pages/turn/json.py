"""A turn as JSON: for bots, other clients and tests. The form is documented in docs/turn-links.md."""

from __future__ import annotations

from typing import Any

from app.base.stored.columns import moment
from app.games.store import GameNow
from app.play.turn.holding import HeldTurn
from engine.kernel.title import Choice


def turn_as_json(game: GameNow, seat: str, asked: str) -> dict[str, Any]:
    """Return what a seat may know of the game as it stands; always the same for the same decision. `asked` is the line
    (`app.play.pages.turn.asked.Line.said`)."""
    to_decide = game.decides == seat
    lines, choices = _legal(game) if to_decide else ([], {})
    return {
        "game": game.id,
        "title": game.title.id,
        "seat": seat,
        "decision": game.number,
        "to_decide": to_decide,
        "kind": game.kind,
        "asked": asked,
        "turn": game.turn,
        "view": game.title.view(game.state, seat),
        "legal": lines,
        "choices": choices,
        "end_ahead": game.ends_ahead(seat),
        "deadline": moment(game.deadline_at),
        "deadline_provisional": game.decides is not None and game.mailed_at is None,
        "over": game.is_over,
        "result": game.result,
    }


def held_as_json(held: HeldTurn) -> dict[str, Any]:
    """Return what a program is told about a held turn: nothing of its result."""
    return {"held_until": moment(held.held_until), "held": list(held.lines)}


def _legal(game: GameNow) -> tuple[list[str], dict[str, list[Any]]]:
    """Return complete lines, each of which can be sent as it stands, and descriptions of the free subsets among
    them."""
    lines: dict[str, None] = {}
    choices: dict[str, list[Any]] = {}
    title, state = game.title, game.state
    for item in title.legal(state):
        if isinstance(item, Choice):
            choices.setdefault(item.kind, []).append(item.describe())
            lines.update((title.write(state, action), None) for action in item.smallest())
        else:
            lines[title.write(state, item)] = None
    return list(lines), choices
