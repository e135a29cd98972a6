"""Running games in the order in which they moved; what each process has counted of itself."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.base.stored.columns import Document, UTCDateTime

revision = "0033"
down_revision = "0030"
branch_labels = None
depends_on = None

_RUNS = "status = 'running'"


def upgrade() -> None:
    op.create_index(
        "ix_game_running", "game", ["asked_at", "id"], sqlite_where=sa.text(_RUNS), postgresql_where=sa.text(_RUNS)
    )
    op.create_table(
        "process_figures",
        sa.Column("process", sa.String(length=60), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("content", Document(), nullable=False),
        sa.PrimaryKeyConstraint("process", name=op.f("pk_process_figures")),
    )


def downgrade() -> None:
    op.drop_table("process_figures")
    op.drop_index("ix_game_running", "game")
