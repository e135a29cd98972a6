"""`docs/recipes.md` is true: a copy of the program is changed as it says, and nothing else; what came of it works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.running import ROOT

RECIPES = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+) (\S+)\n(.*?)^```$", re.S | re.M)
TRIED = Path(__file__).parent / "tried.py"
COPIED = ("app", "engine", "migrations", "templates", "tests", "pyproject.toml", "docs")
MOST_FILES, MOST_WORDS = 3, 750


def parts() -> dict[str, list[tuple[str, str, str]]]:
    """The blocks of each recipe by its heading: their language, file and text."""
    found = (part.partition("\n") for part in RECIPES.split("\n## ")[1:])
    return {heading: BLOCK.findall(text) for heading, _, text in found}


def write(folder: Path, language: str, name: str, text: str) -> None:
    """Do what a block says: make a file, add to the end of one, or change lines (`diff`)."""
    file = folder / name
    if language == "diff":
        lines = [(line[:1], line[1:]) for line in text.splitlines(keepends=True)]
        old, new = ("".join(line for sign, line in lines if sign in signs) for signs in (" -", " +"))
        before = file.read_text(encoding="utf-8")
        assert before.count(old) == 1, f"{name} does not have these lines once:\n{old}"
        file.write_text(before.replace(old, new), encoding="utf-8")
    elif file.exists():
        file.write_text(f"{file.read_text(encoding='utf-8')}\n\n{text}", encoding="utf-8")
    else:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")


def test_a_recipe_is_short() -> None:
    recipes = parts()
    assert list(recipes) == ["A mail", "A job", "A page for organisers", "A tie-break", "A term"]
    for heading, blocks in recipes.items():
        files = {name for _, name, _ in blocks if not name.startswith("templates/")}
        assert 0 < len(files) <= MOST_FILES, (heading, files)
    assert len(RECIPES.split()) <= MOST_WORDS


def test_what_the_recipes_add_works(tmp_path: Path) -> None:
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    shutil.copy(TRIED, tmp_path / "tests" / "test_tried.py")
    for blocks in parts().values():
        for block in blocks:
            write(tmp_path, *block)
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_tried.py"]
    environ = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(line, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert "5 passed" in done.stdout, done.stdout + done.stderr
