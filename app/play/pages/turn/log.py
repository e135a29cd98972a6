"""The log on a turn page, as the seat saw it: since its last turn, and a little before that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, NamedTuple

from markupsafe import Markup
from sqlalchemy import bindparam, select
from sqlmodel import Session, col

from app.base.stored.prepared import PreparedRead
from app.base.words.speech import Voice
from app.games.statements import sent_by_seat
from app.games.store import GameNow, GameStore
from app.games.tables import DecisionMade
from app.play.turn.sentences import run_on
from app.play.turn.turns import said_of

EARLIER_ENTRIES = 6
"""Number of log entries shown from before the reader's last turn."""
_OWN = sent_by_seat(col(DecisionMade.last_entry)).limit(1)


class _Seen(NamedTuple):
    seen: int | None
    since: int | None


class LastTurn(NamedTuple):
    """The last entry that came of a seat's last answer; the last one of its last turn; and the one after which things
    are news to it. 0 for none."""

    seen: int
    ended: int
    since: int


_SEEN = PreparedRead(
    select(
        _OWN.scalar_subquery().label("seen"),
        _OWN.where(col(DecisionMade.turn) < bindparam("turn")).scalar_subquery().label("since"),
    ),
    _Seen,
)


@dataclass(frozen=True, slots=True)
class Log:
    """List items, each a sentence, and what they are about."""

    now: Markup
    """What came since the seat's last turn; entries since its last answer are marked as new."""
    earlier: Markup
    changed: frozenset[str]
    """The places named by the sentences since then."""
    news: Sequence[Any] = ()
    """The events that the line tells of (`app.play.pages.turn.asked.line_of`)."""
    goes_on: bool = False
    """Whether the seat has already played part of its turn."""

    def drawn(self, seat: str) -> frozenset[str]:
        """Return the cards that the news has shown to the seat itself."""
        own = [event for event in self.news if event.shows and getattr(event, "seat", None) == seat]
        return frozenset([card for event in own for card in getattr(event, "cards", ())])


def last_turn(session: Session, game: GameNow, seat: str) -> LastTurn:
    """Return how far a seat has seen the log."""
    row = _SEEN.all(session, game_id=game.id, seat=seat, turn=game.turn)[0]
    seen, ended = row.seen or 0, row.since or 0
    since = ended
    if since == game.entries:  # the seat's answer ended the other's turn: the result is still news
        since = GameStore(session).entry_before_own(game.id, seat)
    return LastTurn(seen, ended, since)


def log_of(session: Session, game: GameNow, seat: str, voice: Voice) -> Log:
    """Return what happened, for one seat."""
    seen, ended, since = last_turn(session, game, seat)
    store = GameStore(session)
    earlier: list[str] = []
    known: list[str] = []
    new: list[str] = []
    changed = set()
    goes_on = game.on_turn == seat and seen > ended
    line_since = store.entry_before_own(game.id, seat) if goes_on else seen
    news: list[Any] = []
    for number, events in store.events(game.title, game.id, max(0, since - EARLIER_ENTRIES)):
        news += events if number > line_since else ()
        told = earlier if number <= since else new if number > seen else known
        told += said_of(game, events, seat, voice)
        if number > since:
            changed |= {event.place for event in events if isinstance(getattr(event, "place", None), str)}
    return replace(log_in(voice, known, new, earlier, changed), news=tuple(news), goes_on=goes_on)


def log_in(
    voice: Voice, known: Sequence[str], new: Sequence[str], earlier: Sequence[str], changed: Iterable[str]
) -> Log:
    """Return a log of these sentences, which run on as long as they are about one actor."""
    mark = f' <span class="mark">{escape(voice.gettext("new"))}</span>'
    now = _items(run_on(known, voice)) + _items(run_on(new, voice), ' class="new"', mark)
    return Log(Markup(now), Markup(_items(run_on(earlier, voice))), frozenset(changed))


def _items(sentences: Sequence[str], look: str = "", mark: str = "") -> str:
    """Return a list item for each sentence. They are escaped all at once, separated by a character that is in none."""
    if not sentences:
        return ""
    return f"<li{look}>" + escape("\0".join(sentences)).replace("\0", f"{mark}</li>\n<li{look}>") + f"{mark}</li>\n"
