"""Post Road for any WSGI server: `app`. Mails and reminders need a `postroad serve --role worker` beside it."""

from contextlib import suppress

from sqlalchemy.exc import DatabaseError

from app.base.process.config import load
from app.server.commands.common import need_same_key
from app.server.factory import create_app
from app.server.heartbeat import beat_in_every_process

config = load()
with suppress(DatabaseError):  # not there or not made yet: pages say so, until it is
    need_same_key(config)
app = create_app(config)
beat_in_every_process(config)
