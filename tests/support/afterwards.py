"""Ends what tests and their commands have started when they end, however that happens: also by SIGTERM or SIGKILL."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path


@contextmanager
def afterwards(script: str, *words: str, ahead: tuple[str, ...] = ()) -> Iterator[None]:
    """Let a shell run a script with these words when this process dies within the block.

    `ahead` comes before the shell, such as a program that changes the user. The shell waits at the end of a pipe whose
    other end only this process has: processes it starts do not inherit it.
    """
    line = [*ahead, "sh", "-c", f"read said || {{ {script}; }}", "sh", *words]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(line, stdin=subprocess.PIPE, start_new_session=True, cwd="/", **quiet) as shell:  # type: ignore[call-overload]
        try:
            yield
        finally:
            with suppress(BrokenPipeError):
                shell.communicate(b"all is well\n")


def killed_with_us(pid: int | Path) -> AbstractContextManager[None]:
    """Kill a group of processes when this process dies within the block: given its first one, or the file that names
    it.
    """
    script = 'kill -KILL "-$1"' if isinstance(pid, int) else 'kill -KILL "-$(cat "$1")"'
    return afterwards(script, str(pid))


def end_when_told() -> None:
    """Make SIGTERM end a command as Ctrl-C does: its blocks are left, so that it cleans up."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
