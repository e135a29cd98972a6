"""Whoever is signed in can ask to join a club."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("club", sa.Column("takes_requests", sa.Boolean(), server_default=sa.text("true"), nullable=False))
    op.create_table(
        "join_request",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("club_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("declined_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["club_id"], ["club.id"], name=op.f("fk_join_request_club_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_join_request_player_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_join_request")),
        sa.UniqueConstraint("club_id", "player_id", name=op.f("uq_join_request_club_id_player_id")),
    )
    op.create_index(op.f("ix_join_request_player_id"), "join_request", ["player_id"])


def downgrade() -> None:
    op.drop_table("join_request")
    with op.batch_alter_table("club", schema=None) as batch_op:
        batch_op.drop_column("takes_requests")
