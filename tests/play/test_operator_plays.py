"""A small share of `python -m bench.trials.operator_plays`, and a check that its measures are those of the games
played.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.play.past.records import record_of
from bench.trials.operator_plays import OPERATOR, Server, cancels, cancels_in_private, joins_last, judge
from engine.acres.data import CARDS
from engine.kernel.chance import NUMBERED, SeededChance
from tests.support import fair_share
from tests.support.fair_share import called_off, drawn, worth
from tests.support.tables import load, random_line, say


@pytest.fixture
def server(sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(fair_share, "REFERENCE", 500)
    assert sqlite_url.endswith(f"{tmp_path}/postroad.db"), "it is there already, at the newest migration"
    with closing(Server(tmp_path, jump=20)) as made:
        yield made


def test_each_number_that_an_operator_does_not_like_stays_in_the_list(server: Server) -> None:
    """Called off with his name, called off without one where the table was private, or left out after a backup."""
    server.restore(server.back_up())
    server.attempts += 1
    for way, least in ((cancels, 3), (cancels_in_private, 5)):
        while server.attempts < least:
            way(server, "acres")
    verdict = judge(server, cancels, "acres")
    assert verdict.seen == verdict.attempts >= 5 and verdict.is_stated
    lines, _ = server.public()
    off = called_off(lines)
    assert off[OPERATOR] >= 2 and off[""] >= 2 and set(off) == {OPERATOR, ""}
    assert [(line["first"], line["last"]) for line in lines if line["left_out"]] == [(1, 20)]
    hidden = [line for line in lines if line.get("private")]
    assert all(line["opened_by"] is None and line["seats"] == {} for line in hidden)
    assert all((line["seed"] is None) == (line["state"] == "over") for line in hidden)
    shown = [line for line in lines if line.get("state") in ("over", "cancelled") and not line["private"]]
    assert all(line["seed"] == server.seed(line["first"]) for line in shown)


def test_joining_last_changes_no_number(server: Server) -> None:
    for title in ("acres", "new-world"):
        joins_last(server, title)
    lines, _ = server.public()
    assert [(line["first"], list(line["seats"].values())[1]) for line in lines] == [(2, OPERATOR), (1, OPERATOR)]
    running = server.open("acres", server.stranger())
    newest = server.public()[0][0]
    assert (newest["game"], newest["seed"], newest["opened_by"]) == (running, None, "Uma")


def test_what_a_seed_is_worth_is_what_the_game_gave(server: Server) -> None:
    source = random.Random(5)
    acres, towns = (server.open(title, server.operator) for title in ("acres", "new-world"))
    for game_id in (acres, towns):
        server.join(game_id, server.strangers[0])
    for seat, coins in zip(("british", "french"), worth("acres", server.seed(1)), strict=True):
        hand = load(server.database, acres).state.players[seat].hand
        assert coins == sum(CARDS[seat][card].coins for card in hand)
    while load(server.database, towns).turn < 7:
        line = random_line(load(server.database, towns), source)
        if line != "resign":
            say(server.database, towns, line)
    server.finish(towns, server.operator)
    steps = [step for turn in record_of(server.database, towns)["turns"] for step in turn["steps"]]
    given = [step["chance"].removeprefix("draw ") for step in steps if "chance" in step]
    chance = SeededChance(bytes.fromhex(server.seed(2)), 0, None, algorithm=NUMBERED)
    assert len(given) >= 6 and drawn(chance, len(given))[0] == given
