"""Whether the server is well, for a supervisor."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Blueprint, Response, jsonify
from sqlalchemy.exc import SQLAlchemyError

from app import db, jobs
from app.services import outages
from app.web.reader import house

blueprint = Blueprint("health", __name__)


@blueprint.get("/health")
def health() -> Response:
    """200 with the database at the newest migration and a recent beat of the scheduler, else 503."""
    try:
        with house().database.read() as connection:
            revision = db.revision_of(connection)
            current = revision == db.newest()
            beat = outages.last_beat(connection, "scheduler") if current else None
    except SQLAlchemyError:
        revision, current, beat = None, False, None
    alive = beat is not None and datetime.now(UTC) - beat < jobs.BEAT_IS_RECENT
    response = jsonify(
        {
            "well": current and alive,
            "database": revision,
            "newest": db.newest(),
            "scheduler": beat.isoformat(timespec="seconds") if beat else None,
        }
    )
    response.status_code = 200 if current and alive else 503
    return response
