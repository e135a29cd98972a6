"""The end of a turn, said ahead: kept with the seat, and a cause of its own in the log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

OLD_CAUSES = "cause IN ('open', 'seat', 'standing', 'forced', 'end', 'resign', 'agreed', 'time', 'record', 'takeback')"
CAUSES = OLD_CAUSES[:-1] + ", 'ahead')"


def upgrade() -> None:
    op.add_column("game_seat", sa.Column("ends_turn", sa.Integer(), nullable=True))
    _causes(CAUSES)


def downgrade() -> None:
    op.execute("UPDATE log_entry SET cause = 'end' WHERE cause = 'ahead'")
    _causes(OLD_CAUSES)
    with op.batch_alter_table("game_seat", schema=None) as batch_op:
        batch_op.drop_column("ends_turn")


def _causes(said: str) -> None:
    with op.batch_alter_table("log_entry", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("ck_log_entry_cause"), type_="check")
        batch_op.create_check_constraint(batch_op.f("ck_log_entry_cause"), said)
