"""What a club keeps beside its events: headings of its own, notes on members, tables of earlier seasons."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

OWN = ("own1", "own2", "own3")


def upgrade() -> None:
    for name in OWN:
        op.add_column("club", sa.Column(name, sa.String(length=40), server_default=sa.text("''"), nullable=False))
    op.create_table(
        "member_note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("club_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        *(sa.Column(name, sa.String(length=200), nullable=False) for name in OWN),
        sa.Column("rating", sa.Float(), nullable=True),
        sa.Column("division", sa.String(length=60), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["club_id"], ["club.id"], name=op.f("fk_member_note_club_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_member_note_player_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_member_note")),
        sa.UniqueConstraint("club_id", "player_id", name=op.f("uq_member_note_club_id_player_id")),
    )
    op.create_index(op.f("ix_member_note_player_id"), "member_note", ["player_id"])
    op.create_table(
        "past_place",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("club_id", sa.Integer(), nullable=False),
        sa.Column("season", sa.String(length=60), nullable=False),
        sa.Column("division", sa.String(length=60), nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("points", sa.String(length=12), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["club_id"], ["club.id"], name=op.f("fk_past_place_club_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_past_place_player_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_past_place")),
    )
    op.create_index("ix_past_place_club", "past_place", ["club_id", "season"])
    op.create_index(op.f("ix_past_place_player_id"), "past_place", ["player_id"])


def downgrade() -> None:
    for name in ("past_place", "member_note"):
        op.drop_table(name)
    with op.batch_alter_table("club", schema=None) as batch_op:
        for name in OWN:
            batch_op.drop_column(name)
