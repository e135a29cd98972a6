"""The zone in which the days of a leave are meant: a player who moves takes no more and no fewer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("leave", schema=None) as batch_op:
        batch_op.add_column(sa.Column("zone", sa.String(length=64), nullable=False, server_default=sa.text("'UTC'")))
    with op.batch_alter_table("leave", schema=None) as batch_op:
        batch_op.alter_column("zone", existing_type=sa.String(length=64), server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("leave", schema=None) as batch_op:
        batch_op.drop_column("zone")
