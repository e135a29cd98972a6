"""Leave that the organisers of an event grant, for its games alone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

OWN = "kind IN ('planned', 'now', 'automatic')"
ALL = "kind IN ('planned', 'now', 'automatic', 'granted')"


def upgrade() -> None:
    with op.batch_alter_table("leave") as batch:
        batch.add_column(sa.Column("event_id", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("granted_by", sa.Integer(), nullable=True))
        batch.create_foreign_key(op.f("fk_leave_event_id"), "event", ["event_id"], ["id"], ondelete="CASCADE")
        batch.create_foreign_key(op.f("fk_leave_granted_by"), "player", ["granted_by"], ["id"], ondelete="SET NULL")
        batch.create_index(op.f("ix_leave_event_id"), ["event_id"])
        batch.drop_constraint(op.f("ck_leave_kind"), type_="check")
        batch.create_check_constraint(op.f("ck_leave_kind"), ALL)


def downgrade() -> None:
    op.execute("DELETE FROM leave WHERE kind = 'granted'")
    with op.batch_alter_table("leave") as batch:
        batch.drop_constraint(op.f("ck_leave_kind"), type_="check")
        batch.create_check_constraint(op.f("ck_leave_kind"), OWN)
        batch.drop_index(op.f("ix_leave_event_id"))
        batch.drop_constraint(op.f("fk_leave_granted_by"), type_="foreignkey")
        batch.drop_constraint(op.f("fk_leave_event_id"), type_="foreignkey")
        batch.drop_column("granted_by")
        batch.drop_column("event_id")
