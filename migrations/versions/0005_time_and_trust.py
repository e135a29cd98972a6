"""Paces as data, leave, outages, cases; feeds, webhooks, planning copies; salts and takebacks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

OLD_CAUSES = "cause IN ('open', 'seat', 'standing', 'forced', 'end', 'resign', 'agreed', 'time', 'record')"
CAUSES = OLD_CAUSES[:-1] + ", 'takeback')"


def upgrade() -> None:
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
        "leave",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("from_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("to_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("days", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('planned', 'now', 'automatic')", name=op.f("ck_leave_kind")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_leave_player_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leave")),
    )
    with op.batch_alter_table("leave", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_leave_player_id"), ["player_id"], unique=False)

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

    with op.batch_alter_table("decision_made", schema=None) as batch_op:
        batch_op.add_column(sa.Column("used_seconds", sa.Integer(), nullable=True))

    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.add_column(sa.Column("pace", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("calendar_id", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("extra_seconds", sa.Integer(), nullable=False, server_default=sa.text("0")))
        batch_op.add_column(sa.Column("check_at", sa.DateTime(timezone=True), nullable=True))
        batch_op.create_index(batch_op.f("ix_game_calendar_id"), ["calendar_id"], unique=False)
        batch_op.create_index(
            "ix_game_check_at",
            ["check_at"],
            unique=False,
            sqlite_where=sa.text("check_at IS NOT NULL"),
            postgresql_where=sa.text("check_at IS NOT NULL"),
        )
        batch_op.create_foreign_key(
            batch_op.f("fk_game_calendar_id"), "holiday_calendar", ["calendar_id"], ["id"], ondelete="SET NULL"
        )

    op.execute("UPDATE game SET pace = '{\"decision\":' || pace_seconds || '}', check_at = deadline_at")
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.alter_column("pace", existing_type=sa.Text(), nullable=False)
        batch_op.alter_column("extra_seconds", existing_type=sa.Integer(), server_default=None)
        batch_op.drop_constraint(batch_op.f("ck_game_counts"), type_="check")
        batch_op.create_check_constraint(batch_op.f("ck_game_counts"), "number >= 0 AND chance_used >= 0")
        batch_op.drop_column("pace_seconds")

    with op.batch_alter_table("game_seat", schema=None) as batch_op:
        batch_op.add_column(sa.Column("bank_seconds", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("salt", sa.String(length=64), nullable=True))

    with op.batch_alter_table("heartbeat", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("uq_heartbeat_job_owner"), type_="unique")
        batch_op.create_unique_constraint(batch_op.f("uq_heartbeat_job_owner_first_at"), ["job", "owner", "first_at"])

    with op.batch_alter_table("log_entry", schema=None) as batch_op:
        batch_op.add_column(sa.Column("back_to", sa.Integer(), nullable=True))
        batch_op.drop_constraint(batch_op.f("ck_log_entry_cause"), type_="check")
        batch_op.create_check_constraint(batch_op.f("ck_log_entry_cause"), CAUSES)

    with op.batch_alter_table("note", schema=None) as batch_op:
        batch_op.add_column(sa.Column("entry", sa.Integer(), nullable=False, server_default=sa.text("0")))
        batch_op.drop_constraint(batch_op.f("uq_note_game_id_seat"), type_="unique")
        batch_op.create_unique_constraint(batch_op.f("uq_note_game_id_seat_entry"), ["game_id", "seat", "entry"])

    with op.batch_alter_table("note", schema=None) as batch_op:
        batch_op.alter_column("entry", existing_type=sa.Integer(), server_default=None)

    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.add_column(sa.Column("quiet_from", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("quiet_to", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("reminders", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("auto_leave", sa.Boolean(), nullable=False, server_default=sa.true()))
        batch_op.add_column(sa.Column("profile_is_public", sa.Boolean(), nullable=False, server_default=sa.true()))
        batch_op.add_column(sa.Column("feed_version", sa.Integer(), nullable=False, server_default=sa.text("1")))
        batch_op.add_column(sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True))
        batch_op.create_check_constraint(batch_op.f("ck_player_quiet"), "(quiet_from IS NULL) = (quiet_to IS NULL)")

    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.alter_column("auto_leave", existing_type=sa.Boolean(), server_default=None)
        batch_op.alter_column("profile_is_public", existing_type=sa.Boolean(), server_default=None)
        batch_op.alter_column("feed_version", existing_type=sa.Integer(), server_default=None)

    with op.batch_alter_table("proposal", schema=None) as batch_op:
        batch_op.add_column(sa.Column("back_to", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("at_entry", sa.Integer(), nullable=True))
        batch_op.drop_constraint(batch_op.f("ck_proposal_kind"), type_="check")
        batch_op.create_check_constraint(batch_op.f("ck_proposal_kind"), "kind IN ('cancel', 'agreed', 'takeback')")


def downgrade() -> None:
    with op.batch_alter_table("proposal", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("ck_proposal_kind"), type_="check")
        batch_op.create_check_constraint(batch_op.f("ck_proposal_kind"), "kind IN ('cancel', 'agreed')")
        batch_op.drop_column("at_entry")
        batch_op.drop_column("back_to")

    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("ck_player_quiet"), type_="check")
        batch_op.drop_column("erased_at")
        batch_op.drop_column("feed_version")
        batch_op.drop_column("profile_is_public")
        batch_op.drop_column("auto_leave")
        batch_op.drop_column("reminders")
        batch_op.drop_column("quiet_to")
        batch_op.drop_column("quiet_from")

    with op.batch_alter_table("note", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("uq_note_game_id_seat_entry"), type_="unique")
        batch_op.create_unique_constraint(batch_op.f("uq_note_game_id_seat"), ["game_id", "seat"])
        batch_op.drop_column("entry")

    with op.batch_alter_table("log_entry", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("ck_log_entry_cause"), type_="check")
        batch_op.create_check_constraint(batch_op.f("ck_log_entry_cause"), OLD_CAUSES)
        batch_op.drop_column("back_to")

    with op.batch_alter_table("heartbeat", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("uq_heartbeat_job_owner_first_at"), type_="unique")
        batch_op.create_unique_constraint(batch_op.f("uq_heartbeat_job_owner"), ["job", "owner"])

    with op.batch_alter_table("game_seat", schema=None) as batch_op:
        batch_op.drop_column("salt")
        batch_op.drop_column("bank_seconds")

    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.add_column(sa.Column("pace_seconds", sa.INTEGER(), nullable=False, server_default=sa.text("604800")))
        batch_op.drop_constraint(batch_op.f("fk_game_calendar_id"), type_="foreignkey")
        batch_op.drop_index(
            "ix_game_check_at",
            sqlite_where=sa.text("check_at IS NOT NULL"),
            postgresql_where=sa.text("check_at IS NOT NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_game_calendar_id"))
        batch_op.drop_column("check_at")
        batch_op.drop_column("extra_seconds")
        batch_op.drop_column("calendar_id")
        batch_op.drop_column("pace")

    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.alter_column("pace_seconds", existing_type=sa.Integer(), server_default=None)
        batch_op.drop_constraint(batch_op.f("ck_game_counts"), type_="check")
        batch_op.create_check_constraint(
            batch_op.f("ck_game_counts"), "number >= 0 AND chance_used >= 0 AND pace_seconds > 0"
        )

    with op.batch_alter_table("decision_made", schema=None) as batch_op:
        batch_op.drop_column("used_seconds")

    with op.batch_alter_table("webhook_call", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_webhook_call_game_id"))
        batch_op.drop_index(
            "ix_webhook_call_due_at",
            sqlite_where=sa.text("state = 'waiting'"),
            postgresql_where=sa.text("state = 'waiting'"),
        )

    op.drop_table("webhook_call")
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
    with op.batch_alter_table("clock_event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_clock_event_player_id"))
        batch_op.drop_index("ix_clock_event_game")

    op.drop_table("clock_event")
    with op.batch_alter_table("webhook", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_webhook_player_id"))

    op.drop_table("webhook")
    with op.batch_alter_table("leave", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_leave_player_id"))

    op.drop_table("leave")
    op.drop_table("holiday_calendar")
    with op.batch_alter_table("block", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_block_other_id"))

    op.drop_table("block")
    with op.batch_alter_table("outage", schema=None) as batch_op:
        batch_op.drop_index("ix_outage_to_at")

    op.drop_table("outage")
