"""Recorded games are played exactly: those of the project, and those next to the checkout if there are any."""

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from app.titles.registry import TITLES
from engine.acres import ACRES
from engine.acres import actions as act
from engine.acres.effects import EFFECTS
from engine.kernel import records
from tests.support.acres import editions

ROOT = Path(__file__).resolve().parents[3]
OWN = sorted((ROOT / "tests" / "records" / "acres").glob("*.json"))
BESIDE = sorted((ROOT.parent / "shared" / "reference" / "acres" / "records").glob("*.json"))

ENDS = {
    "towns-placed": ("points", "towns-placed"),
    "villages-placed": ("points", "villages-placed"),
    "captured-points": ("points", "captured-points"),
    "quebec-besieged": ("home-taken", "quebec"),
    "boston-besieged": ("home-taken", "boston"),
    "capital-withdrawn": ("home-taken", "boston"),
    "resignation": ("resignation", None),
    "time": ("time", None),
    "agreed": ("agreed", None),
    "running": (None, None),
}


@cache
def played(path):
    return tuple(records.replay(records.load(path.read_bytes(), TITLES)))


@pytest.mark.parametrize("path", [*OWN, *BESIDE], ids=lambda path: path.stem)
def test_a_recorded_game_is_played_exactly(path):
    """Every step by the rules and every state as it was recorded; and it is written as it was read."""
    data = json.loads(path.read_text(encoding="utf-8"))
    for one in played(path):
        ACRES.check_invariants(one.state)
    assert all("after" in turn for turn in data["turns"][:-1])
    written = json.loads(json.dumps(records.export(ACRES, [one.entry for one in played(path)])))
    if path in OWN:
        assert written == {key: data[key] for key in written}
    # Elsewhere the order of the cards of a step has no meaning.
    assert [turn.get("after") for turn in written["turns"]] == [turn.get("after") for turn in data["turns"]]


def end_of(path):
    outcome = played(path)[-1].state.outcome
    if outcome is None:
        return None, None
    return outcome.reason, outcome.detail.get("where") or (*outcome.detail.get("trigger", ()), None)[0]


@editions
def test_every_way_to_end_has_a_record_in_every_edition(edition):
    """acres R13.1, R13.2"""
    names = {path.stem: path for path in OWN}
    for name, end in ENDS.items():
        path = names[f"{edition}-{name}"]
        assert end_of(path) == end
        assert json.loads(path.read_text(encoding="utf-8"))["options"]["edition"] == edition


def test_a_capital_settled_has_a_record_in_the_second_edition():
    """acres R5.5"""
    path = next(path for path in OWN if path.stem == "second-boston-settled")
    assert end_of(path) == ("home-taken", "boston")
    assert isinstance(played(path)[-1].entry.action, act.Settle)


def test_a_capital_given_up_ends_with_the_withdrawal():
    """acres R12.3"""
    for path in OWN:
        if path.stem.endswith("capital-withdrawn"):
            assert isinstance(played(path)[-1].entry.action, act.Withdraw)


def test_every_kind_of_action_answer_and_event_is_in_a_record():
    """Random play may never show some of them, so that a record has to."""
    said, happened = Counter(), Counter()
    for path in OWN:
        for one in played(path):
            said[type(one.entry.action).__name__] += 1
            happened.update(type(event).__name__ for event in one.entry.events)
    assert {kind.__name__ for kind in act.ACTIONS} <= set(said)
    assert {kind.__name__ for kind in EFFECTS} <= set(happened)
