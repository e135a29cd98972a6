"""Nothing that a seat is shown depends on what it may not see: random games, and twins that differ only in that."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.config import load as load_config
from app.db import Database
from app.house import House
from app.links import TurnLink
from app.mail.letters import Waiting
from app.mail.sender import Sender
from app.models import GameState
from app.web import create_app, turn_api, turn_page
from tests.support.sink import text_of
from tests.support.tables import KEYS, NOW, load, say, start

BASE = "http://post.example.org"
JSON = {"Accept": "application/json"}


def ferry_twin(state: Any, seat: str, chooser: random.Random) -> Any:
    """The hands of the others and the pile dealt anew; the top of the pile stays when the seat has seen it."""
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
    """The other hand and its draw pile dealt anew, the own draw pile in another order."""
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


def shown(app: Any, house: House, game_id: int, seat: str) -> list[Any]:
    """Everything that the seat and a spectator get: JSON, pages, refusals, the mail, the record of a running game."""
    turn_api._kept.clear()
    turn_page._kept.clear()
    client = app.test_client()
    game = load(house.database, game_id)
    player = game.seated(seat).player_id
    out: list[Any] = []
    for number in (game.number, game.number - 1):
        at = house.links.turn_token(TurnLink(game_id, seat, number, player))
        for headers in (JSON, {}):
            answer = client.get(f"/t/{at}", headers=headers)
            out.append((answer.status_code, answer.text))
    if game.decides == seat:
        at = house.links.turn_token(TurnLink(game_id, seat, game.number, player))
        legal = client.get(f"/t/{at}", headers=JSON).json["legal"]
        wrong = "\nthis is no order"
        for line in legal[:8]:
            if not game.title.reveals(game.state, game.title.read(game.state, seat, line)):
                body = {"orders": line + wrong, "decision": game.number}
                answer = client.post(f"/t/{at}", json=body, headers=JSON)
                out.append((answer.status_code, answer.text))
                assert answer.status_code == 422 and answer.json["played"] == []
        mail = Waiting(1, "turn", "a@example.org", player, game_id, seat, game.number, {}, NOW, 0)
        raw = Sender(house).render(mail, NOW)
        assert raw
        out.append(text_of(message_from_bytes(raw, policy=policy.default)))  # type: ignore[arg-type]
    out.append(client.get(f"/games/{game_id}/record.json").text)
    return out


def set_state(database: Database, game_id: int, state: Any) -> None:
    text = json.dumps(load(database, game_id).title.state_to_json(state))
    with database.write() as connection:
        connection.execute(sa.update(GameState).where(GameState.game_id == game_id).values(state=text))
        connection.commit()


@pytest.mark.parametrize(("title", "twin", "turns"), [("ferry", ferry_twin, 30), ("acres", acres_twin, 30)])
def test_outputs_of_twins_are_equal(
    tmp_path: Path, sqlite_url: str, title: str, twin: Callable[..., Any], turns: int
) -> None:
    environ = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load_config(environ, tmp_path))
    house = app.extensions["postroad"]
    chooser = random.Random(7)
    game_id = start(house.database, title)
    compared = 0
    for _ in range(turns):
        game = load(house.database, game_id)
        if game.is_over:
            break
        for seat in (seated.seat for seated in game.seats):
            other = twin(game.state, seat, chooser)
            if other == game.state or game.title.view(other, seat) != game.title.view(game.state, seat):
                continue  # nothing is hidden from it now
            before = shown(app, house, game_id, seat)
            set_state(house.database, game_id, other)
            assert shown(app, house, game_id, seat) == before
            set_state(house.database, game_id, game.state)
            compared += 1
        legal = [
            a
            for item in game.title.legal(game.state)
            for a in (item.smallest() if hasattr(item, "smallest") else [item])
        ]
        say(house.database, game_id, game.title.write(game.state, chooser.choice(legal)))
    assert compared > turns / 2
    house.database.close()
