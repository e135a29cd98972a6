"""What was played in a game that has ended stands as one number beside it, for the public list."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

_MISSING = "end_hash IS NULL AND ended_at IS NOT NULL AND started_at IS NOT NULL AND seed_number IS NOT NULL"


def upgrade() -> None:
    op.add_column("game", sa.Column("end_hash", sa.String(length=64), nullable=True))
    op.create_index(
        "ix_game_end_missing", "game", ["id"], sqlite_where=sa.text(_MISSING), postgresql_where=sa.text(_MISSING)
    )


def downgrade() -> None:
    op.drop_index("ix_game_end_missing", "game")
    with op.batch_alter_table("game") as batch_op:
        batch_op.drop_column("end_hash")
