"""A server of an earlier release, upgraded by the documents' lines for a wheel, and back again.

    python -m bench.trials.from_release [COMMIT]

COMMIT is that of 1.0.0 unless given. Both versions are built, and installed one after the other into one environment
(pip needs its index). The earlier one serves and begins a game; the new one migrates, serves and replays it; the
earlier one goes on with the copy of before, and then with its backup. A new one without room for the copy starts not
and changes nothing. Exits with 1 if a step fails.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from bench.trials.machine import lines
from tests.support.running import ROOT, Install

RELEASED = "cc13060c"
GAME = ("game", "new", "acres", "--seat", "british=anna@club.example", "--seat", "french=bob@club.example")


def sh(folder: Path, line: str) -> str:
    """Run a line in a folder; return what it prints. Raises CalledProcessError."""
    done = subprocess.run(["bash", "-ec", line], cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def built(folder: Path, commit: str) -> None:
    """Make the files of both versions, in the folders `old` and `new`, and an environment."""
    sh(folder, "python3 -m venv env; python3 -m venv build; build/bin/pip install -q hatchling; mkdir old src")
    sh(ROOT, f"git archive {commit} | tar -x -C {folder / 'src'}")
    sh(folder / "src", "../build/bin/python -m hatchling build -t wheel -d ../old; cp requirements.lock ../old")
    sh(ROOT, f"deploy/wheels.sh {folder / 'new'}")


def installed(folder: Path, version: str) -> None:
    """Put a version into the environment, by the two lines of the document."""
    wanted = [line for line in lines("operators.md", "From a wheel").splitlines() if "pip install" in line]
    for line in wanted:
        line = line.replace("/srv/postroad/env", str(folder / "env")).replace("postroad-VERSION-", "postroad-*-")
        sh(folder / version, line.replace("--no-deps", "--force-reinstall --no-deps"))


def serves(install: Install) -> str:
    """Serve, stop, and replay the game; return what the check of the database says."""
    with install.serving():
        pass
    install.command("game", "verify", "1")
    return install.command("db", "check")


def main() -> int:
    """The command."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        built(folder, (sys.argv[1:] or [RELEASED])[0])
        install, data = Install(folder), folder / "var"
        install.program = (str(folder / "env/bin/postroad"),)
        del install.environ["PYTHONPATH"]
        installed(folder, "old")
        install.command(*GAME)
        before = serves(install)
        install.command("backup", "before.zip")
        installed(folder, "new")
        full = f"ulimit -f 8; {folder}/env/bin/postroad db upgrade"
        assert subprocess.run(["bash", "-c", full], cwd=folder, env=install.environ, check=False).returncode == 1
        print("upgraded:", serves(install))
        installed(folder, "old")
        sh(data, "rm -f postroad.db-wal postroad.db-shm; mv postroad.db.at-* postroad.db")
        assert serves(install) == before
        sh(data, "rm postroad.db*")
        install.command("restore", "--jump", "0", "before.zip")
        assert serves(install) == before
        print("and back:", before)
    return 0


if __name__ == "__main__":
    sys.exit(main())
