"""Teams of an event: their players, line-ups and matches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "team",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("captain_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_team_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["captain_id"], ["player.id"], name=op.f("fk_team_captain_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team")),
        sa.UniqueConstraint("event_id", "name", name=op.f("uq_team_event_id_name")),
    )
    op.create_index(op.f("ix_team_captain_id"), "team", ["captain_id"])
    op.create_table(
        "team_player",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_team_player_team_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["entry_id"], ["event_entry.id"], name=op.f("fk_team_player_entry_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team_player")),
        sa.UniqueConstraint("entry_id", name=op.f("uq_team_player_entry_id")),
    )
    op.create_index(op.f("ix_team_player_team_id"), "team_player", ["team_id"])
    op.create_table(
        "team_line_up",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_team_line_up_team_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["entry_id"], ["event_entry.id"], name=op.f("fk_team_line_up_entry_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team_line_up")),
        sa.UniqueConstraint("team_id", "round", "board", name=op.f("uq_team_line_up_team_id_round_board")),
    )
    op.create_index(op.f("ix_team_line_up_entry_id"), "team_line_up", ["entry_id"])
    op.create_table(
        "team_match",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("leg", sa.Integer(), nullable=False),
        sa.Column("first_id", sa.Integer(), nullable=False),
        sa.Column("second_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["round_id"], ["event_round.id"], name=op.f("fk_team_match_round_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["first_id"], ["team.id"], name=op.f("fk_team_match_first_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["second_id"], ["team.id"], name=op.f("fk_team_match_second_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team_match")),
        sa.UniqueConstraint("round_id", "number", name=op.f("uq_team_match_round_id_number")),
    )
    op.create_index(op.f("ix_team_match_first_id"), "team_match", ["first_id"])
    op.create_index(op.f("ix_team_match_second_id"), "team_match", ["second_id"])
    op.create_table(
        "team_board",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("team_match_id", sa.Integer(), nullable=False),
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["team_match_id"], ["team_match.id"], name=op.f("fk_team_board_team_match_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["match_id"], ["event_match.id"], name=op.f("fk_team_board_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team_board")),
        sa.UniqueConstraint("match_id", name=op.f("uq_team_board_match_id")),
        sa.UniqueConstraint("team_match_id", "board", name=op.f("uq_team_board_team_match_id_board")),
    )


def downgrade() -> None:
    for name in ("team_board", "team_match", "team_line_up", "team_player", "team"):
        op.drop_table(name)
