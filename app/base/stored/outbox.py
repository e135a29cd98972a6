"""The outbox: mails are added in the same transaction as the change that causes them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.database import insert_into
from app.base.stored.mail_tables import MailGroup, MailState, OutboxMail
from app.base.stored.prepared import PreparedWrite

_INSERT = PreparedWrite(lambda insert: insert(OutboxMail).on_conflict_do_nothing(index_elements=["mail_key"]))

MOST_AT_ONCE = 500
"""Mails written with one statement; each has a dozen values, and a statement holds some thousands."""
AHEAD = timedelta(days=30)
"""A head start over all other mails in the order of sending."""

waiting = threading.Event()
"""Set when this process has committed a mail, so that its sender need not wait for its next look."""


@dataclass(frozen=True, slots=True)
class PlannedMail:
    """A mail that is owed. A `key` is planned only once, even if planned again."""

    key: str
    kind: str
    address: str
    player_id: int | None = None
    game_id: int | None = None
    seat: str | None = None
    number: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    wait: timedelta = timedelta(0)
    """The delay before it may be handed over."""


class MailInfo(Protocol):
    """What is needed from a mail, planned or in the outbox."""

    @property
    def kind(self) -> str: ...
    @property
    def details(self) -> Mapping[str, Any]: ...
    @property
    def player_id(self) -> int | None: ...
    @property
    def game_id(self) -> int | None: ...
    @property
    def seat(self) -> str | None: ...
    @property
    def number(self) -> int | None: ...


_groups: dict[str, MailGroup] = {}


def declare(kind: str, group: MailGroup) -> None:
    """Mails of this kind belong to a group from now on."""
    _groups[kind] = group


def group_of(kind: str) -> MailGroup:
    """The group of a kind of mail; that of a turn for one that an older version wrote."""
    return _groups.get(kind, MailGroup.TURN)


def is_asked_for(mail: MailInfo) -> bool:
    """Whether a person has just asked for a mail, and waits for it."""
    return group_of(mail.kind) is MailGroup.ASKED or bool(mail.details.get("again"))


def due_from(mail: MailInfo, made_at: datetime) -> datetime:
    """Return when a new mail is due: mails go out in the order of these moments."""
    return made_at - AHEAD if is_asked_for(mail) else made_at


Follow = Callable[["Session", Sequence[PlannedMail], datetime], None]
_followers: list[Follow] = []


def follow(also: Follow) -> None:
    """Have this called with the new mails, in the same transaction."""
    if also not in _followers:
        _followers.append(also)


class Outbox:
    """The outbox of one transaction."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._has_new = False

    def add(self, mails: Iterable[PlannedMail], now: datetime) -> None:
        """Add mails, which go out after the commit, and everything that follows from them."""
        mails = tuple(mails)
        rows = [
            {
                "mail_key": mail.key,
                "kind": mail.kind,
                "mail_group": group_of(mail.kind),
                "address": mail.address,
                "player_id": mail.player_id,
                "game_id": mail.game_id,
                "seat": mail.seat,
                "number": mail.number,
                "details": dict(mail.details),
                "state": MailState.WAITING,
                "made_at": now,
                "due_at": due_from(mail, now) + mail.wait,
                "attempts": 0,
            }
            for mail in mails
        ]
        if rows:
            self._insert(rows)
            self._has_new = True
            for also in _followers:
                also(self.session, mails, now)

    def tell(
        self,
        people: Iterable[tuple[int, str]],
        kind: str,
        key: str,
        details: Mapping[str, Any],
        now: datetime,
        game_id: int | None = None,
        wait: timedelta = timedelta(0),
    ) -> None:
        """Add the same mail, about a game if one is given, to each of these players, given with their addresses, who
        has one; its key is `key` with the player's number."""
        mails = (
            PlannedMail(f"{key}:{who}", kind, address, who, game_id, details=details, wait=wait)
            for who, address in people
            if address
        )
        self.add(mails, now)

    def _insert(self, rows: Sequence[dict[str, Any]]) -> None:
        if len(rows) == 1:
            _INSERT.run(self.session, **rows[0])
            return
        for start in range(0, len(rows), MOST_AT_ONCE):
            many = insert_into(self.session, OutboxMail).values(rows[start : start + MOST_AT_ONCE])
            self.session.exec(many.on_conflict_do_nothing(index_elements=["mail_key"]))

    def take_back(self, keys: Iterable[str]) -> None:
        """Withdraw mails of this transaction: another one says what they would have said."""
        taken = list(keys)
        if not taken:
            return
        gone = sa.delete(OutboxMail).where(col(OutboxMail.mail_key).in_(taken))
        self.session.exec(gone.where(col(OutboxMail.state) == MailState.WAITING, col(OutboxMail.attempts) == 0))

    def committed(self) -> None:
        """Note that the transaction has been committed."""
        if self._has_new and not waiting.is_set():
            waiting.set()
