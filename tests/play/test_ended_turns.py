"""Games of an earlier version, whose turns ended automatically within their last step: they replay and export alike."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from app.base.stored.database import Database
from app.games.store import Step
from app.games.work import Work
from app.play.past import records
from app.play.turn import moves, starting
from app.play.turn.playing import Play
from app.play.turn.turns import play_of
from engine.acres import ACRES
from engine.kernel.records import load as load_record
from engine.kernel.records import verify
from tests.support.acres import editions
from tests.support.acres_games import pick
from tests.support.seeds import fix_seed
from tests.support.tables import NOW, load, start


def joined(steps: list[Step]) -> list[Step]:
    """Join a step and the end of the turn that follows it into one entry, as they were stored."""
    last, end = steps[-2:]
    return [*steps[:-2], replace(last, events=last.events + end.events, chance=last.chance + end.chance)]


def play_on(database: Database, game_id: int, source: random.Random, *, as_before: bool) -> int:
    """Play one random action and, if nothing else is possible after it, the end of the turn; return how many turns
    ended so.

    The two are one entry if `as_before`.
    """
    with Work(database) as work:
        game = work.store.load(game_id, for_writing=True)
        play: Play = play_of(game)
        seat = ACRES.decision(play.state).seat  # type: ignore[union-attr]
        play.act(seat, pick(source, play.state), "seat")
        end = ACRES.end_of_steps(play.state)
        alone = end is not None and ACRES.legal(play.state) == [end]
        if alone:
            play.act(ACRES.decision(play.state).seat, end, "end")  # type: ignore[union-attr]
        steps: Any = joined(play.steps) if alone and as_before else play.steps
        moves.move_on(work, game, play.so_far._replace(steps=steps), actor=seat, now=NOW)
        work.commit()
    return int(alone)


@editions
def test_turns_that_ended_by_themselves_replay_verify_and_export_as_those_that_are_ended(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch, edition: str
) -> None:
    fix_seed(monkeypatch, "5e" * 32)  # the same game twice
    written, ended = [], 0
    for as_before in (True, False):
        source = random.Random(f"{edition} 3")
        game_id = start(sqlite_database, "acres", options={"edition": edition})
        for _ in range(400):
            if load(sqlite_database, game_id).is_over:
                break
            ended += play_on(sqlite_database, game_id, source, as_before=as_before)
        game = load(sqlite_database, game_id)
        if not game.is_over:
            from app.play.agreed import results

            results.resign(sqlite_database, game_id, game.seats[0].player_id or 0, now=NOW)
        assert starting.verify(sqlite_database, game_id) == []
        assert not starting.rebuild(sqlite_database, game_id)
        record = records.record_of(sqlite_database, game_id)
        del record["played"]  # two games
        written.append(record)
    assert written[0] == written[1] and ended > 100
    text = json.dumps(written[0])
    assert verify(load_record(text, {"acres": ACRES})).turns > 50
