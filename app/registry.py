"""Puts a server together: tells each part of the others, and opens the server's belongings.

It stands above everything but the factory of pages, the commands and the processes, and is the only module outside of
leagues that knows them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from app.config import Config
from app.db import Database
from app.hooks import owed
from app.house import House
from app.leagues import register as leagues
from app.links import Links
from app.mail import account_letters, case_letters, letters, outbox, post_letters, reminder_letters, table_letters
from app.services import tile_sets

if TYPE_CHECKING:
    from flask import Flask


@cache
def register() -> None:
    """Let every part know what the others bring: once for each process, before anything happens in it."""
    outbox.follow(owed.plan)
    for module in (letters, table_letters, account_letters, reminder_letters, case_letters, post_letters):
        letters.register(module.KINDS)
    leagues.register()


def register_pages(app: Flask) -> None:
    """Add the pages of subjects to those of the server."""
    leagues.register_pages(app)


def open_house(config: Config) -> House:
    """A server's belongings; connections are made when they are first needed."""
    register()
    house = House(config, Database(config.database_url), Links(config.base_url, config.secret_keys))
    tile_sets.keep_in(house.database)
    return house
