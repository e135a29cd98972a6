"""Post Road in separate processes: started and killed by tests, as an operator runs it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.base.process.lent import STRICT
from tests.support import fresh
from tests.support.afterwards import killed_with_us

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Install:
    """A data folder with its settings; commands run in it, servers are started from it."""

    program: tuple[str, ...] = (sys.executable, "-m", "app.server.cli")

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.environ = {k: v for k, v in os.environ.items() if not k.startswith("POSTROAD_")} | {
            "POSTROAD_DATA": str(folder / "var"),
            "POSTROAD_BASE_URL": f"http://127.0.0.1:{self.port}",
            "PYTHONPATH": str(ROOT),
            "POSTROAD_SEEDS": "1024",  # a million take seconds
            STRICT: "1",
            "POSTROAD_MAIL_PICTURES": "none",  # they have tests of their own, and take a core's time
            **{f"POSTROAD_{name}": value for name, value in settings.items()},
        }

    @property
    def base_url(self) -> str:
        return self.environ["POSTROAD_BASE_URL"]

    def command(self, *words: str) -> str:
        """Run `postroad ...` to its end; return its output."""
        line = [*self.program, *words]
        done = fresh.run(line, env=self.environ, cwd=self.folder)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def begin(self, *words: str) -> subprocess.Popen[bytes]:
        """Start `postroad serve ...` and leave it running, in a process group of its own."""
        line = [*self.program, "serve", *words]
        if "worker" not in words:
            line += ["--port", str(self.port)]
        with (self.folder / "serve.log").open("ab") as log:
            return fresh.start(line, env=self.environ, cwd=self.folder, stdout=log, stderr=log, start_new_session=True)

    @contextmanager
    def serving(self, *words: str) -> Iterator[subprocess.Popen[bytes]]:
        """Run a server that answers, until the end of the block."""
        process = self.begin(*words)
        with killed_with_us(process.pid):
            try:
                if "worker" not in words:
                    self.wait_until_answering(process)
                yield process
            finally:
                stop(process)

    def wait_until_answering(self, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while True:
            assert process.poll() is None, (self.folder / "serve.log").read_text()
            try:
                return urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5).close()
            except urllib.error.HTTPError as error:
                return error.close()  # it answers, and says that it is not well: for some tests that is enough
            except OSError:
                assert time.monotonic() < end, (self.folder / "serve.log").read_text()
                time.sleep(0.05)


def stop(process: subprocess.Popen[bytes], how: int = signal.SIGTERM) -> None:
    """End a server and all its processes."""
    if process.poll() is None:
        os.killpg(process.pid, how)
    process.wait(60)


def get(link: str) -> Any:
    """Return the JSON of a turn link."""
    return ask(urllib.request.Request(link, headers={"Accept": "application/json"}))


def post(link: str, orders: str, decision: int) -> Any:
    """Answer a decision."""
    data = json.dumps({"orders": orders, "decision": decision}).encode()
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    return ask(urllib.request.Request(link, data=data, headers=headers))


def ask(request: urllib.request.Request) -> Any:
    """Return the JSON of the answer, with its `status`."""
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return {"status": answer.status, **json.load(answer)}
    except urllib.error.HTTPError as error:
        with error:
            return {"status": error.code, **json.load(error)}
