"""What every part of a running server shares: its settings, its database and its links."""

from __future__ import annotations

from dataclasses import dataclass

from app.config import Config
from app.db import Database
from app.links import Links
from app.services import tile_sets


@dataclass(frozen=True, slots=True)
class House:
    """One server's belongings in one process."""

    config: Config
    database: Database
    links: Links


def open_house(config: Config) -> House:
    """A server's belongings; connections are made when they are first needed."""
    house = House(config, Database(config.database_url), Links(config.base_url, config.secret_keys))
    tile_sets.keep_in(house.database)
    return house
