"""Being told to stop, by SIGTERM or SIGINT."""

from __future__ import annotations

import os
import signal
import threading


def until_told() -> threading.Event:
    """Return an event that is set once this process is told to stop, at whatever moment.

    Python runs a handler in the main thread, between two instructions: not at all if the signal comes when that has
    just gone to sleep. So another thread reads what the interpreter writes the moment a signal comes.
    """
    stop = threading.Event()
    told, telling = os.pipe()
    os.set_blocking(telling, False)
    signal.set_wakeup_fd(telling, warn_on_full_buffer=False)

    def pass_on() -> None:
        os.read(told, 1)
        stop.set()

    threading.Thread(target=pass_on, name="until told to stop", daemon=True).start()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    return stop
