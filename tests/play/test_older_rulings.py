"""Games older than a ruling's option name none and are read as they were begun; new ones have today's default."""

from __future__ import annotations

import json
import random
import re
from dataclasses import make_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.base.links import TurnLink
from app.base.server import Server
from app.games.store import GameStore, LogBroken
from app.games.tables import Game
from app.lobby import open_games
from app.lobby.open_games import Chair
from app.play.past.records import import_record, record_of
from app.play.turn import starting
from app.time import installed
from app.time.paces import DEFAULT_PACE
from app.titles.registry import TITLES
from engine.kernel import records
from engine.kernel.codec import Codec
from tests.support.ferry import FERRY
from tests.support.people import Browser, Enter
from tests.support.tables import NOW, load, played, random_line, say, write

RECORDS = Path(__file__).parents[1] / "records"
COLUMN_LEFT = "Stragglers go home: when both surveyors have left a column"


def test_a_table_from_before_begins_as_it_was_made(app: Flask, server: Server, enter: Enter) -> None:
    """new_world R9.5: its page says what differs from the usual, in a line."""
    enter("alice"), enter("bob")
    made = []
    for _ in range(2):
        chairs = [Chair("red", "me"), Chair("blue", "open")]
        made.append(
            open_games.create(
                server.database,
                1,
                open_games.TableDraft(title_id="new-world", chairs=chairs, options={}, pace=DEFAULT_PACE, drawn=False),
                now=datetime.now(UTC),
            )
        )
    older, new = made
    write(server.database, sa.update(Game).where(Game.id == older).values(options={"tile_set": "nw-reconstruction-1"}))
    reader = Browser(app)
    assert COLUMN_LEFT in reader.get(f"/games/{older}") and "Stragglers" not in reader.get(f"/games/{new}")
    for game, way in ((older, "column-left"), (new, "every-move")):
        assert open_games.join(server.database, game, 1, 2, now=datetime.now(UTC))
        assert load(server.database, game).state.options.stragglers == way
        assert not starting.verify(server.database, game)
    assert COLUMN_LEFT in reader.get(f"/games/{older}") and "Stragglers" not in reader.get(f"/games/{new}")
    assert record_of(server.database, older)["options"]["stragglers"] == "column-left"
    assert "stragglers" not in record_of(server.database, new)["options"]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("new_world/nw-three-tile-set-aside", {"tile_set": "nw-reconstruction-1", "stragglers": "column-left"}),
        ("new_world/nw-three-stragglers", {"tile_set": "nw-reconstruction-1"}),
        ("acres/rare-siege-lifted-before-the-end", {"edition": "first-revised"}),
    ],
)
def test_a_record_is_read_as_it_was_begun(server: Server, name: str, options: dict[str, str]) -> None:
    """records.md: options that differ from today's default are named from now on."""
    data = json.loads((RECORDS / f"{name}.json").read_bytes())
    assert "stragglers" not in data["options"]
    game = import_record(server.database, json.dumps(data), now=NOW)
    written = record_of(server.database, game)
    assert written["options"] == options and written["turns"] == data["turns"] and written["result"] == data["result"]
    assert records.verify(records.from_data(json.loads(json.dumps(written)), TITLES)).turns == len(data["turns"])


def test_a_record_that_holds_in_neither_way_is_refused_where_it_got_furthest() -> None:
    data = json.loads((RECORDS / "new_world/nw-three-tile-set-aside.json").read_bytes())
    data["turns"][-1]["after"]["scores"]["red"] += 1
    with pytest.raises(records.RecordRefused) as refused:
        records.verify(records.from_data(data, TITLES))
    assert refused.value.turn == len(data["turns"]) and refused.value.path == "after.scores.red"


class FerryTwo(type(FERRY)):  # type: ignore[misc]
    """Ferry with a corrected rule: a kept card counts double; it knows how it was played before."""

    rules = 2

    def by_rules(self, number: int) -> object:
        return {1: FERRY, 2: self}.get(number)

    def scores(self, state: object) -> dict[str, int]:
        return {seat: 2 * points for seat, points in super().scores(state).items()}


