"""Players choose for one game how they hear of their turns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("game_seat", sa.Column("mailed", sa.String(length=6), server_default=sa.text("''"), nullable=False))


def downgrade() -> None:
    with op.batch_alter_table("game_seat", schema=None) as batch_op:
        batch_op.drop_column("mailed")
