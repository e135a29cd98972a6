"""What a server knows about itself: its key's fingerprint, numbers left out at a restore, backups made."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "server_fact",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.String(length=120), nullable=False),
        sa.Column("noted_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_server_fact")),
    )
    op.create_table(
        "number_jump",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("of", sa.String(length=40), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_number_jump")),
    )
    op.create_table(
        "backup_made",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slot", sa.String(length=20), nullable=False),
        sa.Column("begun_at", MOMENT, nullable=False),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.Column("file", sa.String(length=500), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("error", sa.String(length=500), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_backup_made")),
        sa.UniqueConstraint("slot", name=op.f("uq_backup_made_slot")),
    )


def downgrade() -> None:
    for name in ("backup_made", "number_jump", "server_fact"):
        op.drop_table(name)
