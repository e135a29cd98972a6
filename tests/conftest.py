"""What holds for every test: which of them run, and how patient Hypothesis is."""

from __future__ import annotations

import gc
import hashlib
import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import hypothesis
import pytest
from flask import Flask
from jinja2 import StrictUndefined

from app.base.process.lent import STRICT
from app.games import seeds
from app.server import registry
from app.titles.new_world import shelf
from tests.support import in_memory, shared, slow
from tests.support.tools import MAY_BE_MISSING, missing_groups

_PLUGINS = ("databases", "tables", "people", "world", "listener", "name_server", "chromium")
pytest_plugins = [f"tests.support.{name}" for name in _PLUGINS]

# A deadline per example would fail on a busy machine, not on a slow program. The same examples at every run: what fails
# once fails again. `pytest --hypothesis-profile=search` looks for others.
hypothesis.settings.register_profile("postroad", deadline=None, derandomize=True, max_examples=40)
hypothesis.settings.register_profile("search", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("postroad")


os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", in_memory.folder())  # where pytest makes its folders
os.environ[STRICT] = "1"
os.environ.setdefault("POSTROAD_SEEDS", "1024")  # a million take each command on a new database seconds
shared.share()
registry.register()  # as every server does when it starts

PURE = [
    Path(__file__).parent / folder for folder in ("architecture", "clocks", "engine", "leagues/pure", "titles/drawing")
]
"""Folders of tests without a database or a server."""


@pytest.fixture(autouse=True)
def _strict_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that a template reads and no view gives is empty on a server, and an error in tests: templates are not
    typed, and nothing else finds it."""
    monkeypatch.setattr(Flask, "jinja_options", {**Flask.jinja_options, "undefined": StrictUndefined})


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="in half a minute: what is pure, and what is marked `quick`")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Tests run on all processors, one process more than there are: a third of the time goes by waiting for servers,
    browsers and databases (not with `--quick`). Named files run in this process, and `-n` says otherwise.

    A file stays in one process, so that what its tests share is made once; the slowest begin first.
    """
    option = config.option
    if hasattr(config, "workerinput"):
        return  # a worker that asked for workers of its own would never end
    named = all(arg.partition("::")[0].endswith(".py") for arg in config.args)
    if option.numprocesses is None and not (named or option.usepdb or option.capture == "no"):
        option.numprocesses = (os.cpu_count() or 1) + (not option.quick)
    if option.numprocesses and option.dist == "no":
        option.dist = "loadfile"
        option.loadscopereorder = False


def pytest_collection(session: pytest.Session) -> None:
    """Of several processes each imports the files from another one on: pytest keeps what it makes of their assertions,
    and in a new checkout the others find it there instead of making all of it, too."""
    config, worker = session.config, os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    if config.args_source is config.ArgsSource.TESTPATHS and not config.option.quick and worker != "gw0":
        files = sorted(slow.TESTS.rglob("test_*.py"))
        first = len(files) * int(worker[2:]) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        for path in files[first:] + files[:first]:
            with suppress(Exception):  # told when it is collected
                import_module(".".join(path.relative_to(slow.TESTS.parent).with_suffix("").parts))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import files without a quick test."""
    if not config.option.quick or collection_path.suffix != ".py" or is_pure(collection_path):
        return None
    return "@pytest.mark.quick" not in collection_path.read_text(encoding="utf-8") or None


def is_pure(path: Path) -> bool:
    """Whether a test needs neither a database nor a server."""
    return any(path.is_relative_to(folder) for folder in PURE)


def is_quick(item: pytest.Item) -> bool:
    """Whether `--quick` runs a test: all that is pure and not `slow`, elsewhere what is marked `quick`, on SQLite."""
    if any(map(item.get_closest_marker, ("slow", "browser", "postgres"))):
        return False
    return is_pure(item.path) or item.get_closest_marker("quick") is not None


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to start when everything is required and something is missing."""
    missing = {group: reason for group, reason in missing_groups().items() if group not in MAY_BE_MISSING}
    if missing and os.environ.get("POSTROAD_REQUIRE_ALL") == "1":
        reasons = "; ".join(f"{group} tests: {reason}" for group, reason in missing.items())
        raise pytest.UsageError(f"POSTROAD_REQUIRE_ALL=1, but some tests cannot run here: {reasons}.")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of a missing program, which the summary tells, and with `--quick` those that take long."""
    missing = missing_groups()
    left_out = {
        item
        for item in items
        if any(map(item.get_closest_marker, missing)) or (config.option.quick and not is_quick(item))
    }
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    places = {name: place for place, name in enumerate(slow.SLOWEST)}
    items.sort(key=lambda item: places.get(str(item.path.relative_to(slow.TESTS)), len(places)))


def pytest_collection_finish() -> None:
    """What stands now stays to the end: modules, and thousands of tests. Looking through it again and again for what
    can be thrown away took a good part of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the groups left out just above the closing line."""
    missing = missing_groups()
    if missing:
        terminalreporter.section("left out", sep="-")
    for group, reason in missing.items():
        terminalreporter.write_line(f"{group} tests: {reason}")
    slow.tell(terminalreporter)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """The games of a test have the same chance at every run, so that nothing fails by a rare draw and then never again.

    Servers that a test starts as processes of their own keep their secret chance.
    """
    shelf.keep_in(None)  # the database of the last test that had one is gone
    made = iter(range(1_000_000))
    seeds.make_trees_of(512)
    seeds.new_secret = lambda: hashlib.sha256(f"{item.nodeid} {next(made)}".encode()).digest()
