"""The first tables."""

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
        sa.UniqueConstraint("job", "owner", name=op.f("uq_heartbeat_job_owner")),
    )
    with op.batch_alter_table("heartbeat", schema=None) as batch_op:
        batch_op.create_index("ix_heartbeat_job_last", ["job", "last_at"], unique=False)

    op.create_table(
        "player",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(length=254), nullable=False),
        sa.Column("address_key", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("language", sa.String(length=2), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("mail_turns", sa.Boolean(), nullable=False),
        sa.Column("mail_reminders", sa.Boolean(), nullable=False),
        sa.Column("mail_news", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("language IN ('en', 'fr', 'es', 'it')", name=op.f("ck_player_language")),
        sa.CheckConstraint("role IN ('player', 'operator')", name=op.f("ck_player_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_player")),
        sa.UniqueConstraint("address_key", name=op.f("uq_player_address_key")),
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
        "game",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=40), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("pace_seconds", sa.Integer(), nullable=False),
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
        sa.Column("deadline_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("remind_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.CheckConstraint("(status = 'running') = (decides IS NOT NULL)", name=op.f("ck_game_decides_while_running")),
        sa.CheckConstraint("status IN ('open', 'running', 'over', 'cancelled')", name=op.f("ck_game_status")),
        sa.CheckConstraint("number >= 0 AND chance_used >= 0 AND pace_seconds > 0", name=op.f("ck_game_counts")),
        sa.ForeignKeyConstraint(["made_by"], ["player.id"], name=op.f("fk_game_made_by"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["rematch_of"], ["game.id"], name=op.f("fk_game_rematch_of"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game")),
    )
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.create_index(
            "ix_game_deadline_at",
            ["deadline_at"],
            unique=False,
            sqlite_where=sa.text("deadline_at IS NOT NULL"),
            postgresql_where=sa.text("deadline_at IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_game_remind_at",
            ["remind_at"],
            unique=False,
            sqlite_where=sa.text("remind_at IS NOT NULL"),
            postgresql_where=sa.text("remind_at IS NOT NULL"),
        )

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
        "game_seat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("standing", sa.Text(), nullable=False),
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
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "cause IN ('open', 'seat', 'standing', 'forced', 'end', 'resign', 'agreed', 'time', 'record')",
            name=op.f("ck_log_entry_cause"),
        ),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_log_entry_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_log_entry")),
        sa.UniqueConstraint("game_id", "number", name=op.f("uq_log_entry_game_id_number")),
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
        "note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_note_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_note")),
        sa.UniqueConstraint("game_id", "seat", name=op.f("uq_note_game_id_seat")),
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
        sa.Column("last_error", sa.Text(), nullable=True),
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
        batch_op.create_index(batch_op.f("ix_outbox_mail_game_id"), ["game_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_outbox_mail_player_id"), ["player_id"], unique=False)

    op.create_table(
        "proposal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("seat", sa.String(length=30), nullable=False),
        sa.Column("winners", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('cancel', 'agreed')", name=op.f("ck_proposal_kind")),
        sa.CheckConstraint(
            "status IN ('waiting', 'accepted', 'declined', 'withdrawn')", name=op.f("ck_proposal_status")
        ),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_proposal_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal")),
    )
    with op.batch_alter_table("proposal", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_proposal_game_id"), ["game_id"], unique=False)

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


def downgrade() -> None:

    op.drop_table("consent")
    with op.batch_alter_table("proposal", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_proposal_game_id"))

    op.drop_table("proposal")
    with op.batch_alter_table("outbox_mail", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_outbox_mail_player_id"))
        batch_op.drop_index(batch_op.f("ix_outbox_mail_game_id"))
        batch_op.drop_index(
            "ix_outbox_mail_due_at",
            sqlite_where=sa.text("state = 'waiting'"),
            postgresql_where=sa.text("state = 'waiting'"),
        )

    op.drop_table("outbox_mail")
    op.drop_table("note")
    with op.batch_alter_table("login_token", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_login_token_player_id"))
        batch_op.drop_index("ix_login_token_expires")
        batch_op.drop_index(batch_op.f("ix_login_token_change_id"))

    op.drop_table("login_token")
    op.drop_table("log_entry")
    with op.batch_alter_table("invitation", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_invitation_player_id"))

    op.drop_table("invitation")
    op.drop_table("game_state")
    with op.batch_alter_table("game_seat", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_game_seat_player_id"))

    op.drop_table("game_seat")
    op.drop_table("draft")
    op.drop_table("decision_made")
    with op.batch_alter_table("chat_message", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_chat_message_game_id"))

    op.drop_table("chat_message")
    with op.batch_alter_table("sign_in", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_sign_in_player_id"))
        batch_op.drop_index("ix_sign_in_expires")

    op.drop_table("sign_in")
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_game_remind_at",
            sqlite_where=sa.text("remind_at IS NOT NULL"),
            postgresql_where=sa.text("remind_at IS NOT NULL"),
        )
        batch_op.drop_index(
            "ix_game_deadline_at",
            sqlite_where=sa.text("deadline_at IS NOT NULL"),
            postgresql_where=sa.text("deadline_at IS NOT NULL"),
        )

    op.drop_table("game")
    with op.batch_alter_table("address_change", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_address_change_player_id"))

    op.drop_table("address_change")
    with op.batch_alter_table("rate_count", schema=None) as batch_op:
        batch_op.drop_index("ix_rate_count_window")

    op.drop_table("rate_count")
    op.drop_table("player")
    with op.batch_alter_table("heartbeat", schema=None) as batch_op:
        batch_op.drop_index("ix_heartbeat_job_last")

    op.drop_table("heartbeat")
