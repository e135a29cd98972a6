"""All tables, as they were at the first release. Later migrations change them; this one stays."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "heartbeat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job", sa.String(length=20), nullable=False),
        sa.Column("owner", sa.String(length=60), nullable=False),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_heartbeat")),
        sa.UniqueConstraint("job", "owner", "first_at", name=op.f("uq_heartbeat_job_owner_first_at")),
    )
    with op.batch_alter_table("heartbeat", schema=None) as batch_op:
        batch_op.create_index("ix_heartbeat_job_last", ["job", "last_at"], unique=False)

    op.create_table(
        "installed_set",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("installed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_installed_set")),
        sa.UniqueConstraint("title", "name", name=op.f("uq_installed_set_title_name")),
    )
    op.create_table(
        "mail_route",
        sa.Column("host", sa.String(length=260), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("paused_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stage", sa.String(length=10), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("probe_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("probes", sa.Integer(), nullable=False),
        sa.Column("resumed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("incident_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_mail_route")),
    )
    op.create_table(
        "outage",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job", sa.String(length=20), nullable=False),
        sa.Column("from_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("to_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("noted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("credited_up_to", sa.Integer(), nullable=False),
        sa.Column("is_credited", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outage")),
        sa.UniqueConstraint("job", "from_at", name=op.f("uq_outage_job_from_at")),
    )
    with op.batch_alter_table("outage", schema=None) as batch_op:
        batch_op.create_index("ix_outage_to_at", ["to_at"], unique=False)

    op.create_table(
        "player",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(length=254), nullable=False),
        sa.Column("address_key", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("name_key", sa.String(length=60), server_default=sa.text("('')"), nullable=False),
        sa.Column("language", sa.String(length=2), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("mail_turns", sa.Boolean(), nullable=False),
        sa.Column("mail_reminders", sa.Boolean(), nullable=False),
        sa.Column("mail_news", sa.Boolean(), nullable=False),
        sa.Column("quiet_from", sa.Integer(), nullable=True),
        sa.Column("quiet_to", sa.Integer(), nullable=True),
        sa.Column("reminders", sa.Text(), nullable=True),
        sa.Column("auto_leave", sa.Boolean(), nullable=False),
        sa.Column("profile_is_public", sa.Boolean(), nullable=False),
        sa.Column("feed_version", sa.Integer(), nullable=False),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("language IN ('en', 'fr', 'es', 'it')", name=op.f("ck_player_language")),
        sa.CheckConstraint("role IN ('player', 'operator')", name=op.f("ck_player_role")),
        sa.CheckConstraint("(quiet_from IS NULL) = (quiet_to IS NULL)", name=op.f("ck_player_quiet")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_player")),
        sa.UniqueConstraint("address_key", name=op.f("uq_player_address_key")),
    )
    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.create_index(
            "ix_player_name_key", ["name_key"], unique=False, postgresql_ops={"name_key": "varchar_pattern_ops"}
        )

    op.create_table(
        "rate_count",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("rate_key", sa.String(length=120), nullable=False),
        sa.Column("window_start", sa.DateTime(timezone=True), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rate_count")),
        sa.UniqueConstraint("rate_key", "window_start", name=op.f("uq_rate_count_rate_key_window_start")),
    )
    with op.batch_alter_table("rate_count", schema=None) as batch_op:
        batch_op.create_index("ix_rate_count_window", ["window_start"], unique=False)

    op.create_table(
        "address_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(length=254), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("confirmed_old_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("confirmed_new_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_address_change_player_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_address_change")),
    )
    with op.batch_alter_table("address_change", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_address_change_player_id"), ["player_id"], unique=False)

    op.create_table(
        "block",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("other_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=5), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('block', 'mute')", name=op.f("ck_block_kind")),
        sa.ForeignKeyConstraint(["other_id"], ["player.id"], name=op.f("fk_block_other_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_block_player_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_block")),
        sa.UniqueConstraint("player_id", "other_id", "kind", name=op.f("uq_block_player_id_other_id_kind")),
    )
    with op.batch_alter_table("block", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_block_other_id"), ["other_id"], unique=False)

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
        "holiday_calendar",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("days", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["made_by"], ["player.id"], name=op.f("fk_holiday_calendar_made_by"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_holiday_calendar")),
        sa.UniqueConstraint("name", name=op.f("uq_holiday_calendar_name")),
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
        "sign_in",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("device", sa.String(length=120), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_sign_in_player_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_sign_in_token_hash")),
    )
    with op.batch_alter_table("sign_in", schema=None) as batch_op:
        batch_op.create_index("ix_sign_in_expires", ["expires_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_sign_in_player_id"), ["player_id"], unique=False)

    op.create_table(
        "webhook",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=7), nullable=False),
        sa.Column("url", sa.String(length=500), nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('json', 'discord', 'slack')", name=op.f("ck_webhook_kind")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_webhook_player_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook")),
    )
    with op.batch_alter_table("webhook", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_webhook_player_id"), ["player_id"], unique=False)

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
        "game",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=40), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("pace", sa.Text(), nullable=False),
        sa.Column("calendar_id", sa.Integer(), nullable=True),
        sa.Column("drawn", sa.Boolean(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("rematch_of", sa.Integer(), nullable=True),
        sa.Column("source", sa.String(length=10), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seed", sa.String(length=64), nullable=True),
        sa.Column("chance_used", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("decides", sa.String(length=30), nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=True),
        sa.Column("on_turn", sa.String(length=30), nullable=True),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("mailed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("extra_seconds", sa.Integer(), nullable=False),
        sa.Column("deadline_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("remind_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("check_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("brought", sa.Text(), nullable=True),
        sa.CheckConstraint("(status = 'running') = (decides IS NOT NULL)", name=op.f("ck_game_decides_while_running")),
        sa.CheckConstraint("status IN ('open', 'running', 'over', 'cancelled')", name=op.f("ck_game_status")),
        sa.CheckConstraint("number >= 0 AND chance_used >= 0", name=op.f("ck_game_counts")),
        sa.ForeignKeyConstraint(
            ["calendar_id"], ["holiday_calendar.id"], name=op.f("fk_game_calendar_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["made_by"], ["player.id"], name=op.f("fk_game_made_by"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["rematch_of"], ["game.id"], name=op.f("fk_game_rematch_of"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game")),
    )
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_game_calendar_id"), ["calendar_id"], unique=False)
        batch_op.create_index(
            "ix_game_check_at",
            ["check_at"],
            unique=False,
            sqlite_where=sa.text("check_at IS NOT NULL"),
            postgresql_where=sa.text("check_at IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_game_open",
            ["made_by"],
            unique=False,
            sqlite_where=sa.text("status = 'open'"),
            postgresql_where=sa.text("status = 'open'"),
        )
        batch_op.create_index(
            "ix_game_over",
            ["ended_at", "id"],
            unique=False,
            sqlite_where=sa.text("status = 'over'"),
            postgresql_where=sa.text("status = 'over'"),
        )
        batch_op.create_index(
            "ix_game_over_title",
            ["title", "ended_at", "id"],
            unique=False,
            sqlite_where=sa.text("status = 'over'"),
            postgresql_where=sa.text("status = 'over'"),
        )
        batch_op.create_index(
            "ix_game_remind_at",
            ["remind_at"],
            unique=False,
            sqlite_where=sa.text("remind_at IS NOT NULL"),
            postgresql_where=sa.text("remind_at IS NOT NULL"),
        )

    op.create_table(
        "login_token",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("purpose", sa.String(length=12), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("change_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("purpose IN ('sign_in', 'new_address', 'old_address')", name=op.f("ck_login_token_purpose")),
        sa.ForeignKeyConstraint(
            ["change_id"], ["address_change.id"], name=op.f("fk_login_token_change_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_login_token_player_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_token")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_login_token_token_hash")),
    )
    with op.batch_alter_table("login_token", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_login_token_change_id"), ["change_id"], unique=False)
        batch_op.create_index("ix_login_token_expires", ["expires_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_login_token_player_id"), ["player_id"], unique=False)

    op.create_table(
        "season",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("club_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("previous_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["club_id"], ["club.id"], name=op.f("fk_season_club_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["previous_id"], ["season.id"], name=op.f("fk_season_previous_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_season")),
        sa.UniqueConstraint("club_id", "name", name=op.f("uq_season_club_id_name")),
    )
    op.create_table(
        "chat_message",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_chat_message_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_message")),
    )
    with op.batch_alter_table("chat_message", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_chat_message_game_id"), ["game_id"], unique=False)

    op.create_table(
        "clock_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=True),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("cause", sa.String(length=20), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("once", sa.String(length=120), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind IN ('credit', 'extension', 'leave', 'nudge', 'warned', 'grace', 'flagged', 'ruled', "
            "'timeout', 'claimed', 'mail_failed', 'calendar', 'closed')",
            name=op.f("ck_clock_event_kind"),
        ),
        sa.ForeignKeyConstraint(["by_id"], ["player.id"], name=op.f("fk_clock_event_by_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_clock_event_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_clock_event_player_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_clock_event")),
        sa.UniqueConstraint("once", name=op.f("uq_clock_event_once")),
    )
    with op.batch_alter_table("clock_event", schema=None) as batch_op:
        batch_op.create_index("ix_clock_event_game", ["game_id", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_clock_event_player_id"), ["player_id"], unique=False)

    op.create_table(
        "decision_made",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("mailed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deadline_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_seconds", sa.Integer(), nullable=True),
        sa.Column("banks", sa.Text(), nullable=True),
        sa.Column("orders", sa.Text(), nullable=True),
        sa.Column("last_entry", sa.Integer(), nullable=False),
        sa.Column("next_number", sa.Integer(), nullable=False),
        sa.Column("played", sa.Integer(), nullable=False),
        sa.Column("refused", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_decision_made_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision_made")),
        sa.UniqueConstraint("game_id", "number", name=op.f("uq_decision_made_game_id_number")),
    )
    op.create_table(
        "draft",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("lines", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_draft_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft")),
        sa.UniqueConstraint("game_id", "seat", name=op.f("uq_draft_game_id_seat")),
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
        "game_seat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("offer", sa.String(length=4), nullable=True),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("standing", sa.Text(), nullable=False),
        sa.Column("ends_turn", sa.Integer(), nullable=True),
        sa.Column("bank_seconds", sa.Integer(), nullable=True),
        sa.Column("salt", sa.String(length=64), nullable=True),
        sa.CheckConstraint("offer IN ('mail', 'open', 'link')", name=op.f("ck_game_seat_offer")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_game_seat_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_game_seat_player_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game_seat")),
        sa.UniqueConstraint("game_id", "place", name=op.f("uq_game_seat_game_id_place")),
        sa.UniqueConstraint("game_id", "seat", name=op.f("uq_game_seat_game_id_seat")),
    )
    with op.batch_alter_table("game_seat", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_game_seat_player_id"), ["player_id"], unique=False)

    op.create_table(
        "game_state",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_game_state_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", name=op.f("pk_game_state")),
    )
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat_place", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("kept_back_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "status IN ('waiting', 'accepted', 'declined', 'withdrawn')", name=op.f("ck_invitation_status")
        ),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_invitation_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_invitation_player_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint(
            "game_id", "seat_place", "player_id", name=op.f("uq_invitation_game_id_seat_place_player_id")
        ),
    )
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_invitation_player_id"), ["player_id"], unique=False)

    op.create_table(
        "log_entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("decision", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=True),
        sa.Column("cause", sa.String(length=10), nullable=False),
        sa.Column("line", sa.Text(), nullable=True),
        sa.Column("action", sa.Text(), nullable=True),
        sa.Column("chance", sa.Text(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("back_to", sa.Integer(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "cause IN ('open', 'seat', 'standing', 'forced', 'end', 'resign', 'agreed', 'time', 'record', "
            "'takeback', 'ahead')",
            name=op.f("ck_log_entry_cause"),
        ),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_log_entry_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_log_entry")),
        sa.UniqueConstraint("game_id", "number", name=op.f("uq_log_entry_game_id_number")),
    )
    op.create_table(
        "note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_note_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_note")),
        sa.UniqueConstraint("game_id", "seat", "entry", name=op.f("uq_note_game_id_seat_entry")),
    )
    op.create_table(
        "outbox_mail",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("mail_key", sa.String(length=120), nullable=False),
        sa.Column("kind", sa.String(length=30), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("address", sa.String(length=254), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=True),
        sa.Column("seat", sa.String(length=30), nullable=True),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("claimed_by", sa.String(length=40), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("message_id", sa.String(length=80), nullable=True),
        sa.Column("rendered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("message", sa.LargeBinary(), nullable=True),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('waiting', 'sent', 'dropped', 'failed', 'kept')", name=op.f("ck_outbox_mail_state")
        ),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_outbox_mail_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_outbox_mail_player_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox_mail")),
        sa.UniqueConstraint("mail_key", name=op.f("uq_outbox_mail_mail_key")),
    )
    with op.batch_alter_table("outbox_mail", schema=None) as batch_op:
        batch_op.create_index(
            "ix_outbox_mail_due_at",
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("state = 'waiting'"),
            postgresql_where=sa.text("state = 'waiting'"),
        )
        batch_op.create_index(
            "ix_outbox_mail_failed",
            ["sent_at"],
            unique=False,
            sqlite_where=sa.text("state = 'failed'"),
            postgresql_where=sa.text("state = 'failed'"),
        )
        batch_op.create_index(batch_op.f("ix_outbox_mail_game_id"), ["game_id"], unique=False)
        batch_op.create_index(
            "ix_outbox_mail_reminders",
            ["player_id"],
            unique=False,
            sqlite_where=sa.text("state = 'waiting' AND kind = 'reminder'"),
            postgresql_where=sa.text("state = 'waiting' AND kind = 'reminder'"),
        )

    op.create_table(
        "overdue_case",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=4), nullable=False),
        sa.Column("cause", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("stage", sa.Integer(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deadline_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ruling", sa.String(length=20), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("ruled_by", sa.Integer(), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('time', 'mail')", name=op.f("ck_overdue_case_kind")),
        sa.CheckConstraint(
            "state IN ('opened', 'warned', 'grace', 'flagged', 'ruled', 'closed')", name=op.f("ck_overdue_case_state")
        ),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_overdue_case_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_overdue_case_player_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["ruled_by"], ["player.id"], name=op.f("fk_overdue_case_ruled_by"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_overdue_case")),
    )
    with op.batch_alter_table("overdue_case", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_overdue_case_game_id"), ["game_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_overdue_case_player_id"), ["player_id"], unique=False)
        batch_op.create_index(
            "uq_overdue_case_running",
            ["game_id"],
            unique=True,
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )

    op.create_table(
        "planned_line",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("lines", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_planned_line_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_planned_line")),
    )
    with op.batch_alter_table("planned_line", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_planned_line_game_id"), ["game_id"], unique=False)

    op.create_table(
        "proposal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=False),
        sa.Column("winners", sa.Text(), nullable=False),
        sa.Column("back_to", sa.Integer(), nullable=True),
        sa.Column("at_entry", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('cancel', 'agreed', 'takeback')", name=op.f("ck_proposal_kind")),
        sa.CheckConstraint(
            "status IN ('waiting', 'accepted', 'declined', 'withdrawn')", name=op.f("ck_proposal_status")
        ),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_proposal_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal")),
    )
    with op.batch_alter_table("proposal", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_proposal_game_id"), ["game_id"], unique=False)

    op.create_table(
        "webhook_call",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        sa.Column("call_key", sa.String(length=120), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=True),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("claimed_by", sa.String(length=40), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('waiting', 'sent', 'dropped', 'failed')", name=op.f("ck_webhook_call_state")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_webhook_call_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhook.id"], name=op.f("fk_webhook_call_webhook_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_call")),
        sa.UniqueConstraint("webhook_id", "call_key", name=op.f("uq_webhook_call_webhook_id_call_key")),
    )
    with op.batch_alter_table("webhook_call", schema=None) as batch_op:
        batch_op.create_index(
            "ix_webhook_call_due_at",
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("state = 'waiting'"),
            postgresql_where=sa.text("state = 'waiting'"),
        )
        batch_op.create_index(batch_op.f("ix_webhook_call_game_id"), ["game_id"], unique=False)

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
        "consent",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("proposal_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=False),
        sa.Column("agrees", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["proposal_id"], ["proposal.id"], name=op.f("fk_consent_proposal_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_consent")),
        sa.UniqueConstraint("proposal_id", "seat", name=op.f("uq_consent_proposal_id_seat")),
    )
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
        "leave",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("from_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("to_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.Column("days", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("event_id", sa.Integer(), nullable=True),
        sa.Column("granted_by", sa.Integer(), nullable=True),
        sa.CheckConstraint("kind IN ('planned', 'now', 'automatic', 'granted')", name=op.f("ck_leave_kind")),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_leave_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["granted_by"], ["player.id"], name=op.f("fk_leave_granted_by"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_leave_player_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leave")),
    )
    with op.batch_alter_table("leave", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_leave_event_id"), ["event_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_leave_player_id"), ["player_id"], unique=False)

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
            "ended IN ('', 'played', 'walkover', 'double_forfeit', 'pairing_bye', 'full_bye', 'half_bye', "
            "'zero_bye', 'void')",
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
        "pairing_job",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("division_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("asked_by", sa.Integer(), nullable=True),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("once", sa.String(length=120), nullable=True),
        sa.Column("state", sa.String(length=9), nullable=False),
        sa.Column("step", sa.String(length=7), nullable=False),
        sa.Column("share", sa.Integer(), nullable=False),
        sa.Column("claimed_by", sa.String(length=12), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("round_id", sa.Integer(), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('open', 'done', 'failed', 'cancelled')", name=op.f("ck_pairing_job_state")),
        sa.CheckConstraint("step IN ('waiting', 'reading', 'pairing')", name=op.f("ck_pairing_job_step")),
        sa.ForeignKeyConstraint(["asked_by"], ["player.id"], name=op.f("fk_pairing_job_asked_by"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["division_id"], ["division.id"], name=op.f("fk_pairing_job_division_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_pairing_job_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["round_id"], ["event_round.id"], name=op.f("fk_pairing_job_round_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pairing_job")),
        sa.UniqueConstraint("once", name=op.f("uq_pairing_job_once")),
    )
    with op.batch_alter_table("pairing_job", schema=None) as batch_op:
        batch_op.create_index("ix_pairing_job_division", ["division_id", "id"], unique=False)
        batch_op.create_index(
            "ix_pairing_job_due",
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("state = 'open'"),
            postgresql_where=sa.text("state = 'open'"),
        )
        batch_op.create_index(batch_op.f("ix_pairing_job_event_id"), ["event_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_pairing_job_round_id"), ["round_id"], unique=False)
        batch_op.create_index(
            "uq_pairing_job_open",
            ["division_id"],
            unique=True,
            sqlite_where=sa.text("state = 'open'"),
            postgresql_where=sa.text("state = 'open'"),
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
        "rating_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=True),
        sa.Column("title", sa.String(length=40), nullable=False),
        sa.Column("system", sa.String(length=9), nullable=False),
        sa.Column("before", sa.Float(), nullable=False),
        sa.Column("after", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_rating_change_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["match_id"], ["event_match.id"], name=op.f("fk_rating_change_match_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_rating_change_player_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating_change")),
        sa.UniqueConstraint("player_id", "match_id", "system", name=op.f("uq_rating_change_player_id_match_id_system")),
    )
    with op.batch_alter_table("rating_change", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_rating_change_game_id"), ["game_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_rating_change_match_id"), ["match_id"], unique=False)

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
    with op.batch_alter_table("rating_change", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_rating_change_match_id"))
        batch_op.drop_index(batch_op.f("ix_rating_change_game_id"))

    op.drop_table("rating_change")
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
    with op.batch_alter_table("pairing_job", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_pairing_job_open", sqlite_where=sa.text("state = 'open'"), postgresql_where=sa.text("state = 'open'")
        )
        batch_op.drop_index(batch_op.f("ix_pairing_job_round_id"))
        batch_op.drop_index(batch_op.f("ix_pairing_job_event_id"))
        batch_op.drop_index(
            "ix_pairing_job_due", sqlite_where=sa.text("state = 'open'"), postgresql_where=sa.text("state = 'open'")
        )
        batch_op.drop_index("ix_pairing_job_division")

    op.drop_table("pairing_job")
    op.drop_table("event_match")
    with op.batch_alter_table("event_round", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_event_round_event_id"))

    op.drop_table("event_round")
    with op.batch_alter_table("event_entry", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_event_entry_player_id"))
        batch_op.drop_index(batch_op.f("ix_event_entry_division_id"))

    op.drop_table("event_entry")
    with op.batch_alter_table("leave", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_leave_player_id"))
        batch_op.drop_index(batch_op.f("ix_leave_event_id"))

    op.drop_table("leave")
    with op.batch_alter_table("event_message", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_event_message_event_id"))

    op.drop_table("event_message")
    op.drop_table("division")
    op.drop_table("consent")
    with op.batch_alter_table("audit_entry", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_entry_event_id"))
        batch_op.drop_index("ix_audit_entry_club")

    op.drop_table("audit_entry")
    with op.batch_alter_table("webhook_call", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_webhook_call_game_id"))
        batch_op.drop_index(
            "ix_webhook_call_due_at",
            sqlite_where=sa.text("state = 'waiting'"),
            postgresql_where=sa.text("state = 'waiting'"),
        )

    op.drop_table("webhook_call")
    with op.batch_alter_table("proposal", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_proposal_game_id"))

    op.drop_table("proposal")
    with op.batch_alter_table("planned_line", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_planned_line_game_id"))

    op.drop_table("planned_line")
    with op.batch_alter_table("overdue_case", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_overdue_case_running",
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_overdue_case_player_id"))
        batch_op.drop_index(batch_op.f("ix_overdue_case_game_id"))

    op.drop_table("overdue_case")
    with op.batch_alter_table("outbox_mail", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_outbox_mail_reminders",
            sqlite_where=sa.text("state = 'waiting' AND kind = 'reminder'"),
            postgresql_where=sa.text("state = 'waiting' AND kind = 'reminder'"),
        )
        batch_op.drop_index(batch_op.f("ix_outbox_mail_game_id"))
        batch_op.drop_index(
            "ix_outbox_mail_failed",
            sqlite_where=sa.text("state = 'failed'"),
            postgresql_where=sa.text("state = 'failed'"),
        )
        batch_op.drop_index(
            "ix_outbox_mail_due_at",
            sqlite_where=sa.text("state = 'waiting'"),
            postgresql_where=sa.text("state = 'waiting'"),
        )

    op.drop_table("outbox_mail")
    op.drop_table("note")
    op.drop_table("log_entry")
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_invitation_player_id"))

    op.drop_table("invitation")
    op.drop_table("game_state")
    with op.batch_alter_table("game_seat", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_game_seat_player_id"))

    op.drop_table("game_seat")
    with op.batch_alter_table("event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_event_season_id"))
        batch_op.drop_index("ix_event_club")

    op.drop_table("event")
    op.drop_table("draft")
    op.drop_table("decision_made")
    with op.batch_alter_table("clock_event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_clock_event_player_id"))
        batch_op.drop_index("ix_clock_event_game")

    op.drop_table("clock_event")
    with op.batch_alter_table("chat_message", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_chat_message_game_id"))

    op.drop_table("chat_message")
    op.drop_table("season")
    with op.batch_alter_table("login_token", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_login_token_player_id"))
        batch_op.drop_index("ix_login_token_expires")
        batch_op.drop_index(batch_op.f("ix_login_token_change_id"))

    op.drop_table("login_token")
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_game_remind_at",
            sqlite_where=sa.text("remind_at IS NOT NULL"),
            postgresql_where=sa.text("remind_at IS NOT NULL"),
        )
        batch_op.drop_index(
            "ix_game_over_title", sqlite_where=sa.text("status = 'over'"), postgresql_where=sa.text("status = 'over'")
        )
        batch_op.drop_index(
            "ix_game_over", sqlite_where=sa.text("status = 'over'"), postgresql_where=sa.text("status = 'over'")
        )
        batch_op.drop_index(
            "ix_game_open", sqlite_where=sa.text("status = 'open'"), postgresql_where=sa.text("status = 'open'")
        )
        batch_op.drop_index(
            "ix_game_check_at",
            sqlite_where=sa.text("check_at IS NOT NULL"),
            postgresql_where=sa.text("check_at IS NOT NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_game_calendar_id"))

    op.drop_table("game")
    with op.batch_alter_table("club_member", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_club_member_player_id"))

    op.drop_table("club_member")
    with op.batch_alter_table("webhook", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_webhook_player_id"))

    op.drop_table("webhook")
    with op.batch_alter_table("sign_in", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_sign_in_player_id"))
        batch_op.drop_index("ix_sign_in_expires")

    op.drop_table("sign_in")
    with op.batch_alter_table("rating", schema=None) as batch_op:
        batch_op.drop_index("ix_rating_title")

    op.drop_table("rating")
    op.drop_table("holiday_calendar")
    op.drop_table("club")
    with op.batch_alter_table("block", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_block_other_id"))

    op.drop_table("block")
    with op.batch_alter_table("address_change", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_address_change_player_id"))

    op.drop_table("address_change")
    with op.batch_alter_table("rate_count", schema=None) as batch_op:
        batch_op.drop_index("ix_rate_count_window")

    op.drop_table("rate_count")
    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.drop_index("ix_player_name_key", postgresql_ops={"name_key": "varchar_pattern_ops"})

    op.drop_table("player")
    with op.batch_alter_table("outage", schema=None) as batch_op:
        batch_op.drop_index("ix_outage_to_at")

    op.drop_table("outage")
    op.drop_table("mail_route")
    op.drop_table("installed_set")
    with op.batch_alter_table("heartbeat", schema=None) as batch_op:
        batch_op.drop_index("ix_heartbeat_job_last")

    op.drop_table("heartbeat")
