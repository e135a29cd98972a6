"""Clubs keep the terms of events as templates."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.base.stored.columns import Document

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "event_template",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("club_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("title", sa.String(length=40), nullable=False),
        sa.Column("options", Document(), nullable=False),
        sa.Column("pace", Document(), nullable=False),
        sa.Column("calendar_id", sa.Integer(), nullable=True),
        sa.Column("format", sa.String(length=12), nullable=False),
        sa.Column("terms", Document(), nullable=False),
        sa.Column("parts", Document(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "format IN ('round_robin', 'swiss', 'knockout', 'ladder', 'tables', 'stages')",
            name=op.f("ck_event_template_format"),
        ),
        sa.ForeignKeyConstraint(["club_id"], ["club.id"], name=op.f("fk_event_template_club_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["calendar_id"],
            ["holiday_calendar.id"],
            name=op.f("fk_event_template_calendar_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["made_by"], ["player.id"], name=op.f("fk_event_template_made_by"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event_template")),
        sa.UniqueConstraint("club_id", "name", name=op.f("uq_event_template_club_id_name")),
    )


def downgrade() -> None:
    op.drop_table("event_template")
