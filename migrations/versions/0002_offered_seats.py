"""How the empty seats of a table are offered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:

    with op.batch_alter_table("game_seat", schema=None) as batch_op:
        batch_op.add_column(sa.Column("offer", sa.String(length=4), nullable=True))
        batch_op.create_check_constraint(batch_op.f("ck_game_seat_offer"), "offer IN ('mail', 'open', 'link')")


def downgrade() -> None:

    with op.batch_alter_table("game_seat", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("ck_game_seat_offer"), type_="check")
        batch_op.drop_column("offer")
