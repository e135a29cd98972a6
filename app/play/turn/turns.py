"""One turn, from link to mail: what a seat is shown, and what its orders do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, TypeVar

from sqlmodel import Session

from app.base.links import TurnLink
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.base.words.speech import People, Voice
from app.games.steps import SentOrders
from app.games.store import GameNow, GameStore, NoSuchGame, SeatHolder, StaleTurn
from app.games.work import Work
from app.play.turn.moves import move_on, turn_mail
from app.play.turn.playing import LineRefused, Play, play_lines, seeded, split_orders
from app.play.turn.sentences import Sentence, run_on, sentence_of
from engine.kernel.refusals import Refusal
from engine.kernel.takeback import TakenBack
from engine.kernel.text import Text
from engine.kernel.title import Title

Taken = TypeVar("Taken")
"""The result of a way of accepting orders."""

ANOTHER_LINK_AFTER = timedelta(minutes=10)
"""The current link is mailed again at most this often, however often the button is pressed."""


NO_END_AHEAD = NotAccepted("ahead.none", Text("No end of this turn waits to be played any more."))


class LinkEnded(Exception):
    """The decision that the link answers has been made, or the game is over; `game` is its current state."""

    def __init__(self, game: GameNow, seat: str, since: int) -> None:
        super().__init__(f"game {game.id}, {seat}")
        self.game = game
        self.seat = seat
        self.since = since
        """The entry after which others may have moved."""


class OtherOrders(Exception):
    """Other orders were faster."""

    def __init__(self, game: GameNow) -> None:
        super().__init__(f"game {game.id}")
        self.game = game


class AlreadyDecided(OtherOrders):
    """Other orders have answered this decision."""


class AlreadyHeld(OtherOrders):
    """Orders for this decision are sealed and held: they must be taken back before others can be sent."""


class OrdersRefused(Exception):
    """No line could be stored; nothing was written."""

    def __init__(self, game: GameNow, refused: LineRefused) -> None:
        super().__init__(str(refused.refusal))
        self.game = game
        self.refused = refused


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """The result of a POST: the game after it, the lines that count, and the refusal of the next line in words."""

    game: GameNow
    seat: str
    played: tuple[str, ...]
    refused: dict[str, Any] | None
    """`code`, `message`, `line` (its number from 1), `rule`."""
    link: TurnLink
    """What was answered."""
    sent: tuple[str, ...]
    """All lines, including those that do not count."""
    before: GameNow | None = None
    """The game that the lines were played on; None if they had already been played."""

    @property
    def next_number(self) -> int | None:
        """The decision that the same seat owes next; None when another seat decides or the game is over."""
        return self.game.number if self.game.decides == self.seat else None


def seat_of_link(game: GameNow, link: TurnLink) -> SeatHolder:
    """Return the seat that the link names; LinkEnded when another player sits there now, NoSuchGame when there is
    none."""
    try:
        seated = game.seated(link.seat)
    except KeyError:
        raise NoSuchGame(link.game) from None
    if seated.player_id != link.player:
        raise LinkEnded(game, link.seat, game.entries)
    return seated


def seat_of_player(game: GameNow, player_id: int | None) -> SeatHolder:
    """Return where a player sits (None: a guest). NotAccepted when they do not."""
    for seated in game.seats:
        if seated.is_guest if player_id is None else seated.player_id == player_id:
            return seated
    raise NotAccepted("seat.none", Text("You do not play in this game."))


def holds_seat(game: GameNow, link: TurnLink) -> bool:
    """Return whether the seat of a link is still its holder's: a player's, or that of a guest, who has no account."""
    seated = game.seated(link.seat)
    return seated.is_guest if link.player is None else seated.player_id == link.player


def is_newest(session: Session, game: GameNow, link: TurnLink) -> bool:
    """Return whether a link is the newest of its seat and its player still sits there: it answers what the seat owes,
    or has answered its last decision. Older links may be in mails and logs, so they allow the move only. To a guest,
    who has nothing else, any of their links is the seat."""
    if not holds_seat(game, link) or link.player is None:
        return holds_seat(game, link)
    return link.number >= newest_link(session, game, link.seat).number


def newest_link(session: Session, game: GameNow, seat: str) -> TurnLink:
    """Return the link to what a seat owes, or to the decision that it made last."""
    number = game.number if game.decides == seat else GameStore(session).last_decision(game, seat)
    return TurnLink(game.id, seat, number, game.seated(seat).player_id)


def look(database: Database, link: TurnLink) -> GameNow:
    """Return the game, for the seat that owes the decision of this link. Raises NoSuchGame, LinkEnded. Changes
    nothing."""
    with database.read() as session:
        return look_at(session, link)


def look_at(session: Session, link: TurnLink) -> GameNow:
    """Do the same as `look` in the caller's transaction."""
    store = GameStore(session)
    game = store.load(link.game)
    seat_of_link(game, link)
    if game.decides != link.seat or game.number != link.number:
        raise look_ended(store, game, link)
    return game


