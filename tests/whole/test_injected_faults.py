"""A fault at any statement or commit of a pairing, a sweep, mails that are handed over and an import.

Some points of each; all of them, on both databases: `python -m bench.trials.injected`.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.trials.injected import WORKS, Injected, grounds, points

EVERY = {"pairing": 13, "sweep": 29, "mails": 29, "import": 19}
"""Of the points."""


@pytest.mark.parametrize("work", WORKS, ids=[work.name for work in WORKS])
def test_a_fault_leaves_nothing_half_done_and_the_next_run_ends_the_work(
    work: Injected, tmp_path: Path, sqlite_template: Path
) -> None:
    shutil.copy(sqlite_template, tmp_path / "empty.db")
    tried = list(points(work, grounds(tmp_path, None), EVERY[work.name], first=5))
    assert len(tried) > 2, tried
