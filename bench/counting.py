"""Counts the database statements of requests, as SQLite's own driver sees them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import event

from app.base.server import Server
from app.server.factory import create_app

WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")


@dataclass
class Said:
    """The statements of one request."""

    lines: list[str] = field(default_factory=list)

    def _count(self, *words: str) -> int:
        return sum(line.lstrip().upper().startswith(words) for line in self.lines)

    @property
    def reads(self) -> int:
        return self._count("SELECT", "WITH", *WRITES)

    @property
    def writes(self) -> int:
        return self._count(*WRITES)

    @property
    def commits(self) -> int:
        return self._count("BEGIN IMMEDIATE")


class Counted:
    """The app with a listener on its database."""

    def __init__(self, server: Server) -> None:
        self.app = create_app(server.config)
        self.said = Said()
        database = self.app.extensions["postroad"].database

        @event.listens_for(database.engine, "checkout")
        def listen(connection: Any, record: Any, proxy: Any) -> None:
            connection.set_trace_callback(lambda line: self.said.lines.append(line))

    def get(self, path: str, headers: dict[str, str] | None = None) -> Said:
        return self._ask("GET", path, headers={"Accept": "text/html", **(headers or {})})

    def post(self, path: str, body: dict[str, Any]) -> Said:
        head = {"Accept": "application/json", "Content-Type": "application/json"}
        return self._ask("POST", path, headers=head, data=json.dumps(body))

    def _ask(self, method: str, path: str, **more: Any) -> Said:
        self.said.lines = []
        answer = self.app.test_client(use_cookies=False).open(path, method=method, **more)
        assert answer.status_code == 200, answer.get_data(as_text=True)[:500]
        return Said(list(self.said.lines))