def leads_on(session: Session, game: GameNow, link: TurnLink) -> TurnLink | None:
    """Return the link of the decision that the seat owes now, if this link answered another one of the same turn: until
    the turn has passed to another seat, the right is the same player's. Otherwise None, but to a guest."""
    if game.decides != link.seat or not holds_seat(game, link):
        return None
    if link.player is not None and not _answered_in_turn(session, game, link):
        return None
    return replace(link, number=game.number)


def _answered_in_turn(session: Session, game: GameNow, link: TurnLink) -> bool:
    """Return whether a link answered a decision of the turn that goes on."""
    made = GameStore(session).made(game.id, link.number)
    return made is not None and made.seat == link.seat and made.turn == game.turn


def look_ended(store: GameStore, game: GameNow, link: TurnLink) -> LinkEnded:
    """Return what to show since the link's decision, which is no longer owed; nobody has answered one that ended by a
    takeback or from outside."""
    made = store.made(game.id, link.number)
    since = made.last_entry if made else store.entry_before_decision(game.id, link.number)
    return LinkEnded(game, link.seat, since)


def play_turn(database: Database, link: TurnLink, orders: str, *, now: datetime) -> TurnPlayed:
    """Play the orders as the answer to the link's decision; game and mails are written together, or not at all.
    Repeating the same orders gives the first result. Raises NoSuchGame, LinkEnded, AlreadyDecided, OrdersRefused."""

    def play(work: Work, game: GameNow, lines: Sequence[str]) -> TurnPlayed:
        return play_in(work, game, link, lines, now=now, actor=link.seat)

    return answer(database, link, orders, play)


def answer(
    database: Database,
    link: TurnLink,
    orders: str,
    take: Callable[[Work, GameNow, Sequence[str]], Taken],
    seen: GameNow | None = None,
) -> Taken | TurnPlayed:
    """Accept orders as the answer to the link's decision, in one transaction: return what `take` gives for their lines,
    or for repeated orders their first result. `seen` is the game as its caller has read it: if it is unchanged, its
    state need not be read again. Refusals are those of `play_turn`."""
    try:
        lines = split_orders(orders)
    except Refusal as refusal:
        raise OrdersRefused(look(database, link), LineRefused(1, "", refusal)) from None
    with Work(database) as work:
        game = locked(work, link, seen)
        if game.decides != link.seat or game.number != link.number:
            return first_result(work.store, game, link, lines)
        return take(work, game, lines)


def locked(work: Work, link: TurnLink, seen: GameNow | None = None) -> GameNow:
    """Return the game of a link, locked, whichever seat owes its decision now. Raises NoSuchGame, and LinkEnded when
    the seat is another player's."""
    game = work.store.load(link.game, for_writing=True)
    if seen is not None and seen.state_text == game.state_text:
        game.know(seen.state)
    seat_of_link(game, link)
    return game


def play_in(
    work: Work,
    game: GameNow,
    link: TurnLink,
    lines: Sequence[str],
    *,
    now: datetime,
    actor: str | None,
    sealed_at: datetime | None = None,
) -> TurnPlayed:
    """Do the same as `play_turn` in the caller's transaction, with the game locked and the decision still owed. `actor`
    is the seat if its player is present and needs no mail; `sealed_at` is when the lines were sealed, if they have been
    held since."""
    seated = game.seated(link.seat)
    result = play_lines(play_of(game), link.seat, lines)
    if not result.played:
        assert result.refused is not None
        raise OrdersRefused(game, result.refused)
    if (result.ends is not None) != game.ends_ahead(link.seat):
        work.store.write_seat(game.id, link.seat, ends_turn=result.ends)
        game = game.with_seats(work.store.seats(game.id))
    # Stored with the decision: repeating the POST is answered with the same words.
    voice = Voice(seated.language, seated.zone, game.title)
    refused = None if result.refused is None else refusal_in_words(voice, result.refused)
    after = move_on(
        work,
        game,
        result.so_far,
        actor=actor,
        now=now,
        sent=SentOrders("\n".join(lines), result.played, refused),
        sealed_at=sealed_at,
    )
    return TurnPlayed(after, link.seat, tuple(lines[: result.played]), refused, link, tuple(lines), game)


