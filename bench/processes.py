"""Servers in separate processes: started, measured, stopped."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"
MIB = 1024 * 1024


@dataclass(frozen=True)
class Load:
    """The result of one run of the load generator."""

    cpu: float
    """Seconds of the server's CPU for each request."""
    slow: float
    """The 99th percentile of the seconds that an answer took."""
    rate: float
    """Answers a second."""


class ServerProcess:
    """A gunicorn with one worker."""

    def __init__(self, port: int, process: subprocess.Popen[bytes]) -> None:
        self.port = port
        self.process = process

    def pids(self) -> list[int]:
        """Return the master and its workers."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [self.process.pid, *map(int, children)]

    def cpu(self) -> float:
        """Return the CPU seconds used so far, user and system, all threads."""
        # The clock of another process, as clock_getcpuclockid(3) gives it: /proc counts in hundredths only.
        return sum(time.clock_gettime((~pid << 3) | 2) for pid in self.pids())

    def pss(self) -> float:
        """Return MiB of the worker: its own memory and its share of common memory."""
        rollup = Path(f"/proc/{self.pids()[-1]}/smaps_rollup").read_text()
        return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) * 1024 / MIB

    def drive(self, requests: Sequence[Any], clients: int = 8, seconds: float = 20) -> Load:
        """Send requests from a separate process."""
        return self._drive({"clients": clients, "seconds": seconds, "requests": list(requests)})[0]

    def drive_at(self, requests: Sequence[Any], moments: Sequence[float]) -> tuple[Load, list[float], int]:
        """Send each request at its moment, in seconds from now.

        Also returns how long each answer took from its moment, sorted, and how many got none.
        """
        load, told = self._drive({"requests": list(requests), "moments": list(moments)})
        return load, told["took"], told["lost"]

    def _drive(self, job: dict[str, Any]) -> tuple[Load, dict[str, Any]]:
        before = self.cpu()
        command = [sys.executable, "-S", "-E", str(BENCH / "load.py")]
        words = json.dumps(job | {"port": self.port})
        done = subprocess.run(command, input=words, capture_output=True, text=True, check=False)
        after = self.cpu()
        if done.returncode:
            raise SystemExit(f"The load generator failed:\n{done.stderr}")
        told = json.loads(done.stdout)
        took = told["took"] = sorted(told["took"])
        return Load((after - before) / len(took), took[int(len(took) * 0.99)], len(took) / told["seconds"]), told


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def serving(command: Sequence[str], port: int, folder: Path, environ: dict[str, str]) -> Iterator[ServerProcess]:
    """Run a server that answers, until the end of the block."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("POSTROAD_")}
    log = (folder / f"{port}.log").open("wb")
    process = subprocess.Popen(
        [sys.executable, *command], cwd=folder, env=kept | {"PYTHONPATH": str(ROOT)} | environ, stdout=log, stderr=log,
        start_new_session=True,
    )  # fmt: skip
    try:
        end = time.monotonic() + 120
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > end:
                    raise SystemExit((folder / f"{port}.log").read_text()) from None
                time.sleep(0.05)
        time.sleep(0.5)
        yield ServerProcess(port, process)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)
        log.close()
