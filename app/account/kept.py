"""What is stored about a player apart from games: how the data file names it, and what erasing the account does with
it. A table with a column for players has to be in one of these lists, or in that of its test with the reason."""

from __future__ import annotations

import sqlalchemy as sa
from sqlmodel import Session, col

from app.account.memberships import Kept
from app.base.stored.columns import table_of
from app.base.stored.mail_tables import OutboxMail
from app.games.rating_tables import CasualRating
from app.people.push_tables import PushDevice
from app.people.tables import AddressChange, Block, LoginToken, Sanction, SignIn, Webhook
from app.play.tables import ChatReport, Invitation
from app.time.tables import Case, ClockNote, HolidayCalendar, Leave

# Secrets that open something (hashes of links and sessions, signing keys) are left out: only this server can use them.
DELETED: tuple[Kept, ...] = (
    ("sign_ins", SignIn, "player_id", ("device", "created_at", "expires_at")),
    ("sign_in_links", LoginToken, "player_id", ("purpose", "created_at", "expires_at", "used_at")),
    (
        "address_changes",
        AddressChange,
        "player_id",
        ("address", "created_at", "confirmed_old_at", "confirmed_new_at", "done_at"),
    ),
    ("leave", Leave, "player_id", ("kind", "from_at", "to_at", "days", "zone", "game_id", "made_at", "ended_at")),
    ("devices", PushDevice, "player_id", ("name", "host", "made_at", "used_at")),
    ("webhooks", Webhook, "player_id", ("kind", "url", "is_on", "failures", "made_at")),
    (
        "mails",
        OutboxMail,
        "player_id",
        ("kind", "address", "game_id", "state", "made_at", "sent_at", "bounced_at", "seen_at"),
    ),
    ("casual_ratings", CasualRating, "player_id", ("title", "system", "rating", "deviation", "games")),
    ("muted_or_banned", Sanction, "player_id", ("kind", "reason", "until", "made_at", "lifted_at", "lifted_why")),
    ("reported", ChatReport, "player_id", ("at", "closed_at")),
)
"""Rows that go with the account: their name in the file, the model, its player column, and the columns in the file."""
STAYING: tuple[Kept, ...] = (
    ("clock_events", ClockNote, "player_id", ("game_id", "number", "kind", "cause", "seconds", "at")),
    ("overdue_cases", Case, "player_id", ("game_id", "number", "kind", "cause", "state", "ruling", "opened_at")),
)
"""Rows that belong to a game as much as to its player, who has no name any more."""
UNNAMED: tuple[Kept, ...] = (
    ("reports_of_talk", ChatReport, "by_id", ("why", "at", "closed_at")),
    ("holiday_calendars", HolidayCalendar, "made_by", ("name", "days", "changed_at")),
)
"""Rows that others need, which forget who made them."""
_TOLD_OTHERWISE = ((Invitation, "player_id"), (Block, "player_id"), (Block, "other_id"))
"""Rows that go too; the file has only what the player knows of them (`export`)."""


def delete(session: Session, player_id: int) -> None:
    """Delete what goes with an account, and have the rest forget whose it was."""
    for model, owner in (*((model, owner) for _, model, owner, _ in DELETED), *_TOLD_OTHERWISE):
        table = table_of(model)
        session.exec(sa.delete(table).where(table.c[owner] == player_id))
    session.exec(sa.update(ChatReport).where(col(ChatReport.by_id) == player_id).values(why=""))
    for _, model, owner, _ in UNNAMED:
        table = table_of(model)
        session.exec(sa.update(table).where(table.c[owner] == player_id).values({owner: None}))
