"""One transaction: the game changes and the resulting mails are written together, or not at all."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType
from typing import Self

from app.base.stored.database import Database
from app.base.stored.outbox import Outbox
from app.games.store import GameStore


class Work:
    """`with Work(database) as work:` writes. All of it lasts when the block ends, nothing if it raises."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:  # nobody waits for a database that cannot be reached
            stack.enter_context(self._database.writers)
            self.session = stack.enter_context(self._database.write())
            self._stack = stack.pop_all()
        self.store = GameStore(self.session)
        self.outbox = Outbox(self.session)
        return self

    def commit(self) -> None:
        """Commit before the end of the block, for what has to last whatever follows there; then let the mail sender of
        this process know."""
        self.session.commit()
        self.outbox.committed()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            with self._stack:
                self.commit()
        else:  # with the error: after one the connection is not used again
            self._stack.__exit__(kind, error, trace)
