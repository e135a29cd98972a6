"""Standing offers with their games, and ratings of casual play."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "standing_offer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=30), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("pace", sa.String(length=20), server_default=sa.text("''"), nullable=False),
        sa.Column("weakest", sa.Integer(), nullable=True),
        sa.Column("strongest", sa.Integer(), nullable=True),
        sa.Column("is_rated", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("at_once", sa.Integer(), nullable=False),
        sa.Column("is_paused", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("at_once BETWEEN 1 AND 20 AND players >= 2", name=op.f("ck_standing_offer_counts")),
        sa.CheckConstraint(
            "weakest IS NULL OR strongest IS NULL OR weakest <= strongest", name=op.f("ck_standing_offer_range")
        ),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_standing_offer_player_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_standing_offer")),
    )
    op.create_index(op.f("ix_standing_offer_player_id"), "standing_offer", ["player_id"])
    active = sa.text("NOT is_paused")
    op.create_index(
        "ix_standing_offer_active",
        "standing_offer",
        ["title", "players"],
        sqlite_where=active,
        postgresql_where=active,
    )
    op.create_table(
        "offer_game",
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["offer_id"], ["standing_offer.id"], name=op.f("fk_offer_game_offer_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_offer_game_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("offer_id", "game_id", name=op.f("pk_offer_game")),
    )
    op.create_index(op.f("ix_offer_game_game_id"), "offer_game", ["game_id"])
    op.create_table(
        "casual_rating",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=30), nullable=False),
        sa.Column("system", sa.String(length=10), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_casual_rating_player_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_casual_rating")),
        sa.UniqueConstraint("player_id", "title", "system", name=op.f("uq_casual_rating_player_id_title_system")),
    )


def downgrade() -> None:
    for name in ("casual_rating", "offer_game", "standing_offer"):
        op.drop_table(name)
