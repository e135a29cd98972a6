"""Post Road for any WSGI server: `app`. Mails and reminders need a `postroad serve --role worker` beside it."""

from app.base.config import load
from app.beating import beat_in_every_process
from app.factory import create_app

config = load()
app = create_app(config)
beat_in_every_process(config)
