"""Rows that a job cannot do are set aside; links that sign in know the browser that asked; zones that were chosen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.base.stored.columns import UTCDateTime

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "failing_row",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job", sa.String(length=40), nullable=False),
        sa.Column("row", sa.String(length=80), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("first_at", UTCDateTime(), nullable=False),
        sa.Column("last_at", UTCDateTime(), nullable=False),
        sa.Column("again_at", UTCDateTime(), nullable=False),
        sa.Column("error", sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_failing_row")),
        sa.UniqueConstraint("job", "row", name=op.f("uq_failing_row_job_row")),
    )
    with op.batch_alter_table("login_token") as batch_op:
        batch_op.add_column(sa.Column("asked_by", sa.String(length=64), nullable=True))
        batch_op.add_column(sa.Column("code_hash", sa.String(length=64), nullable=True))
        batch_op.add_column(sa.Column("tries", sa.Integer(), server_default=sa.text("0"), nullable=False))
    with op.batch_alter_table("player") as batch_op:
        batch_op.add_column(sa.Column("zone_chosen", sa.Boolean(), nullable=True))
    op.execute("UPDATE player SET zone_chosen = true WHERE zone <> 'UTC'")


def downgrade() -> None:
    with op.batch_alter_table("player") as batch_op:
        batch_op.drop_column("zone_chosen")
    with op.batch_alter_table("login_token") as batch_op:
        for column in ("tries", "code_hash", "asked_by"):
            batch_op.drop_column(column)
    op.drop_table("failing_row")
