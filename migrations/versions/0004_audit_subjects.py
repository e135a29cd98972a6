"""What an act of the audit trail was done to is columns, not a text such as `round:3/12` to be taken apart."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

COLUMNS = {"about": sa.String(length=10), "about_number": sa.Integer(), "about_division": sa.Integer()}
NAMED = ("event.made", "season.drafted", "results.imported")
"""Acts whose subject is a name, however it reads."""
TEXT = re.compile(r"(?:(player|entry|division|match|game):(\d+)|round:(\d+)(?:/(\d+))?|(event|late))", re.ASCII)

audit = sa.table(
    "audit_entry",
    sa.column("id", sa.Integer),
    sa.column("act", sa.String),
    sa.column("subject", sa.String),
    *(sa.column(name, type_) for name, type_ in COLUMNS.items()),
)


def upgrade() -> None:
    for name, type_ in COLUMNS.items():
        op.add_column("audit_entry", sa.Column(name, type_, nullable=True))
    for row in op.get_bind().execute(sa.select(audit.c.id, audit.c.act, audit.c.subject).where(audit.c.subject != "")):
        op.execute(audit.update().where(audit.c.id == row.id).values(**read(row.act, row.subject)))


def read(act: str, text: str) -> dict[str, object]:
    """The columns that stand for the text of an act."""
    found = None if act in NAMED else TEXT.fullmatch(text)
    if found is None:
        return {"about": "name", "subject": text}
    kind, number, round_number, division, whom = found.groups()
    if round_number:
        kind, number = "round", round_number
    return {
        "about": kind or whom,
        "about_number": int(number) if number else None,
        "about_division": int(division) if division else None,
        "subject": "",
    }


def downgrade() -> None:
    number, division = sa.cast(audit.c.about_number, sa.String), sa.cast(audit.c.about_division, sa.String)
    text = audit.c.about + sa.func.coalesce(":" + number, "") + sa.func.coalesce("/" + division, "")
    has_columns = audit.c.about.is_not(None) & (audit.c.about != "name")
    op.execute(audit.update().where(has_columns).values(subject=text))
    with op.batch_alter_table("audit_entry", schema=None) as batch_op:
        for name in COLUMNS:
            batch_op.drop_column(name)
