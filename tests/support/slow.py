"""The slowest files of tests: they begin first, and the end of a run tells which they were."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
SLOWEST = (
    "browser/test_every_page.py",
    "whole/test_season.py",
    "titles/test_laws.py",
    "server/test_setup.py",
    "whole/test_new_world_by_mail.py",
    "whole/test_whole_game_by_form.py",
    "whole/test_database_fails.py",
    "whole/test_hostile.py",
    "browser/test_line_in_sight.py",
    "browser/test_turn_page_browser.py",
    "whole/test_languages.py",
    "upkeep/test_backups.py",
    "whole/test_server.py",
    "post/webhooks/test_deliveries.py",
    "whole/test_wheel.py",
    "browser/test_event_browser.py",
    "whole/test_rights.py",
    "post/push/test_pushes.py",
    "play/pages/test_replay_then.py",
    "post/test_post_storms.py",
    "leagues/rounds/test_pairing_jobs.py",
    "whole/test_storm.py",
    "upkeep/test_health.py",
    "whole/test_killed.py",
    "play/test_takeback.py",
    "browser/test_zone_browser.py",
    "whole/test_two_machines.py",
    "whole/test_secrets.py",
    "whole/test_languages_of_time.py",
    "time/test_outages.py",
    "leagues/pages/test_published.py",
    "whole/test_twins.py",
    "whole/test_database_faults.py",
    "engine/kernel/test_takeback.py",
    "engine/acres/test_properties.py",
    "architecture/test_types_refuse.py",
    "upkeep/test_before.py",
    "base/test_private.py",
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
