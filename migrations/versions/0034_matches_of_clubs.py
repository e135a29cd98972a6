"""Two clubs play a match of teams against each other."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.base.stored.columns import UTCDateTime

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "club_match",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("guest_id", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("asked_by", sa.Integer(), nullable=True),
        sa.Column("asked_at", UTCDateTime(), nullable=False),
        sa.Column("answered_by", sa.Integer(), nullable=True),
        sa.Column("answered_at", UTCDateTime(), nullable=True),
        sa.Column("host_names", sa.Integer(), nullable=True),
        sa.Column("guest_names", sa.Integer(), nullable=True),
        sa.Column("host_ready_at", UTCDateTime(), nullable=True),
        sa.Column("guest_ready_at", UTCDateTime(), nullable=True),
        sa.CheckConstraint(
            "status IN ('invited', 'accepted', 'declined', 'withdrawn')", name=op.f("ck_club_match_status")
        ),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_club_match_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["guest_id"], ["club.id"], name=op.f("fk_club_match_guest_id"), ondelete="CASCADE"),
        *(
            sa.ForeignKeyConstraint([column], ["player.id"], name=op.f(f"fk_club_match_{column}"), ondelete="SET NULL")
            for column in ("asked_by", "answered_by", "host_names", "guest_names")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_club_match")),
        sa.UniqueConstraint("event_id", name=op.f("uq_club_match_event_id")),
    )
    op.create_index(op.f("ix_club_match_guest_id"), "club_match", ["guest_id"])
    with op.batch_alter_table("team") as batch_op:
        batch_op.add_column(sa.Column("club_id", sa.Integer(), nullable=True))
        batch_op.create_foreign_key(op.f("fk_team_club_id"), "club", ["club_id"], ["id"], ondelete="SET NULL")
        batch_op.create_index(op.f("ix_team_club_id"), ["club_id"])


def downgrade() -> None:
    with op.batch_alter_table("team") as batch_op:
        batch_op.drop_index(op.f("ix_team_club_id"))
        batch_op.drop_constraint(op.f("fk_team_club_id"), type_="foreignkey")
        batch_op.drop_column("club_id")
    op.drop_table("club_match")
