"""Seats that a ruling has taken out of a game: the log says so."""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_NAME = "ck_log_entry_cause"
_BEFORE = (
    "cause IN ('open', 'seat', 'standing', 'forced', 'end', 'resign', 'agreed', 'time', 'record', 'takeback', 'ahead')"
)


def upgrade() -> None:
    with op.batch_alter_table("log_entry") as table:
        table.drop_constraint(op.f(_NAME), type_="check")
        table.create_check_constraint(op.f(_NAME), _BEFORE.replace("'ahead'", "'ahead', 'ruling'"))


def downgrade() -> None:
    op.execute("UPDATE log_entry SET cause = 'resign' WHERE cause = 'ruling'")
    with op.batch_alter_table("log_entry") as table:
        table.drop_constraint(op.f(_NAME), type_="check")
        table.create_check_constraint(op.f(_NAME), _BEFORE)
