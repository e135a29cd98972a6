"""Runs migrations over one connection, in one transaction each, on SQLite and PostgreSQL."""

from __future__ import annotations

from typing import Any, Literal

import sqlalchemy as sa
from alembic import context
from alembic.autogenerate.api import AutogenContext

from app.base.stored.database import WRITES, make_engine
from app.tables import is_present, metadata

LOCK = 0x706F7374  # any number that all processes of Post Road agree on


def render_item(kind: str, item: Any, autogen_context: AutogenContext) -> str | Literal[False]:
    """Migrations are written with plain types: the program's own ones may change or move later."""
    if kind == "type" and isinstance(item, sa.types.TypeDecorator):
        plain = item.impl_instance
        while isinstance(plain, sa.types.TypeDecorator):
            plain = plain.impl_instance
        if isinstance(plain, sa.DateTime):
            return "sa.DateTime(timezone=True)"
        return "sa.Text()" if isinstance(plain, sa.Text) else f"sa.String(length={plain.length})"
    return False


def run() -> None:
    engine = make_engine(context.config.attributes["url"])
    try:
        with engine.connect() as connection:
            if connection.dialect.name == "sqlite":
                # Batch operations drop and rebuild tables; with foreign keys on, that would delete every child row.
                # The pragma has no effect inside a transaction.
                raw = connection.connection.dbapi_connection
                assert raw is not None
                raw.execute("PRAGMA foreign_keys=OFF")
            connection = connection.execution_options(**{WRITES: True})
            context.configure(
                connection=connection,
                target_metadata=metadata,
                render_as_batch=True,
                compare_type=True,
                compare_server_default=True,
                include_name=is_present,
                transactional_ddl=True,
                render_item=render_item,
            )
            with context.begin_transaction():
                if connection.dialect.name == "postgresql":
                    connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
                context.run_migrations()
                if connection.dialect.name == "sqlite":
                    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
                    if broken:
                        raise RuntimeError(f"the migration broke references: {broken[:5]}")
    finally:
        engine.dispose()


run()
