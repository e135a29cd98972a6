"""The line's news: what touches its reader comes before all else."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from app.base.server import Server
from app.base.words.speech import Voice
from app.games.store import GameNow
from app.play.lists.scores import points
from app.play.pages.turn.asked import line_of
from app.play.turn.turns import said_of
from engine.acres import ACRES
from engine.acres.events import Drew, Shuffled
from engine.kernel.records import Entry
from engine.new_world import NEW_WORLD
from engine.new_world.events import TileDrawn
from tests.support import acres_games, new_world_games
from tests.support.often import often
from tests.support.tables import load, start

ONLY_DRAWN = (Drew, Shuffled, TileDrawn)
Seen = tuple[GameNow, str, Sequence[Any], Any]
"""A game in which a seat begins its turn, the seat, what has happened since its last answer, and the view before it."""


def began(game: GameNow, log: Sequence[Entry]) -> Iterator[Seen]:
    title, state, turn = game.title, None, 0
    since: dict[str, list[Any]] = {one: [] for one in title.seats}
    before: dict[str, Any] = {}
    for entry in log:
        for event in entry.events:
            state = title.apply(state, event)
        for seat, events in since.items():
            events.extend(entry.events)
            if seat == entry.seat:
                events.clear()
                before[seat] = title.view(state, seat)
        due = title.decision(state)
        if due is not None and due.seat == due.on_turn and due.turn != turn and due.seat in before:
            now = replace(game, decides=due.seat, on_turn=due.on_turn, turn=due.turn, kind=due.kind)
            now.know(state)
            yield now, due.seat, tuple(since[due.seat]), before[due.seat]
            turn = due.turn


def own(title: Any, view: Any, seat: str) -> Any:
    """Return the places, cards and points of a seat."""
    if title is ACRES:
        mine = view["seats"][seat]
        places = [place for place, one in view["board"].items() if one["owner"] == seat]
        return places, mine["hand"], mine["reserve"], mine["siege"], points(view)[seat]
    return [one for one in view["settlers"] if one["seat"] == seat], points(view)[seat]


@pytest.mark.parametrize("title, edition", [("acres", "first"), ("acres", "second"), ("new-world", "")])
def test_what_touches_the_reader_is_told_before_any_shuffle_or_draw(server: Server, title: str, edition: str) -> None:
    """N3. The long run is `POSTROAD_TIMES=40`: 2,000 turns of each."""
    seats = ACRES.seats if title == "acres" else NEW_WORLD.seats[:4]
    game = load(server.database, start(server.database, title, seats=len(seats)))
    voice, source, turns, touched = Voice("en", "UTC", game.title), random.Random(edition), 0, 0
    while turns < often(50):
        seed = source.randrange(10**6)
        if title == "acres":
            _, log = acres_games.random_game(seed, most=often(300), edition=edition)
        else:
            log = new_world_games.random_game(seed, len(seats), greedy=True)
        for now, seat, events, before in began(game, log):
            turns += 1
            happened = line_of(now, seat, voice, events).happened
            after = game.title.view(now.state, seat)
            said = {one.removesuffix("."): event for event in events for one in said_of(now, [event], seat, voice)}
            first = [event for one, event in said.items() if happened.startswith(one)]
            if own(game.title, before, seat) != own(game.title, after, seat):
                touched += 1
                assert first and not isinstance(first[0], ONLY_DRAWN)
            most = max((game.title.weight(event, seat) for event in said.values()), default=0)
            assert most < 3 or any(game.title.weight(event, seat) == 3 for event in first), happened
    assert touched > turns / 40
