"""A device that is told no more is missed, and push services may give long addresses."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

LENGTHS = (("push_device", "endpoint"), ("webhook", "url"))


def upgrade() -> None:
    for table, column in LENGTHS:
        with op.batch_alter_table(table) as batch_op:
            batch_op.alter_column(column, existing_type=sa.String(500), type_=sa.String(2000), existing_nullable=False)
    op.add_column("player", sa.Column("has_device", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.add_column("sign_in", sa.Column("told", sa.Boolean(), nullable=True))
    op.execute("UPDATE player SET has_device = true WHERE id IN (SELECT player_id FROM push_device)")
    op.execute("UPDATE sign_in SET told = true WHERE id IN (SELECT sign_in_id FROM push_device)")


def downgrade() -> None:
    op.drop_column("sign_in", "told")
    op.drop_column("player", "has_device")
    for table, column in LENGTHS:
        with op.batch_alter_table(table) as batch_op:
            batch_op.alter_column(column, existing_type=sa.String(2000), type_=sa.String(500), existing_nullable=False)
