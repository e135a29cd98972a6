"""Which news of events waits for its reader's digest.

Mails that ask something, or whose acceptance starts a clock or a right, do not wait: challenges, calls of reserves,
rulings, ends of rounds, acts of the desk, and being entered into an event.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from app.leagues.mails.events import event_of
from app.post.writing import QueuedMail
from app.time.digest import URGENT

if TYPE_CHECKING:
    from sqlmodel import Session


def _always(session: Session, mail: QueuedMail, until: datetime) -> bool:
    return True


def _of_others(session: Session, mail: QueuedMail, until: datetime) -> bool:
    """A player entered into a running event by an organiser is told at once."""
    return bool(mail.details["player"] != mail.player_id)


def _can_sign_up(session: Session, mail: QueuedMail, until: datetime) -> bool:
    """Whether a day is left for signing up."""
    event = event_of(session, mail.details["event"])
    return event is None or event.sign_up_until is None or event.sign_up_until - until >= URGENT


TOLD_IN_DIGESTS: dict[str, Callable[[Any, Any, datetime], bool]] = {
    "event_round": _always,
    "event_left": _always,
    "sign_up_open": _can_sign_up,
    "event_late": _of_others,
    "event_cancelled": _always,
    "challenge_declined": _always,
    "announcement": _always,
}
