"""Post Road for any WSGI server: `app`. Mails and reminders need a `postroad serve --role worker` beside it."""

import os
from contextlib import ExitStack, suppress

from sqlalchemy.exc import DatabaseError

from app.base.process.config import load
from app.server.commands.common import need_same_key
from app.server.factory import create_app
from app.server.registry import open_server
from app.time import outages

config = load()
with suppress(DatabaseError):  # not there or not made yet: pages say so, until it is
    need_same_key(config)
app = create_app(config)
alive = ExitStack()


def begin() -> None:
    """Beat in this process, by a connection of its own."""
    server = open_server(config)
    alive.callback(server.database.close)
    alive.enter_context(outages.Pulse(server.database, "web"))


begin()
# A server that preloads the app forks it: threads do not come along, and what SQLite has locked would stay so for ever.
os.register_at_fork(before=alive.close, after_in_parent=begin, after_in_child=begin)
