"""Mails about passed deadlines count reminders and digests as well: their index takes those in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

TOGETHER = sa.text("kind IN ('overdue', 'late', 'case', 'ruled', 'ruling_asked', 'time_out')")
CLOCK = sa.text(
    "kind IN ('overdue', 'late', 'case', 'ruled', 'ruling_asked', 'time_out', 'reminder', 'digest', 'nudge')"
)


def upgrade() -> None:
    _replace("ix_outbox_mail_together", "ix_outbox_mail_clock", CLOCK)


def downgrade() -> None:
    _replace("ix_outbox_mail_clock", "ix_outbox_mail_together", TOGETHER)


def _replace(old: str, new: str, where: sa.TextClause) -> None:
    op.drop_index(old, "outbox_mail")
    op.create_index(new, "outbox_mail", ["player_id", "sent_at"], sqlite_where=where, postgresql_where=where)
