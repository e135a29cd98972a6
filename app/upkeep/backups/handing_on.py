"""After a scheduled backup: each week it comes back on trial, then it is encrypted and handed on, as set."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from app.base.process import env_file, private
from app.base.process.settings import PREFIX

SECONDS = 3600
"""How long a trial or a command may take."""


class Failed(Exception):
    """A backup that does not come back, or was not taken; says why in one line, for operators."""


def try_out(path: Path) -> None:
    """Restore a backup into a database that is then deleted, replaying every game. Raises Failed."""
    for left in path.parent.glob(".trial-*"):  # of a process that was killed: it has every hand in it
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=".trial-", dir=path.parent) as folder:
        own = {f"{PREFIX}DATA": folder, env_file.NAMED: os.devnull}
        line = [sys.executable, "-m", "app.server.cli", "restore", str(path), "--jump", "0"]
        _run("it does not come back", ["nice", *line], {**_foreign(), **own}, Path(folder))


def encrypt(path: Path, recipient: str) -> Path:
    """Replace a backup by one that only the holder of an age identity can read (age-encryption.org/v1); return it."""
    import pyrage  # type: ignore[import-untyped]  # noqa: PLC0415  three megabytes that most servers never need

    sealed = path.with_name(path.name + ".age")
    with path.open("rb") as plain, private.replaced(sealed) as file:
        pyrage.encrypt_io(plain, file, [pyrage.x25519.Recipient.from_str(recipient)])
    path.unlink()
    return sealed


def hand_on(path: Path, command: str) -> None:
    """Run the operator's command with the backup in the place of `{}`, or as its last argument; it sees none of our
    settings. Raises Failed."""
    line = shlex.split(command)
    line = [str(path) if word == "{}" else word for word in (line if "{}" in line else [*line, "{}"])]
    _run("the command failed", line, _foreign(), path.parent)


def _foreign() -> dict[str, str]:
    """The environment without our settings and PostgreSQL's, such as its password."""
    return {name: value for name, value in os.environ.items() if not name.startswith((PREFIX, "PG"))}


def _run(failing: str, line: list[str], environ: Mapping[str, str], folder: Path) -> None:
    try:
        done = subprocess.run(
            line, env=environ, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(f"{failing}: {error}") from None
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
        raise Failed(f"{failing} with {done.returncode}" + (f": {said[-1]}" if said else ""))
