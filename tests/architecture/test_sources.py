"""What no file of the project may name, and what tests may share."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.graph import ROOT, imports, modules, under

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
    """Return path and text of every file that git tracks; test data that is not text is skipped."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    texts = [(path, path.read_bytes()) for path in paths if path.is_file()]
    return [(str(path.relative_to(ROOT)), data.decode("utf-8")) for path, data in texts if b"\0" not in data]


@pytest.mark.slow
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
def test_a_lock_file_holds_nothing_but_pins_with_their_hashes(name: str) -> None:
    pins = _pins(name)
    assert pins and not any("://" in pin for pin in pins)
    pin = re.compile(r"[a-z0-9-]+==[\w.]+( ; .+?)?( --hash=sha256:[0-9a-f]{64})+")
    assert [one for one in pins if not pin.fullmatch(one)] == []


def test_the_test_lock_holds_every_pin_of_the_runtime_lock() -> None:
    """Otherwise the tests would try another version than the one that runs."""
    assert set(_pins("requirements.lock")) <= set(_pins("requirements-test.lock"))


def _pins(name: str) -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.sub(r" \\\n +", " ", text).splitlines()


def test_numbers_of_requests_are_read_in_one_way() -> None:
    """A number that is too large for a row, or written in other digits, causes an error in the database or in Python if
    code reads it in another way: `app.base.words.numbers.whole` and `<number:...>` refuse it.
    """
    own_ways = re.compile(r"<int:|\.is(?:digit|decimal|numeric)\(")
    found = [
        f"{path.name}:{line}"
        for path in _pages()
        for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if own_ways.search(text)
    ]
    assert found == []
    routes = [rule for rule in _routes() if "<" in rule]
    assert len(routes) > 60 and sum("<number:" in rule for rule in routes) > 60


def _pages() -> list[Path]:
    """Return the modules that read requests."""
    return [path for path in sorted((ROOT / "app").rglob("*.py")) if "flask" in path.read_text(encoding="utf-8")]


def _routes() -> Iterator[str]:
    """Return the addresses in the sources of the pages."""
    for path in _pages():
        yield from re.findall(r'"(/[^" ]*)"', path.read_text(encoding="utf-8"))


SHARED_BY_TESTS = ("tests.support", "tests.architecture.graph")


def leans_on_a_test(source: str, module: str) -> list[str]:
    """Return what a test imports from other tests that is not shared."""
    named = [found.name for found in imports(source, module) if under(found.name, "tests")]
    return [name for name in named if not under(name, *SHARED_BY_TESTS)]


@pytest.mark.slow
def test_tests_share_what_stands_in_support_and_nothing_else() -> None:
    found = modules(ROOT, "tests")
    leaning = {name: leans_on_a_test(module.source, name) for name, module in found.items()}
    assert {name: names for name, names in leaning.items() if names} == {}


@pytest.mark.parametrize("line", [
    "from tests.play.test_turns import line", "import tests.play.test_turns", "from tests.play import test_turns",
    "from .test_turns import line", "def later():\n    from tests.web.conftest import place",
])  # fmt: skip
def test_a_test_that_leans_on_another_one_is_caught(line: str) -> None:
    assert leans_on_a_test(line, "tests.play.test_takeback")


@pytest.mark.parametrize("line", ["from tests.support.tables import NOW", "from tests.support import served"])
def test_what_tests_share_is_left_alone(line: str) -> None:
    assert leans_on_a_test(line, "tests.play.test_takeback") == []


def test_no_two_modules_of_support_have_nearly_the_same_name() -> None:
    names = {path.stem.rstrip("s") for path in (ROOT / "tests" / "support").glob("*.py")}
    assert len(names) == len(list((ROOT / "tests" / "support").glob("*.py")))
