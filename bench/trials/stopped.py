"""Whether each process of a server ends that is told to stop in its first moments, while the machine is busy.

    python -m bench.trials.stopped [--moments 1000] [--role ROLE ...]

Two loops keep the processors busy. Prints for each role how many ran on; ends with 1 if one did.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support import fresh
from tests.support.afterwards import killed_with_us
from tests.support.running import ROOT, Install

ROLES = {
    "web": ("serve", "--role", "web"),
    "worker": ("serve", "--role", "worker"),
    "all": ("serve",),
    "mail": ("mail", "serve"),
    "think": ("think",),
}
FIRST_SECONDS = 1.2
ENDS_WITHIN = 30.0
"""Seconds; on a busy machine they take a few."""


@contextmanager
def busy(loops: int = 2) -> Iterator[None]:
    """Keep processors busy until the end of the block."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()


def ran_on(install: Install, role: str, after: float) -> bool:
    """Start a role, tell its first process to stop after so many seconds; return whether it runs on."""
    words = [*ROLES[role], *(("--port", str(install.port)) if role in ("web", "all") else ())]
    with (install.folder / "log").open("ab") as log:
        line = [*install.program, *words]
        process = fresh.start(line, env=install.environ, cwd=ROOT, stdout=log, stderr=log, start_new_session=True)
    with killed_with_us(process.pid):
        time.sleep(after)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return True
    return False


def tried(folder: Path, role: str, moments: int, seed: int = 1) -> int:
    """Return how many of so many processes of a role ran on; the moments are spread over the first second."""
    install = Install(folder, LMTP=str(folder / "lmtp"), MAIL_FROM="post@example.org", THINKERS="1")
    install.command("player", "list")  # makes the database and the key
    chooser = random.Random(seed)
    return sum(ran_on(install, role, chooser.random() * FIRST_SECONDS) for _ in range(moments))


def main() -> int:
    """Print how many ran on; return 1 if one did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=1000, help="for each role")
    parser.add_argument("--role", action="append", choices=sorted(ROLES))
    given = parser.parse_args()
    found: Counter[str] = Counter()
    with busy(), tempfile.TemporaryDirectory() as folder:
        for role in given.role or ROLES:
            place = Path(folder) / role
            place.mkdir()
            found[role] = tried(place, role, given.moments)
            print(f"{role}: {found[role]} of {given.moments} ran on", flush=True)
    return 1 if found.total() else 0


if __name__ == "__main__":
    sys.exit(main())
