"""Entrants answer the organisers' own questions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("event_entry", sa.Column("answers", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("event_entry", "answers")
