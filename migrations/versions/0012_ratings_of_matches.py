"""Steps of a rating belong to matches: earlier results that were taken over have no game.

The steps that are there go; the first look of the worker, or `postroad league ratings --recompute`, makes all anew.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

OLD, NEW = "uq_rating_change_player_id_game_id_system", "uq_rating_change_player_id_match_id_system"


def upgrade() -> None:
    op.execute("DELETE FROM rating_change")
    with op.batch_alter_table("rating_change") as batch:
        batch.add_column(sa.Column("match_id", sa.Integer(), nullable=False))
        batch.create_foreign_key(
            op.f("fk_rating_change_match_id"), "event_match", ["match_id"], ["id"], ondelete="CASCADE"
        )
        batch.create_index(op.f("ix_rating_change_match_id"), ["match_id"])
        batch.alter_column("game_id", existing_type=sa.Integer(), nullable=True)
        batch.drop_constraint(op.f(OLD), type_="unique")
        batch.create_unique_constraint(op.f(NEW), ["player_id", "match_id", "system"])


def downgrade() -> None:
    op.execute("DELETE FROM rating_change")
    with op.batch_alter_table("rating_change") as batch:
        batch.drop_constraint(op.f(NEW), type_="unique")
        batch.create_unique_constraint(op.f(OLD), ["player_id", "game_id", "system"])
        batch.alter_column("game_id", existing_type=sa.Integer(), nullable=False)
        batch.drop_index(op.f("ix_rating_change_match_id"))
        batch.drop_constraint(op.f("fk_rating_change_match_id"), type_="foreignkey")
        batch.drop_column("match_id")
