"""A player can be reported without a line of talk."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("talk_report") as batch_op:
        batch_op.alter_column("line_id", existing_type=sa.Integer(), nullable=True)
        batch_op.add_column(sa.Column("player_id", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("game_id", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("on_day", sa.Date(), nullable=True))
        batch_op.create_foreign_key(
            op.f("fk_talk_report_player_id"), "player", ["player_id"], ["id"], ondelete="CASCADE"
        )
        batch_op.create_foreign_key(op.f("fk_talk_report_game_id"), "game", ["game_id"], ["id"], ondelete="SET NULL")
        batch_op.create_unique_constraint(
            op.f("uq_talk_report_by_id_player_id_on_day"), ["by_id", "player_id", "on_day"]
        )
        batch_op.create_check_constraint(op.f("ck_talk_report_about"), "(line_id IS NULL) <> (player_id IS NULL)")


def downgrade() -> None:
    op.execute("DELETE FROM talk_report WHERE line_id IS NULL")
    with op.batch_alter_table("talk_report") as batch_op:
        batch_op.drop_constraint(op.f("ck_talk_report_about"), type_="check")
        batch_op.drop_constraint(op.f("uq_talk_report_by_id_player_id_on_day"), type_="unique")
        batch_op.drop_constraint(op.f("fk_talk_report_game_id"), type_="foreignkey")
        batch_op.drop_constraint(op.f("fk_talk_report_player_id"), type_="foreignkey")
        batch_op.drop_column("on_day")
        batch_op.drop_column("game_id")
        batch_op.drop_column("player_id")
        batch_op.alter_column("line_id", existing_type=sa.Integer(), nullable=False)
