"""An index of the tables that wait for players, by their host."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:

    op.create_index(
        "ix_game_open",
        "game",
        ["made_by"],
        unique=False,
        sqlite_where=sa.text("status = 'open'"),
        postgresql_where=sa.text("status = 'open'"),
    )


def downgrade() -> None:

    op.drop_index("ix_game_open", table_name="game")
