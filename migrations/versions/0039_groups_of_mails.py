"""A mail says itself to which group it belongs, so that a new kind of mail needs no migration."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

KINDS = {
    "asked": "'sign_in', 'new_address', 'old_address', 'second_address', 'erase'",
    "clock": "'overdue', 'late', 'case', 'ruled', 'ruling_asked', 'time_out', 'reminder', 'digest', 'nudge'",
    "news": "'event_round', 'event_left', 'sign_up_open', 'event_late', 'event_cancelled', 'challenge_declined', "
    "'announcement'",
}
INDEXES = {"clock": "ix_outbox_mail_clock", "news": "ix_outbox_mail_news"}


def upgrade() -> None:
    _drop_indexes()
    op.add_column("outbox_mail", sa.Column("mail_group", sa.String(length=5), nullable=True))
    whens = " ".join(f"WHEN kind IN ({kinds}) THEN '{group}'" for group, kinds in KINDS.items())
    op.execute(sa.text(f"UPDATE outbox_mail SET mail_group = CASE {whens} ELSE 'turn' END"))
    with op.batch_alter_table("outbox_mail") as batch_op:
        batch_op.create_check_constraint(
            op.f("ck_outbox_mail_mail_group"), "mail_group IN ('asked', 'turn', 'clock', 'news')"
        )
    for group, name in INDEXES.items():
        _index(name, f"mail_group = '{group}'")


def downgrade() -> None:
    _drop_indexes()
    with op.batch_alter_table("outbox_mail") as batch_op:
        batch_op.drop_constraint(op.f("ck_outbox_mail_mail_group"), type_="check")
        batch_op.drop_column("mail_group")
    for group, name in INDEXES.items():
        _index(name, f"kind IN ({KINDS[group]})")


def _drop_indexes() -> None:
    for name in INDEXES.values():
        op.drop_index(name, "outbox_mail")


def _index(name: str, condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, "outbox_mail", ["player_id", "sent_at"], sqlite_where=where, postgresql_where=where)
