"""What is kept about a player: all of it as one file, and none of it any more."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import SQLModel, col

from app.account import memberships
from app.base import limits
from app.base.columns import columns_of
from app.base.mail_tables import BouncedAddress, MailState, OutboxMail
from app.base.outbox import Planned
from app.base.refusals import Expired, NotAccepted
from app.base.speech import Voice
from app.games.store import GameNow, GameStore
from app.games.tables import DecisionMade, Draft, Game, GameSeat, GameStatus
from app.games.work import Work
from app.lobby import open_games
from app.people.tables import AddressChange, Block, LoginToken, MailShows, Player, PlayerRole, SignIn, Webhook
from app.play import results
from app.play.records import record_of
from app.play.tables import ChatMessage, Consent, Invitation, Note, PlannedLine, Proposal
from app.play.turns import said_of
from app.time import pending
from app.time.tables import Case, ClockNote, HolidayCalendar, Leave
from app.titles.registry import TITLES
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.account.memberships import OwnClub
    from app.base.database import Database

LINK_LASTS = timedelta(hours=6)
MOST_ROUNDS = 5
"""Tables may start while they are being left; then their games are resigned in the next round."""
FORMAT, VERSION = "postroad-my-data", 1


def _table(model: type[SQLModel]) -> sa.Table:
    table: sa.Table = sa.inspect(model).local_table
    return table


class Gone(Expired):
    """There is no such account any more."""

    def __init__(self) -> None:
        super().__init__("erase.link", Text("This link is not complete, or the account has been erased already."))


# -- everything as one file ---------------------------------------------------------------------------

# What is kept of a player beside games, and under which name the file has it. Secrets that open something (hashes of
# links and sessions, keys that sign) are left out: they are of no use to anybody but this server.
_KEPT: tuple[memberships.Kept, ...] = (
    ("sign_ins", SignIn, "player_id", ("device", "created_at", "expires_at")),
    ("sign_in_links", LoginToken, "player_id", ("purpose", "created_at", "expires_at", "used_at")),
    (
        "address_changes",
        AddressChange,
        "player_id",
        ("address", "created_at", "confirmed_old_at", "confirmed_new_at", "done_at"),
    ),
    ("leave", Leave, "player_id", ("kind", "from_at", "to_at", "days", "zone", "made_at", "ended_at")),
    ("webhooks", Webhook, "player_id", ("kind", "url", "is_on", "failures", "made_at")),
    (
        "mails",
        OutboxMail,
        "player_id",
        ("kind", "address", "game_id", "state", "made_at", "sent_at", "bounced_at", "seen_at"),
    ),
    ("clock_events", ClockNote, "player_id", ("game_id", "number", "kind", "cause", "seconds", "at")),
    ("overdue_cases", Case, "player_id", ("game_id", "number", "kind", "cause", "state", "ruling", "opened_at")),
    ("holiday_calendars", HolidayCalendar, "made_by", ("name", "days", "changed_at")),
)
_PROFILE = (
    "address",
    "second_address",
    "name",
    "language",
    "zone",
    "role",
    "mail_turns",
    "mail_reminders",
    "mail_news",
    "mail_shows",
    "digest_hours",
    "digest_instead",
    "quiet_from",
    "quiet_to",
    "reminders",
    "auto_leave",
    "profile_is_public",
    "created_at",
)
_OF_A_SEAT: tuple[tuple[str, Any, tuple[str, ...]], ...] = (
    ("notes", Note, ("entry", "text", "changed_at")),
    ("planned_lines", PlannedLine, ("entry", "name", "lines", "changed_at")),
    ("drafts", Draft, ("number", "lines", "changed_at")),
    ("proposals", Proposal, ("kind", "winners", "status", "made_at", "settled_at")),
    (
        "answers",
        DecisionMade,
        ("number", "turn", "kind", "asked_at", "mailed_at", "deadline_at", "made_at", "used_seconds", "orders"),
    ),
)


def export(database: Database, player_id: int, *, now: datetime) -> bytes:
    """A zip: `my-data.json`, and for each game what the player did, said, wrote and knew, with the game's record.

    Nothing of anybody else is in it but names and what was said at the table, and nothing that the player does not
    know. TooOften.
    """
    limits.count(database, [(limits.EXPORTS, str(player_id))], now)
    with database.read() as session:
        games = _games_of(session, player_id)
        about = _about(session, player_id, games, now)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        _write(archive, "my-data.json", about, now)
        for row in games:
            if row.title not in TITLES or (row.status not in ("running", "over") and row.started_at is None):
                continue
            with database.read() as session:  # one for each, so that no long transaction holds others up
                known = _game(session, row)
            known["record"] = record_of(database, row.id)
            _write(archive, f"games/{row.id}.json", known, now)
    return packed.getvalue()


def _write(archive: zipfile.ZipFile, name: str, data: Any, now: datetime) -> None:
    info = zipfile.ZipInfo(name, now.timetuple()[:6])
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, json.dumps(data, ensure_ascii=False, indent=1, default=_as_text))


def _as_text(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _games_of(session: Session, player_id: int) -> Sequence[Any]:
    """The games in which the player sits, the oldest first."""
    return session.execute(
        sa.select(
            col(Game.id),
            col(Game.title),
            col(Game.status),
            col(Game.started_at),
            col(Game.ended_at),
            col(Game.result),
            col(GameSeat.seat),
            col(GameSeat.standing),
            col(GameSeat.salt),
            col(GameSeat.ends_turn),
            col(Player.language),
            col(Player.zone),
        )
        .join(GameSeat, col(GameSeat.game_id) == col(Game.id))
        .join(Player, col(Player.id) == col(GameSeat.player_id))
        .where(col(GameSeat.player_id) == player_id)
        .order_by(col(Game.id))
    ).all()


def _rows(session: Session, table: sa.Table, columns: Sequence[str], *where: Any) -> list[dict[str, Any]]:
    asked = sa.select(*[table.c[name] for name in columns]).where(*where).order_by(table.c.id)
    return [dict(row._mapping) for row in session.execute(asked)]


def _about(session: Session, player_id: int, games: Sequence[Any], now: datetime) -> dict[str, Any]:
    profile = _rows(session, _table(Player), _PROFILE, col(Player.id) == player_id)
    if not profile:
        raise Gone
    about: dict[str, Any] = {"format": FORMAT, "version": VERSION, "made_at": now, "profile": profile[0]}
    for name, model, owner, columns in (*_KEPT, *memberships.there().KEPT):
        table = _table(model)
        about[name] = _rows(session, table, columns, table.c[owner] == player_id)
    about["invitations"] = _invitations(session, player_id)
    block = _table(Block)
    about["blocked_and_muted"] = [
        dict(row._mapping)
        for row in session.execute(
            sa.select(block.c.kind, col(Player.name), block.c.made_at)
            .join(Player, col(Player.id) == block.c.other_id)
            .where(block.c.player_id == player_id)
            .order_by(block.c.id)
        )
    ]
    about["games"] = [
        {
            "id": row.id,
            "title": row.title,
            "seat": row.seat,
            "status": row.status,
            "started_at": row.started_at,
            "ended_at": row.ended_at,
            "result": row.result,
            "file": f"games/{row.id}.json" if row.started_at else None,
        }
        for row in games
    ]
    return about


def _invitations(session: Session, player_id: int) -> list[dict[str, Any]]:
    """As the player knows them: one that is kept back looks withdrawn, and one that was never mailed is not there."""
    invitation = _table(Invitation)
    kept_back_at = invitation.c.kept_back_at
    told = sa.and_(
        invitation.c.player_id == player_id, sa.or_(kept_back_at.is_(None), kept_back_at > invitation.c.made_at)
    )
    asked = sa.select(
        invitation.c.game_id,
        invitation.c.seat_place,
        sa.case((kept_back_at.is_not(None), "withdrawn"), else_=invitation.c.status).label("status"),
        invitation.c.made_at,
        sa.func.coalesce(kept_back_at, invitation.c.answered_at).label("answered_at"),
    )
    return [dict(row._mapping) for row in session.execute(asked.where(told).order_by(invitation.c.id))]


def _game(session: Session, row: Any) -> dict[str, Any]:
    """A game as its player knows it."""
    store = GameStore(session)
    game = store.load(row.id)
    voice = Voice(row.language, row.zone, game.title)
    view = game.title.view(game.state, row.seat)
    known: dict[str, Any] = {
        "game": row.id,
        "title": row.title,
        "seat": row.seat,
        "options": dict(game.options),
        "players": {seated.seat: voice.who(seated) for seated in game.seats},
        "standing_orders": row.standing.splitlines(),
        "salt": row.salt,
        "ends_turn": row.ends_turn,
        "log": [
            {"entry": number, "at": at, "seen": said}
            for number, at, step in store.log(game.title, row.id)
            if (said := said_of(game, step.events, row.seat, voice))
        ],
        "view": view,
        "position": game.title.board(view, voice, faces=True).splitlines(),
        "talk": _rows(session, _table(ChatMessage), ("seat", "text", "at"), col(ChatMessage.game_id) == row.id),
    }
    for name, model, columns in _OF_A_SEAT:
        table = _table(model)
        known[name] = _rows(session, table, columns, table.c.game_id == row.id, table.c.seat == row.seat)
    consent, proposal = _table(Consent), _table(Proposal)
    about_game = sa.select(proposal.c.id).where(proposal.c.game_id == row.id)
    known["consents"] = _rows(
        session, consent, ("agrees", "at"), consent.c.proposal_id.in_(about_game), consent.c.seat == row.seat
    )
    return known


# -- nothing any more ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Erasure:
    """What goes with an account: running games that are resigned, tables that are cancelled or left, events that are
    left (number and name), and clubs that have no other member and are closed.

    While there are `ownerless` clubs, which have other members but no other owner, nothing is erased.
    """

    games: tuple[GameNow, ...]
    hosted: tuple[int, ...]
    sits: tuple[int, ...]
    events: tuple[tuple[int, str], ...]
    closed: tuple[OwnClub, ...]
    ownerless: tuple[OwnClub, ...]


def leaving(session: Session, player_id: int) -> Erasure:
    """What erasing the account would end. Changes nothing; Gone."""
    there = sa.select(col(Player.id)).where(col(Player.id) == player_id, col(Player.erased_at).is_(None))
    if session.execute(there).first() is None:
        raise Gone
    mine = sa.select(col(GameSeat.game_id)).where(col(GameSeat.player_id) == player_id)
    running = (
        sa.select(col(Game.id))
        .where(col(Game.id).in_(mine), col(Game.status) == GameStatus.RUNNING)
        .order_by(col(Game.id))
    )
    is_open = col(Game.status) == sa.literal_column("'open'")
    hosted = sa.select(col(Game.id)).where(col(Game.made_by) == player_id, is_open).order_by(col(Game.id))
    sits = sa.select(col(Game.id)).where(
        col(Game.id).in_(mine), is_open, sa.or_(col(Game.made_by).is_(None), col(Game.made_by) != player_id)
    )
    store = GameStore(session)
    games = [store.load(game_id) for game_id in session.scalars(running).all()]
    still = [
        game
        for game in games
        if game.title.id in TITLES and results.still_plays(game, results.seat_of_player(game, player_id).seat)
    ]
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
    """Mail the link that erases the account. Gone, TooOften; NotAccepted while a club needs another owner first."""
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
        work.outbox.add([Planned(key, "erase", address, player_id, details=details)], now)
        work.commit()


def erase(database: Database, player_id: int, *, now: datetime) -> None:
    """Erase the account: what was asked for by the mailed link, in one transaction. Gone; NotAccepted while a club
    needs another owner first.

    Events are left by their terms, running games are resigned, tables are cancelled or left. The player's row stays
    without anything that tells who it was, so that every game keeps its log, its result and its seats.
    """
    with Work(database) as work:
        memberships.there().hold(work.session, player_id)
        pending.lock_games_of(work.session, player_id)
        # Held from the first: of two who erase at once, the second finds nobody. Not so tightly that those who write a
        # mail for this player would wait.
        held = sa.select(*columns_of(Player)).where(col(Player.id) == player_id).with_for_update(key_share=True)
        row = work.session.execute(held).first()
        if row is None or row.erased_at is not None:
            raise Gone
        memberships.there().leave_clubs(work, player_id, now)
        for _ in range(MOST_ROUNDS):
            if not _leave_everything(work, player_id, now):
                break
        seats = work.session.execute(
            sa.select(col(GameSeat.game_id), col(GameSeat.seat)).where(col(GameSeat.player_id) == player_id)
        ).all()
        _empty_seats(work.session, seats, row.address, row.name)
        _unname_mails(work.session, player_id)
        _delete_what_is_mine(work.session, player_id)
        _unname(work.session, player_id, now)
        work.commit()


def _leave_everything(work: Work, player_id: int, now: datetime) -> bool:
    """Resign, cancel and leave; whether there was anything. What has ended or begun meanwhile is for the next round."""
    # First: the terms of events say what open games are worth.
    left_events = memberships.there().leave_events(work, player_id, now)
    end = leaving(work.session, player_id)
    for game in end.games:
        with suppress(NotAccepted):
            results.resign_within(work, game.id, player_id, now)
    for game_id in end.hosted:
        with suppress(open_games.NoSuchTable):
            open_games.cancel_within(work, player_id, game_id, now)
    for game_id in end.sits:
        with suppress(open_games.NoSuchTable, NotAccepted):
            open_games.leave_within(work, player_id, game_id)
    return bool(left_events or end.games or end.hosted or end.sits)


def _empty_seats(session: Session, seats: Sequence[Any], address: str, name: str) -> None:
    """Delete what the seats kept for themselves, and take address and name out of what the player has said."""
    for seat in seats:
        for model in (Note, PlannedLine, Draft):
            table = _table(model)
            mine = sa.and_(table.c.game_id == seat.game_id, table.c.seat == seat.seat)
            session.exec(sa.delete(table).where(mine))
        own = sa.update(GameSeat).where(col(GameSeat.game_id) == seat.game_id, col(GameSeat.seat) == seat.seat)
        session.execute(own.values(standing="", ends_turn=None))
        said = sa.select(col(ChatMessage.id), col(ChatMessage.text), col(ChatMessage.seat)).where(
            col(ChatMessage.game_id) == seat.game_id
        )
        for one in session.execute(said).all():
            cleaned = without(one.text, [address, name] if one.seat == seat.seat else [address])
            if cleaned != one.text:
                session.exec(sa.update(ChatMessage).where(col(ChatMessage.id) == one.id).values(text=cleaned))
        # Lines that were typed and refused can hold anything; those that were played are in the log.
        refused = sa.select(col(DecisionMade.id), col(DecisionMade.orders), col(DecisionMade.played)).where(
            col(DecisionMade.game_id) == seat.game_id,
            col(DecisionMade.seat) == seat.seat,
            col(DecisionMade.refused).is_not(None),
        )
        for made in session.execute(refused).all():
            played = "\n".join((made.orders or "").split("\n")[: made.played])
            session.exec(
                sa.update(DecisionMade).where(col(DecisionMade.id) == made.id).values(orders=played, refused=None)
            )


def without(text: str, words: Sequence[str]) -> str:
    """The text with these words, whatever their case, replaced by an ellipsis."""
    for word in sorted((word for word in words if word), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", "…", text, flags=re.IGNORECASE)
    return text


def _unname_mails(session: Session, player_id: int) -> None:
    """Mails to others name the player. Those that wait are written anew; those of the embedded mailbox are deleted,
    or written anew where their answer is still owed."""
    mine = sa.select(col(GameSeat.game_id)).where(col(GameSeat.player_id) == player_id)
    hosted = sa.select(col(Game.id)).where(col(Game.made_by) == player_id)
    invitation = _table(Invitation)
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


_OF_ONE_PERSON = ("sign_in", "old_address", "new_address", "second_address", "erase", "webhook_off")


def _delete_what_is_mine(session: Session, player_id: int) -> None:
    owned: Iterator[tuple[Any, str]] = iter(
        [
            (OutboxMail, "player_id"),
            (LoginToken, "player_id"),
            (AddressChange, "player_id"),
            (SignIn, "player_id"),
            (Invitation, "player_id"),
            (Leave, "player_id"),
            (Webhook, "player_id"),
            (Block, "player_id"),
            (Block, "other_id"),
        ]
    )
    for model, column in owned:
        table = _table(model)
        session.exec(sa.delete(table).where(table.c[column] == player_id))
    calendar = _table(HolidayCalendar)
    session.exec(sa.update(calendar).where(calendar.c.made_by == player_id).values(made_by=None))


def _unname(session: Session, player_id: int, now: datetime) -> None:
    own = sa.select(col(Player.address_key)).where(col(Player.id) == player_id)
    second = sa.select(sa.func.lower(col(Player.second_address))).where(col(Player.id) == player_id)
    session.exec(sa.delete(BouncedAddress).where(col(BouncedAddress.address_key).in_(sa.union(own, second))))
    nobody = f"erased:{player_id}"  # no address: nobody can sign in with it
    blank: Mapping[str, Any] = {
        "address": nobody,
        "address_key": nobody,
        "second_address": None,
        "name": "",
        "name_key": "",
        "language": "en",
        "zone": "UTC",
        "role": PlayerRole.PLAYER,
        "mail_turns": False,
        "mail_reminders": False,
        "mail_news": False,
        "mail_shows": MailShows.LINK,
        "digest_hours": "",
        "digest_instead": False,
        "digest_at": None,
        "quiet_from": None,
        "quiet_to": None,
        "reminders": None,
        "auto_leave": False,
        "profile_is_public": False,
        "erased_at": now,
        "feed_version": col(Player.feed_version) + 1,
    }
    session.exec(sa.update(Player).where(col(Player.id) == player_id).values(**blank))


def name_of(session: Session, player_id: int) -> str:
    """What a player is called."""
    return str(session.scalar(sa.select(col(Player.name)).where(col(Player.id) == player_id)) or "")


def is_public(session: Session, player_id: int) -> bool:
    """Whether everybody may see the player's profile."""
    return bool(session.scalar(sa.select(col(Player.profile_is_public)).where(col(Player.id) == player_id)))


def set_profile(database: Database, player_id: int, *, is_public: bool) -> None:
    """Show the player's profile and list their games, or not."""
    with database.write() as session:
        session.exec(sa.update(Player).where(col(Player.id) == player_id).values(profile_is_public=is_public))
        session.commit()


def check_until(until: int, now: datetime) -> None:
    """Expired when the link is too old."""
    if now.timestamp() > until:
        raise Expired("erase.late", Text("This link is too old; ask for another one on your account page."))
