"""Games played only by answering mails: the gate in process, the mails out over SMTP.

Some turns of each are played here; `python -m bench.replies` plays whole games, and `python -m
bench.trials.by_replies` does so over LMTP to a separate process.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from app.base.stored.database import Database
from bench.trials import by_replies
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


def test_answers_come_in_over_lmtp_to_a_process_of_its_own(sqlite_database: Database, tmp_path: Path) -> None:
    start(sqlite_database, "new-world", seats=3)
    with way_in(sqlite_database) as way:
        played = by_replies.play(way, tmp_path, seed=1, most=4)
    assert (played.answers, played.faults) == (4, []) and played.mails > 4
