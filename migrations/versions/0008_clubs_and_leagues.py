"""Clubs, their members and events; rounds, matches, rulings, ratings and the audit trail."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "club",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("language", sa.String(length=2), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("join_version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["player.id"], name=op.f("fk_club_made_by"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_club")),
        sa.UniqueConstraint("slug", name=op.f("uq_club_slug")),
    )
    op.create_table(
        "rating",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=40), nullable=False),
        sa.Column("system", sa.String(length=9), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("volatility", sa.Float(), nullable=True),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("system IN ('glicko2', 'openskill')", name=op.f("ck_rating_system")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_rating_player_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating")),
        sa.UniqueConstraint("player_id", "title", "system", name=op.f("uq_rating_player_id_title_system")),
    )
    with op.batch_alter_table("rating", schema=None) as batch_op:
        batch_op.create_index("ix_rating_title", ["title", "system", "rating"], unique=False)

    op.create_table(
        "club_member",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("club_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("status", sa.String(length=7), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "role IN ('owner', 'organiser', 'deputy', 'referee', 'member')", name=op.f("ck_club_member_role")
        ),
        sa.CheckConstraint("status IN ('invited', 'member', 'left')", name=op.f("ck_club_member_status")),
        sa.ForeignKeyConstraint(["club_id"], ["club.id"], name=op.f("fk_club_member_club_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_club_member_player_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_club_member")),
        sa.UniqueConstraint("club_id", "player_id", name=op.f("uq_club_member_club_id_player_id")),
    )
    with op.batch_alter_table("club_member", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_club_member_player_id"), ["player_id"], unique=False)

    op.create_table(
        "season",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("club_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("starts_on", sa.Date(), nullable=True),
        sa.Column("ends_on", sa.Date(), nullable=True),
        sa.Column("previous_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["club_id"], ["club.id"], name=op.f("fk_season_club_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["previous_id"], ["season.id"], name=op.f("fk_season_previous_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_season")),
        sa.UniqueConstraint("club_id", "name", name=op.f("uq_season_club_id_name")),
    )
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("club_id", sa.Integer(), nullable=False),
        sa.Column("season_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("title", sa.String(length=40), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("pace", sa.Text(), nullable=False),
        sa.Column("calendar_id", sa.Integer(), nullable=True),
        sa.Column("format", sa.String(length=12), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("lots", sa.String(length=64), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sign_up_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "format IN ('round_robin', 'swiss', 'knockout', 'ladder', 'tables', 'stages')", name=op.f("ck_event_format")
        ),
        sa.CheckConstraint(
            "status IN ('draft', 'sign_up', 'running', 'over', 'cancelled')", name=op.f("ck_event_status")
        ),
        sa.ForeignKeyConstraint(
            ["calendar_id"], ["holiday_calendar.id"], name=op.f("fk_event_calendar_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["club_id"], ["club.id"], name=op.f("fk_event_club_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["made_by"], ["player.id"], name=op.f("fk_event_made_by"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_event_season_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    with op.batch_alter_table("event", schema=None) as batch_op:
        batch_op.create_index("ix_event_club", ["club_id", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_event_season_id"), ["season_id"], unique=False)

    op.create_table(
        "rating_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=40), nullable=False),
        sa.Column("system", sa.String(length=9), nullable=False),
        sa.Column("before", sa.Float(), nullable=False),
        sa.Column("after", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_rating_change_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_rating_change_player_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating_change")),
        sa.UniqueConstraint("player_id", "game_id", "system", name=op.f("uq_rating_change_player_id_game_id_system")),
    )
    with op.batch_alter_table("rating_change", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_rating_change_game_id"), ["game_id"], unique=False)

    op.create_table(
        "audit_entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("club_id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("act", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=80), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.Column("once", sa.String(length=120), nullable=True),
        sa.Column("undone_by", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["by_id"], ["player.id"], name=op.f("fk_audit_entry_by_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["club_id"], ["club.id"], name=op.f("fk_audit_entry_club_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_audit_entry_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["undone_by"], ["audit_entry.id"], name=op.f("fk_audit_entry_undone_by"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entry")),
        sa.UniqueConstraint("once", name=op.f("uq_audit_entry_once")),
    )
    with op.batch_alter_table("audit_entry", schema=None) as batch_op:
        batch_op.create_index("ix_audit_entry_club", ["club_id", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_audit_entry_event_id"), ["event_id"], unique=False)

    op.create_table(
        "division",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("promoted", sa.Integer(), nullable=False),
        sa.Column("relegated", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_division_event_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_division")),
        sa.UniqueConstraint("event_id", "name", name=op.f("uq_division_event_id_name")),
    )
    op.create_table(
        "event_message",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("to", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=120), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("recipients", sa.Integer(), nullable=False),
        sa.Column("once", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["by_id"], ["player.id"], name=op.f("fk_event_message_by_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_event_message_event_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event_message")),
        sa.UniqueConstraint("once", name=op.f("uq_event_message_once")),
    )
    with op.batch_alter_table("event_message", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_event_message_event_id"), ["event_id"], unique=False)

    op.create_table(
        "event_entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("division_id", sa.Integer(), nullable=True),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=True),
        sa.Column("joined_round", sa.Integer(), nullable=False),
        sa.Column("withdrawn_after", sa.Integer(), nullable=True),
        sa.Column("away", sa.Text(), nullable=False),
        sa.Column("byes", sa.Text(), nullable=False),
        sa.Column("entered_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "status IN ('entered', 'reserve', 'withdrawn', 'removed')", name=op.f("ck_event_entry_status")
        ),
        sa.ForeignKeyConstraint(
            ["division_id"], ["division.id"], name=op.f("fk_event_entry_division_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_event_entry_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_event_entry_player_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event_entry")),
        sa.UniqueConstraint("event_id", "player_id", name=op.f("uq_event_entry_event_id_player_id")),
    )
    with op.batch_alter_table("event_entry", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_event_entry_division_id"), ["division_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_event_entry_player_id"), ["player_id"], unique=False)

    op.create_table(
        "event_round",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("division_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("status IN ('draft', 'published', 'closed')", name=op.f("ck_event_round_status")),
        sa.ForeignKeyConstraint(
            ["division_id"], ["division.id"], name=op.f("fk_event_round_division_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_event_round_event_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event_round")),
        sa.UniqueConstraint("division_id", "number", name=op.f("uq_event_round_division_id_number")),
    )
    with op.batch_alter_table("event_round", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_event_round_event_id"), ["event_id"], unique=False)

    op.create_table(
        "event_match",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("leg", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=True),
        sa.Column("ended", sa.String(length=14), nullable=False),
        sa.Column("source", sa.String(length=10), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "ended IN ('', 'played', 'walkover', 'double_forfeit', 'pairing_bye', 'full_bye', 'half_bye', 'zero_bye', "
            "'void')",
            name=op.f("ck_event_match_ended"),
        ),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_event_match_game_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["round_id"], ["event_round.id"], name=op.f("fk_event_match_round_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event_match")),
        sa.UniqueConstraint("game_id", name=op.f("uq_event_match_game_id")),
        sa.UniqueConstraint("round_id", "number", name=op.f("uq_event_match_round_id_number")),
    )
    op.create_table(
        "reserve_call",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("leaver_id", sa.Integer(), nullable=False),
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("called_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answer_by", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "status IN ('called', 'accepted', 'declined', 'expired', 'withdrawn')", name=op.f("ck_reserve_call_status")
        ),
        sa.ForeignKeyConstraint(
            ["entry_id"], ["event_entry.id"], name=op.f("fk_reserve_call_entry_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_reserve_call_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["leaver_id"], ["event_entry.id"], name=op.f("fk_reserve_call_leaver_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reserve_call")),
    )
    with op.batch_alter_table("reserve_call", schema=None) as batch_op:
        batch_op.create_index(
            "ix_reserve_call_answer_by",
            ["answer_by"],
            unique=False,
            sqlite_where=sa.text("status = 'called'"),
            postgresql_where=sa.text("status = 'called'"),
        )
        batch_op.create_index(batch_op.f("ix_reserve_call_entry_id"), ["entry_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_reserve_call_event_id"), ["event_id"], unique=False)

    op.create_table(
        "match_seat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column("points", sa.String(length=12), nullable=True),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("by_time", sa.Boolean(), nullable=False),
        sa.Column("played_by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["entry_id"], ["event_entry.id"], name=op.f("fk_match_seat_entry_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["match_id"], ["event_match.id"], name=op.f("fk_match_seat_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_match_seat")),
        sa.UniqueConstraint("match_id", "place", name=op.f("uq_match_seat_match_id_place")),
    )
    with op.batch_alter_table("match_seat", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_match_seat_entry_id"), ["entry_id"], unique=False)

    op.create_table(
        "ruling",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=True),
        sa.Column("case_id", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("opened_by", sa.Integer(), nullable=True),
        sa.Column("claim", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decision", sa.String(length=20), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.Integer(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("appeal_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("appealed_by", sa.Integer(), nullable=True),
        sa.Column("appeal", sa.Text(), nullable=False),
        sa.Column("final_by", sa.Integer(), nullable=True),
        sa.Column("final_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "status IN ('open', 'decided', 'appealed', 'final', 'withdrawn')", name=op.f("ck_ruling_status")
        ),
        sa.ForeignKeyConstraint(
            ["appealed_by"], ["player.id"], name=op.f("fk_ruling_appealed_by"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["case_id"], ["overdue_case.id"], name=op.f("fk_ruling_case_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["decided_by"], ["player.id"], name=op.f("fk_ruling_decided_by"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_ruling_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["final_by"], ["player.id"], name=op.f("fk_ruling_final_by"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["match_id"], ["event_match.id"], name=op.f("fk_ruling_match_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["opened_by"], ["player.id"], name=op.f("fk_ruling_opened_by"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ruling")),
    )
    with op.batch_alter_table("ruling", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_ruling_case_id"), ["case_id"], unique=False)
        batch_op.create_index("ix_ruling_event_status", ["event_id", "status"], unique=False)
        batch_op.create_index(batch_op.f("ix_ruling_match_id"), ["match_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("ruling", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_ruling_match_id"))
        batch_op.drop_index("ix_ruling_event_status")
        batch_op.drop_index(batch_op.f("ix_ruling_case_id"))

    op.drop_table("ruling")
    with op.batch_alter_table("match_seat", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_match_seat_entry_id"))

    op.drop_table("match_seat")
    with op.batch_alter_table("reserve_call", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_reserve_call_event_id"))
        batch_op.drop_index(batch_op.f("ix_reserve_call_entry_id"))
        batch_op.drop_index(
            "ix_reserve_call_answer_by",
            sqlite_where=sa.text("status = 'called'"),
            postgresql_where=sa.text("status = 'called'"),
        )

    op.drop_table("reserve_call")
    op.drop_table("event_match")
    with op.batch_alter_table("event_round", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_event_round_event_id"))

    op.drop_table("event_round")
    with op.batch_alter_table("event_entry", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_event_entry_player_id"))
        batch_op.drop_index(batch_op.f("ix_event_entry_division_id"))

    op.drop_table("event_entry")
    with op.batch_alter_table("event_message", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_event_message_event_id"))

    op.drop_table("event_message")
    op.drop_table("division")
    with op.batch_alter_table("audit_entry", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_entry_event_id"))
        batch_op.drop_index("ix_audit_entry_club")

    op.drop_table("audit_entry")
    with op.batch_alter_table("rating_change", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_rating_change_game_id"))

    op.drop_table("rating_change")
    with op.batch_alter_table("event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_event_season_id"))
        batch_op.drop_index("ix_event_club")

    op.drop_table("event")
    op.drop_table("season")
    with op.batch_alter_table("club_member", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_club_member_player_id"))

    op.drop_table("club_member")
    with op.batch_alter_table("rating", schema=None) as batch_op:
        batch_op.drop_index("ix_rating_title")

    op.drop_table("rating")
    op.drop_table("club")
