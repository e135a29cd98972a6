"""When what feeds say of a game or a player last changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.base.stored.columns import UTCDateTime

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

COLUMNS = (("game", "changed_at"), ("player", "changed_at"))


def upgrade() -> None:
    for table, column in COLUMNS:
        op.add_column(table, sa.Column(column, UTCDateTime(), nullable=True))


def downgrade() -> None:
    for table, column in COLUMNS:
        op.drop_column(table, column)
