"""What every part of a running server shares: its settings, its database and its links."""

from __future__ import annotations

from dataclasses import dataclass

from app.base.links import Links
from app.base.process.config import Config
from app.base.stored.database import Database


@dataclass(frozen=True, slots=True)
class Server:
    """One server's shared objects in one process."""

    config: Config
    database: Database
    links: Links
