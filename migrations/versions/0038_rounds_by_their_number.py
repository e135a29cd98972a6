"""Rounds are found by their number in the event; who never moved has no part of a substitute's points."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table, column in (("event_round", "was_by_row"), ("match_seat", "as_recorded")):
        with op.batch_alter_table(table) as batch_op:
            batch_op.add_column(sa.Column(column, sa.Boolean(), server_default=sa.false(), nullable=False))
    rounds = sa.table("event_round", sa.column("was_by_row", sa.Boolean))
    op.execute(rounds.update().values(was_by_row=True))
    matches = sa.table("event_match", sa.column("id", sa.Integer), sa.column("ended", sa.String))
    seats = sa.table(
        "match_seat",
        sa.column("match_id", sa.Integer),
        sa.column("played_by", sa.Text),
        sa.column("as_recorded", sa.Boolean),
    )
    over = sa.select(matches.c.id).where(matches.c.ended.not_in(("", "void")))
    changed_hands = sa.cast(seats.c.played_by, sa.Text) != "[]"
    op.execute(seats.update().where(changed_hands, seats.c.match_id.in_(over)).values(as_recorded=True))


def downgrade() -> None:
    for table, column in (("match_seat", "as_recorded"), ("event_round", "was_by_row")):
        with op.batch_alter_table(table) as batch_op:
            batch_op.drop_column(column)
