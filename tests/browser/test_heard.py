"""What a screen reader finds in a turn of each title is what was last read and found good."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.heard import FOLDER, TURNS, turn_heard

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("title", TURNS)
def test_a_turn_is_heard_as_it_was_read(browser: Browser, tmp_path: Path, title: str) -> None:
    """`python -m tests.support.heard` writes the files anew."""
    assert turn_heard(browser, tmp_path, title) == (FOLDER / f"{title}.txt").read_text(encoding="utf-8")
