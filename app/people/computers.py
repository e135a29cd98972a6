"""The computer as a player of events: a row in people for each level.

Nobody can sign in as one. Its account counts as erased, so that it gets no mail, has no profile, and stands in no list
of people; but it has a name, which says what it is.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlmodel import Session, col, select

from app.base.stored import reserved_ids
from app.base.words.speech import computer_named
from app.people import accounts
from app.people.tables import COMPUTER_KEY, IS_COMPUTER, Player


def find_or_add(session: Session, level: str, now: datetime) -> int:
    """Return the number of the computer of this level, made now if there is none."""
    asked = select(Player.id).where(Player.address_key == COMPUTER_KEY + level)
    found = session.exec(asked).first()
    if found is None:
        player = Player(
            id=reserved_ids.number_of_next(session, Player),
            address="",
            address_key=COMPUTER_KEY + level,
            name=computer_named(level),
            mail_turns=False,
            mail_reminders=False,
            mail_news=False,
            auto_leave=False,
            profile_is_public=False,
            erased_at=now,
            created_at=now,
        )
        found = player.id if accounts.add(session, player) else session.exec(asked).one()
    return found


def levels_among(session: Session, people: Collection[int]) -> dict[int, str]:
    """Return the levels of those of these players who are a computer."""
    rows = session.exec(select(Player.id, Player.address_key).where(col(Player.id).in_(people), IS_COMPUTER))
    return {player: key.removeprefix(COMPUTER_KEY) for player, key in rows}
