"""What holds for every test: which groups run here, and how patient Hypothesis is."""

from __future__ import annotations

import os

import hypothesis
import pytest

from tests.support.tools import missing_groups

pytest_plugins = ["tests.support.databases", "tests.support.tables"]

# A deadline per example would fail on a busy machine, not on a slow program.
hypothesis.settings.register_profile("postroad", deadline=None)
hypothesis.settings.load_profile("postroad")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to start when everything is required and something is missing."""
    missing = missing_groups()
    if missing and os.environ.get("POSTROAD_REQUIRE_ALL") == "1":
        reasons = "; ".join(f"{group} tests: {reason}" for group, reason in missing.items())
        raise pytest.UsageError(f"POSTROAD_REQUIRE_ALL=1, but some tests cannot run here: {reasons}.")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of a missing program; the summary says so."""
    missing = missing_groups()
    left_out = [item for item in items if any(item.get_closest_marker(group) for group in missing)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the groups left out just above the closing line."""
    missing = missing_groups()
    if missing:
        terminalreporter.section("left out", sep="-")
    for group, reason in missing.items():
        terminalreporter.write_line(f"{group} tests: {reason}")
