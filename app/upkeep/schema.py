"""Which migration a database is at, and which one this program needs.

Asked at every start and by every watchdog, so without Alembic: importing it takes a sixth of the time of a start and
seven MiB in every process. `migrating` changes databases.
"""

from __future__ import annotations

import re
from functools import cache

import sqlalchemy as sa
from sqlmodel import Session

from app.base.process.places import folder

_NUMBERED = re.compile(r"(\d{4})_\w+\.py")
_VERSION = sa.table("alembic_version", sa.column("version_num", sa.String))


@cache
def newest() -> str:
    """Return the revision that this program needs: the files of `migrations/versions` begin with their revisions."""
    found = [
        numbered[1]
        for path in folder("migrations").glob("versions/*.py")
        if (numbered := _NUMBERED.fullmatch(path.name))
    ]
    if not found:
        raise RuntimeError("there are no migrations")
    return max(found)


def is_behind(revision: str | None) -> bool:
    """Return whether a database at this revision lacks what this program needs. One upgraded further by a newer version
    does not: migrations only add, so that both versions run side by side while machines are upgraded one by one."""
    return revision is None or revision < newest()


def is_ahead(revision: str | None) -> bool:
    """Return whether a newer version has brought a database to this revision."""
    return revision is not None and revision > newest()


def revision_of(session: Session) -> str | None:
    """Return the revision that the database is at; None for an empty one."""
    if not sa.inspect(session.connection()).has_table(_VERSION.name):
        return None
    revision: str | None = session.execute(sa.select(_VERSION.c.version_num)).scalar()
    return revision
