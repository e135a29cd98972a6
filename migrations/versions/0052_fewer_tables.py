"""Tables that only 1.0.0 still reads: standing offers are forgotten, and which push services rest is soon known again."""

from __future__ import annotations

from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DELETE FROM standing_offer")


def downgrade() -> None:
    pass
