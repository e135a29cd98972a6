"""A day of leave that was taken by itself is for its game alone; when a player last gave a sign of life."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.base.stored.columns import UTCDateTime

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Days that were taken before stay without a game: they go on to stop the clocks of all of them.
    with op.batch_alter_table("leave") as batch_op:
        batch_op.add_column(sa.Column("game_id", sa.Integer(), nullable=True))
        batch_op.create_foreign_key(op.f("fk_leave_game_id"), "game", ["game_id"], ["id"], ondelete="CASCADE")
        batch_op.create_index(op.f("ix_leave_game_id"), ["game_id"])
    with op.batch_alter_table("player") as batch_op:
        batch_op.add_column(sa.Column("acted_at", UTCDateTime(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("player") as batch_op:
        batch_op.drop_column("acted_at")
    with op.batch_alter_table("leave") as batch_op:
        batch_op.drop_index(op.f("ix_leave_game_id"))
        batch_op.drop_constraint(op.f("fk_leave_game_id"), type_="foreignkey")
        batch_op.drop_column("game_id")
