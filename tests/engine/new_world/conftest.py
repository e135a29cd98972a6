"""Tells when the reference games, which stand beside the checkout, are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

REFERENCE = Path(__file__).resolve().parents[3].parent / "shared" / "reference" / "new_world" / "records"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The recorded games of others are tests of their own; without the folder there are none."""
    if not any(REFERENCE.glob("*.json")):
        terminalreporter.section("left out", sep="-")
        terminalreporter.write_line(
            "new_world reference records: no ../shared/reference/new_world/records beside the checkout"
        )
