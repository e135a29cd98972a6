"""Announcements of clubs; they are news that goes out with the digest."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

BEFORE = "'event_round', 'event_left', 'sign_up_open', 'event_late', 'event_cancelled', 'challenge_declined'"


def upgrade() -> None:
    op.create_table(
        "announcement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("club_id", sa.Integer(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("subject", sa.String(length=120), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("is_public", sa.Boolean(), nullable=False),
        sa.Column("mails", sa.Integer(), nullable=False),
        sa.Column("once", sa.String(length=120), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_down_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["club_id"], ["club.id"], name=op.f("fk_announcement_club_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["by_id"], ["player.id"], name=op.f("fk_announcement_by_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_announcement")),
        sa.UniqueConstraint("once", name=op.f("uq_announcement_once")),
    )
    op.create_index("ix_announcement_club", "announcement", ["club_id", "id"])
    _index_news(f"{BEFORE}, 'announcement'")


def downgrade() -> None:
    _index_news(BEFORE)
    op.execute(sa.text("DELETE FROM outbox_mail WHERE kind = 'announcement' AND state = 'waiting'"))
    op.drop_table("announcement")


def _index_news(kinds: str) -> None:
    op.drop_index("ix_outbox_mail_news", "outbox_mail")
    news = sa.text(f"kind IN ({kinds})")
    op.create_index(
        "ix_outbox_mail_news", "outbox_mail", ["player_id", "sent_at"], sqlite_where=news, postgresql_where=news
    )
