"""What tests and their commands have started ends with them, however they end: also by SIGTERM or SIGKILL."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path


@contextmanager
def afterwards(script: str, *words: str, ahead: tuple[str, ...] = ()) -> Iterator[None]:
    """Let a shell run a script with these words when this process dies within the block. `ahead` comes before the
    shell, such as a program that changes the user.

    The shell waits at the end of a pipe of which this process alone has the other: what it starts inherits none.
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
    """A group of processes ends when this process dies within the block: given its first one, or the file in which
    that one stands."""
    script = 'kill -KILL "-$1"' if isinstance(pid, int) else 'kill -KILL "-$(cat "$1")"'
    return afterwards(script, str(pid))


def end_when_told() -> None:
    """SIGTERM ends a command as Ctrl-C does: its blocks are left, so that it clears up itself."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
