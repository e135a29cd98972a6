"""A process of Post Road's code that is killed in the middle of what it does."""

from __future__ import annotations

import signal
import subprocess
import sys
from datetime import datetime

from tests.support import fresh
from tests.support.running import ROOT

IN_A_COMMIT = """
import sys, time
from datetime import datetime
from app.base.stored.database import Database
from app.games.work import Work
from tests.support import ferry
from {module} import {sweep}

commit, committed = Work.commit, []

def late(work):
    if len(committed) == {after}:
        print("in the middle", flush=True)
        time.sleep(60)
    committed.append(commit(work))

Work.commit = late
{sweep}(Database(sys.argv[1]), datetime.fromisoformat(sys.argv[2]))
"""
"""A sweep that stops after so many commits, with all of the next one written but not committed."""


def killed_in_the_middle(code: str, url: str, at: datetime) -> None:
    """Run the code with the address of a database and a moment; kill it when it says that it is in the middle."""
    line = [sys.executable, "-c", code, url, at.isoformat()]
    process = fresh.start(line, stdout=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == b"in the middle\n"
        process.kill()
    assert process.wait(60) == -signal.SIGKILL
