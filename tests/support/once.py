"""A club that many tests of a file begin with: made by the first of them, and copied for the others."""

from __future__ import annotations

import hashlib
import io
import pickle
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import count
from typing import Any, TypeVar

from flask import Flask
from sqlalchemy import make_url

from app.games import seeds

T = TypeVar("T")
_made: dict[str, tuple[bytes, bytes]] = {}
"""By the name of the function: the database, and what it returned."""


def made_once(app: Flask, make: Callable[..., T], *given: Any) -> T:
    """Return what `make` returns for what it is given, with what it does to the app's database, which is SQLite and
    new. Browsers in it are signed in, and have no page open. Its chance does not depend on the test that comes first.
    """
    name, url = f"{make.__module__}.{make.__qualname__}", app.extensions["postroad"].config.database_url
    with closing(sqlite3.connect(make_url(url).database or "")) as here, closing(sqlite3.connect(":memory:")) as copy:
        if name in _made:
            copy.deserialize(_made[name][0])
            copy.backup(here)
        else:
            secret, numbers = seeds.new_secret, count()
            seeds.new_secret = lambda: hashlib.sha256(f"{name} {next(numbers)}".encode()).digest()
            made = make(*given)
            seeds.new_secret = secret
            here.backup(copy)
            kept = io.BytesIO()
            _Pickler(kept, app).dump(made)
            pages = bytearray(copy.serialize())
            pages[18:20] = b"\1\1"  # a database in memory cannot be one with a log beside it
            _made[name] = bytes(pages), kept.getvalue()
    return _Unpickler(io.BytesIO(_made[name][1]), app).load()  # type: ignore[no-any-return]


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, app: Flask) -> None:
        super().__init__(file)
        self._app = app

    def persistent_id(self, one: Any) -> str | None:
        return "app" if one is self._app else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, app: Flask) -> None:
        super().__init__(file)
        self._app = app

    def persistent_load(self, name: str) -> Flask:
        return self._app
