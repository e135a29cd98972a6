"""Erasing an account, banning one, and who may see its profile; `export` makes the data file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.account import kept, memberships
from app.account.memberships import OwnClub
from app.base.stored import limits
from app.base.stored.columns import table_of
from app.base.stored.database import Database
from app.base.stored.mail_tables import BouncedAddress, MailState, OutboxMail
from app.base.stored.outbox import PlannedMail
from app.base.words.refusals import LinkExpired, NotAccepted
from app.games.store import GameNow, GameStore
from app.games.tables import DecisionMade, Draft, Game, GameSeat, GameStatus
from app.games.work import Work
from app.lobby import listing, open_games
from app.people import sanctions, signin
from app.people.accounts import forget_host
from app.people.tables import MailShows, Player, SanctionKind
from app.play.agreed import results
from app.play.tables import AnalysisBranch, ChatMessage, Invitation, Note
from app.play.turn import turns
from app.time import pending
from app.titles.registry import TITLES
from engine.kernel.text import Text

LINK_LASTS = timedelta(hours=6)
MOST_ROUNDS = 5
"""Tables may start while they are being left; their games are resigned in the next round."""


class Gone(LinkExpired):
    """The account no longer exists."""

    def __init__(self) -> None:
        super().__init__("erase.link", Text("This link is not complete, or the account has been erased already."))


@dataclass(frozen=True, slots=True)
class Erasure:
    """What ends with an account: running games that are resigned, tables that are cancelled or left, events that are
    left (number and name), and clubs without other members, which are closed.

    While there are `ownerless` clubs, which have other members but no other owner, nothing is erased.
    """

    games: tuple[GameNow, ...]
    hosted: tuple[int, ...]
    sits: tuple[int, ...]
    events: tuple[tuple[int, str], ...]
    closed: tuple[OwnClub, ...]
    ownerless: tuple[OwnClub, ...]


def leaving(session: Session, player_id: int) -> Erasure:
    """Return what erasing the account would end. Changes nothing; raises Gone."""
    player = session.get(Player, player_id)
    if player is None or player.erased_at is not None:
        raise Gone
    mine = sa.select(col(GameSeat.game_id)).where(col(GameSeat.player_id) == player_id)
    running = (
        sa.select(col(Game.id))
        .where(col(Game.id).in_(mine), col(Game.status) == GameStatus.RUNNING, col(Game.title).in_(list(TITLES)))
        .order_by(col(Game.id))
    )
    is_open = col(Game.status) == sa.literal_column("'open'")
    hosted = sa.select(col(Game.id)).where(col(Game.made_by) == player_id, is_open).order_by(col(Game.id))
    sits = sa.select(col(Game.id)).where(
        col(Game.id).in_(mine), is_open, sa.or_(col(Game.made_by).is_(None), col(Game.made_by) != player_id)
    )
    store = GameStore(session)
    games = [store.load(game_id) for game_id in session.scalars(running).all()]
    still = [game for game in games if results.still_plays(game, turns.seat_of_player(game, player_id).seat)]
    ownerless, closed = memberships.there().owned_alone(session, player_id)
    return Erasure(
        tuple(still),
        tuple(session.scalars(hosted)),
        tuple(session.scalars(sits.order_by(col(Game.id)))),
        tuple(memberships.there().entered(session, player_id)),
        tuple(closed),
        tuple(ownerless),
    )


def ask_to_erase(database: Database, player_id: int, *, now: datetime) -> None:
    """Mail the link that erases the account. Raises Gone, TooOften, and NotAccepted while a club needs another owner
    first."""
    with database.read() as session:
        memberships.there().need_owners(session, player_id)
        address = session.scalar(
            sa.select(col(Player.address)).where(col(Player.id) == player_id, col(Player.erased_at).is_(None))
        )
    if address is None:
        raise Gone
    limits.count(database, [(limits.SIGN_IN_ADDRESS, address)], now)
    with Work(database) as work:
        details = {"until": int((now + LINK_LASTS).timestamp())}
        key = f"erase:{player_id}:{now:%Y%m%dT%H%M%S}"
        work.outbox.add([PlannedMail(key, "erase", address, player_id, details=details)], now)


def erase(database: Database, player_id: int, *, now: datetime) -> None:
    """Erase the account, as confirmed by the mailed link, in one transaction. Raises Gone, and NotAccepted while a club
    needs another owner first.

    Events are left by their terms, running games are resigned, tables are cancelled or left. The player's row stays
    without anything that identifies the person, so that every game keeps its log, result and seats.
    """
    with Work(database) as work:
        # First: version 1.0.0, which may run beside, seats whom its standing offers name.
        work.session.execute(sa.text("DELETE FROM standing_offer WHERE player_id = :player"), {"player": player_id})
        memberships.there().hold(work.session, player_id)
        pending.lock_games_of(work.session, player_id)
        # Locked first: of two requests that erase at once, the second finds no account. The lock still lets others
        # write mails for this player.
        held = select(Player).where(col(Player.id) == player_id).with_for_update(key_share=True)
        row = work.session.exec(held).first()
        if row is None or row.erased_at is not None:
            raise Gone
        memberships.there().leave_clubs(work, player_id, now, erased=True)
        leave_everything(work, player_id, now, erased=True)
        seats = work.session.execute(
            sa.select(col(GameSeat.game_id), col(GameSeat.seat)).where(col(GameSeat.player_id) == player_id)
        ).all()
        _empty_seats(work.session, seats, row.address, row.name)
        hosted = sa.update(Game).where(col(Game.made_by) == player_id, col(Game.note) != "")
        work.session.exec(hosted.values(note=""))  # it belongs to the player, whatever it says
        _unname_mails(work.session, player_id)
        kept.delete(work.session, player_id)
        unname(work.session, player_id, now)


def ban(
    database: Database,
    player_id: int,
    *,
    reason: str,
    until: datetime | None,
    leaves: bool,
    by_id: int | None,
    now: datetime,
) -> None:
    """Ban a player in one transaction: all sign-ins, sign-in links and pending requests to clubs and
    events end, and nothing can be created or joined; if the player `leaves`, clubs are left, events are left by their
    terms, running games are resigned, and tables cancelled or left. Raises NotAccepted for an operator, an unknown
    player, or a missing reason."""
    with Work(database) as work:
        session = work.session
        memberships.there().hold(session, player_id)
        if leaves:
            pending.lock_games_of(session, player_id)
        sanctions.impose(session, player_id, SanctionKind.BAN, reason=reason, until=until, by_id=by_id, now=now)
        signin.end_all(session, player_id)
        memberships.there().leave_clubs(work, player_id, now, erased=False, waits=not leaves)
        if leaves:
            leave_everything(work, player_id, now, erased=False)
        else:
            memberships.there().leave_events(work, player_id, now, erased=False, waits=True)


def leave_everything(work: Work, player_id: int, now: datetime, *, erased: bool) -> None:
    """Leave all events by their terms, resign all running games, cancel or leave all tables."""
    for _ in range(MOST_ROUNDS):
        if not _leave_once(work, player_id, now, erased):
            break


def _leave_once(work: Work, player_id: int, now: datetime, erased: bool) -> bool:
    """Resign, cancel and leave; return whether there was anything. What has ended or begun meanwhile is for the next
    round."""
    # First: the terms of events decide what open games are worth.
    left_events = memberships.there().leave_events(work, player_id, now, erased=erased)
    end = leaving(work.session, player_id)
    for game in end.games:
        with suppress(NotAccepted):
            results.resign_within(work, game.id, player_id, now)
    for game_id in end.hosted:
        with suppress(listing.NoSuchTable):
            open_games.cancel(work, player_id, game_id, now)
    for game_id in end.sits:
        with suppress(listing.NoSuchTable, NotAccepted):
            open_games.leave(work, player_id, game_id)
    return bool(left_events or end.games or end.hosted or end.sits)


def _empty_seats(session: Session, seats: Sequence[Any], address: str, name: str) -> None:
    """Delete the seats' private notes, and remove address and name from what the player has said."""
    for seat in seats:
        for model in (Note, AnalysisBranch, Draft):
            table = table_of(model)
            mine = sa.and_(table.c.game_id == seat.game_id, table.c.seat == seat.seat)
            session.exec(sa.delete(table).where(mine))
        own = sa.update(GameSeat).where(col(GameSeat.game_id) == seat.game_id, col(GameSeat.seat) == seat.seat)
        session.execute(own.values(standing="", ends_turn=None, mailed=""))
        for said in session.exec(select(ChatMessage).where(ChatMessage.game_id == seat.game_id)):
            said.text = without(said.text, [address, name] if said.seat == seat.seat else [address])
        # Lines that were typed and refused can contain anything; those that were played are in the log.
        refused = select(DecisionMade).where(
            DecisionMade.game_id == seat.game_id, DecisionMade.seat == seat.seat, col(DecisionMade.refused).is_not(None)
        )
        for made in session.exec(refused):
            made.orders = "\n".join((made.orders or "").split("\n")[: made.played])
            made.refused = None
    session.flush()


