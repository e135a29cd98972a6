"""What a seat writes beside its moves: talk for all seats, notes for itself, standing orders."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, exists, func, insert, select, update

from app.base.prepared import Prepared
from app.base.refusals import NotAccepted
from app.games.tables import Draft, Game, GameSeat
from app.games.work import Work
from app.people.tables import Block
from app.play.standing_orders import read_standing, write_standing
from app.play.tables import ChatMessage, Consent, Note, Proposal
from app.play.turns import look
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.base.database import Database
    from app.base.links import TurnLink

LONGEST_MESSAGE = 2_000
LONGEST_NOTE = 10_000
NEWEST_MESSAGES = 20

_CHAT, _NOTE, _DRAFT = ChatMessage.__table__, Note.__table__, Draft.__table__  # type: ignore[attr-defined]
_READ_CHAT = (
    select(_CHAT.c.seat, _CHAT.c.text, _CHAT.c.at)
    .where(_CHAT.c.game_id == bindparam("game_id"))
    .order_by(_CHAT.c.id.desc())
    .limit(NEWEST_MESSAGES)
)
_READ_NOTE = select(_NOTE.c.text).where(
    _NOTE.c.game_id == bindparam("game_id"), _NOTE.c.seat == bindparam("seat"), _NOTE.c.entry == 0
)

_READ_DRAFT = select(_DRAFT.c.lines).where(
    _DRAFT.c.game_id == bindparam("game_id"), _DRAFT.c.seat == bindparam("seat"), _DRAFT.c.number == bindparam("number")
)
_BLOCK, _MINE, _OTHER = Block.__table__, GameSeat.__table__.alias("mine"), GameSeat.__table__.alias("other")  # type: ignore[attr-defined]
# The seats whose players this seat's player does not want to read, as one text.
_MUTED = (
    select(func.aggregate_strings(_OTHER.c.seat, " "))
    .select_from(_MINE)
    .join(_BLOCK, _BLOCK.c.player_id == _MINE.c.player_id)
    .join(_OTHER, (_OTHER.c.game_id == _MINE.c.game_id) & (_OTHER.c.player_id == _BLOCK.c.other_id))
    .where(_MINE.c.game_id == bindparam("game_id"), _MINE.c.seat == bindparam("seat"), _BLOCK.c.kind == "mute")
)
_NEWEST = select(func.max(_CHAT.c.id)).where(_CHAT.c.game_id == bindparam("game_id"))
_GAME, _PROPOSAL, _CONSENT = Game.__table__, Proposal.__table__, Consent.__table__  # type: ignore[attr-defined]
# What another seat asks and this one has not answered: kind and seat, as one text. A takeback is void after a move.
_ASKED = (
    select(_PROPOSAL.c.kind + " " + _PROPOSAL.c.seat)
    .join(_GAME, _GAME.c.id == _PROPOSAL.c.game_id)
    .where(
        _PROPOSAL.c.game_id == bindparam("game_id"), _PROPOSAL.c.status == "waiting",
        _PROPOSAL.c.seat != bindparam("seat"),
        (_PROPOSAL.c.kind != "takeback") | (_PROPOSAL.c.at_entry == _GAME.c.entries),
        ~exists().where(_CONSENT.c.proposal_id == _PROPOSAL.c.id, _CONSENT.c.seat == bindparam("seat")),
    )
    .limit(1)
)  # fmt: skip
# All at once: a statement costs more than what it reads.
READ_BESIDE = select(
    _READ_DRAFT.scalar_subquery().label("draft"),
    _READ_NOTE.scalar_subquery().label("note"),
    _NEWEST.scalar_subquery().label("newest"),
    _MUTED.scalar_subquery().label("muted"),
    _ASKED.scalar_subquery().label("asked"),
)
_BESIDE = Prepared(READ_BESIDE)


@dataclass(frozen=True, slots=True)
class Beside:
    """What a seat has beside the game itself: its draft, its notes, the number of the newest message, the seats whose
    messages are folded away for it, and what another seat asks it (kind of proposal and that seat, or nothing)."""

    draft: tuple[str, ...]
    note: str
    newest: int
    muted: frozenset[str]
    asked: tuple[str, ...]


def beside(connection: Connection, game_id: int, seat: str, number: int) -> Beside:
    """What stands on the page of decision `number`."""
    return beside_of(*_BESIDE.all(connection, game_id=game_id, seat=seat, number=number)[0])


def beside_of(draft: str | None, note: str | None, newest: int | None, muted: str | None, asked: str | None) -> Beside:
    """The same from the columns of READ_BESIDE, for whoever has read them with others."""
    return Beside(
        tuple((draft or "").splitlines()),
        note or "",
        newest or 0,
        frozenset((muted or "").split()),
        tuple((asked or "").split()),
    )


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the table's talk."""

    seat: str
    text: str
    at: datetime


