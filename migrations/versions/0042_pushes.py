"""Devices that are told at once what mails tell."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.base.stored.columns import UTCDateTime

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

WAITING, OPEN = "state = 'waiting'", "state = 'sent' AND number IS NOT NULL AND NOT closes"
SWITCHES = {"push_turns": "true", "push_reminders": "true", "push_news": "false"}


def upgrade() -> None:
    op.create_table(
        "push_service",
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("taken_at", UTCDateTime(), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("rests_until", UTCDateTime(), nullable=True),
        sa.Column("last_error", sa.String(length=80), nullable=True),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_push_service")),
    )
    op.create_table(
        "push_device",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("sign_in_id", sa.Integer(), nullable=False),
        sa.Column("endpoint", sa.String(length=500), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("public_key", sa.String(length=90), nullable=False),
        sa.Column("auth", sa.String(length=30), nullable=False),
        sa.Column("server_key", sa.String(length=90), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("made_at", UTCDateTime(), nullable=False),
        sa.Column("used_at", UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_push_device_player_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["sign_in_id"], ["sign_in.id"], name=op.f("fk_push_device_sign_in_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_push_device")),
        sa.UniqueConstraint("endpoint", name=op.f("uq_push_device_endpoint")),
    )
    for column in ("player_id", "sign_in_id"):
        op.create_index(op.f(f"ix_push_device_{column}"), "push_device", [column])
    op.create_table(
        "push",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("mail_id", sa.Integer(), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=True),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("closes", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("made_at", UTCDateTime(), nullable=False),
        sa.Column("due_at", UTCDateTime(), nullable=False),
        sa.Column("claimed_by", sa.String(length=40), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("sent_at", UTCDateTime(), nullable=True),
        sa.CheckConstraint("state IN ('waiting', 'sent', 'dropped', 'failed')", name=op.f("ck_push_state")),
        sa.ForeignKeyConstraint(["device_id"], ["push_device.id"], name=op.f("fk_push_device_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_push_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["mail_id"], ["outbox_mail.id"], name=op.f("fk_push_mail_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_push")),
        sa.UniqueConstraint("device_id", "mail_id", name=op.f("uq_push_device_id_mail_id")),
    )
    for column in ("game_id", "mail_id", "made_at"):
        op.create_index(op.f(f"ix_push_{column}"), "push", [column])
    _partial("ix_push_due_at", "due_at", WAITING)
    _partial("ix_push_open", "game_id", OPEN)
    with op.batch_alter_table("player") as batch_op:
        for name, usual in SWITCHES.items():
            batch_op.add_column(sa.Column(name, sa.Boolean(), server_default=sa.text(usual), nullable=False))


def downgrade() -> None:
    with op.batch_alter_table("player") as batch_op:
        for name in SWITCHES:
            batch_op.drop_column(name)
    for table in ("push", "push_device", "push_service"):
        op.drop_table(table)


def _partial(name: str, column: str, condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, "push", [column], sqlite_where=where, postgresql_where=where)
