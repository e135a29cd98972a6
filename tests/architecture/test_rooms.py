"""That a newcomer can live here: every folder says what it is and what it must not know, and every file is short."""

from __future__ import annotations

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.graph import ROOT

LONGEST = 500
"""Lines of a file that can be read in one sitting."""
OF_ONE_MOVE = {"migrations/versions/0001_schema.py"}
"""Longer, and never read but as one table: the whole schema before the first release."""
PROMISE = re.compile(r"\bmust not \w+|\bknows? (no|nothing|only)\b|\bpure\b|\bno server, no database\b", re.IGNORECASE)
BESIDE = {"architecture", "browser", "ferry", "migrations", "records", "support", "vendor", "whole"}
"""Folders of tests that are no room; `tests/README.md` gives the reason for each."""


@cache
def files() -> list[Path]:
    """All files of the project that git knows or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return [path for name in names if name and (path := ROOT / name).is_file()]


def says(folder: Path) -> str:
    """What a folder says of itself, in the docstring of its package or in its README."""
    package, readme = folder / "__init__.py", folder / "README.md"
    if package.exists():
        return ast.get_docstring(ast.parse(package.read_text())) or ""
    return readme.read_text() if readme.exists() else ""


def is_silent(folder: Path) -> bool:
    """Whether a folder does not say what it must not know."""
    return not PROMISE.search(" ".join(says(folder).split()))


def test_each_package_and_each_folder_at_the_top_says_what_it_is_and_what_it_must_not_know() -> None:
    folders = {path.parent for path in files() if path.name == "__init__.py" and path.is_relative_to(ROOT / "app")}
    folders |= {path.parent for path in files() if path.name == "__init__.py" and path.is_relative_to(ROOT / "engine")}
    folders |= {ROOT / path.relative_to(ROOT).parts[0] for path in files() if path.parent != ROOT} - {ROOT / ".ci"}
    assert [str(folder.relative_to(ROOT)) for folder in sorted(folders) if is_silent(folder)] == []


@pytest.mark.parametrize(("sentence", "silent"), [
    ('"""The pages of a game."""', True),
    ('"""Knows best."""', True),
    ('"""The pages of a game. Must not know a rule."""', False),
    ('"""Time, computed. Knows no page."""', False),
])  # fmt: skip
def test_a_folder_that_says_nothing_is_found(tmp_path: Path, sentence: str, silent: bool) -> None:
    (tmp_path / "__init__.py").write_text(sentence)
    assert is_silent(tmp_path) is silent


def test_templates_and_tests_stand_in_the_rooms_of_what_they_belong_to() -> None:
    rooms = {path.name for path in (ROOT / "app").iterdir() if path.is_dir()} | {"engine", "mail"}
    for top, beside in (("templates", set[str]()), ("tests", BESIDE)):
        found = {path.relative_to(ROOT).parts[1] for path in files() if path.is_relative_to(ROOT / top)}
        assert {name for name in found if (ROOT / top / name).is_dir()} - rooms - beside == set()
    told = (ROOT / "tests/README.md").read_text()
    assert [name for name in sorted(BESIDE) if f"`{name}/`" not in told] == []


def test_each_file_can_be_read_in_one_sitting() -> None:
    written = (path for path in files() if path.suffix in (".py", ".html", ".txt", ".js", ".css", ".sh"))
    own = (path for path in written if not {"vendor", "snapshots"} & set(path.parts))
    long = {str(path.relative_to(ROOT)): count for path in own if (count := lines(path)) > LONGEST}
    assert set(long) == OF_ONE_MOVE, long


def lines(path: Path) -> int:
    """Lines of a file."""
    return path.read_bytes().count(b"\n")
