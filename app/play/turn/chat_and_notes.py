"""What a seat writes besides its moves: chat for all seats, notes for itself, standing orders."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import String, bindparam, exists, func, insert, select, type_coerce, update
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from app.base.links import TurnLink
from app.base.stored import limits
from app.base.stored.database import Database
from app.base.stored.prepared import PreparedRead
from app.base.words.refusals import NotAccepted
from app.games.store import GameNow
from app.games.tables import DecisionMade, Draft, Game, GameSeat
from app.games.work import Work
from app.people import sanctions
from app.people.tables import Block, BlockKind, SanctionKind
from app.play.tables import AnswerStatus, ChatMessage, Consent, Note, Proposal, ProposalKind
from app.play.turn.playing import answered_ahead, read_standing
from app.play.turn.turns import look, seat_of_player
from engine.kernel.text import Text

LONGEST_MESSAGE = 2_000
LONGEST_NOTE = 10_000
NEWEST_MESSAGES = 20

_READ_CHAT = (
    select(ChatMessage)
    .where(col(ChatMessage.game_id) == bindparam("game_id"))
    .order_by(col(ChatMessage.id).desc())
    .limit(NEWEST_MESSAGES)
)
_LAST_ANSWER = select(func.max(col(DecisionMade.made_at))).where(
    col(DecisionMade.game_id) == col(GameSeat.game_id),
    col(DecisionMade.seat) == col(GameSeat.seat),
    col(DecisionMade.orders).is_not(None),
)
_READ_UP_TO = select(col(GameSeat.chat_read), _LAST_ANSWER.scalar_subquery()).where(
    col(GameSeat.game_id) == bindparam("game_id"), col(GameSeat.seat) == bindparam("seat")
)
_READ_NOTE = select(col(Note.text)).where(
    col(Note.game_id) == bindparam("game_id"), col(Note.seat) == bindparam("seat"), col(Note.entry) == 0
)

_READ_DRAFT = select(col(Draft.lines)).where(
    col(Draft.game_id) == bindparam("game_id"),
    col(Draft.seat) == bindparam("seat"),
    (col(Draft.number) == bindparam("number")) | col(Draft.held_until).is_not(None),
)
# Sealed and held, if that is for the owed decision; when another is owed now, the lines are a draft again.
_READ_HELD = select(col(Draft.number)).where(
    col(Draft.game_id) == bindparam("game_id"),
    col(Draft.seat) == bindparam("seat"),
    col(Draft.held_until).is_not(None),
)
# The seats whose players this seat's player has muted, as one text.
_OTHER = aliased(GameSeat, name="other")
_MUTED = (
    select(func.aggregate_strings(col(_OTHER.seat), " "))
    .select_from(GameSeat)
    .join(Block, col(Block.player_id) == col(GameSeat.player_id))
    .join(_OTHER, (col(_OTHER.game_id) == col(GameSeat.game_id)) & (col(_OTHER.player_id) == col(Block.other_id)))
    .where(
        col(GameSeat.game_id) == bindparam("game_id"),
        col(GameSeat.seat) == bindparam("seat"),
        col(Block.kind) == BlockKind.MUTE,
    )
)
_NEWEST = select(func.max(col(ChatMessage.id))).where(col(ChatMessage.game_id) == bindparam("game_id"))
# What another seat asks and this one has not answered: kind and seat, as one text. A takeback is void after a move.
_ASKED = (
    select(type_coerce(Proposal.kind, String) + " " + col(Proposal.seat))
    .join(Game, col(Game.id) == col(Proposal.game_id))
    .where(
        col(Proposal.game_id) == bindparam("game_id"),
        col(Proposal.status) == AnswerStatus.WAITING,
        col(Proposal.seat) != bindparam("seat"),
        (col(Proposal.kind) != ProposalKind.TAKEBACK) | (col(Proposal.at_entry) == col(Game.entries)),
        ~exists().where(col(Consent.proposal_id) == col(Proposal.id), col(Consent.seat) == bindparam("seat")),
    )
    .limit(1)
)
# All at once: a statement costs more than what it reads.
READ_BESIDE = select(
    func.coalesce(_READ_DRAFT.scalar_subquery(), "").label("drafted"),
    _READ_HELD.scalar_subquery().label("held"),
    func.coalesce(_READ_NOTE.scalar_subquery(), "").label("note"),
    func.coalesce(_NEWEST.scalar_subquery(), 0).label("newest"),
    func.coalesce(_MUTED.scalar_subquery(), "").label("silent"),
    func.coalesce(_ASKED.scalar_subquery(), "").label("question"),
)


class SeatNotes(NamedTuple):
    """What a seat has besides the game itself, as READ_BESIDE reads it: its draft, the decision that this was sealed
    and held for (None: it was not), its notes, and the number of the newest message."""

    drafted: str = ""
    held: int | None = None
    note: str = ""
    newest: int = 0
    silent: str = ""
    question: str = ""

    @property
    def draft(self) -> tuple[str, ...]:
        """The lines of the draft."""
        return tuple(self.drafted.splitlines())

    @property
    def muted(self) -> frozenset[str]:
        """The seats whose messages are folded away for it."""
        return frozenset(self.silent.split())

    @property
    def asked(self) -> tuple[str, ...]:
        """What another seat asks it: kind of proposal and that seat, or nothing."""
        return tuple(self.question.split())


_BESIDE = PreparedRead(READ_BESIDE, SeatNotes)


def beside(session: Session, game_id: int, seat: str, number: int) -> SeatNotes:
    """Return what is shown to a seat while decision `number` is owed."""
    return _BESIDE.all(session, game_id=game_id, seat=seat, number=number)[0]


def chat(session: Session, game_id: int) -> tuple[ChatMessage, ...]:
    """Return the newest messages, oldest first."""
    return tuple(reversed(session.scalars(_READ_CHAT, {"game_id": game_id}).all()))


def newly_said(
    session: Session, said: Sequence[ChatMessage], seat: str, muted: Container[str]
) -> Sequence[ChatMessage]:
    """Return what of a chat others have said since a seat last answered, spoke itself or read it (`read`), oldest
    first."""
    if not said:
        return ()
    found: list[ChatMessage] = []
    read_up_to, since = session.execute(_READ_UP_TO, {"game_id": said[0].game_id, "seat": seat}).one()
    for one in reversed(said):
        if one.seat == seat or one.id <= read_up_to or (since is not None and one.at <= since):
            break
        found.insert(0, one)
    return [one for one in found if one.seat not in muted]


def read(database: Database, game_id: int, player_id: int, newest: int) -> None:
    """Note that a player has read the chat of their game up to message `newest`."""
    where = (col(GameSeat.game_id) == game_id, col(GameSeat.player_id) == player_id, col(GameSeat.chat_read) < newest)
    with database.write() as session:
        session.exec(update(GameSeat).where(*where).values(chat_read=newest))


def muted_for(session: Session, game_id: int, seat: str) -> frozenset[str]:
    """Return the seats whose messages are folded away for a seat."""
    return frozenset((session.scalar(_MUTED, {"game_id": game_id, "seat": seat}) or "").split())


def say(database: Database, link: TurnLink, text: str, *, now: datetime) -> None:
    """Say something to all seats. Raises NotAccepted, NoSuchGame, LinkEnded, TooOften."""
    look(database, link)
    say_as_player(database, link.game, link.player, text, now=now)


def say_as_player(database: Database, game_id: int, player_id: int | None, text: str, *, now: datetime) -> None:
    """Say something to all seats, also after the game. Raises NoSuchGame, NotAccepted, TooOften."""
    limits.count(database, [(limits.CHAT, f"{game_id}:{player_id}")], now)
    with Work(database) as work:
        game = work.store.load(game_id, for_writing=True)
        put_message(work, game_id, seat_of_player(game, player_id).seat, text, now)


def put_message(work: Work, game_id: int, seat: str, text: str, now: datetime) -> None:
    """Store a message. The game is locked. Raises NotAccepted, and NotAllowed for muted players."""
    says = select(col(GameSeat.player_id)).where(col(GameSeat.game_id) == game_id, col(GameSeat.seat) == seat)
    sanctions.need_none(work.session, work.session.scalar(says), SanctionKind.MUTE, now)
    text = _clean(text, LONGEST_MESSAGE)
    if not text:
        raise NotAccepted("talk.empty", Text("There is nothing to say yet; write a sentence first."))
    last = work.session.scalars(_READ_CHAT, {"game_id": game_id}).first()
    if last is None or (last.seat, last.text) != (seat, text):  # a double click says it once
        work.session.exec(insert(ChatMessage).values(game_id=game_id, seat=seat, text=text, at=now))


def keep_note(database: Database, link: TurnLink, text: str, *, now: datetime) -> None:
    """Store the seat's private notes. Raises NotAccepted, NoSuchGame, LinkEnded."""
    look(database, link)
    keep_players_note(database, link.game, link.player, text, now=now)


