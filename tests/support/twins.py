"""Twins of a state: the same for one seat, different where it cannot see."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from app.base.stored.database import Database
from app.games.tables import GameState
from tests.support.tables import load, write


def ferry_twin(state: Any, seat: str, chooser: random.Random) -> Any:
    """Deal the hands of the others and the pile again; the top of the pile stays if the seat has seen it."""
    others = [other for other in state.seats if other != seat]
    known = 1 if state.peeked else 0
    cards = [card for other in others for card in state.sides[other].hand] + list(state.pile[known:])
    chooser.shuffle(cards)
    sides = dict(state.sides)
    for other in others:
        n = len(sides[other].hand)
        sides[other] = replace(sides[other], hand=tuple(sorted(cards[:n])))
        cards = cards[n:]
    return replace(state, sides=sides, pile=state.pile[:known] + tuple(cards))


def acres_twin(state: Any, seat: str, chooser: random.Random) -> Any:
    """Deal the other hand and its draw pile again, and reorder the seat's own draw pile."""
    players = dict(state.players)
    for name, player in players.items():
        draw = list(player.draw)
        if name == seat:
            chooser.shuffle(draw)
            players[name] = player._replace(draw=tuple(draw))
        else:
            cards = [*player.hand, *draw]
            chooser.shuffle(cards)
            n = len(player.hand)
            players[name] = player._replace(hand=tuple(sorted(cards[:n])), draw=tuple(cards[n:]))
    return state._replace(players=players)


def set_state(database: Database, game_id: int, state: Any) -> None:
    text = json.dumps(load(database, game_id).title.state_to_json(state))
    write(database, sa.update(GameState).where(GameState.game_id == game_id).values(state=text))
