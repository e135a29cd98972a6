"""A moment to think again: sealed turns that are held for some minutes, and the player's wish that they are."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("player", sa.Column("hold_minutes", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.add_column("draft", sa.Column("sealed_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("draft", sa.Column("held_until", sa.DateTime(timezone=True), nullable=True))
    op.add_column("draft", sa.Column("ahead", sa.Text(), nullable=True))
    held = sa.text("held_until IS NOT NULL")
    op.create_index("ix_draft_held_until", "draft", ["held_until"], sqlite_where=held, postgresql_where=held)


def downgrade() -> None:
    op.drop_index("ix_draft_held_until", "draft")
    for name in ("ahead", "held_until", "sealed_at"):
        op.drop_column("draft", name)
    op.drop_column("player", "hold_minutes")
