"""Games that are played by answering mails, and in no other way: the gate in process, the mails out over SMTP.

Some turns of each are played here; `python -m bench.replies` plays whole games.
"""

from __future__ import annotations

import random

import pytest

from app.base.database import Database
from tests.support.inbound import way_in
from tests.support.replies import Correspondence
from tests.support.tables import load, start


@pytest.mark.parametrize(("title", "seats"), [("acres", 2), ("new-world", 2), ("new-world", 3)])
def test_a_game_by_answers_alone(sqlite_database: Database, title: str, seats: int) -> None:
    start(sqlite_database, title, seats=seats)
    with way_in(sqlite_database) as way:
        post = Correspondence(way)
        assert post.play(1, random.Random(7), most=10) == 10
        game = load(sqlite_database, 1)
        assert game.entries >= 10 and {row.verdict for row in way.rows()} == {"reply"}
