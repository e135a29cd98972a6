"""Processes started by tests do not outlive them, even when they are killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.running import ROOT

PROGRAM = """
import subprocess, time
from tests.support.afterwards import killed_with_us
from tests.support.postgres import private
with private() as server:
    other = subprocess.Popen(["sleep", "600"], start_new_session=True)
    with killed_with_us(other.pid):
        print(server.folder, other.pid, server.pids()[0], flush=True)
        time.sleep(600)
"""


@pytest.mark.postgres
def test_a_killed_test_leaves_no_database_server_and_no_process() -> None:
    line = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder, *pids = process.stdout.readline().split()
        assert folder and all(Path(f"/proc/{pid}").exists() for pid in pids)
        process.send_signal(signal.SIGKILL)
    end = time.monotonic() + 60
    while left := [one for one in (folder, *(f"/proc/{pid}" for pid in pids)) if Path(one).exists()]:
        assert time.monotonic() < end, left
        time.sleep(0.05)
