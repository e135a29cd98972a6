"""A replay of a game: its positions one after another, and what each seat knew at each of them.

Every entry of the log has a position, the one after it. A position never changes, so computed ones are cached for a
while: the next one needs only the entry between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Any

import sqlmodel
from sqlalchemy import bindparam, select
from sqlmodel import Session, col

from app.base.process.recent import Recent
from app.base.stored.prepared import PreparedRead
from app.base.words.speech import Voice
from app.games.steps import in_force
from app.games.store import GameNow, GameStore
from app.games.tables import LogEntry
from app.play.tables import Note
from app.play.turn.sentences import sentence_of
from engine.kernel.takeback import TakenBack

LAST_ENTRIES = 12
"""The number of entries searched for the most recent place."""
KEPT_STATES = 600
"""States of one process; they share unchanged parts."""
KEEP_EVERY = 16
"""On the way to a position, the number of entries between cached states."""


# -- the course of a game -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReplayPosition:
    """A position: the one after an entry. `back_to` is the entry whose position a takeback restored."""

    entry: int
    turn: int
    seat: str | None
    back_to: int | None
    at: datetime


_READ_STOPS = PreparedRead(
    select(
        col(LogEntry.number).label("entry"),
        col(LogEntry.turn),
        col(LogEntry.seat),
        col(LogEntry.back_to),
        col(LogEntry.at),
    )
    .where(col(LogEntry.game_id) == bindparam("game_id"))
    .order_by(col(LogEntry.number)),
    ReplayPosition,
)


@dataclass(frozen=True)
class Timeline:
    """All positions of a game in order; the first one is that of entry 1."""

    stops: tuple[ReplayPosition, ...]

    @cached_property
    def turn_ends(self) -> tuple[int, ...]:
        """The entries that end a turn as it was played: those before another turn, and takebacks with what they took
        back."""
        before_others = (
            one.entry
            for one, following in pairwise(self.stops)
            if following.turn != one.turn or following.back_to is not None or one.back_to is not None
        )
        return (*before_others, self.last)

    @property
    def last(self) -> int:
        """The newest entry."""
        return self.stops[-1].entry

    @property
    def turns(self) -> int:
        """The number of the latest turn."""
        return max(stop.turn for stop in self.stops)

    def has(self, entry: int) -> bool:
        """Return whether there is such an entry."""
        return 1 <= entry <= self.last

    def stop(self, entry: int) -> ReplayPosition:
        """Return the position after an entry, which must exist."""
        return self.stops[entry - 1]

    def end_of_turn(self, turn: int) -> int | None:
        """Return the last entry so far of a turn, 0 for the opening; None when there is no such turn."""
        return next((stop.entry for stop in reversed(self.stops) if stop.turn == turn and stop.back_to is None), None)

    def turn_before(self, entry: int) -> int | None:
        """Return the end of the turn before the one that the entry belongs to."""
        return next((end for end in reversed(self.turn_ends) if end < entry), None)

    def turn_after(self, entry: int) -> int | None:
        """Return the next end of a turn."""
        return next((end for end in self.turn_ends if end > entry), None)


def course_of(session: Session, game_id: int) -> Timeline:
    """Return the positions of a game that has begun."""
    return Timeline(tuple(_READ_STOPS.all(session, game_id=game_id)))


def seen(game: GameNow, events: Sequence[Any], eyes: str | None, *, everything: bool = False) -> list[Any]:
    """Return the events as a seat (None: a spectator) saw them, or with everything that they hide. Everybody sees a
    takeback."""
    if everything:
        return list(events)
    found = [event if isinstance(event, TakenBack) else game.title.seen_by(event, eyes) for event in events]
    return [event for event in found if event is not None]


def in_words(game: GameNow, events: Sequence[Any], voice: Voice) -> list[str]:
    """Return events as sentences, if they are worth one; they can run on (`sentences.run_on`)."""
    texts = [event.sentence if isinstance(event, TakenBack) else game.title.sentence(event) for event in events]
    among = voice.among(game.seats)
    return [sentence_of(text, among) for text in texts if text is not None]


def places_of(events: Sequence[Any]) -> frozenset[str]:
    """Return what on the board the events are about, as the drawings mark it: places, or cells `x,y`."""
    found = set()
    for event in events:
        place, x, y = (getattr(event, name, None) for name in ("place", "x", "y"))
        if isinstance(place, str):
            found.add(place)
        if isinstance(x, int) and isinstance(y, int):
            found.add(f"{x},{y}")
    return frozenset(found)


def newest_places(store: GameStore, game: GameNow) -> frozenset[str]:
    """Return where the last public event happened."""
    newest: frozenset[str] = frozenset()
    for _, events in store.events(game.title, game.id, max(0, game.entries - LAST_ENTRIES)):
        newest = places_of(seen(game, events, None)) or newest
    return newest


# -- states -------------------------------------------------------------------------------------------


_states = Recent[object](KEPT_STATES)


def state_after(session: Session, game: GameNow, course: Timeline, entry: int) -> object:
    """Return the state after an entry of the game: the entries in force applied to the nearest cached state."""
    if entry == game.entries:
        return game.state
    counts = [stop.entry for _, stop in in_force(course.stops[:entry])]
    key = (str(session.get_bind().engine.url), game.id, game.started_at)
    at, state = 0, None
    for number in reversed(counts):
        if (known := _states.find((*key, number))) is not None:
            at, state = number, known
            break
    wanted = set(counts)
    for number, events in GameStore(session).events(game.title, game.id, at, counts[-1]) if at < counts[-1] else ():
        if number not in wanted:
            continue
        for event in events:
            state = game.title.apply(state, event)
        if number == counts[-1] or number % KEEP_EVERY == 0:
            _states.keep((*key, number), state)
    return state


# -- notes --------------------------------------------------------------------------------------------


def notes_of(session: Session, game_id: int, seat: str) -> dict[int, str]:
    """Return the seat's own notes on positions, by entry."""
    kept = sqlmodel.select(Note).where(Note.game_id == game_id, Note.seat == seat, Note.entry > 0, Note.text != "")
    return {note.entry: note.text for note in session.exec(kept)}
