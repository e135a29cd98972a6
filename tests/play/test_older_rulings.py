"""Games older than a ruling's option name none and are read as they were begun; new ones have today's default."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from flask import Flask

from app.base.server import Server
from app.games.tables import Game
from app.lobby import open_games
from app.lobby.open_games import Chair
from app.play.past.records import import_record, record_of
from app.play.turn import starting
from app.time.paces import DEFAULT_PACE
from app.titles.registry import TITLES
from engine.kernel import records
from tests.support.people import Browser, Enter
from tests.support.tables import NOW, load

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
    with server.database.write() as session:
        session.execute(sa.update(Game).where(Game.id == older).values(options={"tile_set": "nw-reconstruction-1"}))  # type: ignore[arg-type]
        session.commit()
    reader = Browser(app)
    assert COLUMN_LEFT in reader.get(f"/games/{older}") and "Stragglers" not in reader.get(f"/games/{new}")
    for game, way in ((older, "column-left"), (new, "every-move")):
        assert open_games.join(server.database, game, 1, 2, now=datetime.now(UTC))
        assert load(server.database, game).state.options.stragglers == way
        assert not starting.verify(server.database, game).differing
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
