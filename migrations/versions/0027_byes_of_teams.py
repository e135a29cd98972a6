"""A team can have the bye of a Swiss round."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("team_match") as batch_op:
        batch_op.alter_column("second_id", existing_type=sa.Integer(), nullable=True)


def downgrade() -> None:
    op.execute("DELETE FROM team_match WHERE second_id IS NULL")
    with op.batch_alter_table("team_match") as batch_op:
        batch_op.alter_column("second_id", existing_type=sa.Integer(), nullable=False)
