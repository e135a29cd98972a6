"""Whether the server is well, for a supervisor."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from flask import Blueprint, Response, current_app, jsonify

from app.base.server import Server
from app.base.stored.columns import moment
from app.upkeep import health, schema
from app.upkeep.health import NO_DATABASE, Health
from app.web.reader import server

blueprint = Blueprint("health", __name__)
log = logging.getLogger("postroad.health")

SECONDS = 3.0
"""A database that has not answered by then counts as down; a watchdog does not wait long."""


class HealthChecks:
    """Checks the server's health, one check after another, each in its own thread: one that hangs in a database that
    does not answer holds up no page, and no second one begins before it has ended."""

    def __init__(self) -> None:
        self._free = threading.Lock()

    def look(self, at: Server, now: datetime, seconds: float = SECONDS) -> Health:
        """Return the server's health; after so many seconds without an answer, that its database is down."""
        until = monotonic() + seconds
        if not self._free.acquire(timeout=seconds):
            return NO_DATABASE
        found = [NO_DATABASE]

        def ask() -> None:
            try:
                with at.database.read() as session:
                    host = at.config.mail_host
                    found[0] = health.look(session, now, host=host.route if host else None)
            except Exception as error:  # whatever it is, nobody can play
                log.warning("the database does not answer: %s", " ".join(str(error).split())[:300])
            finally:
                self._free.release()

        thread = threading.Thread(target=ask, name="health", daemon=True)
        thread.start()
        thread.join(max(0.0, until - monotonic()))
        return found[0]


@blueprint.get("/health")
def show() -> Response:
    """200 while database, timetable and mail do their work, else 503: a row that cannot be done does not call for a
    restart. docs/operators-reference.md says what it holds."""
    now = datetime.now(UTC)
    looks: HealthChecks = current_app.extensions.setdefault("postroad.health", HealthChecks())
    found = looks.look(server(), now)
    response = jsonify(
        {
            "well": found.is_well,
            "down": found.down,
            "set_aside": found.failing,
            "database": found.revision,
            "newest": schema.newest(),
            "scheduler": moment(found.beat_at),
            "mail": _post(found, now),
            "titles_missing": found.standing,
        }
    )
    response.status_code = 503 if found.down else 200
    return response


@blueprint.get("/health/live")
def live() -> Response:
    """Answer 200: the process is running and answers. The database is not asked."""
    return jsonify({"alive": True})


def _post(found: Health, now: datetime) -> dict[str, Any]:
    """Return the state of the mails. Contains neither what the host said nor anybody's address: anyone may look."""
    post = found.post
    return {
        "last_hand_over": moment(found.last_hand_over),
        "oldest_due": moment(found.oldest_due),
        "oldest_due_seconds": found.oldest_due_seconds(now),
        "waiting": post and post.waiting,
        "tried_in_vain": post and post.behind,
        "given_up": post and post.given_up,
        "pauses": [
            {"since": moment(pause.paused_at), "stage": pause.stage, "next_try": moment(pause.probe_at)}
            for pause in (post.pauses if post else ())
        ],
    }
