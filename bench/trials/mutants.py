"""Faults planted one at a time in a copy of the tree: tests that stay green with one of them miss something.

    python -m bench.trials.mutants [NAMES]

Without names all of `planted`. Exit code 1 where a fault is not caught, or its old text no longer occurs just once.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from importlib.util import cache_from_source
from pathlib import Path
from queue import Queue

from bench.trials.planted import FAULTS, Fault
from tests.support import in_memory
from tests.support.running import ROOT

COPIED = ("app", "engine", "migrations", "templates", "tests", "bench", "docs", "deploy", "pyproject.toml", "babel.cfg")
CAUGHT, NOT_CAUGHT, DOES_NOT_FIT = "caught", "NOT CAUGHT", "DOES NOT FIT"


@contextmanager
def copy_of_tree() -> Iterator[Path]:
    """A copy in memory that Python imports instead of this tree."""
    with tempfile.TemporaryDirectory(prefix="mutants", dir=in_memory.folder()) as made:
        copy = Path(made)
        for name in COPIED:
            source = ROOT / name
            shutil.copytree(source, copy / name) if source.is_dir() else shutil.copy2(source, copy)
        (copy / ".venv").symlink_to(ROOT / ".venv")
        code = "import app, engine; print(app.__file__, engine.__file__)"
        found = subprocess.run(
            [sys.executable, "-c", code], cwd=copy, env=_environ(copy), capture_output=True, text=True
        )
        assert all(file.startswith(str(copy)) for file in found.stdout.split()) and found.stdout, found
        yield copy


def _environ(copy: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(copy)}


def try_fault(copy: Path, fault: Fault) -> str:
    """Plant a fault, run its tests, and take it out again."""
    file = copy / fault.file
    sound = file.read_text(encoding="utf-8")
    if sound.count(fault.old) != 1:
        return DOES_NOT_FIT
    try:
        _write(file, sound.replace(fault.old, fault.new))
        line = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *fault.tests]
        ended = subprocess.run(line, cwd=copy, env=_environ(copy), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    finally:
        _write(file, sound)
    # 1: tests failed, 2: a file could not even be imported. Any other code says that nothing was tested.
    assert ended.returncode in (0, 1, 2), f"{fault.name}: pytest ended with {ended.returncode}"
    return NOT_CAUGHT if ended.returncode == 0 else CAUGHT


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    # Written twice within a second in the same length, it would be taken for what was compiled before.
    Path(cache_from_source(str(file))).unlink(missing_ok=True)


def main() -> int:
    """Try faults, one on each processor; 1 where one is not caught."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of names; all faults without any")
    names = parser.parse_args().names
    faults = [fault for fault in FAULTS if not names or any(name in fault.name for name in names)]
    copies: Queue[Path] = Queue()

    def tried(fault: Fault) -> str:
        copy, began = copies.get(), time.monotonic()
        try:
            found = try_fault(copy, fault)
        finally:
            copies.put(copy)
        print(f"{found}: {fault.name} ({time.monotonic() - began:.0f} s)", flush=True)
        return found

    with ExitStack() as open_copies, ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in range(os.cpu_count() or 1):
            copies.put(open_copies.enter_context(copy_of_tree()))
        found = list(pool.map(tried, faults))
    print(f"{found.count(CAUGHT)} of {len(faults)} are caught")
    return int(found.count(CAUGHT) < len(faults))


if __name__ == "__main__":
    sys.exit(main())
