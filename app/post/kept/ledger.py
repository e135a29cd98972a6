"""The fate of each mail: made, handed over with the host's answer, bounced, first acted upon, answered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased, defer
from sqlmodel import Session, col

from app.base.links import TurnLink
from app.base.stored import limits
from app.base.stored.database import Database
from app.base.stored.mail_tables import BouncedAddress, MailGroup, MailState, OutboxMail
from app.base.stored.outbox import PlannedMail, group_of
from app.base.stored.prepared import PreparedGlance, PreparedWrite
from app.base.words.numbers import whole
from app.games.tables import DecisionMade, Game
from app.games.work import Work
from app.people import life
from app.people.accounts import find
from app.people.push_tables import Push
from app.people.tables import DeliveryState, Player

NEWEST = 100
CAN_BE_SENT_FOR = timedelta(days=30)
"""How long a mail can be resent; then what it said is forgotten."""

# The game says when the decision was made; a mail that was answered by mail says so itself.
_ANSWERED = (
    sa.select(col(DecisionMade.made_at))
    .where(
        col(DecisionMade.game_id) == col(OutboxMail.game_id),
        col(DecisionMade.number) == col(OutboxMail.number),
        col(DecisionMade.seat) == col(OutboxMail.seat),
        col(OutboxMail.kind) == "turn",
    )
    .limit(1)
    .scalar_subquery()
)
_TOLD = sa.and_(col(Push.mail_id) == col(OutboxMail.id), col(Push.state) == DeliveryState.SENT)
_AGAIN_BY = aliased(Player)
_MESSAGE: Any = OutboxMail.message
_ALL: sa.Select[*tuple[Any, ...]] = (
    sa.select(
        OutboxMail,
        col(Player.name),
        sa.func.coalesce(col(OutboxMail.answered_at), _ANSWERED),
        col(_AGAIN_BY.name),
        sa.select(sa.func.count()).select_from(Push).where(_TOLD).scalar_subquery(),
    )
    .outerjoin(Player, col(Player.id) == col(OutboxMail.player_id))
    .outerjoin(_AGAIN_BY, col(_AGAIN_BY.id) == col(OutboxMail.again_by))
    .options(defer(_MESSAGE))
)


class MailOnRecord(NamedTuple):
    """A mail and its fate."""

    mail: OutboxMail
    name: str | None
    """The name of the player it was for."""
    answered_at: datetime | None
    """When it was answered, by mail or on the page."""
    again_by: str | None
    """Who had it resent."""
    told: int
    """How many devices were told of it at once."""


# -- reading ------------------------------------------------------------------------------------------


def about(session: Session, condition: sa.ColumnElement[bool], most: int) -> list[MailOnRecord]:
    """Return the mails that meet a condition, oldest first."""
    return _read(session, _ALL.where(condition).order_by(col(OutboxMail.id)).limit(most))


def of_player(session: Session, player_id: int) -> list[MailOnRecord]:
    """Return the newest mails to a player."""
    return _newest(session, col(OutboxMail.player_id) == player_id)


def of_game(session: Session, game_id: int, most: int) -> list[MailOnRecord]:
    """Return the newest mails about a game."""
    return _newest(session, col(OutboxMail.game_id) == game_id, most=most)


def _newest(session: Session, *conditions: sa.ColumnElement[bool], most: int = NEWEST) -> list[MailOnRecord]:
    return _read(session, _ALL.where(*conditions).order_by(col(OutboxMail.id).desc()).limit(most))


def search(session: Session, words: str, state: str = "") -> list[MailOnRecord]:
    """Return the newest mails that match: the beginning of an address or a name, or the number of a game (`#35`); if
    given, only those in this state. `bounced` are those that came back."""
    found: list[sa.ColumnElement[bool]] = []
    wanted = words.strip().lower()
    game = whole(wanted[1:]) if wanted.startswith("#") else None
    if game is not None:
        found.append(col(OutboxMail.game_id) == game)
    elif wanted:
        address, name = sa.func.lower(col(OutboxMail.address)), col(Player.name_key)
        found.append(sa.or_(*(text.startswith(wanted, autoescape=True) for text in (address, name))))
    if state:
        found.append(col(OutboxMail.bounced_at).is_not(None) if state == "bounced" else col(OutboxMail.state) == state)
    return _newest(session, *found)


def _read(session: Session, asked: sa.Select[*tuple[Any, ...]]) -> list[MailOnRecord]:
    return [MailOnRecord(*row) for row in session.execute(asked)]


def suppressed(session: Session, most: int = NEWEST) -> Sequence[BouncedAddress]:
    """Return the addresses that bounce, newest first."""
    return session.scalars(sa.select(BouncedAddress).order_by(col(BouncedAddress.at).desc()).limit(most)).all()


def can_go_again(mail: OutboxMail, now: datetime) -> bool:
    """Whether a mail was given up, or came back, lately, and not all of what it said is forgotten."""
    is_known = mail.bounced_at is None or group_of(mail.kind) is not MailGroup.ASKED
    is_lately = mail.sent_at is not None and mail.sent_at > now - CAN_BE_SENT_FOR
    return mail.state == MailState.FAILED and is_known and is_lately


def owed_again(session: Session, player_id: int) -> list[int]:
    """Return the mails to a player that did not arrive and ask for what is still owed."""
    asked = (
        sa.select(col(OutboxMail.id))
        .join(Game, col(Game.id) == col(OutboxMail.game_id))
        .where(
            col(OutboxMail.player_id) == player_id,
            col(OutboxMail.kind) == "turn",
            col(OutboxMail.state) == MailState.FAILED,
            col(Game.number) == col(OutboxMail.number),
            col(Game.decides) == col(OutboxMail.seat),
        )
    )
    return list(session.scalars(asked).all())


def reason_of(session: Session, address: str) -> str | None:
    """Return why an address bounces; None if it does not."""
    asked = sa.select(col(BouncedAddress.reason)).where(col(BouncedAddress.address_key) == address.lower())
    return session.scalar(asked)


# -- writing ------------------------------------------------------------------------------------------


_OF_DECISION = sa.and_(
    col(OutboxMail.game_id) == sa.bindparam("game"),
    col(OutboxMail.number) == sa.bindparam("decision"),
    col(OutboxMail.seat) == sa.bindparam("of"),
    col(OutboxMail.kind) == "turn",
    col(OutboxMail.seen_at).is_(None),
)
_UNSEEN = PreparedGlance(sa.select(col(OutboxMail.id)).where(_OF_DECISION).limit(1))
_SEEN = PreparedWrite(sa.update(OutboxMail).where(_OF_DECISION).values(seen_at=sa.bindparam("at")))


def seen(database: Database, link: TurnLink, now: datetime, *, place: str = "") -> None:
    """Note that the holder of a decision's link has done something on its page: its mails have been seen. Fetching a
    page says nothing, since programs fetch pages, too. With `place`, raises TooOften for one that reports this very
    often; repeating a link does not count."""
    if link.player is not None:
        life.note_apart(database, link.player, now)
    asked = {"game": link.game, "decision": link.number, "of": link.seat}
    if not _UNSEEN.glance(database, **asked):
        return
    if place:
        limits.count(database, [(limits.SEEN, place)], now)
    with database.write() as session:
        _SEEN.run(session, at=now, **asked)


def address_works(session: Session, address: str) -> bool:
    """Note a person's word that an address accepts mails again; return whether it was thought to bounce."""
    gone = sa.delete(BouncedAddress).where(col(BouncedAddress.address_key) == address.lower())
    return session.exec(gone).rowcount == 1


NOT_ME = "not-me"
"""The purpose of the link by which the first address takes a second one away."""


def confirm_second(work: Work, player_id: int, address: str, now: datetime) -> bool:
    """Set the second address if a mail to it still asks for that, and tell the first one; return whether one did."""
    session = work.session
    asked = sa.update(OutboxMail).where(
        col(OutboxMail.kind) == "second_address",
        col(OutboxMail.player_id) == player_id,
        col(OutboxMail.address) == address,
        col(OutboxMail.answered_at).is_(None),
    )
    if not session.exec(asked.values(answered_at=now)).rowcount:
        return False
    set_second(session, player_id, address)
    key, first = f"second_told:{player_id}:{now:%Y%m%d%H%M%S%f}", session.get_one(Player, player_id).address
    work.outbox.add([PlannedMail(key, "second_told", first, player_id, details={"second": address})], now)
    return True


def set_second(session: Session, player_id: int, address: str | None) -> None:
    """Set or remove a player's second address, which has confirmed."""
    if address is not None and (own := find(session, address)) is not None and own.id == player_id:
        address = None
    session.exec(sa.update(Player).where(col(Player.id) == player_id).values(second_address=address))
