"""A newcomer finds the way: templates and tests are next to what they belong to, and every file is short."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from tests.architecture.graph import ROOT

LONGEST = 500
"""The number of lines of a file that can be read in one sitting."""
OF_ONE_MOVE = {"migrations/versions/0001_schema.py"}
"""Longer, but read only as one table: the whole schema before the first release."""
BESIDE = {"architecture", "browser", "ferry", "migrations", "records", "support", "vendor", "whole"}
"""Folders of tests that are not rooms; `tests/README.md` gives the reason for each."""


@cache
def files() -> list[Path]:
    """Return all files of the project that git knows or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return [path for name in names if name and (path := ROOT / name).is_file()]


def test_templates_and_tests_stand_in_the_rooms_of_what_they_belong_to() -> None:
    rooms = {path.name for path in (ROOT / "app").iterdir() if path.is_dir()} | {"engine", "mail"}
    for top, beside in (("templates", set[str]()), ("tests", BESIDE)):
        found = {path.relative_to(ROOT).parts[1] for path in files() if path.is_relative_to(ROOT / top)}
        assert {name for name in found if (ROOT / top / name).is_dir()} - rooms - beside == set()
    told = (ROOT / "tests/README.md").read_text()
    assert [name for name in sorted(BESIDE) if f"`{name}/`" not in told] == []


def test_each_file_can_be_read_in_one_sitting() -> None:
    written = (path for path in files() if path.suffix in (".py", ".html", ".txt", ".js", ".css", ".sh"))
    own = (path for path in written if not {"vendor", "snapshots", "heard"} & set(path.parts))
    long = {str(path.relative_to(ROOT)): count for path in own if (count := lines(path)) > LONGEST}
    assert set(long) == OF_ONE_MOVE, long


def lines(path: Path) -> int:
    """Return the lines of a file."""
    return path.read_bytes().count(b"\n")
