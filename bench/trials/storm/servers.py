"""The processes of a server, each restarted when it has ended, as a supervisor does."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.support import fresh
from tests.support.running import Install

AGAIN_AFTER_SECONDS = 0.3
ENDLESS = resource.RLIM_INFINITY


@dataclass
class Log:
    """The output of all processes, read from a pipe, so that it continues while their disk is full."""

    path: Path
    counts: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def follow(self, name: str, process: subprocess.Popen[bytes]) -> None:
        """Record the output of a process until it has ended."""
        assert process.stdout is not None
        with process.stdout as said:
            for raw in said:
                line = raw.decode(errors="replace")
                with self._lock, self.path.open("a", encoding="utf-8") as file:
                    file.write(f"{name}: {line}")
                    self.counts["lines"] += 1
                    self.counts["tracebacks"] += line.startswith("Traceback")


class Kept:
    """`postroad serve ...`, kept running until `end`."""

    def __init__(self, name: str, install: Install, log: Log, *words: str) -> None:
        self.name, self.install, self.log = name, install, log
        port = [] if "worker" in words else ["--port", str(install.port)]
        self._line = [*install.program, "serve", *words, *port]
        self._is_over = threading.Event()
        self.pid_file = install.folder / f"{name}.pid"
        self.starts = 0
        self.process = self._start()
        self._thread = threading.Thread(target=self._keep, name=name, daemon=True)
        self._thread.start()

    def _start(self) -> subprocess.Popen[bytes]:
        self.starts += 1
        process = fresh.start(
            self._line, env=self.install.environ, cwd=self.install.folder, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        self.pid_file.write_text(str(process.pid))
        threading.Thread(target=self.log.follow, args=(self.name, process), daemon=True).start()
        return process

    def _keep(self) -> None:
        while not self._is_over.is_set():
            if self.process.poll() is not None:
                self._is_over.wait(AGAIN_AFTER_SECONDS)
                if not self._is_over.is_set():
                    self.process = self._start()
            time.sleep(0.05)

    @property
    def is_web(self) -> bool:
        return "worker" not in self._line

    def pids(self) -> list[int]:
        """Return the first process and those that it has forked; empty when it has ended."""
        if self.process.poll() is not None:
            return []
        asked = subprocess.run(["ps", "-o", "pid=", "-g", str(self.process.pid)], capture_output=True, text=True)
        return [int(pid) for pid in asked.stdout.split()]

    def kill_all(self) -> None:
        """Send SIGKILL to the process and those that it has forked."""
        if self.process.poll() is None:  # its number may belong to another process by now
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def kill_one(self) -> None:
        """Send SIGKILL to a process that serves pages, which the first one restarts."""
        if self.process.poll() is not None:
            return
        forked = [pid for pid in self.pids() if pid != self.process.pid]
        with suppress(ProcessLookupError):
            os.kill(forked[0] if forked else self.process.pid, signal.SIGKILL)

    def tell_to_end(self) -> None:
        """Send SIGTERM to the first process, which ends the others."""
        with suppress(ProcessLookupError):
            self.process.terminate()

    def limit(self, size: int) -> None:
        """Limit the size of files its processes write: a full disk for them."""
        for pid in self.pids():
            with suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, ENDLESS))

    def wait(self, seconds: float = 60) -> None:
        """Wait until pages are answered, healthy or not."""
        end = time.monotonic() + seconds
        while self.is_web:
            try:
                return urllib.request.urlopen(f"http://127.0.0.1:{self.install.port}/health", timeout=5).close()
            except urllib.error.HTTPError as error:
                return error.close()
            except OSError:
                assert time.monotonic() < end, f"{self.name} does not answer"
                time.sleep(0.05)

    def end(self) -> None:
        """End it permanently."""
        self._is_over.set()
        self._thread.join(10)
        self.tell_to_end()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill_all()
            self.process.wait(10)