def test_a_corrected_rule_changes_nothing_that_was_played_before(
    app: Flask, server: Server, stranger: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T5, T6: a finished game and one that runs on by its own rules; a new game has the new ones."""
    made = ended(server), played(server, moves=5)
    assert [load(server.database, game).is_over for game in made] == [True, False]
    addresses = [f"/games/{game}{path}" for game in made for path in ("", "/record.json", "/replay", "/proof")]
    before = [without_secrets(stranger.get(path)) for path in addresses]
    record = stranger.get(f"/games/{made[0]}/record.json")
    monkeypatch.setitem(TITLES._loaded, "ferry", FerryTwo())
    for path, page in zip(addresses, before, strict=True):
        assert without_secrets(stranger.get(path)).splitlines() == page.splitlines(), path
    assert records.verify(records.load(record, TITLES)).turns and len(records.prove(records.load(record, TITLES)))
    assert not starting.verify(server.database, made[0])
    new = ended(server)
    again = json.loads(stranger.get(f"/games/{new}/record.json"))
    assert again["rules"] == 2 and "rules" not in json.loads(record)
    assert all(points % 2 == 0 for points in again["result"]["score"].values())
    assert records.verify(records.load(json.dumps(again), TITLES)).turns
    monkeypatch.setitem(TITLES._loaded, "ferry", FERRY)
    with pytest.raises(records.RecordRefused, match="played by rules"):
        records.load(json.dumps(again), TITLES)


def test_a_game_that_is_over_keeps_its_points_even_if_nobody_knows_its_rules(
    app: Flask, server: Server, stranger: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T6: the pages say what was stored at the end, not what today's rules would count."""
    game = ended(server)
    scored = load(server.database, game).result["score"]  # type: ignore[index]
    addresses = [f"/games/{game}", f"/games/{game}/replay", "/archive"]
    before = [without_secrets(stranger.get(path)) for path in addresses]
    monkeypatch.setattr(FerryTwo, "by_rules", lambda self, number: self if number == 2 else None)
    monkeypatch.setitem(TITLES._loaded, "ferry", FerryTwo())
    now = load(server.database, game)
    assert any(scored.values()) and now.title.rules == 2 and now.title.view(now.state, None)["scores"] != scored
    assert now.view(None)["scores"] == scored
    for path, page in zip(addresses, before, strict=True):
        assert without_secrets(stranger.get(path)).splitlines() == page.splitlines(), path


@pytest.mark.parametrize(
    ("classes", "why"),
    [
        ({"Kept": None}, "there is no class Kept in its codec"),
        ({"Kept": make_dataclass("Kept", ["seat", "card", "price"])}, "Kept is stored without price; give what came"),
    ],
)
def test_a_game_that_cannot_be_read_is_told_with_what_is_to_be_done(
    app: Flask, server: Server, stranger: Browser, monkeypatch: pytest.MonkeyPatch, classes: dict[str, Any], why: str
) -> None:
    """T7: class, field, game and remedy; the clock of a running game stands meanwhile."""
    game, chooser = played(server, moves=0), random.Random(3)
    while not any(type(one).__name__ == "Kept" for step in steps_of(server, game) for one in step.events):
        say(server.database, game, random_line(load(server.database, game), chooser))
    now = load(server.database, game)
    link = TurnLink(game, str(now.decides), now.number, now.seated(str(now.decides)).player_id)
    kept = {cls.__name__: cls for cls in FERRY.codec._fields} | classes
    changed = type(FERRY)()
    monkeypatch.setattr(type(changed), "codec", Codec([one for one in kept.values() if one is not None]))
    monkeypatch.setitem(TITLES._loaded, "ferry", changed)
    with pytest.raises(LogBroken, match=f"game {game} of ferry cannot be read: {why}"):
        starting.verify(server.database, game)
    app.config["PROPAGATE_EXCEPTIONS"] = False
    stranger.get(f"/t/{server.links.turn_token(link)}", 500)
    with server.database.read() as session:
        [told] = installed.broken(session)
    assert told.startswith(f"ferry, game {game}: LogBroken: game {game} of ferry cannot be read: {why[:20]}")


def steps_of(server: Server, game: int) -> list[Any]:
    """Return the steps of a game."""
    with server.database.read() as session:
        return [step for _, _, step in GameStore(session).log(TITLES["ferry"], game)]


def ended(server: Server) -> int:
    """Return a game that was played to its end."""
    game_id, chooser = played(server, moves=5), random.Random(2)
    while not (game := load(server.database, game_id)).is_over:
        say(server.database, game_id, random_line(game, chooser))
    return game_id


def without_secrets(page: str) -> str:
    """Return a page without what is new in each answer."""
    return re.sub(r'(name="csrf_token" value="|nonce[-=]"?)[^"]+', r"\1", page)
