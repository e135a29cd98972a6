"""Reports when the reference games, which are next to the checkout, are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

REFERENCE = Path(__file__).resolve().parents[3].parent / "shared" / "reference" / "new_world" / "records"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Report that the recorded games of others, which are tests of their own, need that folder."""
    if not any(REFERENCE.glob("*.json")):
        terminalreporter.section("left out", sep="-")
        terminalreporter.write_line(
            "new_world reference records: no ../shared/reference/new_world/records beside the checkout"
        )
