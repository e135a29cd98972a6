"""Mails that come in, addresses that bounce, second addresses, and what becomes of each mail that went out."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

VERDICTS = (
    "'too_large', 'unreadable', 'bounce', 'report', 'automatic', 'bulk', 'own', 'no_tag', 'not_owed', 'stranger', "
    "'unproven', 'reply'"
)


def upgrade() -> None:
    op.add_column("outbox_mail", sa.Column("answer", sa.Text(), nullable=True))
    for name in ("bounced_at", "seen_at", "answered_at"):
        op.add_column("outbox_mail", sa.Column(name, sa.DateTime(timezone=True), nullable=True))
    op.add_column("outbox_mail", sa.Column("answered_by", sa.String(length=5), nullable=True))
    op.add_column("player", sa.Column("second_address", sa.String(length=254), nullable=True))
    op.create_table(
        "inbound_mail",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("message_key", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=12), nullable=False),
        sa.Column("mail_id", sa.Integer(), nullable=True),
        sa.Column("about", sa.String(length=80), nullable=True),
        sa.Column("answered_to", sa.String(length=40), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.CheckConstraint(f"verdict IN ({VERDICTS})", name=op.f("ck_inbound_mail_verdict")),
        sa.ForeignKeyConstraint(
            ["mail_id"], ["outbox_mail.id"], name=op.f("fk_inbound_mail_mail_id_outbox_mail"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbound_mail")),
        sa.UniqueConstraint("message_key", name=op.f("uq_inbound_mail_message_key")),
    )
    op.create_index("ix_inbound_mail_at", "inbound_mail", ["at"])
    op.create_index("ix_inbound_mail_about", "inbound_mail", ["about"])
    op.create_index("ix_inbound_mail_answered", "inbound_mail", ["answered_to", "at"])
    op.create_index("ix_inbound_mail_mail_id", "inbound_mail", ["mail_id"])
    op.create_table(
        "bounced_address",
        sa.Column("address_key", sa.String(length=254), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("mail_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["mail_id"], ["outbox_mail.id"], name=op.f("fk_bounced_address_mail_id_outbox_mail"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("address_key", name=op.f("pk_bounced_address")),
    )
    op.create_index("ix_bounced_address_mail_id", "bounced_address", ["mail_id"])


def downgrade() -> None:
    op.drop_table("bounced_address")
    op.drop_table("inbound_mail")
    with op.batch_alter_table("player") as batch:
        batch.drop_column("second_address")
    with op.batch_alter_table("outbox_mail") as batch:
        for name in ("answered_by", "answered_at", "seen_at", "bounced_at", "answer"):
            batch.drop_column(name)
