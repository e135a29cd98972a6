"""Being told to stop, by SIGTERM or SIGINT."""

from __future__ import annotations

import signal
import threading
from queue import SimpleQueue


def until_told() -> threading.Event:
    """Return an event that is set once this process is told to stop.

    Another thread sets it: an event that a signal's handler sets while the main thread is about to wait for it would
    find its own lock taken, and the process would never end. Only a `SimpleQueue` may be put to at any moment.
    """
    stop = threading.Event()
    told: SimpleQueue[None] = SimpleQueue()

    def pass_on() -> None:
        told.get()
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told.put(None))
    threading.Thread(target=pass_on, name="until told to stop", daemon=True).start()
    return stop
