"""Four tables that only 1.0.0 still reads: first numbers and backups become facts, standing offers are forgotten.

Which push services rest is soon known again.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

_FACT = "INSERT INTO server_fact (name, value, more, noted_at) SELECT"


def upgrade() -> None:
    op.add_column("server_fact", sa.Column("more", sa.Text(), nullable=True))
    for facts in (
        '\'first.\' || "of", CAST(max(first) AS VARCHAR(12)), NULL, max(at) FROM number_jump GROUP BY "of"',
        "'backup.made', slot || ' ' || CAST(size AS VARCHAR(20)), file, ended_at FROM backup_made "
        "WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT 1",
        "'backup.failed', '', error, begun_at FROM backup_made ORDER BY begun_at DESC LIMIT 1",
    ):
        op.execute(f"{_FACT} {facts}")
    op.execute("DELETE FROM standing_offer")


def downgrade() -> None:
    op.execute("DELETE FROM server_fact WHERE name LIKE 'first.%' OR name IN ('backup.made', 'backup.failed')")
    op.drop_column("server_fact", "more")
