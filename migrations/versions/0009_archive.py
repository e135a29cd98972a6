"""Indexes of the archive, and names as they are looked for."""

from __future__ import annotations

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

IS_OVER = sa.text("status = 'over'")


def searchable(name: str) -> str:
    """As the program had it when this was written."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    return " ".join(plain.split())[:60]


def upgrade() -> None:
    for name, columns in (("ix_game_over", ["ended_at", "id"]), ("ix_game_over_title", ["title", "ended_at", "id"])):
        op.create_index(name, "game", columns, sqlite_where=IS_OVER, postgresql_where=IS_OVER)
    op.add_column("player", sa.Column("name_key", sa.String(length=60), server_default=sa.text("''"), nullable=False))
    player = sa.table("player", sa.column("id", sa.Integer), sa.column("name", sa.String), sa.column("name_key"))
    connection = op.get_bind()
    for row in connection.execute(sa.select(player.c.id, player.c.name)).all():
        connection.execute(sa.update(player).where(player.c.id == row.id).values(name_key=searchable(row.name)))
    op.create_index(
        "ix_player_name_key", "player", ["name_key"], postgresql_ops={"name_key": "varchar_pattern_ops"}
    )  # fmt: skip


def downgrade() -> None:
    op.drop_index("ix_player_name_key", "player")
    with op.batch_alter_table("player") as batch:
        batch.drop_column("name_key")
    op.drop_index("ix_game_over_title", "game", sqlite_where=IS_OVER, postgresql_where=IS_OVER)
    op.drop_index("ix_game_over", "game", sqlite_where=IS_OVER, postgresql_where=IS_OVER)
