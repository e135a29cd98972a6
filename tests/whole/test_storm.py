"""A short storm over a real server (`python -m bench.trials.storm` is the long one): nothing is lost or doubled."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.trials.storm.players import WAYS
from bench.trials.storm.running import Plan, storm
from bench.trials.storm.verdict import Verdict


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_whatever_fails_no_turn_is_lost_or_doubled_and_every_owed_mail_comes(tmp_path: Path, database: str) -> None:
    """Killed, told to stop, a full disk, a crashed database, four troubles of the mail host; some decisions answered
    twice at once by two web processes.
    """
    plan = Plan(24, database, seed=2, players=3, tables=3, every=0.2, lasts=0.3, most_seconds=300, small=True)
    found = storm(plan, tmp_path)
    assert found == Verdict(twice_explained=found.twice_explained, figures=found.figures), found
    assert len(found.figures["troubles"]) == (8 if database == "sqlite" else 9), found.figures
    assert found.figures["ways"].keys() >= WAYS, found.figures
