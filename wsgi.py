"""Post Road for any WSGI server: `app`. Mails and reminders need a `postroad serve --role worker` beside it."""

from app.web import create_app

app = create_app()
