"""What holds for every test: which groups run here, and how patient Hypothesis is."""

from __future__ import annotations

import hashlib
import os

import hypothesis
import pytest

from app import registry
from app.play import starting
from app.titles import tile_sets
from tests.support.tools import missing_groups

pytest_plugins = ["tests.support.databases", "tests.support.tables", "tests.support.people"]

# A deadline per example would fail on a busy machine, not on a slow program. The same examples at every run: what fails
# once fails again. `pytest --hypothesis-profile=search` looks for others.
hypothesis.settings.register_profile("postroad", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("postroad")


registry.register()  # as every server does when it starts


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


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """The games of a test have the same chance at every run, so that nothing fails by a rare draw and then never again.

    Servers that a test starts as processes of their own keep their secret chance.
    """
    tile_sets.keep_in(None)  # the database of the last test that had one is gone
    made = iter(range(1_000_000))
    starting.new_seed = lambda: hashlib.sha256(f"{item.nodeid} {next(made)}".encode()).hexdigest()
