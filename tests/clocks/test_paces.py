"""Paces as data: what is read, what is refused and why."""

from __future__ import annotations

from typing import Any

import pytest

from app.clocks.pace import DAY, HOUR, Pace, ReminderLadder, Stage, read_ladder, read_pace, take_pace, write_pace
from engine.kernel.refusals import Unreadable

WHOLE: dict[str, Any] = {
    "decision": 0, "free": 12 * HOUR, "bank": 20 * DAY, "increment": DAY, "cap": 30 * DAY, "days_off": ["sun", "sat"],
    "zone": "Europe/Paris", "hour": "20:00", "reminders": {"shares": [0.5, 0.25], "hours": [6, 48]},
    "mail_limit": 2 * DAY, "leave_days": 10,
    "stages": [
        {"after": 0, "state": "warned", "do": ["remind"]},
        {"after": DAY, "state": "grace", "do": ["orders", "forfeit_turn"]},
        {"after": DAY, "state": "flagged", "do": ["forfeit"]},
    ],
}  # fmt: skip


def test_every_key_is_read_and_written_again() -> None:
    pace = read_pace(WHOLE)
    assert pace.days_off == ("sat", "sun")
    assert pace.reminders == ReminderLadder((0.25, 0.5), (48, 6))
    assert pace.stages[1] == Stage(DAY, "grace", ("orders", "forfeit_turn"))
    assert read_pace(write_pace(pace)) == pace
    assert write_pace(Pace(decision=3 * DAY)) == {"decision": 3 * DAY}, "nothing that is as usual"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("decision", -1), ("decision", "7d"), ("decision", True), ("decision", 1.5), ("decision", 367 * DAY),
        ("decision", None), ("free", -1), ("bank", 31 * DAY), ("cap", None), ("increment", "one"),
        ("days_off", "sat"), ("days_off", ["saturday"]), ("days_off", [1]), ("days_off", [["sat"]]),
        ("days_off", ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]),
        ("zone", "Paris"), ("zone", ""), ("zone", None), ("zone", 7), ("zone", "../etc/passwd"), ("zone", ["UTC"]),
        ("hour", "24:00"), ("hour", "8:00"), ("hour", 20), ("hour", "20:00\n"), ("hour", "٢٠:٠٠"),
        ("reminders", [24]), ("reminders", {"days": [1]}), ("reminders", {"shares": [1.0]}),
        ("reminders", {"shares": [0]}), ("reminders", {"hours": [0]}), ("reminders", {"hours": [1.5]}),
        ("reminders", {"hours": [1, 2, 3, 4, 5, 6, 7]}), ("reminders", {"shares": "half"}),
        ("reminders", {"shares": [True]}), ("reminders", {"shares": [float("nan")]}),
        ("mail_limit", "3d"), ("leave_days", -1), ("leave_days", 1.5),
        ("stages", []), ("stages", {}), ("stages", ["warned"]), ("stages", [{"after": 0, "state": "warned"}]),
        ("stages", [{"after": 0, "state": "late", "do": []}]),
        ("stages", [{"after": 0, "state": "warned", "do": ["shout"]}]),
        ("stages", [{"after": 0, "state": "warned", "do": [["remind"]]}]),
        ("stages", [{"after": 0, "state": ["warned"], "do": ["remind"]}]),
        ("stages", [{"after": DAY, "state": "warned", "do": []}, {"after": 0, "state": "grace", "do": []}]),
        ("stages", [{"after": 0, "state": "grace", "do": []}, {"after": DAY, "state": "warned", "do": []}]),
        ("stages", [{"after": "soon", "state": "warned", "do": []}]),
        ("stages", [{"after": 0, "state": "warned", "do": []}] * 9),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_by_its_key(key: str, value: Any) -> None:
    with pytest.raises(Unreadable) as refused:
        take_pace({**WHOLE, key: value})
    assert refused.value.code == "pace.value"
    wanted = {"bank": "cap", "increment": "increment"}.get(key, key)
    assert refused.value.why.values["label"] == wanted


def test_a_key_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(Unreadable) as refused:
        read_pace({"decision": DAY, "weekend": True})
    assert refused.value.why.values["label"] == "weekend"


@pytest.mark.parametrize("data", [{"decision": 0}, {"decision": 0, "cap": DAY}])
def test_a_pace_gives_some_time(data: dict[str, Any]) -> None:
    with pytest.raises(Unreadable):
        read_pace(data)


@pytest.mark.parametrize("data", [[], None, "three days", 7])
def test_what_is_no_table_of_keys_is_refused(data: Any) -> None:
    with pytest.raises(Unreadable):
        read_pace(data)


@pytest.mark.parametrize("data", [{}, {"hours": [3]}, {"shares": [0.5], "hours": []}])
def test_a_ladder_may_leave_a_half_out(data: dict[str, Any]) -> None:
    assert read_ladder(data) == ReminderLadder(tuple(data.get("shares", ())), tuple(data.get("hours", ())))
