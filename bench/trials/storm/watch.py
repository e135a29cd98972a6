"""What must not become long in a storm: SQLite's write-ahead log, and the transactions of PostgreSQL."""

from __future__ import annotations

import threading
from contextlib import suppress

import sqlalchemy as sa

from app.base.stored.database import log_bytes

EVERY_SECONDS = 0.1
MOST_LOG_BYTES = 16 << 20
MOST_SECONDS = 2.0
_OLDEST = sa.text(
    "SELECT extract(epoch FROM clock_timestamp() - xact_start), "
    "concat_ws(' ', state, wait_event_type, wait_event, left(regexp_replace(query, '\\s+', ' ', 'g'), 120)) "
    "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() "
    "AND datname = current_database() AND xact_start IS NOT NULL ORDER BY xact_start LIMIT 1"
)


class Watch(threading.Thread):
    """Looks at the database until `end`."""

    def __init__(self, url: str) -> None:
        super().__init__(name="watch", daemon=True)
        self.url = url
        self.most_log_bytes, self.most_seconds, self.oldest = 0, 0.0, ""
        self._is_over = threading.Event()

    def run(self) -> None:
        is_sqlite = self.url.startswith("sqlite")
        engine = sa.create_engine(self.url, isolation_level=None if is_sqlite else "AUTOCOMMIT")
        while not self._is_over.wait(EVERY_SECONDS):
            if is_sqlite:
                self.most_log_bytes = max(self.most_log_bytes, log_bytes(self.url))
                continue
            with suppress(sa.exc.DBAPIError), engine.connect() as connection:  # a storm ends it now and then
                for seconds, doing in connection.execute(_OLDEST):
                    if seconds > self.most_seconds:
                        self.most_seconds, self.oldest = float(seconds), doing
        engine.dispose()

    def end(self) -> None:
        self._is_over.set()
        self.join(30)

    def found(self, patience: int = 1) -> list[str]:
        """What was too long; on a machine that others keep busy a transaction may take so many times as long."""
        said = []
        if self.most_log_bytes > MOST_LOG_BYTES:
            said.append(f"the write-ahead log had {self.most_log_bytes} bytes")
        if self.most_seconds > MOST_SECONDS * patience:
            said.append(f"a transaction was open for {self.most_seconds:.1f} s: {self.oldest}")
        return said

    @property
    def figures(self) -> dict[str, object]:
        return {"longest log, MiB": round(self.most_log_bytes / 2**20, 1), "oldest transaction, s": self.most_seconds}
