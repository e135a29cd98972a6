"""The rooms of the server: the only list of them. Each says in its `register.py` what it brings.

`postroad --help` reads this list, so nothing else is imported before a server is put together.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from app.account import register as account
from app.base import register as base
from app.computer import register as computer
from app.games import register as games
from app.leagues import register as leagues
from app.lobby import register as lobby
from app.overdue import register as overdue
from app.people import register as people
from app.play import register as play
from app.post import register as post
from app.server import register as processes
from app.time import register as time
from app.titles import register as titles
from app.upkeep import register as upkeep
from app.web import register as web

if TYPE_CHECKING:
    from flask import Flask

    from app.base.config import Config
    from app.base.server import Server

ROOMS = (
    base.ROOM,
    web.ROOM,
    titles.ROOM,
    games.ROOM,
    people.ROOM,
    time.ROOM,
    post.ROOM,
    overdue.ROOM,
    leagues.ROOM,
    lobby.ROOM,
    play.ROOM,
    computer.ROOM,
    account.ROOM,
    upkeep.ROOM,
    processes.ROOM,
)
"""A sweep does their jobs in this order."""


@cache
def register() -> None:
    """Let every room know what the others bring: once for each process, before anything happens in it."""
    from app.base import jobs

    for room in ROOMS:
        room.connect()
        list(room.load(room.mails))
        for module in room.load(room.jobs):
            jobs.register(module.__name__)


def register_pages(app: Flask) -> None:
    """Add the pages of all rooms, each blueprint when all modules that add to it are loaded."""
    modules = [module for room in ROOMS for module in room.load(room.pages)]
    blueprints = (getattr(module, "blueprint", None) for module in modules)
    for blueprint in dict.fromkeys(blueprints):
        if blueprint is not None:
            app.register_blueprint(blueprint)


def open_server(config: Config) -> Server:
    """A server's belongings; connections are made when they are first needed."""
    from app.base.database import Database
    from app.base.links import Links
    from app.base.server import Server
    from app.titles.new_world import shelf

    register()
    server = Server(config, Database(config.database_url), Links(config.base_url, config.secret_keys))
    shelf.keep_in(server.database)
    return server
