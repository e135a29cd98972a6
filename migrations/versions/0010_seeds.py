"""Numbered seeds: trees of them, who got which numbers, and the number of each game's seed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "seed_tree",
        sa.Column("first", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.Column("tops", sa.Text(), nullable=False),
        sa.Column("root", sa.String(length=64), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("first > 0 AND count > 1", name=op.f("ck_seed_tree_numbers")),
        sa.PrimaryKeyConstraint("first", name=op.f("pk_seed_tree")),
    )
    op.create_table(
        "seed_count",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("given", sa.Integer(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_seed_count_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_seed_count")),
    )
    op.create_table(
        "seed_block",
        sa.Column("first", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("use", sa.String(length=5), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=True),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("skipped", sa.Integer(), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("use IN ('game', 'event', 'jump')", name=op.f("ck_seed_block_use")),
        sa.CheckConstraint(
            "first > 0 AND last >= first AND used >= 0 AND skipped >= 0", name=op.f("ck_seed_block_numbers")
        ),
        sa.PrimaryKeyConstraint("first", name=op.f("pk_seed_block")),
    )
    op.create_index(op.f("ix_seed_block_event_id"), "seed_block", ["event_id"])
    op.add_column("game", sa.Column("seed_number", sa.Integer(), nullable=True))
    op.create_index(op.f("ix_game_seed_number"), "game", ["seed_number"], unique=True)


def downgrade() -> None:
    op.drop_index(op.f("ix_game_seed_number"), "game")
    op.drop_column("game", "seed_number")
    for name in ("seed_block", "seed_count", "seed_tree"):
        op.drop_table(name)
