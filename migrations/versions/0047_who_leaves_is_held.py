"""The place of a player who leaves is held while reserves are asked. Cancelled sketches of events, which everybody
could read though only organisers had seen them, are sketches again, which organisers can throw away.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("event_entry", sa.Column("leaves_at", sa.DateTime(timezone=True), nullable=True))
    connection = op.get_bind()
    audit = sa.table("audit_entry", sa.column("event_id"), sa.column("act"), sa.column("before", sa.JSON))
    event = sa.table("event", *map(sa.column, ("id", "status", "ended_at", "sign_up_from")))
    cancelled = sa.select(audit.c.event_id, audit.c.before).where(audit.c.act == "event.cancelled")
    sketches = [row.event_id for row in connection.execute(cancelled) if (row.before or {}).get("status") == "draft"]
    here = sa.and_(event.c.id.in_(sketches), event.c.status == "cancelled")
    connection.execute(sa.update(event).where(here).values(status="draft", ended_at=None, sign_up_from=None))


def downgrade() -> None:
    op.drop_column("event_entry", "leaves_at")
