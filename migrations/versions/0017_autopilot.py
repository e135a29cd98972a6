"""Events that run themselves can be paused."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.base.stored.columns import UTCDateTime

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("event", sa.Column("paused_at", UTCDateTime(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("event") as batch_op:
        batch_op.drop_column("paused_at")