def talk(connection: Connection, game_id: int) -> tuple[Said, ...]:
    """The newest messages, oldest first."""
    rows = connection.execute(_READ_CHAT, {"game_id": game_id}).all()
    return tuple(Said(row.seat, row.text, row.at) for row in reversed(rows))


def muted_for(connection: Connection, game_id: int, seat: str) -> frozenset[str]:
    """The seats whose messages are folded away for a seat."""
    return frozenset((connection.scalar(_MUTED, {"game_id": game_id, "seat": seat}) or "").split())


def note_of(connection: Connection, game_id: int, seat: str) -> str:
    """The seat's private notes."""
    return connection.scalar(_READ_NOTE, {"game_id": game_id, "seat": seat}) or ""


def say(database: Database, link: TurnLink, text: str, *, now: datetime) -> None:
    """Say something to all seats. NotAccepted, NoSuchGame, LinkEnded."""
    look(database, link)
    with Work(database) as work:
        work.store.load(link.game, for_writing=True)
        put_message(work, link.game, link.seat, text, now)
        work.commit()


def put_message(work: Work, game_id: int, seat: str, text: str, now: datetime) -> None:
    """Write a message down. The game is locked. NotAccepted."""
    text = _clean(text, LONGEST_MESSAGE)
    if not text:
        raise NotAccepted("talk.empty", Text("There is nothing to say yet; write a sentence first."))
    last = work.connection.execute(_READ_CHAT, {"game_id": game_id}).first()
    if last is None or (last.seat, last.text) != (seat, text):  # a double click says it once
        work.connection.execute(insert(_CHAT).values(game_id=game_id, seat=seat, text=text, at=now))


def keep_note(database: Database, link: TurnLink, text: str, *, now: datetime) -> None:
    """Keep the seat's private notes. NotAccepted, NoSuchGame, LinkEnded."""
    look(database, link)
    with Work(database) as work:
        work.store.load(link.game, for_writing=True)
        put_note(work, link.game, link.seat, text, now)
        work.commit()


def put_note(work: Work, game_id: int, seat: str, text: str, now: datetime, entry: int = 0) -> None:
    """Replace a seat's notes on the game, or on the position after an entry. The game is locked. NotAccepted."""
    values = {"text": _clean(text, LONGEST_NOTE), "changed_at": now}
    where = (_NOTE.c.game_id == game_id, _NOTE.c.seat == seat, _NOTE.c.entry == entry)
    if work.connection.execute(update(_NOTE).where(*where).values(**values)).rowcount == 0:
        work.connection.execute(insert(_NOTE).values(game_id=game_id, seat=seat, entry=entry, **values))


def keep_standing(database: Database, link: TurnLink, text: str) -> None:
    """Replace the seat's standing orders. `Unreadable` says which word of which line is wrong."""
    game = look(database, link)
    lines = read_standing(game.title, text.splitlines())
    with Work(database) as work:
        write_standing(work, link.game, link.seat, lines)
        work.commit()


def _clean(text: str, longest: int) -> str:
    text = "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").split("\n")).strip()
    text = "".join(c for c in text if c == "\n" or c.isprintable())
    if len(text) > longest:
        raise NotAccepted(
            "text.too_long", Text("These are {n} characters; {most} are the most.", n=len(text), most=longest)
        )
    return text
