"""The slowest files of tests: they begin first, and the end of a run tells which they were."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
SLOWEST = (
    "browser/test_every_page.py",
    "whole/test_season.py",
    "play/pages/test_replay_then.py",
    "whole/test_languages.py",
    "whole/test_hostile.py",
    "whole/test_whole_game_by_form.py",
    "post/test_post_storms.py",
    "engine/kernel/test_takeback.py",
    "whole/test_new_world_by_mail.py",
    "browser/test_zone_browser.py",
    "browser/test_turn_page_browser.py",
    "whole/test_secrets.py",
    "play/test_takeback.py",
    "play/pages/test_bad_input.py",
    "whole/test_twins.py",
    "whole/test_server.py",
    "leagues/pages/test_published.py",
    "whole/test_database_faults.py",
    "whole/test_database_fails.py",
    "engine/acres/test_properties.py",
    "leagues/rounds/test_pairing_jobs.py",
    "whole/test_storm.py",
    "whole/test_languages_of_time.py",
    "leagues/changes/test_late_entries.py",
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
