"""A player has a sign beside the name, and keeps how pages look."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("player") as batch_op:
        batch_op.add_column(sa.Column("sign", sa.String(length=10), server_default=sa.text("''"), nullable=False))
        batch_op.add_column(sa.Column("looks", sa.String(length=16), server_default=sa.text("''"), nullable=False))


def downgrade() -> None:
    with op.batch_alter_table("player") as batch_op:
        batch_op.drop_column("looks")
        batch_op.drop_column("sign")
