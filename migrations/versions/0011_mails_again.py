"""Mails that operators have sent once more: when, and who; what mails said is found when it is to be forgotten."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_SAID = sa.text("state = 'sent' AND details <> '{}'")


def upgrade() -> None:
    with op.batch_alter_table("outbox_mail") as table:
        table.add_column(sa.Column("again_at", sa.DateTime(timezone=True), nullable=True))
        table.add_column(sa.Column("again_by", sa.Integer(), nullable=True))
        table.create_foreign_key(op.f("fk_outbox_mail_again_by"), "player", ["again_by"], ["id"], ondelete="SET NULL")
    op.create_index("ix_outbox_mail_said", "outbox_mail", ["sent_at"], sqlite_where=_SAID, postgresql_where=_SAID)


def downgrade() -> None:
    op.drop_index("ix_outbox_mail_said", "outbox_mail")
    with op.batch_alter_table("outbox_mail") as table:
        table.drop_constraint(op.f("fk_outbox_mail_again_by"), type_="foreignkey")
        table.drop_column("again_by")
        table.drop_column("again_at")
