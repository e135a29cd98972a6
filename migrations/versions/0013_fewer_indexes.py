"""Indexes that every move had to write, and few readers used."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

HAS_DEADLINE = sa.text("deadline_at IS NOT NULL")
WAITS = sa.text("state = 'waiting' AND kind = 'reminder'")


def upgrade() -> None:
    op.drop_index("ix_game_deadline_at", "game")
    op.drop_index("ix_outbox_mail_player_id", "outbox_mail")
    op.create_index(
        "ix_outbox_mail_reminders", "outbox_mail", ["player_id"], sqlite_where=WAITS, postgresql_where=WAITS
    )


def downgrade() -> None:
    op.drop_index("ix_outbox_mail_reminders", "outbox_mail", sqlite_where=WAITS, postgresql_where=WAITS)
    op.create_index("ix_outbox_mail_player_id", "outbox_mail", ["player_id"])
    op.create_index(
        "ix_game_deadline_at", "game", ["deadline_at"], sqlite_where=HAS_DEADLINE, postgresql_where=HAS_DEADLINE
    )
