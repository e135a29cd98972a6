"""Pages rendered one after another in each process, because threads would only slow one another down."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from app.web.reader import server

P = ParamSpec("P")
R = TypeVar("R")


def one_at_a_time(view: Callable[P, R]) -> Callable[P, R]:
    """Let one thread at a time enter the view (see `Database.turnstile`). For views that read and never wait."""

    @wraps(view)
    def entered(*args: P.args, **kwargs: P.kwargs) -> R:
        with server().database.turnstile:
            return view(*args, **kwargs)

    return entered
