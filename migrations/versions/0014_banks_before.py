"""What the banks of time held before a decision was made, so that taking it back restores them exactly."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("decision_made", sa.Column("banks", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("decision_made", "banks")
