"""What a table says beside its rules: a note, how reliable its guests are to be, and whether its game is rated."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("game", sa.Column("note", sa.String(length=80), server_default=sa.text("''"), nullable=False))
    op.add_column("game", sa.Column("least_reliability", sa.Integer(), nullable=True))
    op.add_column("game", sa.Column("is_rated", sa.Boolean(), server_default=sa.text("false"), nullable=False))


def downgrade() -> None:
    for name in ("is_rated", "least_reliability", "note"):
        op.drop_column("game", name)
