"""Migrations, which bring a database to the tables of this program, and back."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import Any

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config as AlembicConfig
from alembic.runtime.migration import MigrationContext
from sqlmodel import Session

from app.base.process.places import folder
from app.tables import is_present, metadata
from app.upkeep import schema


def _alembic(url: str) -> AlembicConfig:
    config = AlembicConfig()
    config.set_main_option("script_location", str(folder("migrations")))
    config.attributes["url"] = url
    return config


def upgrade(url: str, revision: str = "head") -> None:
    """Bring the database to a revision (default: the newest). Two processes at once wait for each other."""
    command.upgrade(_alembic(url), revision)


def downgrade(url: str, revision: str) -> None:
    """Bring the database back to an older revision; `base` is empty."""
    command.downgrade(_alembic(url), revision)


def drift(session: Session) -> list[Any]:
    """Return the differences between the tables and the models; empty when they agree."""
    options = {"compare_type": True, "compare_server_default": True, "include_name": is_present}
    return list(compare_metadata(MigrationContext.configure(session.connection(), opts=options), metadata))


def new_revision(message: str) -> None:
    """Write a migration, with the next number, from the differences between the models and all migrations."""
    with TemporaryDirectory() as there:
        upgrade(url := f"sqlite:///{there}/newest.sqlite3")
        command.revision(_alembic(url), message, autogenerate=True, rev_id=f"{int(schema.newest()) + 1:04}")
