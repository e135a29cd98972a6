"""Every process of a server ends when it is told to; `python -m bench.trials.stopped` tries a thousand moments."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.trials.stopped import ROLES, busy, tried
from tests.support.often import often


@pytest.mark.parametrize("role", ROLES)
def test_a_process_that_is_told_to_stop_in_its_first_second_ends(role: str, tmp_path: Path) -> None:
    with busy():
        assert tried(tmp_path, role, often(1)) == 0
