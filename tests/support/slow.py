"""The slowest files of tests: they begin first, and the end of a run tells which they were."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
SLOWEST = (
    "browser/test_every_page.py",
    "whole/test_new_world_by_mail.py",
    "whole/test_database_fails.py",
    "whole/test_server.py",
    "browser/test_turn_page_browser.py",
    "whole/test_season.py",
    "post/test_post_storms.py",
    "whole/test_whole_game_by_form.py",
    "play/test_takeback.py",
    "whole/test_hostile.py",
    "browser/test_zone_browser.py",
    "leagues/rounds/test_pairing_jobs.py",
    "whole/test_database_faults.py",
    "play/pages/test_replay_then.py",
    "whole/test_killed.py",
    "upkeep/test_health.py",
    "whole/test_storm.py",
    "post/inbound/test_bounces.py",
    "whole/test_secrets.py",
    "whole/test_twins.py",
    "time/test_outages.py",
    "leagues/pages/test_published.py",
    "play/pages/test_bad_input.py",
    "engine/kernel/test_takeback.py",
    "engine/acres/test_properties.py",
    "whole/test_two_machines.py",
    "upkeep/test_before.py",
    "browser/test_new_world_page.py",
    "base/test_private.py",
    "leagues/changes/test_late_entries.py",
    "titles/test_tile_sets.py",
    "whole/test_year.py",
)
"""They begin first, so that a run does not end with one process at work and the others idle."""
SHOWN = 20
AT_LEAST_SECONDS = 5


def tell(reporter: pytest.TerminalReporter) -> None:
    """Write the slowest files of this run with their seconds; nothing after a short one."""
    seconds: Counter[str] = Counter()
    for outcome in ("passed", "failed", "error", ""):
        for report in reporter.stats.get(outcome, []):
            seconds[report.nodeid.partition("::")[0]] += getattr(report, "duration", 0)
    slowest = [(name, took) for name, took in seconds.most_common(SHOWN) if took >= AT_LEAST_SECONDS]
    if slowest:
        reporter.section("slowest files", sep="-")
    for name, took in slowest:
        reporter.write_line(f"{took:5.0f} s  {name}")
