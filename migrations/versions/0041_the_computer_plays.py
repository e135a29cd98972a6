"""The computer sits in seats and decides; games that are over are looked back on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.base.stored.columns import UTCDateTime

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

WAITING = sa.text("state = 'waiting'")


def upgrade() -> None:
    op.create_table(
        "computer_decision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=False),
        sa.Column("state", sa.String(length=7), nullable=False),
        sa.Column("made_at", UTCDateTime(), nullable=False),
        sa.Column("due_at", UTCDateTime(), nullable=False),
        sa.Column("claimed_by", sa.String(length=40), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("line", sa.Text(), nullable=True),
        sa.Column("expected", sa.Float(), nullable=True),
        sa.Column("thought_at", UTCDateTime(), nullable=True),
        sa.Column("cpu_seconds", sa.Float(), nullable=False),
        sa.CheckConstraint("state IN ('waiting', 'done')", name=op.f("ck_computer_decision_state")),
        sa.ForeignKeyConstraint(
            ["game_id"], ["game.id"], name=op.f("fk_computer_decision_game_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_computer_decision")),
        sa.UniqueConstraint("game_id", "number", name=op.f("uq_computer_decision_game_id_number")),
    )
    op.create_index("ix_computer_decision_thought_at", "computer_decision", ["thought_at"])
    op.create_table(
        "look_back",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=7), nullable=False),
        sa.Column("made_at", UTCDateTime(), nullable=False),
        sa.Column("due_at", UTCDateTime(), nullable=False),
        sa.Column("claimed_by", sa.String(length=40), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("found", sa.Text(), nullable=True),
        sa.CheckConstraint("state IN ('waiting', 'done')", name=op.f("ck_look_back_state")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_look_back_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_look_back")),
        sa.UniqueConstraint("game_id", name=op.f("uq_look_back_game_id")),
    )
    for table in ("computer_decision", "look_back"):
        op.create_index(f"ix_{table}_due_at", table, ["due_at"], sqlite_where=WAITING, postgresql_where=WAITING)
    op.add_column("game", sa.Column("has_computer", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.add_column("game_seat", sa.Column("held_by", sa.String(length=20), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("game_seat") as batch_op:
        batch_op.drop_column("held_by")
    with op.batch_alter_table("game") as batch_op:
        batch_op.drop_column("has_computer")
    op.drop_table("look_back")
    op.drop_table("computer_decision")
