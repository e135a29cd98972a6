"""What every part of a running server shares: its settings, its database and its links."""

from __future__ import annotations

from dataclasses import dataclass

from app.config import Config
from app.db import Database
from app.links import Links


@dataclass(frozen=True, slots=True)
class House:
    """One server's belongings in one process."""

    config: Config
    database: Database
    links: Links
