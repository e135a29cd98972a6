"""Who has never said how long a sealed turn waits."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("player") as batch_op:
        batch_op.alter_column("hold_minutes", existing_type=sa.Integer(), nullable=True, server_default=None)
    # The account page stored a 0 whatever else was saved there, so that nobody is known to have chosen it.
    op.execute("UPDATE player SET hold_minutes = NULL WHERE hold_minutes = 0")


def downgrade() -> None:
    op.execute("UPDATE player SET hold_minutes = 0 WHERE hold_minutes IS NULL")
    with op.batch_alter_table("player") as batch_op:
        batch_op.alter_column("hold_minutes", existing_type=sa.Integer(), nullable=False, server_default=sa.text("0"))
