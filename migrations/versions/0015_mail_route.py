"""Mails keep their Message-ID when they are rendered anew; the way to a mail host can be paused."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

IS_FAILED = sa.text("state = 'failed'")


def upgrade() -> None:
    with op.batch_alter_table("outbox_mail") as batch:
        batch.add_column(sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True))
        batch.add_column(sa.Column("message_id", sa.String(80), nullable=True))
        batch.add_column(sa.Column("rendered_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "ix_outbox_mail_failed", "outbox_mail", ["sent_at"], sqlite_where=IS_FAILED, postgresql_where=IS_FAILED
    )
    op.create_table(
        "mail_route",
        sa.Column("host", sa.String(260), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("paused_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stage", sa.String(10), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("probe_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("probes", sa.Integer(), nullable=False),
        sa.Column("resumed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("incident_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_mail_route")),
    )


def downgrade() -> None:
    op.drop_table("mail_route")
    op.drop_index("ix_outbox_mail_failed", "outbox_mail", sqlite_where=IS_FAILED, postgresql_where=IS_FAILED)
    with op.batch_alter_table("outbox_mail") as batch:
        batch.drop_column("rendered_at")
        batch.drop_column("message_id")
        batch.drop_column("tried_at")
