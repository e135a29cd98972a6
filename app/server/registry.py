"""The rooms of the server: the only list of them. Each says in its `register.py` what it brings.

`postroad --help` reads this list, so nothing else is imported before a server is put together.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from app.account.register import ROOM as ACCOUNT
from app.base.register import ROOM as BASE
from app.computer.register import ROOM as COMPUTER
from app.games.register import ROOM as GAMES
from app.leagues.register import ROOM as LEAGUES
from app.lobby.register import ROOM as LOBBY
from app.overdue.register import ROOM as OVERDUE
from app.people.register import ROOM as PEOPLE
from app.play.register import ROOM as PLAY
from app.post.register import ROOM as POST
from app.server.register import ROOM as SERVER
from app.time.register import ROOM as TIME
from app.titles.register import ROOM as TITLES
from app.upkeep.register import ROOM as UPKEEP
from app.web.register import ROOM as WEB

if TYPE_CHECKING:
    from flask import Flask

    from app.base.process.config import Config
    from app.base.server import Server

ROOMS = (BASE, WEB, TITLES, GAMES, PEOPLE, TIME, POST, OVERDUE, LEAGUES, LOBBY, PLAY, COMPUTER, ACCOUNT, UPKEEP, SERVER)
"""Those that know nobody first."""


@cache
def register() -> None:
    """Let every room know what the others bring: once for each process, before anything happens in it."""
    for room in ROOMS:
        room.connect()
        list(room.load(room.mails))
        list(room.load(room.jobs))


def register_pages(app: Flask) -> None:
    """Add the pages of all rooms, each blueprint when all modules that add to it are loaded."""
    modules = [module for room in ROOMS for module in room.load(room.pages)]
    blueprints = (getattr(module, "blueprint", None) for module in modules)
    for blueprint in dict.fromkeys(blueprints):
        if blueprint is not None:
            app.register_blueprint(blueprint)


def open_server(config: Config) -> Server:
    """A server's belongings; connections are made when they are first needed."""
    from app.base.links import Links
    from app.base.server import Server
    from app.base.stored.database import Database
    from app.titles.new_world import shelf

    register()
    server = Server(config, Database(config.database_url), Links(config.base_url, config.secret_keys))
    shelf.keep_in(server.database)
    return server
