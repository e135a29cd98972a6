"""Who may import whom, read from the sources; and what no file of the project may name."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# The engine gets chance, time and files from outside, so these parts of the standard library stay out too.
CLOCK_AND_ENTROPY = {"random", "secrets", "time", "datetime", "uuid", "os", "socket"}
STANDARD = set(sys.stdlib_module_names) - CLOCK_AND_ENTROPY
TITLES = {"engine.acres", "engine.new_world"} | {
    f"engine.{path.parent.name}" for path in (ROOT / "engine").glob("*/__init__.py") if path.parent.name != "kernel"
}
# Ways to import that the eye of this test cannot follow.
HIDDEN_IMPORTS = {"__import__", "import_module"}


def imports(source: str, module: str, *, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """Line and full name of everything a module imports, at its top or inside a function.

    `from engine.kernel import text` gives `engine.kernel.text`, since it may be a module.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = module.split(".")
            package = package[: len(package) + is_package - node.level] if node.level else []
            base = ".".join([*package, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in HIDDEN_IMPORTS:
                yield node.lineno, name


def under(name: str, *packages: str) -> bool:
    """Whether a full name is one of the packages or lies in one."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def may_import(module: str, name: str) -> bool:
    """Whether `module` may import `name`."""
    if under(module, "engine"):
        if under(module, "engine.kernel"):
            return under(name, "engine.kernel", *STANDARD)
        own = ".".join(module.split(".")[:2])
        if own in TITLES:
            return under(name, "engine.kernel", own, *STANDARD)
        return under(name, "engine", *STANDARD)  # a module beside the titles, such as a list of them
    if under(module, "app.leagues"):
        return under(name, "app.leagues", "engine.kernel.text", "engine.kernel.refusals", "openskill", *STANDARD)
    if under(module, "app.models"):
        return not under(name, "app.services", "app.web", "app.mail", "app.store", "app.work", "app.cli")
    if under(module, "app.services"):
        return not under(name, "app.web", "app.cli", "flask")
    return not under(name, "tests", "bench")


def breaches(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """The imports of a module that it may not have, as `module:line name`."""
    found = imports(source, module, is_package=is_package)
    return [f"{module}:{line} {name}" for line, name in found if not may_import(module, name)]


def modules() -> list[tuple[str, Path]]:
    paths = [path for folder in ("engine", "app") for path in sorted((ROOT / folder).rglob("*.py"))]
    return [(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"), path) for path in paths]


def test_no_module_reaches_across_a_boundary() -> None:
    read = [
        breach
        for module, path in modules()
        if module != "app.cli"  # it loads commands by name; the names are checked below
        for breach in breaches(path.read_text(encoding="utf-8"), module, is_package=path.name == "__init__.py")
        if under(module, "engine") or breach.split()[-1] not in HIDDEN_IMPORTS
    ]
    assert read == []


def test_the_sources_are_really_read() -> None:
    read = {name for module, path in modules() for _, name in imports(path.read_text(encoding="utf-8"), module)}
    assert {"click", "babel.support.Translations"} <= read


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("engine.kernel.replay", "import flask"),
        ("engine.kernel.replay", "from sqlmodel import Session"),
        ("engine.kernel.replay", "from sqlalchemy.orm import Session"),
        ("engine.kernel.replay", "import random"),
        ("engine.kernel.replay", "from random import shuffle"),
        ("engine.kernel.replay", "import os.path"),
        ("engine.kernel.replay", "from datetime import UTC"),
        ("engine.kernel.replay", "from engine import acres"),
        ("engine.kernel.replay", "from engine.acres import rules"),
        ("engine.kernel.replay", "from ..acres import rules"),
        ("engine.kernel.replay", "def late():\n    import secrets"),
        ("engine.kernel.replay", "__import__('time')"),
        ("engine.acres.rules", "import engine.new_world.rules"),
        ("engine.acres.rules", "from ..new_world.rules import play"),
        ("engine.acres.rules", "from .. import new_world"),
        ("engine.acres.rules", "from app.store import Store"),
        ("engine.acres.rules", "import importlib\nimportlib.import_module('uuid')"),
        ("engine.new_world.rules", "from engine import acres"),
        ("engine.new_world.rules", "import socket"),
        ("engine.titles", "import app"),
        ("app.models.games", "from app.services import turns"),
        ("app.models.games", "from ..web import pages"),
        ("app.services.turns", "from app.web.pages import page"),
        ("app.leagues.swiss", "import random"),
        ("app.leagues.swiss", "from app.models.tables import Table"),
        ("app.leagues.swiss", "from engine.kernel.chance import Chance"),
        ("app.web.pages", "from tests.support import tools"),
    ],
)
def test_a_bad_import_is_caught(module: str, line: str) -> None:
    assert breaches(line, module) != []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("engine.kernel.replay", "from collections import deque"),
        ("engine.kernel.replay", "from . import text\nfrom .text import Text"),
        (
            "engine.acres.rules",
            "from engine.kernel.text import Text\nfrom .state import State\nfrom engine.kernel import x",
        ),
        ("engine.new_world.rules", "from ..kernel.chance import Chance\nfrom . import state"),
        ("engine.titles", "from engine import acres, new_world"),
        ("app.services.turns", "from engine.acres import rules\nfrom app.store import Store"),
        ("app.models.games", "from sqlmodel import SQLModel\nimport datetime"),
        ("app.web.pages", "from flask import Blueprint\nfrom app.services import turns"),
        (
            "app.leagues.swiss",
            "from .why import Reason\nfrom fractions import Fraction\nfrom engine.kernel.text import N_",
        ),
    ],
)
def test_a_good_import_is_left_alone(module: str, line: str) -> None:
    assert breaches(line, module) == []


def test_a_relative_import_in_a_package_counts_from_the_package() -> None:
    assert list(imports("from .text import Text", "engine.kernel", is_package=True)) == [(1, "engine.kernel.text.Text")]
    assert list(imports("from .text import Text", "engine.kernel.title")) == [(1, "engine.kernel.text.Text")]


# Put together here, so that this file does not name them itself.
PRIVATE_NAMES = re.compile(
    "|".join(
        [
            r"(?<![\w./-])/" + r"wor" + r"k/",
            r"files\.python" + r"hosted\.org",
            r"\bpypi\." + r"(?:org|python\.org)",
            r"registry\.npm" + r"js\.org",
            r"registry\.yarn" + r"pkg\.com",
            r"proxy\.golang" + r"\.org",
            r"(?:index|extra-index)-url" + r"\s*=",
        ]
    )
)


def tracked_texts() -> list[tuple[str, str]]:
    """Path and text of every file that git tracks; test data that is not text is passed over."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    texts = [(path, path.read_bytes()) for path in paths if path.is_file()]
    return [(str(path.relative_to(ROOT)), data.decode("utf-8")) for path, data in texts if b"\0" not in data]


def test_no_file_names_a_registry_or_a_folder_of_one_machine() -> None:
    texts = tracked_texts()
    assert "pyproject.toml" in dict(texts)
    assert [(path, match.group()) for path, text in texts for match in PRIVATE_NAMES.finditer(text)] == []


@pytest.mark.parametrize(
    "text", ["https://" + "pypi" + ".org/simple", "cd " + "/".join(["", "work", "main"]), "index-url" + " = x"]
)
def test_a_private_name_is_noticed(text: str) -> None:
    assert PRIVATE_NAMES.search(text)


@pytest.mark.parametrize("text", ["engine/work/notes", "Read the Docs", "app/work/unit.py"])
def test_an_ordinary_name_is_not_a_private_one(text: str) -> None:
    assert not PRIVATE_NAMES.search(text)


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-test.lock"])
def test_a_lock_file_holds_nothing_but_pins(name: str) -> None:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    assert lines and not any("://" in line for line in lines)
    assert [line for line in lines if not re.match(r"[a-z0-9-]+==[\w.]+( ; .+)?$", line)] == []


def test_the_test_lock_holds_every_pin_of_the_runtime_lock() -> None:
    """Otherwise the tests would try another program than the one that runs."""
    runtime = set((ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines())
    assert runtime <= set((ROOT / "requirements-test.lock").read_text(encoding="utf-8").splitlines())


def test_numbers_of_requests_are_read_in_one_way() -> None:
    """A number that is too large for a row, or written in other digits, is an error of the database or of Python where
    somebody reads it in a way of their own: `app.numbers.whole` and `<number:...>` refuse it."""
    own_ways = re.compile(r"<int:|\.is(?:digit|decimal|numeric)\(")
    found = [
        f"{path.name}:{line}"
        for path in sorted((ROOT / "app" / "web").rglob("*.py"))
        for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if own_ways.search(text)
    ]
    assert found == []
    routes = [rule for rule in _routes() if "<" in rule]
    assert len(routes) > 60 and sum("<number:" in rule for rule in routes) > 60


def _routes() -> Iterator[str]:
    """The addresses in the sources of the pages."""
    for path in (ROOT / "app" / "web").rglob("*.py"):
        yield from re.findall(r'"(/[^" ]*)"', path.read_text(encoding="utf-8"))