def without(text: str, words: Sequence[str]) -> str:
    """Return the text with these words, whatever their case, replaced by an ellipsis."""
    for word in sorted((word for word in words if word), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", "…", text, flags=re.IGNORECASE)
    return text


def _unname_mails(session: Session, player_id: int) -> None:
    """Remove the player's name from mails to others. Waiting ones are rewritten; those in the embedded mailbox are
    deleted, or rewritten if their answer is still owed."""
    mine = sa.select(col(GameSeat.game_id)).where(col(GameSeat.player_id) == player_id)
    hosted = sa.select(col(Game.id)).where(col(Game.made_by) == player_id)
    invitation = table_of(Invitation)
    invited = sa.select(invitation.c.game_id).where(invitation.c.player_id == player_id)
    shared = sa.union(mine, hosted, invited)
    beside = sa.select(col(GameSeat.player_id)).where(
        col(GameSeat.game_id).in_(mine), col(GameSeat.player_id).is_not(None)
    )
    others = sa.and_(
        col(OutboxMail.player_id).is_distinct_from(player_id),
        sa.or_(
            col(OutboxMail.game_id).in_(shared),
            # A mail about several games names none.
            sa.and_(
                col(OutboxMail.game_id).is_(None),
                col(OutboxMail.player_id).in_(beside),
                col(OutboxMail.kind).not_in(_OF_ONE_PERSON),
            ),
        ),
    )
    session.exec(sa.update(OutboxMail).where(others, col(OutboxMail.state) == MailState.WAITING).values(message=None))
    owed = sa.exists().where(
        col(Game.id) == col(OutboxMail.game_id),
        col(Game.number) == col(OutboxMail.number),
        col(Game.decides) == col(OutboxMail.seat),
    )
    kept = sa.and_(others, col(OutboxMail.message).is_not(None))
    again = sa.update(OutboxMail).where(kept, col(OutboxMail.state) == MailState.KEPT, owed)
    session.execute(again.values(state=MailState.WAITING, message=None, sent_at=None, claimed_by=None, attempts=0))
    session.exec(sa.delete(OutboxMail).where(kept))


_OF_ONE_PERSON = (
    "sign_in",
    "old_address",
    "new_address",
    "second_address",
    "second_told",
    "erase",
    "webhook_off",
    "device_off",
)


def unname(session: Session, player_id: int, now: datetime) -> None:
    """Leave of an account nothing but its number."""
    own = sa.select(col(Player.address_key)).where(col(Player.id) == player_id)
    second = sa.select(sa.func.lower(col(Player.second_address))).where(col(Player.id) == player_id)
    session.exec(sa.delete(BouncedAddress).where(col(BouncedAddress.address_key).in_(sa.union(own, second))))
    forget_host(session, session.get_one(Player, player_id).name)
    nobody = f"erased:{player_id}"  # no address: nobody can sign in with it
    off = ["mail_turns", "mail_reminders", "mail_news", "push_turns", "push_reminders", "push_news"]
    off += ["auto_leave", "profile_is_public"]
    known: dict[str, Any] = {"address": nobody, "address_key": nobody, "name": "", "mail_shows": MailShows.LINK}
    known |= {**dict.fromkeys(off, False), "created_at": now, "changed_at": now, "erased_at": now}
    blank = Player(**known).model_dump(exclude={"id", "created_at"})
    blank["feed_version"] = col(Player.feed_version) + 1
    session.exec(sa.update(Player).where(col(Player.id) == player_id).values(**blank))
