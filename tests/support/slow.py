"""The slowest files of tests: they begin first, and the end of a run tells which they were."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
SLOWEST = (
    "whole/test_season.py",
    "whole/test_whole_game_by_form.py",
    "play/pages/test_replay_then.py",
    "titles/test_title_from_elsewhere.py",
    "browser/test_every_page.py",
)
"""Those of more than 20 seconds, the slowest first: whoever waits for the last file waits as short as can be."""
SHOWN = 10
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
