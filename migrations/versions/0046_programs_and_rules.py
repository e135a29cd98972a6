"""Accounts can be programs; a game knows the number of its rules, and the names that an imported record brought."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("player", sa.Column("program_of", sa.String(40), nullable=True))
    op.add_column("game", sa.Column("rules", sa.Integer(), server_default=sa.text("1"), nullable=False))
    op.add_column("game_seat", sa.Column("named", sa.String(60), nullable=True))


def downgrade() -> None:
    op.drop_column("game_seat", "named")
    op.drop_column("game", "rules")
    op.drop_column("player", "program_of")
