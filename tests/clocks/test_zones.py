"""Zones by their names: current ones are accepted, old ones lead to them, stored ones are read in any case."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from app.clocks import zones
from app.clocks.pace import DAY, read_pace, take_pace
from engine.kernel.refusals import Unreadable


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Europe/Paris", "Europe/Paris"), ("Europe/Kiev", "Europe/Kyiv"), ("Asia/Rangoon", "Asia/Yangon"),
        ("America/Indianapolis", "America/Indiana/Indianapolis"), ("US/Hawaii", "Pacific/Honolulu"),
        ("Europe/Copenhagen", "Europe/Copenhagen"), ("GB", "Europe/London"), ("Zulu", "UTC"), ("Etc/GMT", "UTC"),
        ("UTC", "UTC"), ("Etc/GMT+5", "Etc/GMT+5"),
    ],
)  # fmt: skip
def test_a_zone_is_kept_by_its_present_name(given: str, kept: str) -> None:
    assert zones.present_name(given) == kept
    assert take_pace({"decision": DAY, "zone": given}).zone == kept
    now = datetime(2027, 7, 1, tzinfo=UTC)
    assert now.astimezone(ZoneInfo(kept)).utcoffset() == now.astimezone(ZoneInfo(given)).utcoffset()


@pytest.mark.parametrize(
    "given", ["localtime", "Factory", "right/UTC", "posix/Europe/Paris", "Europe", "", "\0", "a" * 300]
)
def test_what_is_a_zone_of_one_machine_only_is_none(given: str) -> None:
    assert zones.present_name(given) is None
    with pytest.raises(Unreadable) as refused:
        take_pace({"decision": DAY, "zone": given})
    assert refused.value.why.values["label"] == "zone"


def test_all_that_are_offered_are_kept_as_they_are() -> None:
    assert len(zones.names()) > 400
    assert [name for name in zones.names() if zones.present_name(name) != name or zones.known(name) is None] == []


def test_a_stored_zone_that_is_gone_counts_as_utc_and_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    zones._said.clear()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            zones.zone_of.cache_clear()
            assert zones.zone_of("Atlantic/Lyonesse") == ZoneInfo("UTC")
            assert zones.zone_of("Europe/Paris") == ZoneInfo("Europe/Paris")
    assert [one.getMessage() for one in caplog.records if "Lyonesse" in one.getMessage()] == [
        "this machine does not know the time zone Atlantic/Lyonesse: its hours count as those of UTC"
    ]
    assert read_pace({"decision": DAY, "zone": "Atlantic/Lyonesse"}).zone == "Atlantic/Lyonesse"