def play_of(game: GameNow) -> Play:
    """Return the game to be played on, with its own chance and everybody's standing orders."""
    if game.seed is None:
        raise StaleTurn(game.id)
    standing = {seated.seat: seated.standing for seated in game.seats}
    ends = {seated.seat: game.turn for seated in game.seats if game.ends_ahead(seated.seat)}
    chance = seeded(game.seed, game.chance_used, game.seats, game.seed_number)
    return Play(game.title, game.state, game.number, chance, standing, ends)


def said_end_ahead(session: Session, game: GameNow, link: TurnLink) -> bool:
    """Return whether the seat of the link ends its turn in advance, and the link answered a decision of that turn: only
    then may its holder see it and take it back."""
    is_theirs = game.ends_ahead(link.seat) and game.seated(link.seat).player_id == link.player
    return is_theirs and _answered_in_turn(session, game, link)


def keep_turn(database: Database, link: TurnLink) -> None:
    """Take back the announced end of the turn, by the link with which it was said. Raises LinkEnded, NoSuchGame, and
    NotAccepted when there is nothing left to take back."""
    with Work(database) as work:
        game = work.store.load(link.game, for_writing=True)
        seat_of_link(game, link)
        if link.player is None or not said_end_ahead(work.session, game, link):
            raise NO_END_AHEAD
        work.store.write_seat(game.id, link.seat, ends_turn=None)


def first_result(store: GameStore, game: GameNow, link: TurnLink, lines: Sequence[str]) -> TurnPlayed:
    """Return the result of the same lines when they answered the decision, which is no longer owed. LinkEnded if
    nobody's did, AlreadyDecided if others did."""
    said = "\n".join(lines)
    made = store.made(game.id, link.number)
    if made is None or made.seat != link.seat or made.orders is None:
        raise look_ended(store, game, link)
    if made.orders != said:
        raise AlreadyDecided(game)
    then = store.as_of(game, made.last_entry, made.next_number)
    return TurnPlayed(then, link.seat, tuple(lines[: made.played]), made.refused, link, tuple(lines))


def refusal_in_words(voice: Voice, refused: LineRefused) -> dict[str, Any]:
    """Return code, sentence in the reader's language, number of the line, and rule."""
    refusal = refused.refusal
    return {"code": refusal.code, "message": voice.say(refusal.why), "line": refused.number, "rule": refusal.rule}


def what_happened(store: GameStore, game: GameNow, seat: str | None, voice: Voice, after: int) -> list[str]:
    """Return what a seat (None: a spectator) saw happen since entry number `after`, in sentences that run on."""
    sentences: list[str] = []
    for _, events in store.events(game.title, game.id, after):
        sentences += said_of(game, events, seat, voice)
    return run_on(sentences, voice)


def said_of(game: GameNow, events: Sequence[Any], seat: str | None, voice: Voice) -> list[str]:
    """Return events as one seat saw them, a sentence each."""
    return said_among(game.title, events, seat, voice.among(game.seats))


def said_among(title: Title, events: Sequence[Any], seat: str | None, voice: Voice) -> list[str]:
    """Return the same in a voice that knows who sits where."""
    said: list[str] = []
    for event in events:
        if isinstance(event, TakenBack):
            said.append(voice.say(event.sentence))
            continue
        say = _said if _can_be_kept(event) else _said.__wrapped__
        sentence = say(title, event, seat, voice.lang, voice.zone, voice.title, voice.people)
        if sentence is not None:
            said.append(sentence)
    return said


def _can_be_kept(event: object) -> bool:
    try:
        hash(event)
    except TypeError:  # an opening holds whole decks
        return False
    return True


@lru_cache(maxsize=4000)  # the vocabulary of events is small; pages and mails of all games repeat it
def _said(
    title: Title, event: object, seat: str | None, lang: str, zone: str, about: Title | None, people: People
) -> Sentence | None:
    seen = title.seen_by(event, seat)
    text = None if seen is None else title.sentence(seen)
    return None if text is None else sentence_of(text, Voice(lang, zone, about, people))


def mail_current_link(database: Database, link: TurnLink, *, now: datetime) -> bool:
    """Mail the seat that the link names the link of the decision it owes now; return False when it owes none."""
    with Work(database) as work:
        game = work.store.load(link.game, for_writing=True)
        seated = seat_of_link(game, link)
        if game.decides != seated.seat or seated.player_id is None:
            return False
        window = int(now.timestamp() // ANOTHER_LINK_AFTER.total_seconds())
        work.outbox.add([turn_mail(game, seated, again=str(window))], now)
    return True
