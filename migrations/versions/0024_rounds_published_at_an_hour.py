"""Organisers name the hour at which a draft is published."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.base.stored.columns import UTCDateTime

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("event_round", sa.Column("publish_at", UTCDateTime(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("event_round") as batch_op:
        batch_op.drop_column("publish_at")
