"""`postroad think`: a process that thinks for the computer."""

from __future__ import annotations

import sys
import threading

import click

from app.base.process import logs
from app.base.process.stopping import until_told
from app.server.commands.common import open_server


@click.command()
@click.option("--with-parent", is_flag=True, help="End when standard input does, or when there is nothing to do.")
def think(with_parent: bool) -> None:
    """Think until told to stop, besides the processes that `serve` begins: on this machine or on another one."""
    from app.computer import processes

    stop = until_told()
    logs.to_stderr()
    if with_parent:
        threading.Thread(target=_wait_for_parent, args=(stop,), daemon=True).start()
    with open_server() as server:
        processes.think(server, stop, *([processes.IDLE_SECONDS] if with_parent else []))


def _wait_for_parent(stop: threading.Event) -> None:
    sys.stdin.read()
    stop.set()
