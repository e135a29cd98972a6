"""Sign-up of an event opens by itself at an hour."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.base.stored.columns import UTCDateTime

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("event", sa.Column("sign_up_from", UTCDateTime(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("event") as batch_op:
        batch_op.drop_column("sign_up_from")
