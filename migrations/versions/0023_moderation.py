"""Lines of talk are reported; players are muted and banned."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sanction",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=4), nullable=False),
        sa.Column("reason", sa.String(length=500), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lifted_by", sa.Integer(), nullable=True),
        sa.Column("lifted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lifted_why", sa.String(length=500), server_default=sa.text("''"), nullable=False),
        sa.CheckConstraint("kind IN ('mute', 'ban')", name=op.f("ck_sanction_kind")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_sanction_player_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["made_by"], ["player.id"], name=op.f("fk_sanction_made_by"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["lifted_by"], ["player.id"], name=op.f("fk_sanction_lifted_by"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sanction")),
    )
    op.create_index("ix_sanction_player_id", "sanction", ["player_id"])
    op.create_table(
        "talk_report",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("line_id", sa.Integer(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("why", sa.String(length=500), server_default=sa.text("''"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed_by", sa.Integer(), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_why", sa.String(length=500), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(
            ["line_id"], ["chat_message.id"], name=op.f("fk_talk_report_line_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["by_id"], ["player.id"], name=op.f("fk_talk_report_by_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["closed_by"], ["player.id"], name=op.f("fk_talk_report_closed_by"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_talk_report")),
        sa.UniqueConstraint("line_id", name=op.f("uq_talk_report_line_id")),
    )


def downgrade() -> None:
    op.execute(sa.text("DELETE FROM outbox_mail WHERE kind = 'talk_report' AND state = 'waiting'"))
    op.drop_table("talk_report")
    op.drop_index("ix_sanction_player_id", "sanction")
    op.drop_table("sanction")
