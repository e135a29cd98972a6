"""Webhooks of clubs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("webhook") as batch_op:
        batch_op.add_column(sa.Column("club_id", sa.Integer(), nullable=True))
        batch_op.create_foreign_key("fk_webhook_club_id_club", "club", ["club_id"], ["id"], ondelete="CASCADE")
        batch_op.create_index("ix_webhook_club_id", ["club_id"])


def downgrade() -> None:
    with op.batch_alter_table("webhook") as batch_op:
        batch_op.drop_index("ix_webhook_club_id")
        batch_op.drop_column("club_id")