def keep_players_note(
    database: Database, game_id: int, player_id: int | None, text: str, *, entry: int | None = None, now: datetime
) -> None:
    """Store a player's private notes on the game, or on the position after an entry. Raises NoSuchGame, NotAccepted."""
    with Work(database) as work:
        game = work.store.load(game_id, for_writing=True)
        seat = seat_of_player(game, player_id).seat
        if entry is not None:
            need_entry(game, entry)
        put_note(work, game_id, seat, text, now, entry or 0)


def need_entry(game: GameNow, entry: int) -> None:
    """Raise NotAccepted when the log has no such entry."""
    if not 1 <= entry <= game.entries:
        raise NotAccepted("replay.no_entry", Text("This game has no step {n}.", n=entry))


def put_note(work: Work, game_id: int, seat: str, text: str, now: datetime, entry: int = 0) -> None:
    """Replace a seat's notes on the game, or on the position after an entry. The game is locked. Raises NotAccepted."""
    values = {"text": _clean(text, LONGEST_NOTE), "changed_at": now}
    where = (col(Note.game_id) == game_id, col(Note.seat) == seat, col(Note.entry) == entry)
    if work.session.exec(update(Note).where(*where).values(**values)).rowcount == 0:
        work.session.exec(insert(Note).values(game_id=game_id, seat=seat, entry=entry, **values))


def put_standing(database: Database, game: GameNow, seat: str, text: str) -> None:
    """Replace the seat's standing orders; the caller has checked its right. `Unreadable` says which word of which line
    is wrong."""
    lines = read_standing(game.title, text.splitlines())
    with Work(database) as work:
        work.store.write_seat(game.id, seat, standing="\n".join(lines))


def keep_answers(database: Database, game_id: int, seat: str, answers: Mapping[str, str]) -> None:
    """Store answers to foreseen questions (`answered_ahead`) among the seat's standing orders, if there are any; the
    caller has checked the seat's right. Raises `Unreadable`."""
    if not answers:
        return
    with Work(database) as work:
        game = work.store.load(game_id, for_writing=True)
        lines = read_standing(game.title, answered_ahead(game.seated(seat).standing, answers))
        work.store.write_seat(game_id, seat, standing="\n".join(lines))


def _clean(text: str, longest: int) -> str:
    text = "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").split("\n")).strip()
    text = "".join(c for c in text if c == "\n" or c.isprintable())
    if len(text) > longest:
        raise NotAccepted(
            "text.too_long", Text("Your text has {n} characters; the limit is {most}.", n=len(text), most=longest)
        )
    return text
