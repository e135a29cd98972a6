"""Several who act in the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from app.base.words.refusals import NotAccepted


def at_once(*acts: Callable[[], Any], but: type[Exception] | tuple[type[Exception], ...] = ()) -> list[Any]:
    """Do all of it in threads that begin together; return what each returned, or its error if it is one of `but`."""
    barrier = threading.Barrier(len(acts))

    def do(act: Callable[[], Any]) -> Any:
        barrier.wait(60)
        try:
            return act()
        except but as error:
            return error

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(do, acts))


def codes_of(*acts: Callable[[], Any]) -> list[str]:
    """Do all of it at once; return why it was refused, and "done" where it was not, in order of the alphabet."""
    return sorted(one.code if isinstance(one, NotAccepted) else "done" for one in at_once(*acts, but=NotAccepted))
