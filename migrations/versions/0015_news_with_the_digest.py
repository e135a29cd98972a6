"""News of events goes out with the digest: an index of those mails."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

NEWS = sa.text(
    "kind IN ('event_round', 'event_left', 'sign_up_open', 'event_late', 'event_cancelled', 'challenge_declined')"
)


def upgrade() -> None:
    op.create_index(
        "ix_outbox_mail_news", "outbox_mail", ["player_id", "sent_at"], sqlite_where=NEWS, postgresql_where=NEWS
    )


def downgrade() -> None:
    op.drop_index("ix_outbox_mail_news", "outbox_mail")
