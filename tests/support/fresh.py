"""Programs of Post Road in processes of their own, without the seconds in which each would import the same modules.

One process imports all of them once and forks for each program: nothing has run there before. The program is a child of
this process, as if `subprocess` had started it; which does so where other modules are on the program's path. That a
program imports what it needs is seen where it is installed (`whole/test_wheel.py`).
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import pkgutil
import runpy
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True)
_turn = Lock()


def start(line: Sequence[str], **kwargs: Any) -> subprocess.Popen[Any]:
    """Start `python -m MODULE ...` or `python -c CODE ...`, with the arguments of `subprocess.Popen`."""
    environ = kwargs.get("env") or os.environ
    is_ours = environ.get("PYTHONPATH", "") == str(ROOT) or kwargs.get("cwd") == ROOT
    is_plain = is_ours and line[0] == sys.executable and line[1] in ("-m", "-c")
    return (_Forked if is_plain and sys.platform == "linux" else subprocess.Popen)(list(line), **kwargs)


def run(line: Sequence[str], **kwargs: Any) -> subprocess.CompletedProcess[str]:
    """Run such a program to its end; what it writes is text."""
    with start(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs) as process:
        said, complained = process.communicate()
    return subprocess.CompletedProcess(line, process.returncode, said, complained)


class _Forked(subprocess.Popen[Any]):
    """A child that was forked from the process with all modules, and then given to this one."""

    def _execute_child(
        self, args: list[str], executable: Any, preexec_fn: Any, close_fds: Any, pass_fds: Any, cwd: Any, env: Any,
        startupinfo: Any, creationflags: Any, shell: Any, p2cread: int, p2cwrite: int, c2pread: int, c2pwrite: int,
        errread: int, errwrite: int, restore_signals: Any, gid: Any, gids: Any, uid: Any, umask: Any,
        start_new_session: bool, *further: Any,
    ) -> None:  # fmt: skip
        mask = os.umask(0)
        os.umask(mask)
        asked = {
            "line": args[1:], "cwd": str(cwd or Path.cwd()), "env": dict(env or os.environ),
            "umask": mask, "session": start_new_session,
        }  # fmt: skip
        streams = [given if given != -1 else own for own, given in enumerate((p2cread, c2pwrite, errwrite))]
        with _turn:
            # An orphan becomes the child of the nearest process above it that asks for them.
            _libc.prctl(_SUBREAPER, 1, 0, 0, 0)
            try:
                channel = _forking()
                socket.send_fds(channel, [json.dumps(asked).encode()], streams)
                told = channel.recv(20)
            finally:
                _libc.prctl(_SUBREAPER, 0, 0, 0, 0)
        if not told:
            raise RuntimeError("the process that forks has ended: something of app or engine cannot be imported")
        self.pid = int(told)
        self._child_created = True
        self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]


@cache
def _forking() -> socket.socket:
    """Start the process that forks; it ends when this one does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("POSTROAD_")}
    line = [sys.executable, "-m", __name__, str(theirs.fileno())]
    silent = dict.fromkeys(("stdin", "stdout"), subprocess.DEVNULL)
    forks = subprocess.Popen(line, env=environ, cwd=ROOT, pass_fds=[theirs.fileno()], start_new_session=True, **silent)  # type: ignore[call-overload]
    theirs.close()

    @atexit.register
    def end() -> None:
        ours.close()
        forks.wait(20)

    return ours


def _fork_for_ever(channel: socket.socket) -> dict[str, Any]:
    """Fork for each that is asked for; only those return from here, with what they are asked to be."""
    while True:
        asked, streams, _, _ = socket.recv_fds(channel, 1 << 20, 3)
        if not asked:
            os._exit(0)
        told, tells = os.pipe()
        between = os.fork()
        if between == 0:
            child = os.fork()
            if child:
                os.write(tells, str(child).encode())
                os._exit(0)
            for end in (told, tells):
                os.close(end)
            channel.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            return dict(json.loads(asked))
        os.waitpid(between, 0)  # now the child has another parent
        channel.send(os.read(told, 20))
        for end in (told, tells, *streams):
            os.close(end)


def _become(line: Sequence[str], cwd: str, env: dict[str, str], umask: int, session: bool) -> None:
    """Be the program that was asked for."""
    if session:
        os.setsid()
    os.umask(umask)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        kind = {"buffering": 1, "errors": "backslashreplace"} if number == 2 else {}
        setattr(sys, name, os.fdopen(number, mode, closefd=False, **kind))
    how, what, *words = line
    sys.argv = [how, *words]
    if how == "-m":
        sys.modules.pop(what, None)
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})


def _import_all() -> None:
    for package in ("app", "engine"):
        for found in pkgutil.walk_packages([str(ROOT / package)], f"{package}."):
            import_module(found.name)
    for name in ("gunicorn.app.base", "gunicorn.arbiter", "gunicorn.workers.gthread", "alembic.command"):
        import_module(name)
    i18n = import_module("app.base.words.i18n")
    for language in i18n.LANGUAGES:
        i18n.catalogue(language)  # as much work as all else of a start
    import_module("sqlalchemy.orm").configure_mappers()
    shared = import_module("tests.support.shared")
    shared.share_newest()
    shared.newest()
    gc.collect()
    gc.freeze()  # what is never touched stays shared


if __name__ == "__main__":
    _import_all()
    _become(**_fork_for_ever(socket.socket(fileno=int(sys.argv[1]))))
