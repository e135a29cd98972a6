"""What there is to say to somebody about passed deadlines goes out together: an index of those mails."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TOGETHER = sa.text("kind IN ('overdue', 'late', 'case', 'ruled', 'ruling_asked', 'time_out')")


def upgrade() -> None:
    with op.batch_alter_table("outbox_mail", schema=None) as batch_op:
        batch_op.create_index(
            "ix_outbox_mail_together",
            ["player_id", "sent_at"],
            unique=False,
            sqlite_where=TOGETHER,
            postgresql_where=TOGETHER,
        )


def downgrade() -> None:
    with op.batch_alter_table("outbox_mail", schema=None) as batch_op:
        batch_op.drop_index("ix_outbox_mail_together", postgresql_where=TOGETHER)
