"""Serving the app with gunicorn, with the timetable and the mail sender alongside.

One command is enough for a small club: each web worker also runs the jobs, and guarded claims ensure that every mail
and reminder goes out once. `--role` splits the two for a bigger one.
"""

from __future__ import annotations

import ctypes
import gc
import signal
import threading
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from flask import Flask
from gunicorn import glogging
from gunicorn.app.base import BaseApplication

from app.base.process.config import Config
from app.base.process.jobs import WORKERS
from app.base.server import Server
from app.base.words import speech
from app.games import seeds
from app.post.letters import picture_process
from app.server.buffering_worker import PatientWorker
from app.server.registry import open_server
from app.time import outages
from app.upkeep.jobs import timetable

if TYPE_CHECKING:
    from gunicorn.arbiter import Arbiter
    from gunicorn.config import Config as GunicornConfig
    from gunicorn.workers.base import Worker

THREADS = 8
"""Per web worker; they wait for the database far more than they compute."""
M_ARENA_MAX = -8
"""mallopt(3)."""


class BackgroundWork:
    """The timetable and the workers of one process."""

    def __init__(self, server: Server) -> None:
        self._stop = threading.Event()
        works = [(name, make(server)) for name, make in WORKERS] + [(job.name, job) for job in timetable(server)]
        self._threads = [
            threading.Thread(target=work.run, args=(self._stop,), name=name, daemon=True) for name, work in works
        ]
        self._draws = server.config.mail_pictures
        seeds.make_trees_of(server.config.seeds)

    def __enter__(self) -> None:
        """Begin. A process must not fork after this: threads would be left behind."""
        if self._draws:
            picture_process.start()
        for thread in self._threads:
            thread.start()

    def __exit__(self, *_: object) -> None:
        """Finish the mail in hand, release the pairing in progress, and end."""
        self._stop.set()
        for thread in self._threads:
            thread.join(10)
        picture_process.stop()


class _Gunicorn(BaseApplication):
    def __init__(self, config: Config, options: dict[str, Any]) -> None:
        self._config = config
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:  # type: ignore[override]  # of start_response gunicorn's types say less
        from app.server.factory import create_app  # noqa: PLC0415  a process without pages does without them

        speech.read_in()
        return create_app(self._config)


def gunicorn_settings(listen: str, workers: int) -> dict[str, Any]:
    """Return gunicorn's settings; `bench/` measures against a server with exactly these."""
    return {
        "bind": f"unix:{listen}" if listen.startswith("/") else listen,
        "workers": workers,
        "worker_class": PatientWorker,  # a slow client takes no thread
        "threads": THREADS,
        "accesslog": None,  # addresses of turn links are secrets
        "loglevel": "warning",
        "logger_class": _Logger,
        "proc_name": "postroad",
        "control_socket_disable": True,
        "graceful_timeout": 15,
        # Several workers share what the first process has loaded, which must not open a connection to the database. One
        # by itself would copy most of it.
        "preload_app": workers > 1,
        "when_ready": lambda arbiter: _share(),
        # Until a worker has handlers of its own it has those of the first process, which would forget the signal.
        "post_fork": lambda arbiter, worker: signal.signal(signal.SIGTERM, signal.SIG_DFL),
    }


def _share() -> None:
    """Keep the collector from examining existing objects, so that workers do not copy them; and let threads share
    one heap, as they share the interpreter: a heap each keeps 12 MiB more after the same load."""
    with suppress(AttributeError, OSError):  # a C library without it
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
    gc.collect()
    gc.freeze()


def serve_web(config: Config, listen: str, workers: int, *, with_duties: bool) -> None:
    """Serve pages until told to stop; every worker runs the background work too, unless it runs elsewhere."""
    running = ExitStack()

    def begin(worker: Worker) -> None:
        if workers == 1:
            _share()
        server = open_server(config)
        if with_duties:
            running.enter_context(BackgroundWork(server))
        running.enter_context(outages.Pulse(server.database, "web"))

    def end(arbiter: Arbiter, worker: Worker) -> None:
        running.close()
        picture_process.stop()

    settings = gunicorn_settings(listen, workers)
    _Gunicorn(config, settings | {"post_worker_init": begin, "worker_exit": end}).run()


def run_duties(config: Config, stop: threading.Event) -> None:
    """Run the timetable and the mail sender alone, until `stop` is set."""
    with BackgroundWork(open_server(config)):
        stop.wait()


class _Logger(glogging.Logger):
    """Sends gunicorn's messages where everything goes."""

    def setup(self, cfg: GunicornConfig) -> None:
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True
