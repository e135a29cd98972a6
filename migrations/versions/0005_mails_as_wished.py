"""What players wish of their mails: how much of a position stands in them, and a digest at hours of their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name, length, usual in (("mail_shows", 5, "'hand'"), ("digest_hours", 80, "''")):
        column = sa.Column(name, sa.String(length=length), server_default=sa.text(usual), nullable=False)
        op.add_column("player", column)
    op.add_column("player", sa.Column("digest_instead", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.add_column("player", sa.Column("digest_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index("ix_player_digest_at", "player", ["digest_at"])


def downgrade() -> None:
    op.drop_index("ix_player_digest_at", "player")
    for name in ("digest_at", "digest_instead", "digest_hours", "mail_shows"):
        op.drop_column("player", name)
