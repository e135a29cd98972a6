"""Pairings that are worked out beside the pages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

IS_OPEN = sa.text("state = 'open'")


def upgrade() -> None:
    op.create_table(
        "pairing_job",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("division_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("asked_by", sa.Integer(), nullable=True),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("once", sa.String(length=120), nullable=True),
        sa.Column("state", sa.String(length=9), nullable=False),
        sa.Column("step", sa.String(length=7), nullable=False),
        sa.Column("share", sa.Integer(), nullable=False),
        sa.Column("claimed_by", sa.String(length=12), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("round_id", sa.Integer(), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('open', 'done', 'failed', 'cancelled')", name=op.f("ck_pairing_job_state")),
        sa.CheckConstraint("step IN ('waiting', 'reading', 'pairing')", name=op.f("ck_pairing_job_step")),
        sa.ForeignKeyConstraint(["asked_by"], ["player.id"], name=op.f("fk_pairing_job_asked_by"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["division_id"], ["division.id"], name=op.f("fk_pairing_job_division_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_pairing_job_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["round_id"], ["event_round.id"], name=op.f("fk_pairing_job_round_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pairing_job")),
        sa.UniqueConstraint("once", name=op.f("uq_pairing_job_once")),
    )
    op.create_index("ix_pairing_job_due", "pairing_job", ["due_at"], sqlite_where=IS_OPEN, postgresql_where=IS_OPEN)
    op.create_index(
        "uq_pairing_job_open", "pairing_job", ["division_id"], unique=True, sqlite_where=IS_OPEN,
        postgresql_where=IS_OPEN,
    )  # fmt: skip
    op.create_index("ix_pairing_job_division", "pairing_job", ["division_id", "id"])
    for column in ("event_id", "round_id"):
        op.create_index(op.f(f"ix_pairing_job_{column}"), "pairing_job", [column])


def downgrade() -> None:
    op.drop_table("pairing_job")
